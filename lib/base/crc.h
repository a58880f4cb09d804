/* The CRC-32 by which a trace names the files it was made from (as gzip's). */
#ifndef SF_BASE_CRC_H
#define SF_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues CRC, 0 at first, over LEN more bytes. */
uint32_t sf_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
