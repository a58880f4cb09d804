/*
 * The cycle engine, a twin of the others that shares no idea with them: a
 * clock, and three engines (load DMA, compute, store DMA) that are looked at
 * every cycle. A pass lets each of the three retire what has finished, then
 * start what can start; a cycle has passes until one changes nothing and the
 * memory, if it is one server, has nobody to serve. For quantised programs,
 * whose times are whole cycles.
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

/* Numbers of tiles, first in, first out, each from a cycle on: a ring. */
struct line {
	struct {
		int64_t tile, from;
	} * array;
	int64_t room, begin, end;
};

/* What a DMA does with the one memory server, if there is one alone. */
struct user {
	bool asks;
	int64_t since;
};

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	int64_t now, evaluations;
	/* When each engine finishes, NEVER while it is idle, and its tile. */
	int64_t load_end, compute_end, store_end;
	int64_t loading, computing, storing;
	/* Tiles that were moved and whose data are on the way. */
	struct line loads, stores;
	struct user load, store; /* of the server */
	int64_t overhead;        /* before an operator's first load */
	int64_t begins;          /* when it is over, where that is awaited */
	/* The tile that the load DMA reached and has not started. */
	enum {
		NO_TILE,
		AWAITS_DEPS,
		AWAITS_OVERHEAD,
		AWAITS_BUFFER,
		AWAITS_SERVER
	} reached;
	int64_t free_bytes, free_acc;
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
	l->array = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*l->array));
}

static void
line_put(struct line *l, int64_t tile, int64_t from)
{
	if (l->end - l->begin == l->room) {
		struct line old = *l;

		l->room *= 2;
		l->array =
		    sf_reallocarray(NULL, (size_t)l->room, sizeof(*l->array));
		for (int64_t i = l->begin; i < l->end; i++)
			l->array[i & (l->room - 1)] =
			    old.array[i & (old.room - 1)];
		free(old.array);
	}
	l->array[l->end & (l->room - 1)].tile = tile;
	l->array[l->end++ & (l->room - 1)].from = from;
}

/* When the first is there, NEVER when there is none. */
static int64_t
line_next(const struct line *l)
{
	return l->begin == l->end ? NEVER
				  : l->array[l->begin & (l->room - 1)].from;
}

/* Takes the first; false when there is none at NOW. */
static bool
line_take(struct line *l, int64_t now, int64_t *tile)
{
	if (line_next(l) > now)
		return false;
	*tile = l->array[l->begin++ & (l->room - 1)].tile;
	return true;
}

/* ---- retiring ---- */

static struct sf_times *
times_of(struct sf_engine *e, int64_t tile)
{
	return &sf_flight_tile(&e->flight, tile)->t;
}

/* When data come that take DURATION, behind those of LINE. */
static int64_t
arrival(struct sf_engine *e, const struct line *line, double duration)
{
	int64_t from = e->now, last = e->now;

	if (duration <= MOST_CYCLES)
		from += (int64_t)duration;
	else
		e->too_long = true;
	if (line->begin != line->end)
		last = line->array[(line->end - 1) & (line->room - 1)].from;
	return from > last ? from : last;
}

static void
retire_load(struct sf_engine *e)
{
	sf_flight_tile(&e->flight, e->loading)->loaded = (double)e->now;
	e->load_end = NEVER;
}

static void
retire_compute(struct sf_engine *e)
{
	struct sf_flight_tile *tile = sf_flight_tile(&e->flight, e->computing);

	tile->t.comp_end = (double)e->now;
	e->free_bytes += tile->size->at_compute;
	e->free_acc += tile->size->acc_at_compute;
	e->compute_end = NEVER;
	if (tile->size->stores) {
		line_put(&e->computed, e->computing, e->now);
		return;
	}
	tile->t.store_start = tile->t.store_end = tile->t.comp_end;
	sf_flight_done(&e->flight, e->computing);
}

static void
data_stored(struct sf_engine *e, int64_t number)
{
	struct sf_flight_tile *tile = sf_flight_tile(&e->flight, number);

	tile->t.store_end = (double)e->now;
	e->free_bytes += tile->size->at_store;
	e->free_acc += tile->size->acc_at_store;
	sf_flight_done(&e->flight, number);
}

/* Data come, in program order. */
static void
retire_data(struct sf_engine *e)
{
	int64_t tile;

	while (line_take(&e->loads, e->now, &tile)) {
		times_of(e, tile)->load_end = (double)e->now;
		line_put(&e->ready, tile, e->now);
	}
	while (line_take(&e->stores, e->now, &tile))
		data_stored(e, tile);
}

static bool
due(const struct sf_engine *e)
{
	return e->load_end == e->now || e->compute_end == e->now ||
	    e->store_end == e->now || line_next(&e->loads) <= e->now ||
	    line_next(&e->stores) <= e->now || e->begins == e->now;
}

static void
retire(struct sf_engine *e)
{
	e->changed = due(e);
	if (e->load_end == e->now)
		retire_load(e);
	if (e->compute_end == e->now)
		retire_compute(e);
	if (e->store_end == e->now)
		e->store_end = NEVER;
	retire_data(e);
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

/* The first look at a tile's way: what it depends on, and the overhead. */
static bool
deps_are_stored(struct sf_engine *e, const struct sf_flight_tile *tile)
{
	if (e->reached == AWAITS_DEPS) {
		if (tile->first && !sf_flight_ready(&e->flight))
			return false;
		e->reached = AWAITS_OVERHEAD;
		e->begins = e->now + (tile->first ? e->overhead : 0);
	}
	return e->begins <= e->now;
}

/* Takes buffer and accumulator, when both have room. */
static bool
take_room(struct sf_engine *e, const struct sf_tile *size)
{
	if (e->free_bytes < size->granted || e->free_acc < size->acc_granted)
		return false;
	e->free_bytes -= size->granted;
	e->free_acc -= size->acc_granted;
	return true;
}

/* A transfer that takes time wants the one server, which another may have. */
static bool
needs_server(const struct sf_engine *e, double hold)
{
	return e->accel->servers == 1 && hold > 0;
}

static void
begin_load(struct sf_engine *e, const struct sf_tile *size)
{
	e->reached = NO_TILE;
	e->load.asks = false;
	e->load_end = finish(e, size->load);
	line_put(
	    &e->loads, e->loading, arrival(e, &e->loads, size->load_whole));
}

/* False when it wants an operator that has not been fed. */
static bool
start_load(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->load_end != NEVER || e->reached == AWAITS_SERVER)
		return true;
	if (e->reached == NO_TILE) {
		if (!sf_flight_next(&e->flight, &e->loading))
			return e->ended;
		times_of(e, e->loading)->issue = (double)e->now;
		e->reached = AWAITS_DEPS;
	}
	tile = sf_flight_tile(&e->flight, e->loading);
	if (e->reached < AWAITS_BUFFER) {
		if (!deps_are_stored(e, tile))
			return true;
		e->begins = NEVER;
		tile->t.dep = (double)e->now;
		e->reached = AWAITS_BUFFER;
	}
	if (!take_room(e, tile->size))
		return true;
	tile->t.alloc = (double)e->now;
	if (!needs_server(e, tile->size->load)) {
		begin_load(e, tile->size);
		return true;
	}
	e->reached = AWAITS_SERVER;
	e->load = (struct user){ true, e->now };
	e->changed = true;
	return true;
}

static void
start_compute(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->compute_end != NEVER ||
	    !line_take(&e->ready, e->now, &e->computing))
		return;
	tile = sf_flight_tile(&e->flight, e->computing);
	tile->t.comp_start = (double)e->now;
	e->compute_end = finish(e, tile->size->compute);
}

static void
begin_store(struct sf_engine *e, struct sf_flight_tile *tile)
{
	e->store.asks = false;
	tile->t.store_start = (double)e->now;
	e->store_end = finish(e, tile->size->store);
	line_put(&e->stores, e->storing,
	    arrival(e, &e->stores, tile->size->store_whole));
}

static void
start_store(struct sf_engine *e)
{
	struct sf_flight_tile *tile;

	if (e->store_end != NEVER || e->store.asks ||
	    !line_take(&e->computed, e->now, &e->storing))
		return;
	tile = sf_flight_tile(&e->flight, e->storing);
	if (!needs_server(e, tile->size->store)) {
		begin_store(e, tile);
		return;
	}
	e->store = (struct user){ true, e->now };
	e->changed = true;
}

/*
 * Gives the one server, when nothing else happens in a cycle any more, to who
 * asked first, and of two that asked in one cycle to the load.
 */
static bool
give_server(struct sf_engine *e)
{
	bool load = e->load.asks, store = e->store.asks;

	if ((!load && !store) || e->load_end != NEVER || e->store_end != NEVER)
		return false;
	if (load && store)
		load = e->load.since <= e->store.since;
	if (load)
		begin_load(e, sf_flight_tile(&e->flight, e->loading)->size);
	else
		begin_store(e, sf_flight_tile(&e->flight, e->storing));
	return true;
}

/* ---- the clock ---- */

/* The next cycle at which something finishes; NEVER when all is idle. */
static int64_t
next_end(const struct sf_engine *e)
{
	const int64_t ends[] = { e->load_end, e->compute_end, e->store_end,
		line_next(&e->loads), line_next(&e->stores), e->begins };
	int64_t next = NEVER;

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		next = ends[i] < next ? ends[i] : next;
	return next;
}

/*
 * Cycles in which no engine finishes: one pass each, which finds nothing, as
 * nothing can start before something has finished.
 */
static void
tick(struct sf_engine *e, const int64_t next)
{
	int64_t now = e->now + 1, evaluations = e->evaluations;

	for (; now != next; now++)
		evaluations += 3;
	e->now = now;
	e->evaluations = evaluations;
}

/* The level that a cycle leaves behind. */
static void
note_level(struct sf_engine *e)
{
	int64_t used = e->accel->buffer_bytes - e->free_bytes;
	int64_t acc = e->accel->acc_bytes - e->free_acc;

	if (used > e->flight.meter.peak)
		e->flight.meter.peak = used;
	if (acc > e->flight.meter.acc_peak)
		e->flight.meter.acc_peak = acc;
}

/*
 * Steps on until the load DMA wants an operator, or, when the program has
 * ended, until all is done. It stops in the middle of a pass, which goes on
 * when it is called again: FED says so.
 */
static bool
step(struct sf_engine *e, bool fed, struct sf_error *error)
{
	for (int64_t next;;) {
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
		if (e->changed || give_server(e))
			continue;
		note_level(e);
		if (e->ended && e->flight.begin == e->flight.end)
			return true;
		next = next_end(e);
		if (next == NEVER)
			return sf_fail(error,
			    "nothing moves at cycle %lld with %lld tiles under "
			    "way",
			    (long long)e->now,
			    (long long)(e->flight.end - e->flight.begin));
		tick(e, next);
	}
}

/* ---- the engine ---- */

bool
sf_cycle_is_late(const struct sf_accel *accel)
{
	(void)accel; /* It works in the order of time. */
	return true;
}

struct sf_engine *
sf_cycle_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .accel = accel,
		.load_end = NEVER,
		.compute_end = NEVER,
		.store_end = NEVER,
		.begins = NEVER,
		.overhead = (int64_t)sf_accel_overhead(accel),
		.free_bytes = accel->buffer_bytes,
		.free_acc = accel->acc_bytes };
	sf_flight_init(&e->flight, sink);
	line_init(&e->loads);
	line_init(&e->stores);
	line_init(&e->ready);
	line_init(&e->computed);
	return e;
}

void
sf_cycle_free(struct sf_engine *e)
{
	free(e->loads.array);
	free(e->stores.array);
	free(e->ready.array);
	free(e->computed.array);
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
	if (e->free_bytes != e->accel->buffer_bytes ||
	    e->free_acc != e->accel->acc_bytes)
		sf_bug("the buffer is not empty at the end");
	*meter = e->flight.meter;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = e->now, .evaluations = e->evaluations
	};
	return true;
}
