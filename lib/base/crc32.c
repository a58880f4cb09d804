/* CRC-32 by zlib, for inputs of any length. */
#include "base/crc32.h"

#include <zlib.h>

uint32_t
sf_crc32(uint32_t crc, const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(crc, bytes, len);
}
