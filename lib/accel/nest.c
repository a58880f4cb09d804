/* Expanding a lowered operator into its tiles. */
#include "accel/nest.h"

#include <string.h>

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

	return sf_mul_all(passes, 4, out) && sf_add(*out, a->array_rows, out) &&
	    sf_add(*out, a->array_cols, out);
}

/* Bytes that a tile loads; its sides are batches, rows, columns, depth. */
static bool
operand_bytes(const struct sf_lower *l, const struct sf_gemm *g,
    const int64_t side[4], int64_t *out)
{
	int64_t a, b;

	return sf_mul(side[1], side[3], &a) && sf_mul(a, side[0], &a) &&
	    sf_mul(a, l->e_in, &a) && sf_mul(side[3], side[2], &b) &&
	    sf_mul(b, side[0], &b) && sf_gemm_b_bytes(g, l->e_in, b, &b) &&
	    sf_add(a, b, out);
}

static bool
gemm_tile(struct sf_tile *tile, const struct sf_lower *l,
    const struct sf_gemm *g, const struct sf_accel *accel,
    const int64_t side[4], bool last_k, struct sf_error *error)
{
	int64_t nb = side[0], mm = side[1], nn = side[2], kk = side[3];
	int64_t b, rd, held, cycles;

	if (!operand_bytes(l, g, side, &rd) || !sf_mul(mm, nn, &b) ||
	    !sf_mul(b, l->e_out, &b) || !sf_mul(b, nb, &held))
		return too_much(error, "tile's bytes");
	if (!array_cycles(accel, nb, mm, nn, kk, &cycles))
		return too_much(error, "tile's cycles");
	tile->load = sf_accel_transfer(accel, rd, 0);
	tile->compute = sf_accel_cycles(accel, cycles);
	return set_bytes(tile, accel, rd, held, last_k, error);
}

/* A GEMM's loops, outermost first: batch, m, n, k. */
struct loop {
	int64_t count; /* blocks */
	int64_t full;  /* the side of all of them but the last */
	int64_t last;
};

static void
loops_of(const struct sf_gemm *g, struct loop loops[4])
{
	const int64_t whole[] = { g->batch, g->m, g->n, g->k };
	const int64_t side[] = { g->bb, g->bm, g->bn, g->bk };

	for (int d = 0; d < 4; d++) {
		int64_t count = sf_ceil_div(whole[d], side[d]);

		loops[d] = (struct loop){ .count = count,
			.full = side[d],
			.last = whole[d] - (count - 1) * side[d] };
	}
}

/* Bit 0 of a table index says last of k, bit 3 last of batch. */
static uint8_t
bit_of(int d)
{
	return (uint8_t)(1 << (3 - d));
}

static void
set_loops(struct sf_loops *out, const struct loop loops[4], int gemm)
{
	*out = (struct sf_loops){ .base = (uint8_t)(gemm * SF_NEST_SIZES) };
	for (int d = 3; d >= 0; d--) {
		if (loops[d].count == 1) {
			out->base |= bit_of(d);
			continue;
		}
		out->count[out->n] = loops[d].count;
		out->bit[out->n++] = bit_of(d);
	}
}

/*
 * How many tiles have that size: the last or the others of each loop. A loop
 * that runs once has no others.
 */
static bool
tiles_of_size(const struct loop loops[4], int size, int64_t *out)
{
	int64_t counts[4];

	for (int d = 0; d < 4; d++)
		counts[d] = (size & bit_of(d)) != 0 ? 1 : loops[d].count - 1;
	return sf_mul_all(counts, 4, out);
}

static bool
size_occurs(const struct loop loops[4], int size)
{
	for (int d = 0; d < 4; d++)
		if ((size & bit_of(d)) == 0 && loops[d].count == 1)
			return false;
	return true;
}

static void
sides_of_size(const struct loop loops[4], int size, int64_t side[4])
{
	for (int d = 0; d < 4; d++)
		side[d] =
		    (size & bit_of(d)) != 0 ? loops[d].last : loops[d].full;
}

/* As each block of B is rounded up to bytes: a size times its tiles. */
static bool
add_loads_by_size(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_gemm *g, const struct loop loops[4])
{
	for (int size = 0; size < SF_NEST_SIZES; size++) {
		int64_t side[4], n, bytes;

		if (!size_occurs(loops, size))
			continue;
		sides_of_size(loops, size, side);
		if (!tiles_of_size(loops, size, &n) ||
		    !operand_bytes(l, g, side, &bytes) ||
		    !sf_mul(bytes, n, &bytes) ||
		    !sf_add(nest->read, bytes, &nest->read))
			return false;
	}
	return true;
}

/* What all tiles load: each operand block once a block it meets. */
static bool
add_loads(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_gemm *g, const struct loop loops[4])
{
	int64_t a, b;

	if (g->b_elements != 0)
		return add_loads_by_size(nest, l, g, loops);
	return sf_mul(g->m, loops[2].count, &a) &&
	    sf_mul(g->n, loops[1].count, &b) && sf_add(a, b, &a) &&
	    sf_mul(a, g->k, &a) && sf_mul(a, g->batch, &a) &&
	    sf_mul(a, l->e_in, &a) && sf_add(nest->read, a, &nest->read);
}

/* All tiles together. */
static bool
add_gemm_totals(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_gemm *g, const struct loop loops[4], struct sf_error *error)
{
	int64_t b, macs, written;

	if (!add_loads(nest, l, g, loops))
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
	const struct sf_gemm *g = &l->gemms[i];
	struct loop loops[4];
	int64_t side[4];

	loops_of(g, loops);
	set_loops(&nest->loops[i], loops, i);
	for (int size = 0; size < SF_NEST_SIZES; size++) {
		struct sf_tile *tile = &nest->table[i * SF_NEST_SIZES + size];

		if (!size_occurs(loops, size))
			continue;
		sides_of_size(loops, size, side);
		if (!gemm_tile(tile, l, g, accel, side, (size & bit_of(3)) != 0,
			error))
			return false;
	}
	return add_gemm_totals(nest, l, g, loops, error);
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
	int64_t q[SF_NEST_SHARES];

	for (int d = 0; d < SF_NEST_SHARES; d++)
		q[d] = nest->share[d].whole + (size >> d & 1);
	tile->load = sf_accel_transfer(
	    accel, q[0], nest->where == SF_ON_TRANSIT ? q[2] : 0);
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
	for (int d = 0; d < SF_NEST_SHARES; d++)
		if ((size >> d & 1) != 0 && nest->share[d].rest == 0)
			return false;
	return true;
}

static bool
init_slices(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, struct sf_error *error)
{
	/* What makes no difference to a tile makes no sizes of its own. */
	const int64_t whole[SF_NEST_SHARES] = { l->rd, l->wr,
		l->where == SF_ON_VECTOR        ? l->work
		    : l->where == SF_ON_TRANSIT ? l->flops
						: 0 };
	int last = 0;

	for (int d = 0; d < SF_NEST_SHARES; d++) {
		nest->share[d] =
		    (struct sf_share){ .whole = whole[d] / l->tiles,
			    .rest = whole[d] % l->tiles };
		/* The last slice takes what the floors before it left. */
		last |= (nest->share[d].rest != 0) << d;
	}
	for (int size = 0; size < 1 << SF_NEST_SHARES; size++)
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
	if (l->ngemms == 0 && !init_slices(nest, l, accel, error))
		return false;
	for (int i = 0; i < l->ngemms; i++)
		if (!init_gemm(nest, l, accel, i, error))
			return false;
	sf_nest_rewind(nest);
	return sf_energy_use_of(
	    accel, l, nest->macs, nest->read, &nest->use, error);
}

size_t
sf_nest_size(const struct sf_nest *nest)
{
	size_t tiles = nest->ngemms != 0 ? (size_t)nest->ngemms * SF_NEST_SIZES
					 : SF_NEST_LAST + 1;

	return offsetof(struct sf_nest, table) + tiles * sizeof *nest->table;
}

/* ---- the sequence ---- */

void
sf_nest_rewind(struct sf_nest *nest)
{
	nest->left = nest->tiles;
	nest->gemm = 0;
	for (int d = 0; d < 4; d++)
		nest->at[d] = 0;
	for (int d = 0; d < SF_NEST_SHARES; d++)
		nest->share[d].carry = -nest->tiles;
}

/* The loops around the innermost one take a step, or the next GEMM comes. */
static void
step_outer(struct sf_nest *nest, const struct sf_loops *l)
{
	for (int i = 1; i < l->n; i++) {
		if (++nest->at[i] < l->count[i])
			return;
		nest->at[i] = 0;
	}
	nest->gemm++;
}

/* The table index of the tile where the outer loops are, not the last inside. */
static uint8_t
outer_size(const struct sf_nest *nest, const struct sf_loops *l)
{
	uint8_t size = l->base;

	for (int i = 1; i < l->n; i++)
		if (nest->at[i] == l->count[i] - 1)
			size |= l->bit[i];
	return size;
}

/* The rest of a line of the innermost loop, or N tiles of it. */
static int
fill_part(struct sf_nest *nest, const struct sf_loops *l, uint8_t *out, int n)
{
	int64_t left = l->count[0] - nest->at[0];

	if (left > n) {
		memset(out, outer_size(nest, l), (size_t)n);
		nest->at[0] += n;
		return n;
	}
	memset(out, outer_size(nest, l), (size_t)left);
	out[left - 1] |= l->bit[0];
	nest->at[0] = 0;
	step_outer(nest, l);
	return (int)left;
}

/* As many whole lines of LINE tiles as are all alike. */
static int
fill_lines(struct sf_nest *nest, const struct sf_loops *l, uint8_t *out,
    int lines, int line)
{
	uint8_t size = outer_size(nest, l);
	int64_t alike = l->n > 1 ? l->count[1] - 1 - nest->at[1] : 1;

	/* The last round of the loop around is of its own size. */
	if (alike < 1)
		alike = 1;
	if (lines > alike)
		lines = (int)alike;
	for (int i = 0; i < lines; i++) {
		for (int j = 1; j < line; j++)
			*out++ = size;
		*out++ = size | l->bit[0];
	}
	nest->at[1] += lines - 1;
	step_outer(nest, l);
	return lines * line;
}

/* At least one tile and at most N of the GEMM that is next. */
static int
fill_gemm(struct sf_nest *nest, uint8_t *out, int n)
{
	const struct sf_loops *l = &nest->loops[nest->gemm];

	if (l->n == 0) {
		*out = l->base;
		nest->gemm++;
		return 1;
	}
	if (nest->at[0] == 0 && l->count[0] <= n)
		return fill_lines(
		    nest, l, out, n / (int)l->count[0], (int)l->count[0]);
	return fill_part(nest, l, out, n);
}

/* 1 when this slice gets one more than the floor, without a branch. */
static inline unsigned
step_share(struct sf_share *s, int64_t n)
{
	unsigned more;

	s->carry += s->rest;
	more = s->carry >= 0;
	s->carry -= more ? n : 0;
	return more;
}

/* N slices when the shares are not all whole. */
static void
fill_uneven(struct sf_nest *nest, uint8_t *out, int n)
{
	/* Copies, which the loop can keep in registers. */
	struct sf_share rd = nest->share[0], wr = nest->share[1];
	struct sf_share work = nest->share[2];
	int64_t tiles = nest->tiles;

	for (int i = 0; i < n; i++)
		out[i] = (uint8_t)(step_share(&rd, tiles) |
		    step_share(&wr, tiles) << 1 |
		    step_share(&work, tiles) << 2);
	nest->share[0] = rd;
	nest->share[1] = wr;
	nest->share[2] = work;
}

static void
fill_slices(struct sf_nest *nest, uint8_t *out, int n)
{
	bool even = true;

	for (int d = 0; d < SF_NEST_SHARES; d++)
		even = even && nest->share[d].rest == 0;
	if (even)
		memset(out, 0, (size_t)n);
	else
		fill_uneven(nest, out, n);
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
			i += fill_gemm(nest, out + i, n - i);
	nest->left -= n;
	return n;
}
