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
sf_flight_init(struct sf_flight *f, int64_t cores, const struct sf_sink *sink)
{
	*f = (struct sf_flight){ .sink = sink,
		.ncores = cores > 1 ? (int)cores : 1,
		.ops_room = FIRST_ROOM };
	f->meter.cores = f->ncores;
	f->cores = sf_calloc((size_t)f->ncores, sizeof *f->cores);
	for (int i = 0; i < f->ncores; i++) {
		f->cores[i].room = FIRST_ROOM;
		f->cores[i].tiles = sf_reallocarray(
		    NULL, FIRST_ROOM, sizeof *f->cores[i].tiles);
	}
	f->ops = sf_calloc(FIRST_ROOM, sizeof(struct sf_flight_op *));
}

static void
free_op(struct sf_flight_op *o, int ncores)
{
	if (o == NULL)
		return;
	for (int i = 0; i < ncores; i++)
		free(o->parts[i]);
	free(o->deps);
	free(o);
}

void
sf_flight_release(struct sf_flight *f)
{
	for (int64_t i = 0; i < f->ops_room; i++)
		free_op(f->ops[i], f->ncores);
	for (int i = 0; i < f->ncores; i++)
		free(f->cores[i].tiles);
	free(f->cores);
	free(f->ops);
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
have_tiles(const struct sf_flight *f, const int64_t *deps, int ndeps,
    struct sf_error *error)
{
	for (int i = 0; i < ndeps; i++)
		if (deps[i] >= f->nstates ||
		    f->states[deps[i]] == SF_FLIGHT_NO_TILES)
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)deps[i]);
	return true;
}

static void
set_deps(struct sf_flight_op *o, const int64_t *deps, int ndeps)
{
	if (ndeps > o->deps_room) {
		o->deps_room = ndeps;
		o->deps =
		    sf_reallocarray(o->deps, (size_t)ndeps, sizeof *o->deps);
	}
	if (ndeps != 0)
		memcpy(o->deps, deps, (size_t)ndeps * sizeof *deps);
	o->ndeps = ndeps;
}

static struct sf_flight_op **
op_slot(const struct sf_flight *f, int64_t number)
{
	return &f->ops[number & (f->ops_room - 1)];
}

/* Doubles the ring of operators, which is full. */
static void
grow_ops(struct sf_flight *f)
{
	struct sf_flight_op **old = f->ops;
	int64_t room = f->ops_room;

	f->ops_room = 2 * room;
	f->ops = sf_calloc((size_t)f->ops_room, sizeof(struct sf_flight_op *));
	for (int64_t i = f->ops_begin; i < f->ops_end; i++)
		*op_slot(f, i) = old[i & (room - 1)];
	free(old);
}

/* The next free slot's operator. */
static struct sf_flight_op *
new_op(struct sf_flight *f)
{
	struct sf_flight_op **slot;

	if (f->ops_end - f->ops_begin == f->ops_room)
		grow_ops(f);
	slot = op_slot(f, f->ops_end++);
	if (*slot == NULL)
		*slot = sf_calloc(1,
		    sizeof **slot +
			(size_t)f->ncores * sizeof(struct sf_flight_part *));
	return *slot;
}

/* Fills in a core's part of an operator. */
static void
feed_part(struct sf_flight_part **slot, const struct sf_nest *nest)
{
	size_t size = sf_nest_size(nest);
	struct sf_flight_part *part = *slot;

	if (part == NULL || part->room < size) {
		part = *slot = sf_realloc(
		    part, offsetof(struct sf_flight_part, nest) + size);
		part->room = size;
	}
	memcpy(&part->nest, nest, size);
	part->batch = part->next = 0;
	part->ended = 0;
	part->batch_sums = (struct sf_sums){ 0 };
	part->carried = (struct sf_carried){ 0 };
	part->result = (struct sf_part_result){ .start = 0 };
}

bool
sf_flight_feed(struct sf_flight *f, int64_t op, const struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct sf_flight_op *o;

	if (!have_tiles(f, deps, ndeps, error))
		return false;
	o = new_op(f);
	o->op = op;
	o->left = 0;
	set_deps(o, deps, ndeps);
	for (int i = 0; i < f->ncores; i++) {
		feed_part(&o->parts[i], &nests[i]);
		o->left += nests[i].tiles != 0;
	}
	set_state(f, op, SF_FLIGHT_UNDER_WAY);
	return true;
}

/* ---- tiles ---- */

static void
grow_tiles(struct sf_flight_core *c)
{
	struct sf_flight_tile *old = c->tiles;
	int64_t room = c->room;

	c->room = 2 * room;
	c->tiles = sf_reallocarray(NULL, (size_t)c->room, sizeof *c->tiles);
	for (int64_t i = c->begin; i < c->end; i++)
		c->tiles[i & (c->room - 1)] = old[i & (room - 1)];
	free(old);
}

/* The operator whose next tile a core takes; NULL: there is none. */
static struct sf_flight_op *
loading_op(struct sf_flight *f, int core)
{
	struct sf_flight_core *c = &f->cores[core];

	/* Those that all are done with have no more. */
	if (c->loading < f->ops_begin)
		c->loading = f->ops_begin;
	for (; c->loading < f->ops_end; c->loading++) {
		struct sf_flight_op *o = *op_slot(f, c->loading);
		struct sf_flight_part *part = o->parts[core];

		if (part->next < part->batch)
			return o;
		part->batch = sf_nest_next(&part->nest, part->sizes);
		part->next = 0;
		if (part->batch != 0)
			return o;
		if (c->loading == f->ops_end - 1)
			break;
	}
	return NULL;
}

bool
sf_flight_next(struct sf_flight *f, int core, int64_t *number)
{
	struct sf_flight_core *c = &f->cores[core];
	struct sf_flight_op *o = loading_op(f, core);
	struct sf_flight_part *part;
	struct sf_flight_tile *tile;

	if (o == NULL)
		return false;
	part = o->parts[core];
	if (c->end - c->begin == c->room)
		grow_tiles(c);
	*number = c->end++;
	tile = sf_flight_tile(f, core, *number);
	tile->size = &part->nest.table[part->sizes[part->next++]];
	tile->last = part->nest.left == 0 && part->next == part->batch;
	tile->first = part->nest.left + (part->batch - part->next) + 1 ==
	    part->nest.tiles;
	tile->op = o->op;
	tile->done = false;
	return true;
}

bool
sf_flight_ready(const struct sf_flight *f, int core)
{
	const struct sf_flight_op *o = *op_slot(f, f->cores[core].loading);

	for (int i = 0; i < o->ndeps; i++)
		if (f->states[o->deps[i]] != SF_FLIGHT_STORED)
			return false;
	return true;
}

const int64_t *
sf_flight_deps(const struct sf_flight *f, int core, int *ndeps)
{
	const struct sf_flight_op *o = *op_slot(f, f->cores[core].loading);

	*ndeps = o->ndeps;
	return o->deps;
}

/* ---- the end of a tile ---- */

/* Tells of the earliest operator. */
static bool
tell_op(struct sf_flight *f, const struct sf_flight_op *o)
{
	const struct sf_part_result *parts[SF_MAX_CORES];
	const struct sf_nest *nests[SF_MAX_CORES];
	struct sf_op_result result;

	for (int i = 0; i < f->ncores; i++) {
		const struct sf_flight_part *part = o->parts[i];

		parts[i] = &part->result;
		nests[i] = part->nest.tiles != 0 ? &part->nest : NULL;
	}
	if (!sf_meter_parts(&f->meter, nests, parts, &result)) {
		f->failed = true;
		return sf_fail(&f->error,
		    "tiles, bytes or multiply-accumulates "
		    "so far pass 2^63 - 1");
	}
	f->ops_begin++;
	f->sink->op(f->sink->to, &result);
	return true;
}

/* A core is done with an operator. */
static void
end_part(struct sf_flight *f, struct sf_flight_op *o)
{
	if (--o->left != 0)
		return;
	set_state(f, o->op, SF_FLIGHT_STORED);
	while (!sf_flight_is_over(f) && (*op_slot(f, f->ops_begin))->left == 0)
		if (!tell_op(f, *op_slot(f, f->ops_begin)))
			return;
}

/* The operator of a core's earliest tile. */
static struct sf_flight_op *
ending_op(struct sf_flight *f, int core)
{
	struct sf_flight_core *c = &f->cores[core];
	struct sf_flight_op *o;

	if (c->ending < f->ops_begin)
		c->ending = f->ops_begin;
	while (o = *op_slot(f, c->ending),
	    o->parts[core]->ended == o->parts[core]->nest.tiles)
		c->ending++;
	return o;
}

/*
 * Measures a core's earliest tile, batched as the nest hands tiles out. Returns
 * true when that ended an operator.
 */
static bool
end_tile(struct sf_flight *f, int core, const struct sf_flight_tile *tile)
{
	struct sf_flight_core *c = &f->cores[core];
	struct sf_flight_op *o = ending_op(f, core);
	struct sf_flight_part *part = o->parts[core];
	double ready = c->last_compute;

	if (tile->first) {
		part->result.start = tile->t.alloc;
		ready = sf_meter_ready(&part->batch_sums, &tile->t, ready);
	}
	sf_meter_carried(
	    &part->batch_sums, &part->carried, tile->size, &tile->t);
	sf_meter_tile(
	    &part->batch_sums, tile->size, &tile->t, ready, tile->loaded);
	c->last_compute = tile->t.comp_end;
	if (++part->ended % SF_NEST_BATCH == 0 || tile->last) {
		sf_sums_add(&part->result.sums, &part->batch_sums);
		part->batch_sums = (struct sf_sums){ 0 };
	}
	if (f->sink->tile != NULL)
		f->sink->tile(f->sink->to, tile->op, core, &tile->t);
	if (!tile->last)
		return false;
	part->result.computed = tile->t.comp_end;
	part->result.end = tile->t.store_end;
	end_part(f, o);
	return o->left == 0;
}

bool
sf_flight_done(struct sf_flight *f, int core, int64_t number)
{
	struct sf_flight_core *c = &f->cores[core];
	bool stored = false;

	sf_flight_tile(f, core, number)->done = true;
	while (c->begin < c->end && !f->failed &&
	    sf_flight_tile(f, core, c->begin)->done) {
		int64_t first = c->begin++;

		if (end_tile(f, core, sf_flight_tile(f, core, first)))
			stored = true;
	}
	return stored;
}

struct sf_meter
sf_flight_meter(const struct sf_flight *f)
{
	struct sf_meter m = f->meter;

	if (!sf_flight_is_over(f))
		sf_bug("operator %lld never ends",
		    (long long)(*op_slot(f, f->ops_begin))->op);
	for (int i = 0; i < f->ncores; i++) {
		if (m.core[i].peak > m.peak)
			m.peak = m.core[i].peak;
		if (m.core[i].acc_peak > m.acc_peak)
			m.acc_peak = m.core[i].acc_peak;
	}
	/* One is all there is to tell of. */
	if (f->ncores == 1) {
		m.cores = 0;
		m.core[0] = (struct sf_core_meter){ 0 };
	}
	return m;
}
