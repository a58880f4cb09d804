/* Expanding a lowered operator into its tiles. */
#include "accel/nest.h"

#include <string.h>

#include "accel/part.h"
#include "base/arena.h"
#include "base/num.h"

/* Why a nest cannot be run. */
static bool
too_much(struct sf_error *error, const char *what)
{
	return sf_fail(error, "its %s pass 2^63 - 1", what);
}

/* What a tile is granted of one memory and frees of it. */
struct share_of_memory {
	int64_t granted, at_compute, at_store;
};

/*
 * Fills in all but the compute. WHOLE is what the tile's own blocks take of the
 * buffer, those that it was not granted itself among them.
 */
static bool
set_tile(struct sf_tile *tile, const struct sf_accel *accel, int64_t whole,
    const struct share_of_memory *buffer, const struct share_of_memory *acc,
    struct sf_error *error)
{
	if (whole > accel->buffer_bytes)
		return sf_fail(error,
		    "a tile needs %lld bytes of buffer, buffer_bytes is %lld",
		    (long long)whole, (long long)accel->buffer_bytes);
	tile->granted = buffer->granted;
	tile->at_compute = buffer->at_compute;
	tile->at_store = buffer->at_store;
	tile->at_compute_f = (double)tile->at_compute;
	tile->at_store_f = (double)tile->at_store;
	tile->acc_granted = acc->granted;
	tile->acc_at_compute = acc->at_compute;
	tile->acc_at_store = acc->at_store;
	return true;
}

static void
set_transfers(struct sf_tile *tile, const struct sf_accel *accel, int64_t rd,
    int64_t operations, int64_t wr)
{
	tile->read = rd;
	tile->written = wr;
	tile->load = tile->load_whole =
	    sf_accel_transfer(accel, rd, operations);
	tile->store = tile->store_whole = sf_accel_transfer(accel, wr, 0);
	if (accel->latency == SF_LATENCY_HELD)
		return;
	tile->load = sf_accel_hold(accel, rd, operations);
	tile->store = sf_accel_hold(accel, wr, 0);
}

/* ---- GEMMs ---- */

/* A product, with what its tiles need to know of it. */
struct product {
	const struct sf_gemm *gemm;
	const struct sf_accel *accel;
	struct sf_elements e;
	struct sf_gemm_loop loops[SF_GEMM_DIMS];
};

/*
 * Bits of a table index: the last of k, n, m, the batch; then, where blocks are
 * reused, the last of m's repeats and the first of the innermost index.
 */
enum {
	LAST_K = 1,
	LAST_N = 2,
	LAST_M = 4,
	LAST_BATCH = 8,
	LAST_REPEAT = 16,
	FIRST = 32
};

static const uint16_t last_bits[SF_GEMM_DIMS] = { LAST_BATCH, LAST_M, LAST_N,
	LAST_K };

static bool
runs(const struct product *p, int d)
{
	return p->loops[d].count > 1 || p->loops[d].repeats > 1;
}

/* The dimensions, innermost first. */
static void
order_of(const struct product *p, int dims[SF_GEMM_DIMS])
{
	bool mnk = p->gemm->order == SF_ORDER_MNK;

	dims[0] = SF_DIM_K;
	dims[1] = mnk ? SF_DIM_N : SF_DIM_M;
	dims[2] = mnk ? SF_DIM_M : SF_DIM_N;
	dims[3] = SF_DIM_BATCH;
}

static void
add_loop(struct sf_loops *out, int64_t count, uint16_t bit)
{
	if (count == 1) {
		out->base |= bit;
		return;
	}
	out->count[out->n] = count;
	out->bit[out->n++] = bit;
}

static void
set_loops(struct sf_loops *out, const struct product *p, int base)
{
	const struct sf_gemm_loop *l = p->loops;
	bool reuse = p->accel->reuse;
	int dims[SF_GEMM_DIMS];

	order_of(p, dims);
	*out = (struct sf_loops){ .base = (uint16_t)base };
	for (int i = 0; i < SF_GEMM_DIMS; i++) {
		int d = dims[i];

		add_loop(out, l[d].count, last_bits[d]);
		/* Which repeat it is makes a difference to reuse alone. */
		if (d == SF_DIM_M && l[d].repeats > 1)
			add_loop(out, l[d].repeats, reuse ? LAST_REPEAT : 0);
		else if (d == SF_DIM_M && reuse)
			out->base |= LAST_REPEAT;
		if (reuse && out->first == 0 && out->n != 0 &&
		    d != SF_DIM_BATCH) {
			out->first = FIRST;
			out->first_loops = out->n;
		}
	}
}

/* A loop that runs once has no others than the last. */
static bool
size_occurs(const struct product *p, int size)
{
	for (int d = 0; d < SF_GEMM_DIMS; d++)
		if ((size & last_bits[d]) == 0 && p->loops[d].count == 1)
			return false;
	return true;
}

static void
sides_of_size(const struct product *p, int size, int64_t side[SF_GEMM_DIMS])
{
	for (int d = 0; d < SF_GEMM_DIMS; d++)
		side[d] = (size & last_bits[d]) != 0 ? p->loops[d].last
						     : p->loops[d].full;
}

/* Which blocks a tile of that size loads, and which it is the last to use. */
struct uses {
	bool load_a, load_b, free_a, free_b, grant_c;
};

static struct uses
uses_of(const struct product *p, int size)
{
	bool first = (size & FIRST) != 0;
	bool last_m = (size & LAST_M) != 0 && (size & LAST_REPEAT) != 0;
	bool last_n = (size & LAST_N) != 0;
	bool mnk = p->gemm->order == SF_ORDER_MNK;
	struct uses u = { true, true, true, true, true };

	if (!p->accel->reuse)
		return u;
	/* All of k is the innermost index: every tile has operands of its
	 * own, and the first of a line takes room for the result. */
	if (runs(p, SF_DIM_K)) {
		u.grant_c = first;
		return u;
	}
	/* A stays while n runs, B while m does, if nothing else does. */
	if (mnk || !runs(p, SF_DIM_M)) {
		u.load_a = !runs(p, SF_DIM_N) || first;
		u.free_a = last_n;
	}
	if (!mnk || !runs(p, SF_DIM_N)) {
		u.load_b = !runs(p, SF_DIM_M) || first;
		u.free_b = last_m;
	}
	return u;
}

/* The result's part: all at once, or what is no last k slice at its compute. */
static struct share_of_memory
result_of(
    const struct product *p, const struct uses *u, int64_t bytes, bool last_k)
{
	return (struct share_of_memory){
		.granted = u->grant_c ? bytes : 0,
		.at_compute = last_k || p->accel->reuse ? 0 : bytes,
		.at_store = last_k ? bytes : 0,
	};
}

static bool
gemm_tile(struct sf_tile *tile, const struct product *p, int size,
    struct sf_error *error)
{
	struct uses u = uses_of(p, size);
	struct share_of_memory none = { 0 }, buffer, result;
	bool own = p->accel->acc_bytes != 0;
	int64_t side[SF_GEMM_DIMS], cycles, wr, whole, loaded, freed;
	struct sf_block_bytes b;

	sides_of_size(p, size, side);
	if (!sf_gemm_bytes(p->gemm, &p->e, side, &b) ||
	    !sf_add(b.a, b.b, &whole) ||
	    !sf_add(whole, own ? 0 : b.c, &whole) ||
	    !sf_mul(b.c / p->e.chip, p->e.out, &wr))
		return too_much(error, "tile's bytes");
	if (!sf_gemm_cycles(p->gemm, p->accel, side, &cycles))
		return too_much(error, "tile's cycles");
	if (own && b.c > p->accel->acc_bytes)
		return sf_fail(error,
		    "a tile needs %lld bytes of accumulator, acc_bytes is %lld",
		    (long long)b.c, (long long)p->accel->acc_bytes);
	tile->stores = (size & LAST_K) != 0;
	loaded = (u.load_a ? b.a : 0) + (u.load_b ? b.b : 0);
	freed = (u.free_a ? b.a : 0) + (u.free_b ? b.b : 0);
	result = result_of(p, &u, b.c, tile->stores);
	buffer = own ? none : result;
	buffer.granted += loaded;
	buffer.at_compute += freed;
	set_transfers(tile, p->accel, loaded, 0, tile->stores ? wr : 0);
	tile->compute = sf_accel_cycles(p->accel, cycles);
	return set_tile(
	    tile, p->accel, whole, &buffer, own ? &result : &none, error);
}

/* All tiles together. */
static bool
add_gemm_totals(
    struct sf_nest *nest, const struct product *p, struct sf_error *error)
{
	int64_t read, written, macs;

	if (!sf_gemm_read(p->gemm, p->accel, &p->e, &read) ||
	    !sf_add(nest->read, read, &nest->read))
		return too_much(error, "bytes loaded");
	if (!sf_gemm_written(p->gemm, &p->e, &written) ||
	    !sf_add(nest->written, written, &nest->written))
		return too_much(error, "bytes stored");
	if (!sf_gemm_macs(p->gemm, &macs) ||
	    !sf_add(nest->macs, macs, &nest->macs))
		return too_much(error, "multiply-accumulates");
	return true;
}

static bool
init_gemm(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, int i, struct sf_error *error)
{
	struct product p = { .gemm = &l->gemms[i],
		.accel = accel,
		.e = sf_elements_of(accel, l->e_in, l->e_out) };
	int base = i * nest->sizes;

	sf_gemm_loops(p.gemm, p.loops);
	set_loops(&nest->loops[i], &p, base);
	for (int size = 0; size < nest->sizes; size++)
		if (size_occurs(&p, size) &&
		    !gemm_tile(&nest->table[base + size], &p, size, error))
			return false;
	return add_gemm_totals(nest, &p, error);
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
		macs = l->flops / 2 / nest->slices;
		return sf_accel_cycles(a,
		    sf_ceil_div(
			macs, a->arrays * a->array_rows * a->array_cols));
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
	const struct share_of_memory none = { 0 };
	struct share_of_memory buffer;
	int64_t q[SF_NEST_SHARES];

	for (int d = 0; d < SF_NEST_SHARES; d++)
		q[d] = nest->share[d].whole + (size >> d & 1);
	if (!sf_add(q[0], q[1], &buffer.granted))
		return too_much(error, "tile's bytes");
	tile->stores = q[1] > 0 || last;
	buffer.at_compute = q[0];
	buffer.at_store = q[1];
	set_transfers(
	    tile, accel, q[0], nest->where == SF_ON_TRANSIT ? q[2] : 0, q[1]);
	tile->compute = slice_compute(nest, l, accel, q[2]);
	return set_tile(tile, accel, buffer.granted, &buffer, &none, error);
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

/* What slices before slice I of N have of a quantity Q. */
static int64_t
share_before(int64_t q, int64_t i, int64_t n)
{
	__extension__ unsigned __int128 part = (uint64_t)q;

	return (int64_t)(part * (uint64_t)i / (uint64_t)n);
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
	int64_t n = nest->slices, end = nest->begin + nest->tiles;
	int64_t moved[SF_NEST_SHARES];
	int last = 0;

	for (int d = 0; d < SF_NEST_SHARES; d++) {
		int64_t before = share_before(whole[d], end, n);

		nest->share[d] = (struct sf_share){ .whole = whole[d] / n,
			.rest = whole[d] % n };
		moved[d] = before - share_before(whole[d], nest->begin, n);
		/* The last slice takes what the floors before it left. */
		before -= share_before(whole[d], end - 1, n);
		last |= (before != nest->share[d].whole) << d;
	}
	for (int size = 0; size < 1 << SF_NEST_SHARES; size++)
		if (occurs(nest, size) &&
		    !slice_tile(nest, l, accel, size, false, error))
			return false;
	nest->read = moved[0];
	nest->written = moved[1];
	if (nest->where == SF_ON_ARRAY)
		nest->macs = l->flops / 2 / n * nest->tiles;
	return slice_tile(nest, l, accel, last, true, error);
}

/* The sequence of one core, whose part L is. */
static bool
init_part(struct sf_nest *nest, const struct sf_lower *l,
    const struct sf_accel *accel, struct sf_error *error)
{
	/* Half the range, so that the carry of a share has room. */
	nest->slices = l->all != 0 ? l->all : l->tiles;
	nest->begin = l->begin;
	if (l->tiles > INT64_MAX / 2 || nest->slices > INT64_MAX / 2)
		return too_much(error, "tiles, twice");
	nest->where = l->where;
	nest->tiles = l->tiles;
	nest->macs = nest->read = nest->written = 0;
	nest->ngemms = l->ngemms;
	nest->sizes = accel->reuse ? SF_NEST_SIZES_REUSED : SF_NEST_SIZES;
	if (l->ngemms == 0 && l->tiles != 0 &&
	    !init_slices(nest, l, accel, error))
		return false;
	for (int i = 0; i < l->ngemms; i++)
		if (!init_gemm(nest, l, accel, i, error))
			return false;
	sf_nest_rewind(nest);
	return sf_energy_use_of(
	    accel, l, nest->macs, nest->read, &nest->use, error);
}

bool
sf_nest_init(struct sf_nest *nests, const struct sf_lower *l,
    const struct sf_accel *accel, struct sf_error *error)
{
	struct sf_lower part;

	if (accel->cores <= 1 && l->cores <= 1)
		return init_part(nests, l, accel, error);
	if (l->cores > accel->cores)
		return sf_fail(error,
		    "it is split over %lld cores, the accelerator has %lld",
		    (long long)l->cores, (long long)accel->cores);
	for (int64_t core = 0; core < accel->cores; core++) {
		if (core < l->cores || core == 0)
			sf_lower_part(l, core, &part);
		else
			part.tiles = part.ngemms = 0;
		if (!init_part(&nests[core], &part, accel, error))
			return false;
	}
	return true;
}

struct sf_nest *
sf_nests_new(const struct sf_accel *accel)
{
	size_t n = accel->cores > 1 ? (size_t)accel->cores : 1;

	return sf_reallocarray(NULL, n, sizeof(struct sf_nest));
}

size_t
sf_nest_size(const struct sf_nest *nest)
{
	size_t tiles = nest->ngemms != 0
	    ? (size_t)nest->ngemms * (size_t)nest->sizes
	    : SF_NEST_LAST + 1;

	return offsetof(struct sf_nest, table) + tiles * sizeof *nest->table;
}
