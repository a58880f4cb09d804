/* How many tiles one trace may have: a small one may ask for any number. */
#ifndef SF_ACCEL_BOUND_TILES_H
#define SF_ACCEL_BOUND_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

enum {
	SF_MOST_TILES = 1000000000 /* unless the user asks for more or less */
};

/*
 * Adds TILES to *SUM. Fails, naming the option that says MOST, when that passes
 * it.
 */
bool sf_bound_tiles(
    int64_t *sum, int64_t tiles, int64_t most, struct sf_error *error);

SF_PUBLIC_END

#endif
