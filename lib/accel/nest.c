/* Expanding a lowered operator into its tiles. */
#include "accel/nest.h"

#include "base/num.h"

/* Why a nest cannot be run. */
static bool
too_much(struct sf_error *error, const char *what)
{
	return sf_fail(error, "its %s pass 2^63 - 1", what);
}

/* Fills in what follows from the bytes; loads and computes are the caller's. */
static bool
set_bytes(struct sf_tile *tile, const struct sf_accel *accel, int64_t rd,
    int64_t held, bool stores, struct sf_error *error)
{
	int64_t granted;

	if (!sf_add(rd, held, &granted))
		return too_much(error, "tile's bytes");
	if (granted > accel->buffer_bytes)
		return sf_fail(error,
		    "a tile needs %lld bytes of buffer, buffer_bytes is %lld",
		    (long long)granted, (long long)accel->buffer_bytes);
	tile->stores = stores;
	tile->at_compute = stores ? rd : granted;
	tile->at_store = stores ? held : 0;
	tile->at_compute_f = (double)tile->at_compute;
	tile->at_store_f = (double)tile->at_store;
	tile->store = stores ? sf_accel_transfer(accel, held, 0) : 0;
	return true;
}

/* ---- GEMMs ---- */

/* Cycles of a block on the output-stationary array, fill and drain once. */
static bool
array_cycles(const struct sf_accel *a, int64_t nb, int64_t mm, int64_t nn,
    int64_t kk, int64_t *out)
{
	const int64_t passes[] = { nb, sf_ceil_div(mm, a->array_rows),
		sf_ceil_div(nn, a->array_cols), kk };

	return sf_product(passes, 4, out) && sf_add(*out, a->array_rows, out) &&
	    sf_add(*out, a->array_cols, out);
}

static bool
gemm_tile(struct sf_tile *tile, const struct sf_lower *l,
    const struct sf_accel *accel, const int64_t side[4], bool last_k,
    struct sf_error *error)
{
	int64_t nb = side[0], mm = side[1], nn = side[2], kk = side[3];
	int64_t a, b, rd, held, cycles;

	if (!sf_mul(mm, kk, &a) || !sf_mul(kk, nn, &b) || !sf_add(a, b, &a) ||
	    !sf_mul(a, l->e_in, &a) || !sf_mul(a, nb, &rd) ||
	    !sf_mul(mm, nn, &b) || !sf_mul(b, l->e_out, &b) ||
	    !sf_mul(b, nb, &held))
		return too_much(error, "tile's bytes");
	if (!array_cycles(accel, nb, mm, nn, kk, &cycles))
		return too_much(error, "tile's cycles");
	tile->load = sf_accel_transfer(accel, rd, 0);
	tile->compute = sf_accel_cycles(accel, cycles);
	return set_bytes(tile, accel, rd, held, last_k, error);
}

/* The sizes of each loop's blocks but the last, and of the last. */
static void
block_sides(
    const struct sf_gemm *g, int64_t full[4], int64_t last[4], int64_t count[4])
{
	const int64_t whole[] = { g->batch, g->m, g->n, g->k };
	const int64_t side[] = { g->bb, g->bm, g->bn, g->bk };

	for (int d = 0; d < 4; d++) {
		count[d] = sf_ceil_div(whole[d], side[d]);
		full[d] = side[d];
		last[d] = whole[d] - (count[d] - 1) * side[d];
	}
}

/* All tiles together: each operand block is loaded once a block it meets. */
static bool
add_gemm_totals(struct sf_nest *nest, const struct sf_lower *l, int i,
    struct sf_error *error)
{
	const struct sf_gemm *g = &l->gemms[i];
	const int64_t *count = nest->count[i];
	int64_t a, b, macs, written;

	if (!sf_mul(g->m, count[2], &a) || !sf_mul(g->n, count[1], &b) ||
	    !sf_add(a, b, &a) || !sf_mul(a, g->k, &a) ||
	    !sf_mul(a, g->batch, &a) || !sf_mul(a, l->e_in, &a) ||
	    !sf_add(nest->read, a, &nest->read))
		return too_much(error, "bytes loaded");
	if (!sf_mul(g->m, g->n, &b) || !sf_mul(b, g->batch, &b) ||
	    !sf_mul(b, l->e_out, &written) ||
	    !sf_add(nest->written, written, &nest->written))
		return too_much(error, "bytes stored");
	if (!sf_mul(b, g->k, &macs) || !sf_add(nest->macs, macs, &nest->macs))
		return too_much(error, "multiply-accumulates");
	return true;
}

static bool
init_gemm(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, int i, struct sf_error *error)
{
	int64_t full[4], last[4], side[4];

	block_sides(&l->gemms[i], full, last, nest->count[i]);
	for (int size = 0; size < SF_NEST_SIZES; size++) {
		struct sf_tile *tile = &nest->table[i * SF_NEST_SIZES + size];

		/* Bit 0 says last of k, bit 3 last of batch. */
		for (int d = 0; d < 4; d++)
			side[d] =
			    (size >> (3 - d) & 1) != 0 ? last[d] : full[d];
		if (!gemm_tile(tile, l, accel, side, size & 1, error))
			return false;
	}
	return add_gemm_totals(nest, l, i, error);
}

/* ---- slices ---- */

static double
slice_compute(const struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *a, int64_t work)
{
	int64_t macs;

	switch (nest->where) {
	case SF_ON_VECTOR:
		if (work == 0)
			return 0;
		return sf_accel_cycles(a, sf_ceil_div(work, a->vector_lanes));
	case SF_ON_ARRAY:
		macs = l->flops / 2 / l->tiles;
		return sf_accel_cycles(
		    a, sf_ceil_div(macs, a->array_rows * a->array_cols));
	case SF_ON_TRANSIT:
	case SF_ON_NONE:
		break;
	}
	return 0;
}

static bool
slice_tile(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, int size, bool last, struct sf_error *error)
{
	struct sf_tile *tile = &nest->table[last ? SF_NEST_LAST : size];
	int64_t q[4];

	for (int d = 0; d < 4; d++)
		q[d] = nest->share[d].whole + (size >> d & 1);
	tile->load = sf_accel_transfer(
	    accel, q[0], nest->where == SF_ON_TRANSIT ? q[3] : 0);
	tile->compute = slice_compute(nest, l, accel, q[2]);
	return set_bytes(tile, accel, q[0], q[1], q[1] > 0 || last, error);
}

/*
 * Sizes that no slice has must not refuse the nest: a quantity that divides
 * evenly is never one more.
 */
static bool
occurs(const struct sf_nest *nest, int size)
{
	for (int d = 0; d < 4; d++)
		if ((size >> d & 1) != 0 && nest->share[d].rest == 0)
			return false;
	return true;
}

static bool
init_slices(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, struct sf_error *error)
{
	const int64_t whole[] = { l->rd, l->wr, l->work, l->flops };
	int last = 0;

	for (int d = 0; d < 4; d++) {
		nest->share[d] =
		    (struct sf_share){ .whole = whole[d] / l->tiles,
			    .rest = whole[d] % l->tiles };
		/* The last slice takes what the floors before it left. */
		last |= (nest->share[d].rest != 0) << d;
	}
	for (int size = 0; size < SF_NEST_SIZES; size++)
		if (occurs(nest, size) &&
		    !slice_tile(nest, l, accel, size, false, error))
			return false;
	nest->read = l->rd;
	nest->written = l->wr;
	if (nest->where == SF_ON_ARRAY)
		nest->macs = l->flops / 2 / l->tiles * l->tiles;
	return slice_tile(nest, l, accel, last, true, error);
}

bool
sf_nest_init(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, struct sf_error *error)
{
	/* Half the range, so that the carry of a share has room. */
	if (l->tiles > INT64_MAX / 2)
		return too_much(error, "tiles, twice");
	nest->where = l->where;
	nest->tiles = l->tiles;
	nest->macs = nest->read = nest->written = 0;
	nest->ngemms = l->ngemms;
	sf_nest_rewind(nest);
	if (l->ngemms == 0)
		return init_slices(nest, l, accel, error);
	for (int i = 0; i < l->ngemms; i++)
		if (!init_gemm(nest, l, accel, i, error))
			return false;
	return true;
}

/* ---- the sequence ---- */

void
sf_nest_rewind(struct sf_nest *nest)
{
	nest->left = nest->tiles;
	nest->gemm = 0;
	for (int d = 0; d < 4; d++) {
		nest->at[d] = 0;
		nest->share[d].carry = 0;
	}
}

/* One step of the three outer loops, or on to the next GEMM. */
static void
step_outer(struct sf_nest *nest)
{
	const int64_t *count = nest->count[nest->gemm];

	for (int d = 2; d >= 0; d--) {
		if (++nest->at[d] < count[d])
			return;
		nest->at[d] = 0;
	}
	nest->gemm++;
}

/* The table index of the block where the loops are, k not its last. */
static uint8_t
outer_size(const struct sf_nest *nest)
{
	const int64_t *count = nest->count[nest->gemm];
	int size = nest->gemm * SF_NEST_SIZES;

	for (int d = 0; d < 3; d++)
		size |= (nest->at[d] == count[d] - 1) << (3 - d);
	return (uint8_t)size;
}

/* N tiles, or fewer where a line of k ends; returns how many. */
static int
fill_line(struct sf_nest *nest, uint8_t *out, int n)
{
	int64_t line = nest->count[nest->gemm][3] - nest->at[3];
	uint8_t size = outer_size(nest);

	if (line > n) {
		nest->at[3] += n;
		for (int i = 0; i < n; i++)
			out[i] = size;
		return n;
	}
	for (int i = 0; i < (int)line - 1; i++)
		out[i] = size;
	out[line - 1] = size | 1;
	nest->at[3] = 0;
	step_outer(nest);
	return (int)line;
}

/* 1 when this slice gets one more than the floor. */
static inline int
step_share(struct sf_share *s, int64_t n)
{
	int more;

	s->carry += s->rest;
	more = s->carry >= n;
	s->carry -= more ? n : 0;
	return more;
}

static void
fill_slices(struct sf_nest *nest, uint8_t *out, int n)
{
	/* Copies, which the loop can keep in registers. */
	struct sf_share rd = nest->share[0], wr = nest->share[1];
	struct sf_share work = nest->share[2], flops = nest->share[3];
	int64_t tiles = nest->tiles;

	for (int i = 0; i < n; i++)
		out[i] = (uint8_t)(step_share(&rd, tiles) |
		    step_share(&wr, tiles) << 1 |
		    step_share(&work, tiles) << 2 |
		    step_share(&flops, tiles) << 3);
	nest->share[0] = rd;
	nest->share[1] = wr;
	nest->share[2] = work;
	nest->share[3] = flops;
	if (n == nest->left)
		out[n - 1] = SF_NEST_LAST;
}

int
sf_nest_next(struct sf_nest *nest, uint8_t out[static SF_NEST_BATCH])
{
	int n = nest->left < SF_NEST_BATCH ? (int)nest->left : SF_NEST_BATCH;

	if (n != 0 && nest->ngemms == 0)
		fill_slices(nest, out, n);
	else
		for (int i = 0; i < n;)
			i += fill_line(nest, out + i, n - i);
	nest->left -= n;
	return n;
}
