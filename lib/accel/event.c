/*
 * The event engine, the reference: three processes (load DMA, compute, store
 * DMA) over a buffer, an accumulator, memory servers and two networks, by the
 * kernel of lib/des. For one server the two DMAs queue: first come, first
 * served, and the load first when both ask at one instant.
 *
 * A DMA is free when it has moved its bytes. Where data come later than that,
 * each transfer on its way is a tile in a line of its own; tiles come out of it
 * in program order, as the two queues have them.
 */
#include <stdlib.h>

#include "accel/engines.h"
#include "accel/flight.h"
#include "base/arena.h"
#include "base/die.h"
#include "des/container.h"
#include "des/queue.h"
#include "des/resource.h"

/* Who goes first for a channel of those that ask at one instant: of two that
 * load, or store, the core with the lower number. */
enum {
	RANK_LOAD,
	RANK_STORE = SF_MAX_CORES
};

_Static_assert(2 * (int)SF_MAX_CORES <= SF_RESOURCE_WAITING,
    "all DMAs may wait for a server");

struct sf_engine;
struct core;

/* A process and the tile that it is at. */
struct worker {
	struct sf_process process; /* first, so that one is the other */
	struct sf_engine *engine;
	struct core *core;
	int at; /* what it goes on with */
	int64_t tile;
};

/* Tiles whose data are on the way, and when they come: a ring. */
struct line {
	struct sf_process
	    process; /* resumed when data come; first, see worker */
	struct sf_engine *engine;
	struct core *core;
	struct {
		int64_t tile;
		double time;
	} * array;
	size_t room, begin, n;
};

struct core {
	int number;
	struct sf_resource read_net, write_net;
	struct sf_container buffer, acc;
	struct sf_queue ready, computed;
	struct worker load, compute, store;
	struct line loading, storing;
	bool waits_for_store; /* the load DMA does, for its dependencies */
	bool wants_op;        /* the load DMA waits until one is fed */
};

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	struct sf_kernel kernel;
	struct sf_resource servers;
	struct core *cores;
	int ncores;
	double overhead; /* before an operator's first load */
};

static struct sf_flight_tile *
tile_of(struct worker *w)
{
	return sf_flight_tile(&w->engine->flight, w->core->number, w->tile);
}

/* An operator was stored: those look again who wait for one. */
static void
op_stored(struct sf_engine *e)
{
	for (int i = 0; i < e->ncores; i++) {
		struct core *c = &e->cores[i];

		if (c->waits_for_store)
			sf_schedule(&e->kernel, &c->load.process);
		c->waits_for_store = false;
	}
}

/* TILE of a core has all its times. */
static void
tile_done(struct sf_engine *e, const struct core *c, int64_t tile)
{
	if (sf_flight_done(&e->flight, c->number, tile))
		op_stored(e);
	if (e->flight.failed)
		e->kernel.stop = true;
}

/* ---- data on the way ---- */

enum {
	LINE_ROOM = 16
}; /* a power of two */

static void
line_init(struct line *l, struct sf_engine *e, struct core *c,
    void (*come)(struct sf_process *))
{
	*l = (struct line){
		.process = { come }, .engine = e, .core = c, .room = LINE_ROOM
	};
	l->array = sf_reallocarray(NULL, LINE_ROOM, sizeof *l->array);
}

static void
line_grow(struct line *l)
{
	struct line old = *l;

	l->room *= 2;
	l->array = sf_reallocarray(NULL, l->room, sizeof *l->array);
	for (size_t i = 0; i < l->n; i++)
		l->array[(l->begin + i) & (l->room - 1)] =
		    old.array[(l->begin + i) & (old.room - 1)];
	free(old.array);
}

/* TILE's data come in DELAY, and not before those of tiles in front of it. */
static void
line_put(struct line *l, int64_t tile, double delay)
{
	double now = l->engine->kernel.now, time = now + delay;

	if (l->n != 0) {
		double last =
		    l->array[(l->begin + l->n - 1) & (l->room - 1)].time;

		time = last > time ? last : time;
	}
	if (l->n == l->room)
		line_grow(l);
	l->array[(l->begin + l->n++) & (l->room - 1)].tile = tile;
	l->array[(l->begin + l->n - 1) & (l->room - 1)].time = time;
	sf_alarm(&l->engine->kernel, &l->process, time);
}

/* The first tile whose data are there; false when they are not yet. */
static bool
line_take(struct line *l, int64_t *tile)
{
	if (l->n == 0 ||
	    l->array[l->begin & (l->room - 1)].time > l->engine->kernel.now)
		return false;
	*tile = l->array[l->begin++ & (l->room - 1)].tile;
	l->n--;
	return true;
}

/* ---- the load DMA ---- */

enum {
	NEXT_TILE,
	AWAIT_DEPS,
	OVERHEAD,
	GRANTED,
	LOAD_SERVER,
	LOADED
};

/* Takes the next tile; false when there is none until an operator is fed. */
static bool
next_tile(struct worker *w)
{
	struct sf_engine *e = w->engine;

	w->at = NEXT_TILE;
	if (!sf_flight_next(&e->flight, w->core->number, &w->tile)) {
		w->core->wants_op = true;
		e->kernel.stop = true;
		return false;
	}
	tile_of(w)->t.issue = e->kernel.now;
	return true;
}

/* Asks for buffer and accumulator. */
static void
await_room(struct worker *w)
{
	struct sf_flight_tile *tile = tile_of(w);

	tile->t.dep = w->engine->kernel.now;
	w->at = GRANTED;
	sf_container_get_both(&w->core->buffer, &w->process,
	    tile->size->granted, tile->size->acc_granted);
}

/* Waits until the operators that the tile depends on are stored. */
static void
await_deps(struct worker *w)
{
	struct sf_engine *e = w->engine;
	struct sf_flight_tile *tile = tile_of(w);

	if (tile->first && !sf_flight_ready(&e->flight, w->core->number)) {
		w->at = AWAIT_DEPS;
		w->core->waits_for_store = true;
		return;
	}
	if (!tile->first || !(e->overhead > 0)) {
		await_room(w);
		return;
	}
	w->at = OVERHEAD;
	sf_timeout(&e->kernel, &w->process, e->overhead);
}

/* The data of TILE are there. */
static void
data_loaded(struct sf_engine *e, struct core *c, int64_t tile)
{
	sf_flight_tile(&e->flight, c->number, tile)->t.load_end = e->kernel.now;
	sf_queue_put(&c->ready, tile);
}

static void
loads_come(struct sf_process *process)
{
	struct line *l = (struct line *)process;
	int64_t tile;

	while (line_take(l, &tile))
		data_loaded(l->engine, l->core, tile);
}

/* The DMA has moved the tile's bytes, of which data may still come. */
static void
loaded(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->loaded = e->kernel.now;
	if (e->accel->latency == SF_LATENCY_HELD)
		data_loaded(e, w->core, w->tile);
	if (next_tile(w))
		await_deps(w);
}

/* A transfer begins; its data come later when nobody waits for them. */
static void
begin_load(struct worker *w)
{
	if (w->engine->accel->latency != SF_LATENCY_HELD)
		line_put(
		    &w->core->loading, w->tile, tile_of(w)->size->load_whole);
}

static void
granted(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->t.alloc = e->kernel.now;
	if (!(tile_of(w)->size->load > 0)) {
		begin_load(w);
		loaded(w);
		return;
	}
	w->at = LOAD_SERVER;
	sf_resource_request(
	    &e->servers, &w->process, RANK_LOAD + w->core->number);
}

static void
load_resume(struct sf_process *process)
{
	struct worker *w = (struct worker *)process;
	struct sf_engine *e = w->engine;

	switch (w->at) {
	case NEXT_TILE:
		if (next_tile(w))
			await_deps(w);
		break;
	case AWAIT_DEPS:
		await_deps(w);
		break;
	case OVERHEAD:
		await_room(w);
		break;
	case GRANTED:
		granted(w);
		break;
	case LOAD_SERVER:
		sf_resource_take(&w->core->read_net);
		begin_load(w);
		w->at = LOADED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->load);
		break;
	case LOADED:
		sf_resource_release(&e->servers);
		sf_resource_release(&w->core->read_net);
		loaded(w);
		break;
	}
}

/* ---- compute ---- */

enum {
	COMPUTE_IDLE,
	COMPUTE_START,
	COMPUTED
};

static void
computed(struct worker *w)
{
	struct sf_engine *e = w->engine;
	struct sf_flight_tile *tile = tile_of(w);
	struct sf_times *t = &tile->t;

	t->comp_end = e->kernel.now;
	sf_container_put(&w->core->buffer, tile->size->at_compute);
	sf_container_put(&w->core->acc, tile->size->acc_at_compute);
	if (tile->size->stores) {
		sf_queue_put(&w->core->computed, w->tile);
	} else {
		t->store_start = t->store_end = t->comp_end;
		tile_done(e, w->core, w->tile);
	}
	w->at = COMPUTE_START;
	sf_queue_get(&w->core->ready, &w->process);
}

static void
compute_resume(struct sf_process *process)
{
	struct worker *w = (struct worker *)process;
	struct sf_engine *e = w->engine;

	switch (w->at) {
	case COMPUTE_IDLE:
		w->at = COMPUTE_START;
		sf_queue_get(&w->core->ready, process);
		break;
	case COMPUTE_START:
		w->tile = sf_queue_take(&w->core->ready);
		tile_of(w)->t.comp_start = e->kernel.now;
		if (!(tile_of(w)->size->compute > 0)) {
			computed(w);
			break;
		}
		w->at = COMPUTED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->compute);
		break;
	case COMPUTED:
		computed(w);
		break;
	}
}

/* ---- the store DMA ---- */

enum {
	STORE_IDLE,
	STORE_NEXT,
	STORE_SERVER,
	STORED
};

/* The data of TILE are in memory. */
static void
data_stored(struct sf_engine *e, struct core *c, int64_t number)
{
	struct sf_flight_tile *tile =
	    sf_flight_tile(&e->flight, c->number, number);

	tile->t.store_end = e->kernel.now;
	sf_container_put(&c->buffer, tile->size->at_store);
	sf_container_put(&c->acc, tile->size->acc_at_store);
	tile_done(e, c, number);
}

static void
stores_come(struct sf_process *process)
{
	struct line *l = (struct line *)process;
	int64_t tile;

	while (line_take(l, &tile))
		data_stored(l->engine, l->core, tile);
}

static void
begin_store(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->t.store_start = e->kernel.now;
	if (e->accel->latency != SF_LATENCY_HELD)
		line_put(
		    &w->core->storing, w->tile, tile_of(w)->size->store_whole);
}

static void
stored(struct worker *w)
{
	struct sf_engine *e = w->engine;

	if (e->accel->latency == SF_LATENCY_HELD)
		data_stored(e, w->core, w->tile);
	w->at = STORE_NEXT;
	sf_queue_get(&w->core->computed, &w->process);
}

static void
store_resume(struct sf_process *process)
{
	struct worker *w = (struct worker *)process;
	struct sf_engine *e = w->engine;

	switch (w->at) {
	case STORE_IDLE:
		w->at = STORE_NEXT;
		sf_queue_get(&w->core->computed, process);
		break;
	case STORE_NEXT:
		w->tile = sf_queue_take(&w->core->computed);
		if (!(tile_of(w)->size->store > 0)) {
			begin_store(w);
			stored(w);
			break;
		}
		w->at = STORE_SERVER;
		sf_resource_request(
		    &e->servers, process, RANK_STORE + w->core->number);
		break;
	case STORE_SERVER:
		sf_resource_take(&w->core->write_net);
		begin_store(w);
		w->at = STORED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->store);
		break;
	case STORED:
		sf_resource_release(&e->servers);
		sf_resource_release(&w->core->write_net);
		stored(w);
		break;
	}
}

/* ---- the engine ---- */

/* The levels that an instant leaves behind. */
static void
note_level(void *to)
{
	struct sf_engine *e = to;

	for (int i = 0; i < e->ncores; i++) {
		struct sf_core_meter *m = &e->flight.meter.core[i];
		const struct core *c = &e->cores[i];
		int64_t used = e->accel->buffer_bytes - c->buffer.level;
		int64_t acc = e->accel->acc_bytes - c->acc.level;

		if (used > m->peak)
			m->peak = used;
		if (acc > m->acc_peak)
			m->acc_peak = acc;
	}
}

bool
sf_event_is_late(const struct sf_accel *accel)
{
	(void)accel; /* It works in the order of time. */
	return true;
}

static void
init_core(struct sf_engine *e, int number)
{
	struct core *c = &e->cores[number];
	struct sf_kernel *k = &e->kernel;
	const struct worker w = { .engine = e, .core = c };

	c->number = number;
	c->wants_op = true;
	sf_resource_init(&c->read_net, k, 1);
	sf_resource_init(&c->write_net, k, 1);
	sf_container_init(&c->buffer, k, e->accel->buffer_bytes);
	sf_container_init(&c->acc, k, e->accel->acc_bytes);
	sf_container_pair(&c->buffer, &c->acc);
	line_init(&c->loading, e, c, loads_come);
	line_init(&c->storing, e, c, stores_come);
	sf_queue_init(&c->ready, k);
	sf_queue_init(&c->computed, k);
	c->load = c->compute = c->store = w;
	c->load.process.resume = load_resume;
	c->compute.process.resume = compute_resume;
	c->store.process.resume = store_resume;
	sf_schedule(k, &c->compute.process);
	sf_schedule(k, &c->store.process);
}

struct sf_engine *
sf_event_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);
	struct sf_kernel *k = &e->kernel;

	e->accel = accel;
	e->overhead = sf_accel_overhead(accel);
	sf_flight_init(&e->flight, accel->cores, sink);
	e->ncores = e->flight.ncores;
	sf_kernel_init(k);
	k->instant_over = note_level;
	k->to = e;
	sf_resource_init(&e->servers, k, accel->servers);
	e->cores = sf_calloc((size_t)e->ncores, sizeof *e->cores);
	for (int i = 0; i < e->ncores; i++)
		init_core(e, i);
	return e;
}

void
sf_event_free(struct sf_engine *e)
{
	for (int i = 0; i < e->ncores; i++) {
		struct core *c = &e->cores[i];

		sf_queue_release(&c->ready);
		sf_queue_release(&c->computed);
		free(c->loading.array);
		free(c->storing.array);
	}
	free(e->cores);
	sf_kernel_release(&e->kernel);
	sf_flight_release(&e->flight);
	free(e);
}

/*
 * Runs until a load DMA has taken the last tile that there is and asks for more.
 * Time stands still then, so that the next operator's first tile is issued in
 * time.
 */
bool
sf_event_run(struct sf_engine *e, int64_t op, struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	if (!sf_flight_feed(&e->flight, op, nests, deps, ndeps, error))
		return false;
	for (int i = 0; i < e->ncores; i++) {
		struct core *c = &e->cores[i];

		if (c->wants_op)
			sf_schedule(&e->kernel, &c->load.process);
		c->wants_op = false;
	}
	if (!sf_kernel_run(&e->kernel))
		sf_bug("the load DMA is stuck at op %lld", (long long)op);
	if (e->flight.failed)
		*error = e->flight.error;
	return !e->flight.failed;
}

bool
sf_event_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	while (!e->flight.failed && sf_kernel_run(&e->kernel))
		;
	if (e->flight.failed) {
		*error = e->flight.error;
		return false;
	}
	note_level(e);
	*meter = sf_flight_meter(&e->flight);
	for (int i = 0; i < e->ncores; i++) {
		const struct core *c = &e->cores[i];

		if (c->buffer.level != e->accel->buffer_bytes ||
		    c->acc.level != e->accel->acc_bytes)
			sf_bug("the buffer is not empty at the end");
	}
	*cost = (struct sf_engine_cost){
		.events = e->kernel.events, .cycles = -1, .evaluations = -1
	};
	return true;
}
