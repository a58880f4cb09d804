/* CRC-32, by zlib. */
#include "base/crc.h"

#include <zlib.h>

uint32_t
sf_crc32(uint32_t crc, const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(crc, bytes, len);
}
