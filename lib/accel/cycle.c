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

struct core {
	int number;
	/* When each engine finishes, NEVER while it is idle, and its tile. */
	int64_t load_end, compute_end, store_end;
	int64_t loading, computing, storing;
	/* Tiles that were moved and whose data are on the way. */
	struct line loads, stores;
	struct user load, store; /* of a server */
	int64_t begins; /* when the overhead is over, where that is awaited */
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
};

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	struct core *cores;
	int ncores, at; /* the core that a pass goes on with */
	int64_t now, evaluations;
	int64_t overhead; /* before an operator's first load */
	bool shared;      /* DMAs wait for servers */
	bool changed;     /* by the pass so far */
	bool too_long;    /* a duration is */
	bool ended;       /* the program has no more operators */
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

static struct sf_flight_tile *
tile_of(struct sf_engine *e, const struct core *c, int64_t tile)
{
	return sf_flight_tile(&e->flight, c->number, tile);
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
retire_load(struct sf_engine *e, struct core *c)
{
	tile_of(e, c, c->loading)->loaded = (double)e->now;
	c->load_end = NEVER;
}

static void
retire_compute(struct sf_engine *e, struct core *c)
{
	struct sf_flight_tile *tile = tile_of(e, c, c->computing);

	tile->t.comp_end = (double)e->now;
	c->free_bytes += tile->size->at_compute;
	c->free_acc += tile->size->acc_at_compute;
	c->compute_end = NEVER;
	if (tile->size->stores) {
		line_put(&c->computed, c->computing, e->now);
		return;
	}
	tile->t.store_start = tile->t.store_end = tile->t.comp_end;
	sf_flight_done(&e->flight, c->number, c->computing);
}

static void
data_stored(struct sf_engine *e, struct core *c, int64_t number)
{
	struct sf_flight_tile *tile = tile_of(e, c, number);

	tile->t.store_end = (double)e->now;
	c->free_bytes += tile->size->at_store;
	c->free_acc += tile->size->acc_at_store;
	sf_flight_done(&e->flight, c->number, number);
}

/* Data come, in program order. */
static void
retire_data(struct sf_engine *e, struct core *c)
{
	int64_t tile;

	while (line_take(&c->loads, e->now, &tile)) {
		tile_of(e, c, tile)->t.load_end = (double)e->now;
		line_put(&c->ready, tile, e->now);
	}
	while (line_take(&c->stores, e->now, &tile))
		data_stored(e, c, tile);
}

static bool
due(const struct sf_engine *e, const struct core *c)
{
	return c->load_end == e->now || c->compute_end == e->now ||
	    c->store_end == e->now || line_next(&c->loads) <= e->now ||
	    line_next(&c->stores) <= e->now || c->begins == e->now;
}

static void
retire(struct sf_engine *e, struct core *c)
{
	e->changed = due(e, c) || e->changed;
	if (c->load_end == e->now)
		retire_load(e, c);
	if (c->compute_end == e->now)
		retire_compute(e, c);
	if (c->store_end == e->now)
		c->store_end = NEVER;
	retire_data(e, c);
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
deps_are_stored(
    struct sf_engine *e, struct core *c, const struct sf_flight_tile *tile)
{
	if (c->reached == AWAITS_DEPS) {
		if (tile->first && !sf_flight_ready(&e->flight, c->number))
			return false;
		c->reached = AWAITS_OVERHEAD;
		c->begins = e->now + (tile->first ? e->overhead : 0);
	}
	return c->begins <= e->now;
}

/* Takes buffer and accumulator, when both have room. */
static bool
take_room(struct core *c, const struct sf_tile *size)
{
	if (c->free_bytes < size->granted || c->free_acc < size->acc_granted)
		return false;
	c->free_bytes -= size->granted;
	c->free_acc -= size->acc_granted;
	return true;
}

/* A transfer that takes time wants a server, which another may have. */
static bool
needs_server(const struct sf_engine *e, double hold)
{
	return e->shared && hold > 0;
}

static void
begin_load(struct sf_engine *e, struct core *c, const struct sf_tile *size)
{
	c->reached = NO_TILE;
	c->load.asks = false;
	c->load_end = finish(e, size->load);
	line_put(
	    &c->loads, c->loading, arrival(e, &c->loads, size->load_whole));
}

/* False when it wants an operator that has not been fed. */
static bool
start_load(struct sf_engine *e, struct core *c)
{
	struct sf_flight_tile *tile;

	if (c->load_end != NEVER || c->reached == AWAITS_SERVER)
		return true;
	if (c->reached == NO_TILE) {
		if (!sf_flight_next(&e->flight, c->number, &c->loading))
			return e->ended;
		tile_of(e, c, c->loading)->t.issue = (double)e->now;
		c->reached = AWAITS_DEPS;
	}
	tile = tile_of(e, c, c->loading);
	if (c->reached < AWAITS_BUFFER) {
		if (!deps_are_stored(e, c, tile))
			return true;
		c->begins = NEVER;
		tile->t.dep = (double)e->now;
		c->reached = AWAITS_BUFFER;
	}
	if (!take_room(c, tile->size))
		return true;
	tile->t.alloc = (double)e->now;
	if (!needs_server(e, tile->size->load)) {
		begin_load(e, c, tile->size);
		return true;
	}
	c->reached = AWAITS_SERVER;
	c->load = (struct user){ true, e->now };
	e->changed = true;
	return true;
}

static void
start_compute(struct sf_engine *e, struct core *c)
{
	struct sf_flight_tile *tile;

	if (c->compute_end != NEVER ||
	    !line_take(&c->ready, e->now, &c->computing))
		return;
	tile = tile_of(e, c, c->computing);
	tile->t.comp_start = (double)e->now;
	c->compute_end = finish(e, tile->size->compute);
}

static void
begin_store(struct sf_engine *e, struct core *c, struct sf_flight_tile *tile)
{
	c->store.asks = false;
	tile->t.store_start = (double)e->now;
	c->store_end = finish(e, tile->size->store);
	line_put(&c->stores, c->storing,
	    arrival(e, &c->stores, tile->size->store_whole));
}

static void
start_store(struct sf_engine *e, struct core *c)
{
	struct sf_flight_tile *tile;

	if (c->store_end != NEVER || c->store.asks ||
	    !line_take(&c->computed, e->now, &c->storing))
		return;
	tile = tile_of(e, c, c->storing);
	if (!needs_server(e, tile->size->store)) {
		begin_store(e, c, tile);
		return;
	}
	c->store = (struct user){ true, e->now };
	e->changed = true;
}

/* ---- the servers ---- */

/* True when a user that asks goes before the one that is first so far. */
static bool
is_before(const struct user *user, const struct user *first)
{
	return user->asks && (first == NULL || user->since < first->since);
}

/*
 * Gives a server, when nothing else happens in a cycle any more, to who asked
 * first; of those that asked in one cycle to loads before stores, and of these
 * to the first core.
 */
static bool
give_server(struct sf_engine *e)
{
	const struct user *first = NULL;
	struct core *of = NULL;
	int64_t busy = 0;
	bool is_load = true;

	for (int i = 0; i < 2 * e->ncores; i++) {
		struct core *c = &e->cores[i % e->ncores];
		bool load = i < e->ncores;

		busy += (load ? c->load_end : c->store_end) != NEVER;
		if (is_before(load ? &c->load : &c->store, first)) {
			first = load ? &c->load : &c->store;
			of = c;
			is_load = load;
		}
	}
	if (first == NULL || busy >= e->accel->servers)
		return false;
	if (is_load)
		begin_load(e, of, tile_of(e, of, of->loading)->size);
	else
		begin_store(e, of, tile_of(e, of, of->storing));
	return true;
}

/* ---- the clock ---- */

/* The next cycle at which something finishes; NEVER when all is idle. */
static int64_t
next_end(const struct sf_engine *e)
{
	int64_t next = NEVER;

	for (int k = 0; k < e->ncores; k++) {
		const struct core *c = &e->cores[k];
		const int64_t ends[] = { c->load_end, c->compute_end,
			c->store_end, line_next(&c->loads),
			line_next(&c->stores), c->begins };

		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
			next = ends[i] < next ? ends[i] : next;
	}
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
	int64_t pass = 3 * (int64_t)e->ncores;

	for (; now != next; now++)
		evaluations += pass;
	e->now = now;
	e->evaluations = evaluations;
}

/* The levels that a cycle leaves behind. */
static void
note_level(struct sf_engine *e)
{
	for (int i = 0; i < e->ncores; i++) {
		struct sf_core_meter *m = &e->flight.meter.core[i];
		const struct core *c = &e->cores[i];
		int64_t used = e->accel->buffer_bytes - c->free_bytes;
		int64_t acc = e->accel->acc_bytes - c->free_acc;

		if (used > m->peak)
			m->peak = used;
		if (acc > m->acc_peak)
			m->acc_peak = acc;
	}
}

/* Tiles that were taken and have not ended. */
static int64_t
under_way(const struct sf_engine *e)
{
	int64_t n = 0;

	for (int i = 0; i < e->ncores; i++)
		n += e->flight.cores[i].end - e->flight.cores[i].begin;
	return n;
}

/*
 * One pass over the cores, from the one that it stopped at. False when a load
 * DMA wants an operator.
 */
static bool
pass(struct sf_engine *e)
{
	for (; e->at < e->ncores; e->at++) {
		struct core *c = &e->cores[e->at];

		if (!start_load(e, c))
			return false;
		start_compute(e, c);
		start_store(e, c);
		e->evaluations += 3;
	}
	e->at = 0;
	return true;
}

static void
retire_all(struct sf_engine *e)
{
	e->changed = false;
	for (int i = 0; i < e->ncores; i++)
		retire(e, &e->cores[i]);
}

/*
 * Steps on until a load DMA wants an operator, or, when the program has ended,
 * until all is done. It stops in the middle of a pass, which goes on when it is
 * called again: FED says so.
 */
static bool
step(struct sf_engine *e, bool fed, struct sf_error *error)
{
	for (int64_t next;;) {
		if (!fed)
			retire_all(e);
		fed = false;
		if (e->flight.failed) {
			*error = e->flight.error;
			return false;
		}
		if (!pass(e))
			return true;
		if (e->too_long)
			return sf_fail(error,
			    "a tile takes more than 2^53 cycles, which are too "
			    "many to step through");
		if (e->changed || give_server(e))
			continue;
		note_level(e);
		if (e->ended && sf_flight_is_over(&e->flight))
			return true;
		next = next_end(e);
		if (next == NEVER)
			return sf_fail(error,
			    "nothing moves at cycle %lld with %lld tiles under "
			    "way",
			    (long long)e->now, (long long)under_way(e));
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

static void
init_core(struct core *c, int number, const struct sf_accel *accel)
{
	*c = (struct core){ .number = number,
		.load_end = NEVER,
		.compute_end = NEVER,
		.store_end = NEVER,
		.begins = NEVER,
		.free_bytes = accel->buffer_bytes,
		.free_acc = accel->acc_bytes };
	line_init(&c->loads);
	line_init(&c->stores);
	line_init(&c->ready);
	line_init(&c->computed);
}

struct sf_engine *
sf_cycle_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .accel = accel,
		.shared = sf_accel_shares(accel),
		.overhead = (int64_t)sf_accel_overhead(accel) };
	sf_flight_init(&e->flight, accel->cores, sink);
	e->ncores = e->flight.ncores;
	e->cores = sf_calloc((size_t)e->ncores, sizeof *e->cores);
	for (int i = 0; i < e->ncores; i++)
		init_core(&e->cores[i], i, accel);
	return e;
}

void
sf_cycle_free(struct sf_engine *e)
{
	for (int i = 0; i < e->ncores; i++) {
		struct core *c = &e->cores[i];

		free(c->loads.array);
		free(c->stores.array);
		free(c->ready.array);
		free(c->computed.array);
	}
	free(e->cores);
	sf_flight_release(&e->flight);
	free(e);
}

bool
sf_cycle_run(struct sf_engine *e, int64_t op, struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	return sf_flight_feed(&e->flight, op, nests, deps, ndeps, error) &&
	    step(e, true, error);
}

bool
sf_cycle_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	e->ended = true;
	if (!step(e, true, error))
		return false;
	*meter = sf_flight_meter(&e->flight);
	for (int i = 0; i < e->ncores; i++) {
		const struct core *c = &e->cores[i];

		if (c->free_bytes != e->accel->buffer_bytes ||
		    c->free_acc != e->accel->acc_bytes)
			sf_bug("the buffer is not empty at the end");
	}
	*cost = (struct sf_engine_cost){
		.cycles = e->now, .evaluations = e->evaluations, .events = -1
	};
	return true;
}
