/*
 * The event engine, the reference: three processes (load DMA, compute, store
 * DMA) over a buffer, memory channels and two networks, by the kernel of
 * lib/des. It alone models one memory channel, for which the two DMAs queue:
 * first come, first served, and the load first when both ask at one instant.
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

struct sf_engine {
	const struct sf_accel *accel;
	struct sf_flight flight;
	struct sf_kernel kernel;
	struct sf_resource channels, read_net, write_net;
	struct sf_container buffer;
	struct sf_queue ready, computed;
	struct worker load, compute, store;
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

/* ---- the load DMA ---- */

enum {
	NEXT_TILE,
	AWAIT_DEPS,
	GRANTED,
	LOAD_CHANNEL,
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

/* Asks for buffer once the operators that the tile depends on are stored. */
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
	tile->t.dep = e->kernel.now;
	w->at = GRANTED;
	sf_container_get(&e->buffer, &w->process,
	    tile->size->at_compute + tile->size->at_store);
}

static void
loaded(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->t.load_end = e->kernel.now;
	sf_queue_put(&e->ready, w->tile);
	if (next_tile(w))
		await_deps(w);
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
	case GRANTED:
		tile_of(w)->t.alloc = e->kernel.now;
		if (!(tile_of(w)->size->load > 0)) {
			loaded(w);
			break;
		}
		w->at = LOAD_CHANNEL;
		sf_resource_request(&e->channels, process, RANK_LOAD);
		break;
	case LOAD_CHANNEL:
		sf_resource_take(&e->read_net);
		w->at = LOADED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->load);
		break;
	case LOADED:
		sf_resource_release(&e->channels);
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
	STORE_CHANNEL,
	STORED
};

static void
stored(struct worker *w)
{
	struct sf_engine *e = w->engine;

	tile_of(w)->t.store_end = e->kernel.now;
	sf_container_put(&e->buffer, tile_of(w)->size->at_store);
	tile_done(e, w->tile);
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
		tile_of(w)->t.store_start = e->kernel.now;
		if (!(tile_of(w)->size->store > 0)) {
			stored(w);
			break;
		}
		w->at = STORE_CHANNEL;
		sf_resource_request(&e->channels, process, RANK_STORE);
		break;
	case STORE_CHANNEL:
		sf_resource_take(&e->write_net);
		tile_of(w)->t.store_start = e->kernel.now;
		w->at = STORED;
		sf_timeout(&e->kernel, process, tile_of(w)->size->store);
		break;
	case STORED:
		sf_resource_release(&e->channels);
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

	if (used > e->flight.meter.peak)
		e->flight.meter.peak = used;
}

static struct worker
worker_of(struct sf_engine *e, void (*resume)(struct sf_process *))
{
	return (struct worker){ .process = { resume }, .engine = e };
}

struct sf_engine *
sf_event_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);
	struct sf_kernel *k = &e->kernel;

	e->accel = accel;
	e->waits_for_store = false;
	sf_flight_init(&e->flight, sink);
	sf_kernel_init(k);
	k->instant_over = note_level;
	k->to = e;
	sf_resource_init(&e->channels, k, accel->servers);
	sf_resource_init(&e->read_net, k, 1);
	sf_resource_init(&e->write_net, k, 1);
	sf_container_init(&e->buffer, k, accel->buffer_bytes);
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
	if (e->buffer.level != e->accel->buffer_bytes)
		sf_bug("the buffer is not empty at the end");
	*meter = e->flight.meter;
	*cost = (struct sf_engine_cost){
		.events = e->kernel.events, .cycles = -1, .evaluations = -1
	};
	return true;
}
