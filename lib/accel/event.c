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

/* Who goes first for a channel of those that ask at one instant. */
enum {
	RANK_LOAD,
	RANK_STORE
};

struct sf_engine;

/* A process and the tile that it is at. */
struct worker {
	struct sf_process process; /* first, so that one is the other */
	struct sf_engine *engine;
	int at; /* what it goes on with */
	int64_t tile;
};

/* Tiles whose data are on the way, and when they come: a ring. */
struct line {
	struct sf_process
	    process; /* resumed when data come; first, see worker */
	struct sf_engine *engine;
	struct {
		int64_t tile;
		double time;
	} * array;
	size_t room, begin, n;
};

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	struct sf_kernel kernel;
	struct sf_resource servers, read_net, write_net;
	struct sf_container buffer, acc;
	struct sf_queue ready, computed;
	struct worker load, compute, store;
	struct line loading, storing;
	double overhead;      /* before an operator's first load */
	bool waits_for_store; /* the load DMA does, for its dependencies */
};

static struct sf_flight_tile *
tile_of(struct worker *w)
{
	return sf_flight_tile(&w->engine->flight, w->tile);
}

/* TILE has all its times. */
static void
tile_done(struct sf_engine *e, int64_t tile)
{
	if (sf_flight_done(&e->flight, tile) && e->waits_for_store) {
		e->waits_for_store = false;
		sf_schedule(&e->kernel, &e->load.process);
	}
	if (e->flight.failed)
		e->kernel.stop = true;
}

/* ---- data on the way ---- */

enum {
	LINE_ROOM = 16
}; /* a power of two */

static void
line_init(
    struct line *l, struct sf_engine *e, void (*come)(struct sf_process *))
{
	*l = (struct line){
		.process = { come }, .engine = e, .room = LINE_ROOM
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
	if (!sf_flight_next(&e->flight, &w->tile)) {
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
	struct sf_engine *e = w->engine;
	struct sf_flight_tile *tile = tile_of(w);

	tile->t.dep = e->kernel.now;
	w->at = GRANTED;
	sf_container_get_both(&e->buffer, &w->process, tile->size->granted,
	    tile->size->acc_granted);
}

/* Waits until the operators that the tile depends on are stored. */
static void
await_deps(struct worker *w)
{
	struct sf_engine *e = w->engine;
	struct sf_flight_tile *tile = tile_of(w);

	if (tile->first && !sf_flight_ready(&e->flight)) {
		w->at = AWAIT_DEPS;
		e->waits_for_store = true;
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
data_loaded(struct sf_engine *e, int64_t tile)
{
	sf_flight_tile(&e->flight, tile)->t.load_end = e->kernel.now;
	sf_queue_put(&e->ready, tile);
}

static void
loads_come(struct sf_process *process)
{
	struct line *l = (struct line *)process;
	int64_t tile;

	while (line_take(l, &tile))
		data_loaded(l->engine, tile);
}

/* The DMA has moved the tile's bytes, of which data may still come. */
static void
loaded(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->loaded = e->kernel.now;
	if (e->accel->latency == SF_LATENCY_HELD)
		data_loaded(e, w->tile);
	if (next_tile(w))
		await_deps(w);
}

/* A transfer begins; its data come later when nobody waits for them. */
static void
begin_load(struct worker *w)
{
	struct sf_engine *e = w->engine;

	if (e->accel->latency != SF_LATENCY_HELD)
		line_put(&e->loading, w->tile, tile_of(w)->size->load_whole);
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
	sf_resource_request(&e->servers, &w->process, RANK_LOAD);
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
		sf_resource_take(&e->read_net);
		begin_load(w);
		w->at = LOADED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->load);
		break;
	case LOADED:
		sf_resource_release(&e->servers);
		sf_resource_release(&e->read_net);
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
	sf_container_put(&e->buffer, tile->size->at_compute);
	sf_container_put(&e->acc, tile->size->acc_at_compute);
	if (tile->size->stores) {
		sf_queue_put(&e->computed, w->tile);
	} else {
		t->store_start = t->store_end = t->comp_end;
		tile_done(e, w->tile);
	}
	w->at = COMPUTE_START;
	sf_queue_get(&e->ready, &w->process);
}

static void
compute_resume(struct sf_process *process)
{
	struct worker *w = (struct worker *)process;
	struct sf_engine *e = w->engine;

	switch (w->at) {
	case COMPUTE_IDLE:
		w->at = COMPUTE_START;
		sf_queue_get(&e->ready, process);
		break;
	case COMPUTE_START:
		w->tile = sf_queue_take(&e->ready);
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
data_stored(struct sf_engine *e, int64_t number)
{
	struct sf_flight_tile *tile = sf_flight_tile(&e->flight, number);

	tile->t.store_end = e->kernel.now;
	sf_container_put(&e->buffer, tile->size->at_store);
	sf_container_put(&e->acc, tile->size->acc_at_store);
	tile_done(e, number);
}

static void
stores_come(struct sf_process *process)
{
	struct line *l = (struct line *)process;
	int64_t tile;

	while (line_take(l, &tile))
		data_stored(l->engine, tile);
}

static void
begin_store(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->t.store_start = e->kernel.now;
	if (e->accel->latency != SF_LATENCY_HELD)
		line_put(&e->storing, w->tile, tile_of(w)->size->store_whole);
}

static void
stored(struct worker *w)
{
	struct sf_engine *e = w->engine;

	if (e->accel->latency == SF_LATENCY_HELD)
		data_stored(e, w->tile);
	w->at = STORE_NEXT;
	sf_queue_get(&e->computed, &w->process);
}

static void
store_resume(struct sf_process *process)
{
	struct worker *w = (struct worker *)process;
	struct sf_engine *e = w->engine;

	switch (w->at) {
	case STORE_IDLE:
		w->at = STORE_NEXT;
		sf_queue_get(&e->computed, process);
		break;
	case STORE_NEXT:
		w->tile = sf_queue_take(&e->computed);
		if (!(tile_of(w)->size->store > 0)) {
			begin_store(w);
			stored(w);
			break;
		}
		w->at = STORE_SERVER;
		sf_resource_request(&e->servers, process, RANK_STORE);
		break;
	case STORE_SERVER:
		sf_resource_take(&e->write_net);
		begin_store(w);
		w->at = STORED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->store);
		break;
	case STORED:
		sf_resource_release(&e->servers);
		sf_resource_release(&e->write_net);
		stored(w);
		break;
	}
}

/* ---- the engine ---- */

/* The level that an instant leaves behind. */
static void
note_level(void *to)
{
	struct sf_engine *e = to;
	int64_t used = e->accel->buffer_bytes - e->buffer.level;
	int64_t acc = e->accel->acc_bytes - e->acc.level;

	if (used > e->flight.meter.peak)
		e->flight.meter.peak = used;
	if (acc > e->flight.meter.acc_peak)
		e->flight.meter.acc_peak = acc;
}

static struct worker
worker_of(struct sf_engine *e, void (*resume)(struct sf_process *))
{
	return (struct worker){ .process = { resume }, .engine = e };
}

bool
sf_event_is_late(const struct sf_accel *accel)
{
	(void)accel; /* It works in the order of time. */
	return true;
}

struct sf_engine *
sf_event_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);
	struct sf_kernel *k = &e->kernel;

	e->accel = accel;
	e->waits_for_store = false;
	e->overhead = sf_accel_overhead(accel);
	sf_flight_init(&e->flight, sink);
	sf_kernel_init(k);
	k->instant_over = note_level;
	k->to = e;
	sf_resource_init(&e->servers, k, accel->servers);
	sf_resource_init(&e->read_net, k, 1);
	sf_resource_init(&e->write_net, k, 1);
	sf_container_init(&e->buffer, k, accel->buffer_bytes);
	sf_container_init(&e->acc, k, accel->acc_bytes);
	sf_container_pair(&e->buffer, &e->acc);
	line_init(&e->loading, e, loads_come);
	line_init(&e->storing, e, stores_come);
	sf_queue_init(&e->ready, k);
	sf_queue_init(&e->computed, k);
	e->load = worker_of(e, load_resume);
	e->compute = worker_of(e, compute_resume);
	e->store = worker_of(e, store_resume);
	sf_schedule(k, &e->compute.process);
	sf_schedule(k, &e->store.process);
	return e;
}

void
sf_event_free(struct sf_engine *e)
{
	sf_queue_release(&e->ready);
	sf_queue_release(&e->computed);
	free(e->loading.array);
	free(e->storing.array);
	sf_kernel_release(&e->kernel);
	sf_flight_release(&e->flight);
	free(e);
}

/*
 * Runs until the load DMA has taken the last tile and asks for more. Time
 * stands still then, so that the next operator's first tile is issued in time.
 */
bool
sf_event_run(struct sf_engine *e, int64_t op, struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	if (!sf_flight_feed(&e->flight, op, nest, deps, ndeps, error))
		return false;
	sf_schedule(&e->kernel, &e->load.process);
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
	if (e->flight.begin != e->flight.end)
		sf_bug("%lld tiles never end",
		    (long long)(e->flight.end - e->flight.begin));
	if (e->buffer.level != e->accel->buffer_bytes ||
	    e->acc.level != e->accel->acc_bytes)
		sf_bug("the buffer is not empty at the end");
	*meter = e->flight.meter;
	*cost = (struct sf_engine_cost){
		.events = e->kernel.events, .cycles = -1, .evaluations = -1
	};
	return true;
}
