/*
 * The fast engine: with two memory channels or more nothing is left to
 * arbitrate, and each tile's times follow from those of earlier tiles.
 *
 * Frees at compute ends and frees at store ends each come in the order of
 * time, so two rings hold them and no heap is needed.
 */
#include <math.h>
#include <stdlib.h>

#include "accel/engine.h"
#include "accel/frees.h"
#include "base/arena.h"
#include "base/die.h"

/* Into the loop over tiles with it, whatever it costs in bytes of code. */
#define SF_HOT static inline __attribute__((always_inline))

/* All that one tile needs to know of those before it. */
struct state {
	double load_end, comp_end, store_end; /* of the tile before */
	int64_t room;   /* bytes of buffer that are free */
	double granted; /* when the tile before was */
	int64_t least;  /* room that was left at the fullest instant */
	struct sf_frees computes, stores; /* frees to come */
};

struct sf_engine {
	const struct sf_accel *accel;
	const struct sf_sink *sink;
	struct state state, before; /* now, and before the operator */
	struct sf_meter meter;
	double *stored; /* when each operator was */
	size_t nstored, room;
};

static bool
fast_accepts(const struct sf_accel *accel, struct sf_error *error)
{
	if (accel->dram_channels >= 2)
		return true;
	return sf_fail(error,
	    "dram_channels is 1: loads and stores queue for the one channel, "
	    "which only the event engine models; the fast engine needs 2 or "
	    "more");
}

static void
state_init(struct state *s, const struct sf_accel *accel)
{
	*s = (struct state){ .room = accel->buffer_bytes,
		.least = accel->buffer_bytes };
	sf_frees_init(&s->computes);
	sf_frees_init(&s->stores);
}

static void
state_release(struct state *s)
{
	sf_frees_release(&s->computes);
	sf_frees_release(&s->stores);
}

static void
state_copy(struct state *to, const struct state *from)
{
	struct sf_frees computes = to->computes, stores = to->stores;

	sf_frees_copy(&computes, &from->computes);
	sf_frees_copy(&stores, &from->stores);
	*to = *from;
	to->computes = computes;
	to->stores = stores;
}

static struct sf_engine *
fast_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .accel = accel, .sink = sink };
	state_init(&e->state, accel);
	state_init(&e->before, accel);
	return e;
}

static void
fast_free(struct sf_engine *e)
{
	state_release(&e->state);
	state_release(&e->before);
	free(e->stored);
	free(e);
}

/* ---- tiles ---- */

SF_HOT double
later(double a, double b)
{
	return a > b ? a : b;
}

/* The first instant from NOW on with room for BYTES; frees what is due. */
SF_HOT double
wait_for_room(struct state *s, double now, int64_t bytes)
{
	for (;;) {
		double compute, store;

		s->room += sf_frees_take(&s->computes, now);
		s->room += sf_frees_take(&s->stores, now);
		if (s->room >= bytes)
			return now;
		/* A tile fits the empty buffer, so a free is to come. */
		compute = s->computes.head->time;
		store = s->stores.head->time;
		now = compute < store ? compute : store;
	}
}

/* Makes room for what N tiles free. */
static void
reserve(struct state *s, int n)
{
	sf_frees_reserve(&s->computes, (size_t)n);
	sf_frees_reserve(&s->stores, (size_t)n);
}

/* Grants TILE its buffer, not before DEP. */
SF_HOT double
grant(struct state *s, const struct sf_tile *tile, double dep)
{
	int64_t bytes = tile->at_compute + tile->at_store, left = s->room;
	double alloc = wait_for_room(s, dep, bytes);

	/* Time moves on: LEFT is what the last instant with a change left. */
	if (alloc > s->granted && left < s->least)
		s->least = left;
	s->room -= bytes;
	s->granted = alloc;
	return alloc;
}

/* The times of TILE, whose dependencies are stored at DEP. */
SF_HOT struct sf_times
run_tile(struct state *s, const struct sf_tile *tile, double dep)
{
	struct sf_times t = { .issue = s->load_end, .dep = dep };

	t.alloc = grant(s, tile, dep);
	t.load_end = t.alloc + tile->load;
	t.comp_start = later(t.load_end, s->comp_end);
	t.comp_end = t.comp_start + tile->compute;
	t.store_start = t.store_end = t.comp_end;
	if (tile->stores) {
		t.store_start = later(t.comp_end, s->store_end);
		t.store_end = t.store_start + tile->store;
		s->store_end = t.store_end;
		sf_frees_put(&s->stores, t.store_end, tile->at_store);
	}
	sf_frees_put(&s->computes, t.comp_end, tile->at_compute);
	s->load_end = t.load_end;
	s->comp_end = t.comp_end;
	/* A tile that takes no time leaves the instant of its own grant. */
	if (t.comp_end == t.alloc) {
		s->room += sf_frees_take(&s->computes, t.alloc);
		s->room += sf_frees_take(&s->stores, t.alloc);
	}
	return t;
}

/*
 * Runs a batch of tiles and adds it to SUMS; returns the times of its last.
 * Both are copied so that they stay in registers.
 */
static struct sf_times
run_batch(struct state *state, const struct sf_tile *table,
    const uint8_t *sizes, int n, struct sf_sums *sums)
{
	struct state s = *state;
	struct sf_sums sum = *sums;
	struct sf_times t = { 0 };

	for (int i = 0; i < n; i++) {
		const struct sf_tile *tile = &table[sizes[i]];
		double before = s.comp_end;

		t = run_tile(&s, tile, s.load_end);
		sf_meter_tile(&sum, tile, &t, before);
	}
	*state = s;
	*sums = sum;
	return t;
}

/* ---- operators ---- */

/* When all of DEPS are stored. */
static bool
find_ready(const struct sf_engine *e, const int64_t *deps, int ndeps,
    double *ready, struct sf_error *error)
{
	*ready = 0;
	for (int i = 0; i < ndeps; i++) {
		size_t dep = (size_t)deps[i];

		if (dep >= e->nstored || isnan(e->stored[dep]))
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)deps[i]);
		*ready = later(*ready, e->stored[dep]);
	}
	return true;
}

static void
set_stored(struct sf_engine *e, int64_t op, double time)
{
	while (e->nstored <= (size_t)op) {
		if (e->nstored == e->room) {
			e->room = e->room != 0 ? e->room * 2 : 64;
			e->stored = sf_reallocarray(
			    e->stored, e->room, sizeof *e->stored);
		}
		e->stored[e->nstored++] = NAN;
	}
	e->stored[op] = time;
}

/* Runs all tiles; *START is the first alloc. Returns the last one's times. */
static struct sf_times
run_nest(struct state *s, struct sf_nest *nest, double ready,
    struct sf_sums *sums, double *start)
{
	uint8_t sizes[SF_NEST_BATCH];
	int n = sf_nest_next(nest, sizes);
	double before = s->comp_end;
	struct sf_sums batch = { 0 };
	struct sf_times t;

	reserve(s, n);
	t = run_tile(s, &nest->table[sizes[0]], later(s->load_end, ready));
	*start = t.alloc;
	sf_meter_tile(&batch, &nest->table[sizes[0]], &t, before);
	if (n > 1)
		t = run_batch(s, nest->table, sizes + 1, n - 1, &batch);
	sf_sums_add(sums, &batch);
	while ((n = sf_nest_next(nest, sizes)) != 0) {
		batch = (struct sf_sums){ 0 };
		reserve(s, n);
		t = run_batch(s, nest->table, sizes, n, &batch);
		sf_sums_add(sums, &batch);
	}
	return t;
}

/* Runs all tiles once more, from the state before, and tells of each. */
static void
tell_tiles(struct sf_engine *e, struct sf_nest *nest, double ready)
{
	uint8_t sizes[SF_NEST_BATCH];
	struct state *s = &e->before;

	sf_nest_rewind(nest);
	for (int n; (n = sf_nest_next(nest, sizes)) != 0;) {
		reserve(s, n);
		for (int i = 0; i < n; i++, ready = 0) {
			const struct sf_tile *tile = &nest->table[sizes[i]];
			struct sf_times t =
			    run_tile(s, tile, later(s->load_end, ready));

			e->sink->tile(e->sink->to, &t);
		}
	}
}

static bool
fast_run(struct sf_engine *e, int64_t op, struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct sf_sums sums = { 0 };
	struct sf_op_result result;
	struct sf_times last;
	double ready, start;

	if (!find_ready(e, deps, ndeps, &ready, error))
		return false;
	/* A nest's tiles follow its operator, whose end comes first. */
	if (e->sink->tile != NULL)
		state_copy(&e->before, &e->state);
	last = run_nest(&e->state, nest, ready, &sums, &start);
	set_stored(e, op, last.store_end);
	if (!sf_meter_op(&e->meter, nest, &sums, start, last.comp_end,
		last.store_end, &result))
		return sf_fail(error,
		    "tiles, bytes or multiply-accumulates "
		    "so far pass 2^63 - 1");
	e->sink->op(e->sink->to, &result);
	if (e->sink->tile != NULL)
		tell_tiles(e, nest, ready);
	return true;
}

static bool
fast_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct state *s = &e->state;

	(void)error; /* Whatever can fail has failed before. */
	if (s->room < s->least)
		s->least = s->room;
	e->meter.peak = e->accel->buffer_bytes - s->least;
	*meter = e->meter;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = -1, .evaluations = meter->tiles
	};
	s->room += sf_frees_take(&s->computes, meter->makespan);
	s->room += sf_frees_take(&s->stores, meter->makespan);
	if (s->room != e->accel->buffer_bytes)
		sf_bug("%lld bytes of buffer are never freed",
		    (long long)(e->accel->buffer_bytes - s->room));
	return true;
}

const struct sf_engine_type sf_engine_fast = {
	.name = "fast",
	.accepts = fast_accepts,
	.make = fast_make,
	.run = fast_run,
	.end = fast_end,
	.free = fast_free,
};
