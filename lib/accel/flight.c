/* Operators and tiles under way, and their end in program order. */
#include "accel/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/die.h"

enum {
	FIRST_ROOM = 64
}; /* a power of two */

void
sf_flight_init(struct sf_flight *f, const struct sf_sink *sink)
{
	*f = (struct sf_flight){
		.sink = sink, .room = FIRST_ROOM, .ops_room = FIRST_ROOM
	};
	f->tiles = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*f->tiles));
	f->ops =
	    sf_reallocarray(NULL, FIRST_ROOM, sizeof(struct sf_flight_op *));
	for (int i = 0; i < FIRST_ROOM; i++)
		f->ops[i] = NULL;
}

void
sf_flight_release(struct sf_flight *f)
{
	for (int64_t i = 0; i < f->ops_room; i++)
		free(f->ops[i]);
	free(f->tiles);
	free(f->ops);
	free(f->deps);
	free(f->states);
	*f = (struct sf_flight){ 0 };
}

/* ---- feeding ---- */

static void
set_state(struct sf_flight *f, int64_t op, enum sf_flight_state state)
{
	if (op >= f->states_room) {
		int64_t room =
		    f->states_room != 0 ? f->states_room : FIRST_ROOM;

		while (room <= op)
			room *= 2;
		f->states = sf_realloc(f->states, (size_t)room);
		memset(f->states + f->states_room, SF_FLIGHT_NO_TILES,
		    (size_t)(room - f->states_room));
		f->states_room = room;
	}
	if (op >= f->nstates)
		f->nstates = op + 1;
	f->states[op] = (uint8_t)state;
}

static bool
set_deps(
    struct sf_flight *f, const int64_t *deps, int ndeps, struct sf_error *error)
{
	for (int i = 0; i < ndeps; i++)
		if (deps[i] >= f->nstates ||
		    f->states[deps[i]] == SF_FLIGHT_NO_TILES)
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)deps[i]);
	if (ndeps > f->deps_room) {
		f->deps_room = ndeps;
		f->deps =
		    sf_reallocarray(f->deps, (size_t)ndeps, sizeof(*f->deps));
	}
	if (ndeps != 0)
		memcpy(f->deps, deps, (size_t)ndeps * sizeof(*deps));
	f->ndeps = ndeps;
	return true;
}

static struct sf_flight_op **
op_slot(struct sf_flight *f, int64_t number)
{
	return &f->ops[number & (f->ops_room - 1)];
}

/* Doubles the ring of operators; the spare ones it holds move along. */
static void
grow_ops(struct sf_flight *f)
{
	struct sf_flight_op **old = f->ops;
	int64_t room = f->ops_room;

	f->ops_room = 2 * room;
	f->ops = sf_reallocarray(
	    NULL, (size_t)f->ops_room, sizeof(struct sf_flight_op *));
	for (int64_t i = 0; i < f->ops_room; i++)
		f->ops[i] = NULL;
	for (int64_t i = f->ops_begin; i < f->ops_end; i++)
		*op_slot(f, i) = old[i & (room - 1)];
	free(old);
}

/* The operator of a slot, with room for a nest of SIZE bytes. */
static struct sf_flight_op *
room_for(struct sf_flight_op **slot, size_t size)
{
	if (*slot == NULL || (*slot)->room < size) {
		*slot = sf_realloc(
		    *slot, offsetof(struct sf_flight_op, nest) + size);
		(*slot)->room = size;
	}
	return *slot;
}

bool
sf_flight_feed(struct sf_flight *f, int64_t op, const struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct sf_flight_op *o;

	if (!set_deps(f, deps, ndeps, error))
		return false;
	if (f->ops_end - f->ops_begin == f->ops_room)
		grow_ops(f);
	o = room_for(op_slot(f, f->ops_end), sf_nest_size(nest));
	f->ops_end++;
	o->op = op;
	memcpy(&o->nest, nest, sf_nest_size(nest));
	o->batch = o->next = 0;
	o->ended = 0;
	o->sums = o->batch_sums = (struct sf_sums){ 0 };
	o->carried = (struct sf_carried){ 0 };
	set_state(f, op, SF_FLIGHT_UNDER_WAY);
	return true;
}

/* ---- tiles ---- */

static void
grow_tiles(struct sf_flight *f)
{
	struct sf_flight_tile *old = f->tiles;
	int64_t room = f->room;

	f->room = 2 * room;
	f->tiles = sf_reallocarray(NULL, (size_t)f->room, sizeof(*f->tiles));
	for (int64_t i = f->begin; i < f->end; i++)
		*sf_flight_tile(f, i) = old[i & (room - 1)];
	free(old);
}

bool
sf_flight_next(struct sf_flight *f, int64_t *number)
{
	struct sf_flight_op *o;
	struct sf_flight_tile *tile;

	if (f->ops_end == 0)
		return false;
	o = *op_slot(f, f->ops_end - 1);
	if (o->next == o->batch) {
		o->batch = sf_nest_next(&o->nest, o->sizes);
		o->next = 0;
		if (o->batch == 0)
			return false;
	}
	if (f->end - f->begin == f->room)
		grow_tiles(f);
	*number = f->end++;
	tile = sf_flight_tile(f, *number);
	tile->size = &o->nest.table[o->sizes[o->next++]];
	tile->last = o->nest.left == 0 && o->next == o->batch;
	tile->first = o->nest.left + (o->batch - o->next) + 1 == o->nest.tiles;
	tile->op = o->op;
	tile->done = false;
	return true;
}

bool
sf_flight_ready(const struct sf_flight *f)
{
	for (int i = 0; i < f->ndeps; i++)
		if (f->states[f->deps[i]] != SF_FLIGHT_STORED)
			return false;
	return true;
}

/* ---- the end of a tile ---- */

static void
end_op(struct sf_flight *f, struct sf_flight_op *o, const struct sf_times *t)
{
	struct sf_op_result result;

	if (!sf_meter_op(&f->meter, &o->nest, &o->sums, o->start, t->comp_end,
		t->store_end, &result)) {
		f->failed = true;
		sf_fail(&f->error,
		    "tiles, bytes or multiply-accumulates "
		    "so far pass 2^63 - 1");
		return;
	}
	f->ops_begin++;
	set_state(f, o->op, SF_FLIGHT_STORED);
	f->sink->op(f->sink->to, &result);
}

/* Measures the earliest tile, batched as the nest hands tiles out. */
static void
end_tile(struct sf_flight *f, const struct sf_flight_tile *tile)
{
	struct sf_flight_op *o = *op_slot(f, f->ops_begin);

	double ready = f->meter.last_compute;

	if (tile->first) {
		o->start = tile->t.alloc;
		ready = sf_meter_ready(&o->batch_sums, &tile->t, ready);
	}
	sf_meter_carried(&o->batch_sums, &o->carried, tile->size, &tile->t);
	sf_meter_tile(
	    &o->batch_sums, tile->size, &tile->t, ready, tile->loaded);
	f->meter.last_compute = tile->t.comp_end;
	if (++o->ended % SF_NEST_BATCH == 0 || tile->last) {
		sf_sums_add(&o->sums, &o->batch_sums);
		o->batch_sums = (struct sf_sums){ 0 };
	}
	if (f->sink->tile != NULL)
		f->sink->tile(f->sink->to, &tile->t);
	if (tile->last)
		end_op(f, o, &tile->t);
}

bool
sf_flight_done(struct sf_flight *f, int64_t number)
{
	int64_t stored = f->ops_begin;

	sf_flight_tile(f, number)->done = true;
	while (f->begin < f->end && !f->failed &&
	    sf_flight_tile(f, f->begin)->done)
		end_tile(f, sf_flight_tile(f, f->begin++));
	return f->ops_begin != stored;
}
