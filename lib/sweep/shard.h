/*
 * Shares of a sweep. Design i is of share 1 + (the sum of the digits of i in
 * base N) mod N: any N designs in a row that begin at a multiple of N go to N
 * shares, and no axis of a grid falls into step with it as it does with i mod N.
 */
#ifndef SF_SWEEP_SHARD_H
#define SF_SWEEP_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

enum {
	SF_SHARDS_MOST = 1000000
};

struct sf_shard {
	int64_t i, n; /* share I of N, from 1 */
};

/* Reads "I/N". */
bool
sf_shard_parse(const char *text, struct sf_shard *out, struct sf_error *error);

/* Whether design I is of that share. */
bool sf_shard_has(const struct sf_shard *shard, int64_t i);

SF_PUBLIC_END

#endif
