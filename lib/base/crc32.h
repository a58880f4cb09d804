/* The CRC-32 of gzip and zip, to name the content of an input. */
#ifndef SF_BASE_CRC32_H
#define SF_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues CRC (0 to begin) over LEN bytes. */
uint32_t sf_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
