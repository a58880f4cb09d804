/*
 * Bytes of a text as numbers, the first the lowest, the same on every machine.
 * Loads of a fixed size overlap where a copy of a few bytes would be a call.
 */
#ifndef SF_BASE_WORD_H
#define SF_BASE_WORD_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Eight bytes. */
static inline uint64_t
sf_word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return le64toh(word);
}

/* Four. */
static inline uint64_t
sf_half_at(const char *p)
{
	uint32_t half;

	memcpy(&half, p, sizeof half);
	return le32toh(half);
}

/* N, from 1 to 7; zeros behind them. */
static inline uint64_t
sf_few_at(const char *p, size_t n)
{
	uint64_t word;

	if (n >= 4)
		return sf_half_at(p) | sf_half_at(p + n - 4) << (8 * n - 32);
	word = (uint64_t)(unsigned char)p[n / 2] << n / 2 * 8;
	word |= (uint64_t)(unsigned char)p[n - 1] << (8 * n - 8);
	return word | (unsigned char)p[0];
}

#endif
