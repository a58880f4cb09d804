/* Cutting: blocks of a GEMM and slices of bytes that fit the tile budget. */
#include "accel/lower.h"
#include "base/num.h"

__extension__ typedef unsigned __int128 uint128;

bool
sf_gemm_b_bytes(
    const struct sf_gemm *g, int64_t e_in, int64_t elements, int64_t *out)
{
	uint128 bytes;

	if (g->b_elements == 0)
		return sf_mul(elements, e_in, out);
	bytes = (uint128)(uint64_t)elements * (uint64_t)g->b_bytes;
	bytes = (bytes + (uint64_t)g->b_elements - 1) / (uint64_t)g->b_elements;
	*out = (int64_t)bytes;
	return bytes <= INT64_MAX;
}

/*
 * Bytes of one batch of a block: both operands and the result. False when that
 * passes 2^63 - 1, which no buffer holds.
 */
static bool
block_bytes(const struct sf_gemm *g, int64_t e_in, int64_t e_out, int64_t *out)
{
	int64_t a, b, c;

	return sf_mul(g->bm, g->bk, &a) && sf_mul(a, e_in, &a) &&
	    sf_mul(g->bk, g->bn, &b) && sf_gemm_b_bytes(g, e_in, b, &b) &&
	    sf_mul(g->bm, g->bn, &c) && sf_mul(c, e_out, &c) &&
	    sf_add(a, b, &a) && sf_add(a, c, out);
}

static void
halve_largest(struct sf_gemm *g)
{
	int64_t *side = &g->bm;

	/* On a tie m before n before k. */
	if (g->bn > *side)
		side = &g->bn;
	if (g->bk > *side)
		side = &g->bk;
	*side = sf_ceil_div(*side, 2);
}

static bool
count_tiles(struct sf_gemm *g, struct sf_error *error)
{
	const int64_t counts[] = { sf_ceil_div(g->batch, g->bb),
		sf_ceil_div(g->m, g->bm), sf_ceil_div(g->n, g->bn),
		sf_ceil_div(g->k, g->bk) };

	if (!sf_mul_all(counts, 4, &g->tiles))
		return sf_fail(error, "it has more than 2^63 - 1 tiles");
	return true;
}

bool
sf_gemm_block(struct sf_gemm *g, int64_t e_in, int64_t e_out, int64_t budget,
    struct sf_error *error)
{
	int64_t bytes = INT64_MAX;
	bool split = false;

	g->bm = g->m;
	g->bk = g->k;
	g->bn = g->n;
	while (!block_bytes(g, e_in, e_out, &bytes) || bytes > budget) {
		if (g->bm == 1 && g->bk == 1 && g->bn == 1)
			return sf_fail(error,
			    "a block of 1x1x1 takes %lld bytes, a tile may "
			    "take %lld (buffer_bytes x tile_fraction)",
			    (long long)bytes, (long long)budget);
		halve_largest(g);
		split = true;
	}
	g->bb = split ? 1 : budget / bytes;
	if (g->bb > g->batch)
		g->bb = g->batch;
	return count_tiles(g, error);
}

static bool
slices_fit(int64_t rd, int64_t wr, int64_t n, int64_t budget)
{
	int64_t bytes;

	return sf_add(sf_ceil_div(rd, n), sf_ceil_div(wr, n), &bytes) &&
	    bytes <= budget;
}

bool
sf_slice_count(int64_t rd, int64_t wr, int64_t budget, int64_t *slices,
    struct sf_error *error)
{
	int64_t low, high, bytes;

	if (!sf_add(rd, wr, &bytes))
		return sf_fail(error, "it moves more than 2^63 - 1 bytes");
	/* As many slices as bytes: the smallest there can be. */
	high = bytes > 0 ? bytes : 1;
	if (!slices_fit(rd, wr, high, budget))
		return sf_fail(error,
		    "a slice of one byte in and one out does not fit a tile "
		    "of %lld bytes (buffer_bytes x tile_fraction)",
		    (long long)budget);
	low = bytes > 0 ? sf_ceil_div(bytes, budget) : 1;
	/* More slices are never larger, so the least number is bisected. */
	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (slices_fit(rd, wr, middle, budget))
			high = middle;
		else
			low = middle + 1;
	}
	*slices = low;
	return true;
}
