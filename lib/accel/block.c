/* Cutting: blocks of a GEMM and slices of bytes that fit the tile budget. */
#include "accel/part.h"
#include "base/num.h"

/* The sides of the block that GEMM has, BATCHES deep. */
static void
sides_of(const struct sf_gemm *g, int64_t batches, int64_t side[SF_GEMM_DIMS])
{
	side[SF_DIM_BATCH] = batches;
	side[SF_DIM_M] = g->bm;
	side[SF_DIM_N] = g->bn;
	side[SF_DIM_K] = g->bk;
}

/*
 * Bytes of one batch of a block, in the buffer and in the accumulator, if there
 * is one. False when that passes 2^63 - 1, which no buffer holds.
 */
static bool
block_bytes(const struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e, int64_t *buffer, int64_t *acc)
{
	int64_t side[SF_GEMM_DIMS];
	struct sf_block_bytes bytes;

	sides_of(g, 1, side);
	*acc = 0;
	if (!sf_gemm_bytes(g, e, side, &bytes) ||
	    !sf_add(bytes.a, bytes.b, buffer))
		return false;
	if (accel->acc_bytes == 0)
		return sf_add(*buffer, bytes.c, buffer);
	*acc = bytes.c;
	return true;
}

int64_t
sf_gemm_fit(const struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e)
{
	int64_t buffer, acc, fit;

	if (!block_bytes(g, accel, e, &buffer, &acc) ||
	    buffer > accel->tile_bytes || acc > accel->tile_acc)
		return 0;
	/* What is split is one batch deep. */
	if (g->bm != g->m || g->bn != g->n || g->bk != g->k)
		return 1;
	fit = accel->tile_bytes / buffer;
	if (acc != 0 && accel->tile_acc / acc < fit)
		fit = accel->tile_acc / acc;
	return fit < g->batch ? fit : g->batch;
}

static void
halve_largest(int64_t *rows, struct sf_gemm *g)
{
	int64_t *side = rows;

	/* On a tie m before n before k. */
	if (g->bn > *side)
		side = &g->bn;
	if (g->bk > *side)
		side = &g->bk;
	*side = sf_ceil_div(*side, 2);
}

static bool
too_small(const struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e, struct sf_error *error)
{
	int64_t buffer = INT64_MAX, acc = 0;
	bool by_acc;

	block_bytes(g, accel, e, &buffer, &acc);
	by_acc = buffer <= accel->tile_bytes;
	return sf_fail(error,
	    "a block of 1x1x1 takes %lld bytes%s, a tile may take %lld "
	    "(%s x tile_fraction)",
	    (long long)(by_acc ? acc : buffer), by_acc ? " of result" : "",
	    (long long)(by_acc ? accel->tile_acc : accel->tile_bytes),
	    by_acc ? "acc_bytes" : "buffer_bytes");
}

/* The whole, halved along its largest side until it fits. */
static bool
halve(struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e, struct sf_error *error)
{
	int64_t rows = g->m;

	g->order = SF_ORDER_MNK;
	g->bk = g->k;
	g->bn = g->n;
	for (;;) {
		g->bm = sf_gemm_whole_rows(g, rows);
		g->bb = sf_gemm_fit(g, accel, e);
		if (g->bb != 0)
			return true;
		if (rows == 1 && g->bk == 1 && g->bn == 1)
			return too_small(g, accel, e, error);
		halve_largest(&rows, g);
	}
}

bool
sf_gemm_block(struct sf_gemm *g, int64_t e_in, int64_t e_out,
    const struct sf_accel *accel, struct sf_error *error)
{
	const struct sf_elements e = sf_elements_of(accel, e_in, e_out);
	struct sf_gemm part;

	sf_gemm_choose_split(g, accel->cores);
	part = sf_gemm_largest(g, accel->cores);
	if ((accel->blocks == SF_BLOCKS_HALVE ||
		!sf_gemm_search(&part, accel, &e)) &&
	    !halve(&part, accel, &e, error))
		return false;
	g->bb = part.bb;
	g->bm = part.bm;
	g->bk = part.bk;
	g->bn = part.bn;
	g->order = part.order;
	return sf_gemm_parts(g, accel->cores, &g->tiles) ||
	    sf_fail(error, "it has more than 2^63 - 1 tiles");
}

/* ---- slices ---- */

static bool
slices_fit(int64_t rd, int64_t wr, int64_t n, int64_t budget)
{
	int64_t bytes;

	return sf_add(sf_ceil_div(rd, n), sf_ceil_div(wr, n), &bytes) &&
	    bytes <= budget;
}

static bool
least_slices(int64_t rd, int64_t wr, int64_t budget, int64_t *slices,
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

/* Seconds of the first load or the last store of N slices of Q bytes. */
static double
end_piece(const struct sf_accel *a, int64_t q, int64_t n)
{
	if (q == 0)
		return 0;
	return a->wait + (double)sf_ceil_div(q, n) / a->path_bw;
}

/* Seconds of N slices: the busier of memory and lanes, and both ends. */
static double
slices_estimate(const struct sf_lower *l, const struct sf_accel *a, int64_t n)
{
	double memory_bw = a->path_bw * (a->servers == 1 ? 1 : 2);
	double move = (double)(l->rd + l->wr) / memory_bw;
	int64_t transfers = (l->rd > 0) + (l->wr > 0);
	int64_t lanes = sf_ceil_div(sf_ceil_div(l->work, n), a->vector_lanes);
	double compute = (double)n * (double)lanes / a->clock_hz;

	if (a->latency == SF_LATENCY_HELD)
		move += a->wait * ((double)transfers * (double)n);
	return (move > compute ? move : compute) + end_piece(a, l->rd, n) +
	    end_piece(a, l->wr, n);
}

/* The slices of what one core does. */
static bool
count_part(
    struct sf_lower *l, const struct sf_accel *accel, struct sf_error *error)
{
	double best, estimate;

	if (!least_slices(l->rd, l->wr, accel->tile_bytes, &l->tiles, error))
		return false;
	if (accel->blocks != SF_BLOCKS_TIME || l->where != SF_ON_VECTOR)
		return true;
	best = slices_estimate(l, accel, l->tiles);
	/* Doubled while each slice has a byte. */
	for (int64_t n = l->tiles; n <= (l->rd + l->wr) / 2;) {
		n *= 2;
		estimate = slices_estimate(l, accel, n);
		if (estimate < best) {
			best = estimate;
			l->tiles = n;
		}
	}
	return true;
}

bool
sf_slice_count(
    struct sf_lower *l, const struct sf_accel *accel, struct sf_error *error)
{
	struct sf_lower part = *l;

	if (accel->cores <= 1)
		return count_part(l, accel, error);
	part.rd = sf_ceil_div(l->rd, accel->cores);
	part.wr = sf_ceil_div(l->wr, accel->cores);
	part.work = sf_ceil_div(l->work, accel->cores);
	return count_part(&part, accel, error) &&
	    (sf_mul(part.tiles, accel->cores, &l->tiles) ||
		sf_fail(error, "it has more than 2^63 - 1 tiles"));
}
