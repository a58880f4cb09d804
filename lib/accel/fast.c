/*
 * The fast engine: no events, as each tile's times follow from those of earlier
 * tiles. Here is the way of blocks in which each DMA has a memory server of its
 * own, transfers hold it while they wait and a tile frees what it was granted;
 * all others go by serve.h.
 *
 * Frees at compute ends and frees at store ends each come in the order of
 * time, so two queues hold them and no heap is needed.
 *
 * A tile waits for the instant at which enough is free; which free brings it
 * is settled by counting bytes, so frees are taken only when their bytes are
 * wanted. That is one or two a tile, over and over, where taking all that are
 * due would be none here and three there, as times fall, and a processor
 * guesses the first kind of loop right. Room is counted below the peak so far
 * and not below the size of the buffer: a tile that finds none raises the
 * peak if the buffer allows, else it waits.
 */
#include <math.h>
#include <stdlib.h>

#include "accel/engines.h"
#include "accel/frees.h"
#include "accel/serve.h"
#include "base/arena.h"
#include "base/die.h"

/* Into the loop over tiles with it, whatever it costs in bytes of code. */
#define SF_HOT static inline __attribute__((always_inline))

/* All that one tile needs to know of those before it. */
struct state {
	double load_end, comp_end, store_end; /* of the tile before */
	/*
	 * The most bytes held so far, after all changes at one instant, and
	 * the part of them that is not held, by the frees taken so far.
	 */
	int64_t peak, room;
	int64_t above;  /* bytes of buffer that were never held: size - peak */
	double granted; /* when the tile before was */
	/* When the peak was raised last, and what it was before that instant. */
	double raised;
	int64_t lower;
	struct sf_frees computes, stores; /* not taken yet */
};

struct sf_engine {
	struct sf_serve *serve; /* NULL: the way that is here */
	double overhead;        /* before an operator's first load */
	const struct sf_sink *sink;
	struct state state, before; /* now, and before the operator */
	struct sf_meter meter;
	double *stored; /* when each operator was */
	size_t nstored, room;
};

static void
state_init(struct state *s, const struct sf_accel *accel)
{
	*s = (struct state){ .above = accel->buffer_bytes, .raised = -1 };
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

bool
sf_fast_is_late(const struct sf_accel *accel)
{
	return accel->servers == 1 || accel->latency != SF_LATENCY_HELD ||
	    accel->reuse || accel->acc_bytes != 0;
}

struct sf_engine *
sf_fast_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .sink = sink,
		.overhead = sf_accel_overhead(accel) };
	if (sf_fast_is_late(accel))
		e->serve = sf_serve_make(accel, sink);
	state_init(&e->state, accel);
	state_init(&e->before, accel);
	return e;
}

void
sf_fast_free(struct sf_engine *e)
{
	state_release(&e->state);
	state_release(&e->before);
	if (e->serve != NULL)
		sf_serve_free(e->serve);
	free(e->stored);
	free(e);
}

/* ---- tiles ---- */

SF_HOT double
later(double a, double b)
{
	return a > b ? a : b;
}

/* Takes all frees that are due at NOW. */
SF_HOT void
take_due(struct state *s, double now)
{
	s->room += sf_frees_take(&s->computes, now);
	s->room += sf_frees_take(&s->stores, now);
}

/* Makes room for what N tiles free, of which only those to come are kept. */
static void
reserve(struct state *s, int n)
{
	if (sf_frees_has_room(&s->computes, (size_t)n) &&
	    sf_frees_has_room(&s->stores, (size_t)n))
		return;
	take_due(s, s->granted);
	sf_frees_reserve(&s->computes, (size_t)n);
	sf_frees_reserve(&s->stores, (size_t)n);
}

/* At NOW, when all frees that are due were taken, BYTES are held more. */
SF_HOT void
raise_peak(struct state *s, double now, int64_t bytes)
{
	int64_t by = bytes - s->room;

	if (now > s->raised)
		s->lower = s->peak;
	s->raised = now;
	s->peak += by;
	s->above -= by;
	s->room = bytes;
}

/*
 * A tile that takes no time leaves the instant NOW of its own grant, which is
 * not as full as it seemed.
 */
SF_HOT void
leave_at_once(struct state *s, double now)
{
	int64_t over = s->peak - s->lower;

	take_due(s, now);
	if (now > s->raised)
		return;
	if (over > s->room)
		over = s->room;
	s->peak -= over;
	s->above += over;
	s->room -= over;
}

/* Grants BYTES of buffer at the first instant from NOW on that has them. */
SF_HOT double
grant(struct state *s, double now, int64_t bytes)
{
	while (s->room < bytes) {
		double compute = s->computes.head->time;
		double store = s->stores.head->time;
		double next = compute < store ? compute : store;

		if (next > now) {
			if (s->above >= bytes - s->room) {
				raise_peak(s, now, bytes);
				break;
			}
			/* A tile fits the empty buffer: a free is to come. */
			now = next;
		}
		if (compute < store)
			s->room += s->computes.head++->bytes;
		else
			s->room += s->stores.head++->bytes;
	}
	s->room -= bytes;
	s->granted = now;
	return now;
}

/* The times of TILE, whose dependencies are stored at DEP. */
SF_HOT struct sf_times
run_tile(struct state *s, const struct sf_tile *tile, double dep)
{
	struct sf_times t = { .issue = s->load_end, .dep = dep };

	t.alloc = grant(s, dep, tile->at_compute + tile->at_store);
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
	if (t.comp_end <= t.alloc)
		leave_at_once(s, t.alloc);
	return t;
}

/* Runs tiles that wait for no operator, and adds them to SUMS. */
static void
run_batch(struct state *state, const struct sf_tile *table,
    const uint16_t *sizes, int n, struct sf_sums *sums)
{
	/* Copies, which stay in registers. */
	struct state s = *state;
	struct sf_sums sum = *sums;

	for (int i = 0; i < n; i++) {
		const struct sf_tile *tile = &table[sizes[i]];
		double before = s.comp_end;
		struct sf_times t = run_tile(&s, tile, s.load_end);

		sf_meter_tile(&sum, tile, &t, before, t.load_end);
	}
	*state = s;
	*sums = sum;
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

/*
 * Runs all tiles, the first of which may load at READY, and returns that one's
 * alloc.
 */
static double
run_nest(
    struct state *s, struct sf_nest *nest, double ready, struct sf_sums *sums)
{
	uint16_t sizes[SF_NEST_BATCH];
	int n = sf_nest_next(nest, sizes);
	const struct sf_tile *first = &nest->table[sizes[0]];
	double before = s->comp_end;
	struct sf_sums batch = { 0 };
	struct sf_times t;

	reserve(s, n);
	t = run_tile(s, first, ready);
	sf_meter_tile(
	    &batch, first, &t, sf_meter_ready(&batch, &t, before), t.load_end);
	run_batch(s, nest->table, sizes + 1, n - 1, &batch);
	sf_sums_add(sums, &batch);
	while ((n = sf_nest_next(nest, sizes)) != 0) {
		batch = (struct sf_sums){ 0 };
		reserve(s, n);
		run_batch(s, nest->table, sizes, n, &batch);
		sf_sums_add(sums, &batch);
	}
	return t.alloc;
}

/* Runs all tiles once more, from the state before, and tells of each. */
static void
tell_tiles(struct sf_engine *e, struct sf_nest *nest, double ready)
{
	uint16_t sizes[SF_NEST_BATCH];
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

bool
sf_fast_run(struct sf_engine *e, int64_t op, struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct sf_sums sums = { 0 };
	struct sf_op_result result;
	struct state *s = &e->state;
	double ready, start;

	if (e->serve != NULL)
		return sf_serve_run(e->serve, op, nest, deps, ndeps, error);
	if (!find_ready(e, deps, ndeps, &ready, error))
		return false;
	ready = later(s->load_end, ready) + e->overhead;
	/* A nest's tiles follow its operator, whose end comes first. */
	if (e->sink->tile != NULL)
		state_copy(&e->before, s);
	start = run_nest(s, nest, ready, &sums);
	/* An operator's last tile stores. */
	set_stored(e, op, s->store_end);
	if (!sf_meter_op(&e->meter, nest, &sums, start, s->comp_end,
		s->store_end, &result))
		return sf_fail(error,
		    "tiles, bytes or multiply-accumulates "
		    "so far pass 2^63 - 1");
	e->sink->op(e->sink->to, &result);
	if (e->sink->tile != NULL)
		tell_tiles(e, nest, ready);
	return true;
}

bool
sf_fast_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct state *s = &e->state;

	if (e->serve != NULL)
		return sf_serve_end(e->serve, meter, cost, error);
	/* Whatever can fail has failed before. */
	e->meter.peak = s->peak;
	*meter = e->meter;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = -1, .evaluations = meter->tiles
	};
	take_due(s, meter->makespan);
	if (s->room != s->peak)
		sf_bug("%lld bytes of buffer are never freed",
		    (long long)(s->peak - s->room));
	return true;
}
