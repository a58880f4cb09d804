/*
 * The hash of names: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", INDOCRYPT 2012), with one round a word and three at the
 * end. Without its key nobody can choose names that meet, and the key is drawn
 * anew by each process. So nothing may depend on the values: what is written
 * comes in the order of insertion, never of hashes.
 */
#ifndef SF_BASE_HASH_H
#define SF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of LEN bytes. */
uint64_t sf_hash(const char *text, size_t len);

/*
 * A few instructions a word, and without a key: an input can be made of names
 * that all meet. Only for caches and filters, where that costs a look that
 * would have been spared, and no more.
 */
uint64_t sf_hash_quick(const char *text, size_t len);

/* Fixes the key, for tests: before anything is hashed. */
void sf_hash_set_key(uint64_t k0, uint64_t k1);

#endif
