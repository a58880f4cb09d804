/*
 * What of an operator each core of the device does. Of a product a core has a
 * run of its batches (images of a grouped convolution's channels, heads) or of
 * its columns; of what is sliced a run of the slices. Number C of N has those
 * from floor(d C / N) to floor(d (C + 1) / N) of the d there are, which may be
 * none.
 */
#ifndef SF_ACCEL_PART_H
#define SF_ACCEL_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/gemm.h"
#include "accel/lower.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/* Where the run of core CORE begins in WHOLE; it ends where the next begins. */
static inline int64_t
sf_part_begin(int64_t whole, int64_t cores, int64_t core)
{
	return whole / cores * core + whole % cores * core / cores;
}

/*
 * Chooses what the cores of a device split of GEMM: that of batches and columns
 * of which the core that has most has the least share, on a tie the batches.
 */
void sf_gemm_choose_split(struct sf_gemm *gemm, int64_t cores);

/* The part that has most of GEMM, which is that of the last core. */
struct sf_gemm sf_gemm_largest(const struct sf_gemm *gemm, int64_t cores);

/* What of GEMM, with its blocks, core CORE does; false when that is nothing. */
bool sf_gemm_part(const struct sf_gemm *gemm, int64_t cores, int64_t core,
    struct sf_gemm *part);

/* Tiles of all cores; false past 2^63 - 1. */
bool sf_gemm_parts(const struct sf_gemm *gemm, int64_t cores, int64_t *tiles);

/* What of LOWER core CORE does: an operator of its own, maybe of no tiles. */
void sf_lower_part(
    const struct sf_lower *lower, int64_t core, struct sf_lower *part);

SF_PUBLIC_END

#endif
