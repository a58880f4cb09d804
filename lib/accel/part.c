/* Splitting operators over cores. */
#include "accel/part.h"

#include "base/num.h"

__extension__ typedef unsigned __int128 uint128;

void
sf_gemm_choose_split(struct sf_gemm *g, int64_t cores)
{
	uint128 by_batch, by_n;

	g->split = SF_SPLIT_NONE;
	if (cores <= 1)
		return;
	/* Shares of the largest parts, on one denominator. */
	by_batch =
	    (uint128)(uint64_t)sf_ceil_div(g->batch, cores) * (uint64_t)g->n;
	by_n = (uint128)(uint64_t)sf_ceil_div(g->n, cores) * (uint64_t)g->batch;
	g->split = by_batch <= by_n ? SF_SPLIT_BATCH : SF_SPLIT_N;
}

struct sf_gemm
sf_gemm_largest(const struct sf_gemm *g, int64_t cores)
{
	struct sf_gemm part = *g;

	if (g->split == SF_SPLIT_BATCH)
		part.batch = sf_ceil_div(g->batch, cores);
	else if (g->split == SF_SPLIT_N)
		part.n = sf_ceil_div(g->n, cores);
	return part;
}

/* PART is that of GEMM with SIZE batches, or columns. */
static bool
set_part(const struct sf_gemm *g, int64_t size, struct sf_gemm *part)
{
	*part = *g;
	part->split = SF_SPLIT_NONE;
	if (g->split == SF_SPLIT_BATCH) {
		part->batch = size;
		part->bb = g->bb < size ? g->bb : size;
	} else {
		part->n = size;
		part->bn = g->bn < size ? g->bn : size;
	}
	return sf_gemm_count(part, &part->tiles);
}

bool
sf_gemm_part(
    const struct sf_gemm *g, int64_t cores, int64_t core, struct sf_gemm *part)
{
	int64_t whole = g->split == SF_SPLIT_BATCH ? g->batch : g->n;
	int64_t size = sf_part_begin(whole, cores, core + 1) -
	    sf_part_begin(whole, cores, core);

	if (g->split == SF_SPLIT_NONE) {
		*part = *g;
		return core == 0;
	}
	return size != 0 && set_part(g, size, part);
}

bool
sf_gemm_parts(const struct sf_gemm *g, int64_t cores, int64_t *tiles)
{
	int64_t whole = g->split == SF_SPLIT_BATCH ? g->batch : g->n;
	struct sf_gemm part;
	int64_t more, less = 0;

	if (g->split == SF_SPLIT_NONE)
		return sf_gemm_count(g, tiles);
	/* So many cores have one more than the others. */
	if (!set_part(g, sf_ceil_div(whole, cores), &part) ||
	    !sf_mul(
		part.tiles, whole % cores != 0 ? whole % cores : cores, &more))
		return false;
	if (whole % cores != 0 && whole / cores != 0 &&
	    (!set_part(g, whole / cores, &part) ||
		!sf_mul(part.tiles, cores - whole % cores, &less)))
		return false;
	return sf_add(more, less, tiles);
}

void
sf_lower_part(const struct sf_lower *l, int64_t core, struct sf_lower *part)
{
	int64_t cores = l->cores > 1 ? l->cores : 1;

	*part = *l;
	part->cores = 1;
	part->tiles = 0;
	part->ngemms = 0;
	if (l->ngemms == 0) {
		part->all = l->tiles;
		part->begin = sf_part_begin(l->tiles, cores, core);
		part->tiles =
		    sf_part_begin(l->tiles, cores, core + 1) - part->begin;
		return;
	}
	for (int i = 0; i < l->ngemms; i++)
		if (sf_gemm_part(
			&l->gemms[i], cores, core, &part->gemms[part->ngemms]))
			part->tiles += part->gemms[part->ngemms++].tiles;
}
