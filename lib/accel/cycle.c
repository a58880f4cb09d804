/*
 * The cycle engine, a twin of the others that shares no idea with them: a
 * clock, and three engines (load DMA, compute, store DMA) that are looked at
 * every cycle. A pass lets each of the three retire what has finished, then
 * start what can start; a cycle has passes until one changes nothing. For
 * quantised programs, whose times are whole cycles.
 */
#include <stdlib.h>

#include "accel/engines.h"
#include "accel/flight.h"
#include "base/arena.h"
#include "base/die.h"

/* No engine finishes at this time. */
#define NEVER INT64_MAX

/* Cycles of a tile that a double counts one by one, nobody waits for more. */
#define MOST_CYCLES 9007199254740992.0

/* Numbers of tiles, first in, first out: a ring. */
struct line {
	int64_t *tiles;
	int64_t room, begin, end;
};

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	int64_t now, evaluations;
	/* When each engine finishes, NEVER while it is idle, and its tile. */
	int64_t load_end, compute_end, store_end;
	int64_t loading, computing, storing;
	/* The tile that the load DMA reached and has not started. */
	enum {
		NO_TILE,
		AWAITS_DEPS,
		AWAITS_BUFFER
	} reached;
	int64_t free_bytes;
	struct line ready, computed;
	bool changed;  /* by the pass so far */
	bool too_long; /* a duration is */
	bool ended;    /* the program has no more operators */
};

/* ---- lines ---- */

enum {
	FIRST_ROOM = 16
}; /* a power of two */

static void
line_init(struct line *l)
{
	*l = (struct line){ .room = FIRST_ROOM };
	l->tiles = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*l->tiles));
}

static void
line_put(struct line *l, int64_t tile)
{
	if (l->end - l->begin == l->room) {
		int64_t *tiles =
		    sf_reallocarray(NULL, (size_t)l->room * 2, sizeof(*tiles));

		for (int64_t i = l->begin; i < l->end; i++)
			tiles[i & (2 * l->room - 1)] =
			    l->tiles[i & (l->room - 1)];
		free(l->tiles);
		l->tiles = tiles;
		l->room *= 2;
	}
	l->tiles[l->end++ & (l->room - 1)] = tile;
}

/* Takes the first; false when there is none. */
static bool
line_take(struct line *l, int64_t *tile)
{
	if (l->begin == l->end)
		return false;
	*tile = l->tiles[l->begin++ & (l->room - 1)];
	return true;
}

/* ---- retiring ---- */

static struct sf_times *
times_of(struct sf_engine *e, int64_t tile)
{
	return &sf_flight_tile(&e->flight, tile)->t;
}

static void
retire_load(struct sf_engine *e)
{
	times_of(e, e->loading)->load_end = (double)e->now;
	line_put(&e->ready, e->loading);
	e->load_end = NEVER;
}

static void
retire_compute(struct sf_engine *e)
{
	struct sf_flight_tile *tile = sf_flight_tile(&e->flight, e->computing);

	tile->t.comp_end = (double)e->now;
	e->free_bytes += tile->size->at_compute;
	e->compute_end = NEVER;
	if (tile->size->stores) {
		line_put(&e->computed, e->computing);
		return;
	}
	tile->t.store_start = tile->t.store_end = tile->t.comp_end;
	sf_flight_done(&e->flight, e->computing);
}

static void
retire_store(struct sf_engine *e)
{
	struct sf_flight_tile *tile = sf_flight_tile(&e->flight, e->storing);

	tile->t.store_end = (double)e->now;
	e->free_bytes += tile->size->at_store;
	e->store_end = NEVER;
	sf_flight_done(&e->flight, e->storing);
}

static void
retire(struct sf_engine *e)
{
	e->changed = e->load_end == e->now || e->compute_end == e->now ||
	    e->store_end == e->now;
	if (e->load_end == e->now)
		retire_load(e);
	if (e->compute_end == e->now)
		retire_compute(e);
	if (e->store_end == e->now)
		retire_store(e);
}

/* ---- starting ---- */

/* When what starts now finishes. */
static int64_t
finish(struct sf_engine *e, double duration)
{
	e->changed = true;
	if (duration <= MOST_CYCLES)
		return e->now + (int64_t)duration;
	e->too_long = true;
	return e->now;
}

/* False when it wants an operator that has not been fed. */
static bool
start_load(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->load_end != NEVER)
		return true;
	if (e->reached == NO_TILE) {
		if (!sf_flight_next(&e->flight, &e->loading))
			return e->ended;
		times_of(e, e->loading)->issue = (double)e->now;
		e->reached = AWAITS_DEPS;
	}
	tile = sf_flight_tile(&e->flight, e->loading);
	if (e->reached == AWAITS_DEPS) {
		if (tile->first && !sf_flight_ready(&e->flight))
			return true;
		tile->t.dep = (double)e->now;
		e->reached = AWAITS_BUFFER;
	}
	if (e->free_bytes < tile->size->at_compute + tile->size->at_store)
		return true;
	e->free_bytes -= tile->size->at_compute + tile->size->at_store;
	tile->t.alloc = (double)e->now;
	e->load_end = finish(e, tile->size->load);
	e->reached = NO_TILE;
	return true;
}

static void
start_compute(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->compute_end != NEVER || !line_take(&e->ready, &e->computing))
		return;
	tile = sf_flight_tile(&e->flight, e->computing);
	tile->t.comp_start = (double)e->now;
	e->compute_end = finish(e, tile->size->compute);
}

static void
start_store(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->store_end != NEVER || !line_take(&e->computed, &e->storing))
		return;
	tile = sf_flight_tile(&e->flight, e->storing);
	tile->t.store_start = (double)e->now;
	e->store_end = finish(e, tile->size->store);
}

/* ---- the clock ---- */

static bool
all_idle(const struct sf_engine *e)
{
	return e->load_end == NEVER && e->compute_end == NEVER &&
	    e->store_end == NEVER;
}

/*
 * Cycles in which no engine finishes: one pass each, which finds nothing, as
 * nothing can start before something has finished.
 */
static void
tick(struct sf_engine *e)
{
	const int64_t load = e->load_end, compute = e->compute_end;
	const int64_t store = e->store_end;
	int64_t now = e->now + 1, evaluations = e->evaluations;

	for (; load != now && compute != now && store != now; now++)
		evaluations += 3;
	e->now = now;
	e->evaluations = evaluations;
}

/* The level that a cycle leaves behind. */
static void
note_level(struct sf_engine *e)
{
	int64_t used = e->accel->buffer_bytes - e->free_bytes;

	if (used > e->flight.meter.peak)
		e->flight.meter.peak = used;
}

/*
 * Steps on until the load DMA wants an operator, or, when the program has
 * ended, until all is done. It stops in the middle of a pass, which goes on
 * when it is called again: FED says so.
 */
static bool
step(struct sf_engine *e, bool fed, struct sf_error *error)
{
	for (;;) {
		if (!fed)
			retire(e);
		fed = false;
		if (e->flight.failed) {
			*error = e->flight.error;
			return false;
		}
		if (!start_load(e))
			return true;
		start_compute(e);
		start_store(e);
		e->evaluations += 3;
		if (e->too_long)
			return sf_fail(error,
			    "a tile takes more than 2^53 cycles, which are too "
			    "many to step through");
		if (e->changed)
			continue;
		note_level(e);
		if (e->ended && e->flight.begin == e->flight.end)
			return true;
		if (all_idle(e))
			return sf_fail(error,
			    "nothing moves at cycle %lld with %lld tiles under "
			    "way",
			    (long long)e->now,
			    (long long)(e->flight.end - e->flight.begin));
		tick(e);
	}
}

/* ---- the engine ---- */

struct sf_engine *
sf_cycle_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .accel = accel,
		.load_end = NEVER,
		.compute_end = NEVER,
		.store_end = NEVER,
		.free_bytes = accel->buffer_bytes };
	sf_flight_init(&e->flight, sink);
	line_init(&e->ready);
	line_init(&e->computed);
	return e;
}

void
sf_cycle_free(struct sf_engine *e)
{
	free(e->ready.tiles);
	free(e->computed.tiles);
	sf_flight_release(&e->flight);
	free(e);
}

bool
sf_cycle_run(struct sf_engine *e, int64_t op, struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	return sf_flight_feed(&e->flight, op, nest, deps, ndeps, error) &&
	    step(e, true, error);
}

bool
sf_cycle_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	e->ended = true;
	if (!step(e, true, error))
		return false;
	if (e->free_bytes != e->accel->buffer_bytes)
		sf_bug("the buffer is not empty at the end");
	*meter = e->flight.meter;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = e->now, .evaluations = e->evaluations
	};
	return true;
}
