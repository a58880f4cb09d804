/* Times of tiles whose transfers are served in turn. */
#include "accel/serve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "accel/flight.h"
#include "accel/frees.h"
#include "base/arena.h"
#include "base/die.h"

/* The buffer or the accumulator. */
struct pool {
	int64_t size, held;
	/* When bytes were granted last, and the most held at the end of any
	 * instant before that. */
	double granted;
	int64_t peak;
	struct sf_frees computes, stores; /* to come */
};

struct core {
	int number;
	struct pool buffer, acc;
	double load_free, store_free;         /* when each DMA is */
	double load_end, comp_end, store_end; /* of the last tiles with them */
	/* Numbers of computed tiles whose stores are not served: a ring. */
	int64_t *waiting;
	size_t room, begin, n;
	/* Of several cores: the tile that is loaded next, and when it asks. */
	enum {
		NO_TILE,
		AWAITS_DEPS,
		AWAITS_ROOM,
		ASKS
	} next;
	int64_t tile;
	double asks;
};

struct sf_serve {
	struct sf_flight flight;
	double overhead;
	/* When each memory server is free, where transfers share them. */
	double *servers;
	int nservers; /* 0: each DMA has one */
	struct core *cores;
	int ncores;
	bool ended;     /* no more operators come */
	double *stored; /* when each operator was */
	size_t nstored;
};

enum {
	FIRST_ROOM = 64
}; /* a power of two */

static double
later(double a, double b)
{
	return a > b ? a : b;
}

static double
earlier(double a, double b)
{
	return a < b ? a : b;
}

/* ---- pools ---- */

static void
pool_init(struct pool *p, int64_t size)
{
	*p = (struct pool){ .size = size };
	sf_frees_init(&p->computes);
	sf_frees_init(&p->stores);
}

static void
pool_release(struct pool *p)
{
	sf_frees_release(&p->computes);
	sf_frees_release(&p->stores);
}

static void
take_due(struct pool *p, double now)
{
	p->held -= sf_frees_take(&p->computes, now);
	p->held -= sf_frees_take(&p->stores, now);
}

/*
 * Takes all frees until NOW. The instant of the last grant is over when NOW is
 * later, so what is held after its own frees counts for the peak.
 */
static void
pool_settle(struct pool *p, double now)
{
	if (now > p->granted) {
		take_due(p, p->granted);
		if (p->held > p->peak)
			p->peak = p->held;
	}
	take_due(p, now);
}

static void
pool_grant(struct pool *p, double now, int64_t bytes)
{
	p->held += bytes;
	p->granted = now;
}

static double
next_free(const struct pool *p)
{
	return earlier(p->computes.head->time, p->stores.head->time);
}

static void
put_free(struct sf_frees *frees, double time, int64_t bytes)
{
	sf_frees_reserve(frees, 1);
	sf_frees_put(frees, time, bytes);
}

/* ---- transfers ---- */

/*
 * When a transfer starts that asks at ASKED and holds a server for HOLD: when
 * the first is free.
 */
static double
start_of(struct sf_serve *s, double asked, double hold)
{
	double *first = s->servers, start;

	if (s->nservers == 0 || !(hold > 0))
		return asked;
	for (int i = 1; i < s->nservers; i++)
		if (s->servers[i] < *first)
			first = &s->servers[i];
	start = later(asked, *first);
	*first = start + hold;
	return start;
}

static struct sf_flight_tile *
first_waiting(struct sf_serve *s, const struct core *c)
{
	return sf_flight_tile(
	    &s->flight, c->number, c->waiting[c->begin & (c->room - 1)]);
}

/* When the first store in line asks, or did. */
static double
asks(struct sf_serve *s, const struct core *c)
{
	return later(first_waiting(s, c)->t.comp_end, c->store_free);
}

static void
serve_store(struct sf_serve *s, struct core *c)
{
	int64_t number = c->waiting[c->begin & (c->room - 1)];
	struct sf_flight_tile *tile = first_waiting(s, c);
	const struct sf_tile *size = tile->size;
	struct sf_times *t = &tile->t;

	t->store_start = start_of(s, asks(s, c), size->store);
	c->store_free = t->store_start + size->store;
	/* Data are stored in the order in which they were sent. */
	t->store_end = later(t->store_start + size->store_whole, c->store_end);
	c->store_end = t->store_end;
	put_free(&c->buffer.stores, t->store_end, size->at_store);
	put_free(&c->acc.stores, t->store_end, size->acc_at_store);
	c->begin++;
	c->n--;
	/* An operator is stored when each core's part is. */
	if (tile->last)
		s->stored[tile->op] = later(s->stored[tile->op], t->store_end);
	sf_flight_done(&s->flight, c->number, number);
}

static void
wait_for_store(struct sf_serve *s, struct core *c, int64_t number)
{
	if (c->n == c->room) {
		int64_t *old = c->waiting;
		size_t room = c->room;

		c->room *= 2;
		c->waiting = sf_reallocarray(NULL, c->room, sizeof *old);
		for (size_t i = c->begin; i < c->begin + c->n; i++)
			c->waiting[i & (c->room - 1)] = old[i & (room - 1)];
		free(old);
	}
	c->waiting[(c->begin + c->n++) & (c->room - 1)] = number;
	if (s->nservers == 0)
		serve_store(s, c);
}

/* Stores that a load which asks at NOW finds in front of it. */
static void
serve_before(struct sf_serve *s, struct core *c, double now)
{
	while (c->n != 0) {
		double asked = asks(s, c);
		bool holds = first_waiting(s, c)->size->store > 0;

		/* One that holds nothing is in nobody's way. */
		if (asked > now || (asked == now && holds))
			return;
		serve_store(s, c);
	}
}

/* ---- tiles ---- */

static void
take_room(struct core *c, double now, const struct sf_tile *size)
{
	pool_grant(&c->buffer, now, size->granted);
	pool_grant(&c->acc, now, size->acc_granted);
}

/* The first instant from NOW on that has room for what a tile is granted. */
static double
grant(
    struct sf_serve *s, struct core *c, double now, const struct sf_tile *size)
{
	for (;;) {
		double next;

		serve_before(s, c, now);
		pool_settle(&c->buffer, now);
		pool_settle(&c->acc, now);
		if (c->buffer.size - c->buffer.held >= size->granted &&
		    c->acc.size - c->acc.held >= size->acc_granted)
			break;
		/* A tile fits what is empty: a free is to come. */
		next = earlier(next_free(&c->buffer), next_free(&c->acc));
		if (c->n != 0 && asks(s, c) < next)
			serve_store(s, c);
		else if (isinf(next))
			sf_bug("no room for a tile ever");
		else
			now = next;
	}
	take_room(c, now, size);
	return now;
}

static void
load(struct sf_serve *s, struct core *c, struct sf_flight_tile *tile)
{
	const struct sf_tile *size = tile->size;
	double start = start_of(s, tile->t.alloc, size->load);

	c->load_free = tile->loaded = start + size->load;
	/* Data come in the order in which they were asked for. */
	c->load_end = later(start + size->load_whole, c->load_end);
	tile->t.load_end = c->load_end;
}

static void
compute(struct core *c, struct sf_flight_tile *tile)
{
	const struct sf_tile *size = tile->size;
	struct sf_times *t = &tile->t;

	t->comp_start = later(t->load_end, c->comp_end);
	t->comp_end = t->comp_start + size->compute;
	t->store_start = t->store_end = t->comp_end;
	c->comp_end = t->comp_end;
	put_free(&c->buffer.computes, t->comp_end, size->at_compute);
	put_free(&c->acc.computes, t->comp_end, size->acc_at_compute);
}

/* All of a tile that has its grant, but for its store. */
static void
load_and_compute(struct sf_serve *s, struct core *c, int64_t number)
{
	struct sf_flight_tile *tile =
	    sf_flight_tile(&s->flight, c->number, number);

	load(s, c, tile);
	compute(c, tile);
	if (tile->size->stores)
		wait_for_store(s, c, number);
	else
		sf_flight_done(&s->flight, c->number, number);
}

/* When the operators are stored that a core's next tile waits for. */
static double
ready_at(struct sf_serve *s, const struct core *c)
{
	int ndeps;
	const int64_t *deps = sf_flight_deps(&s->flight, c->number, &ndeps);
	double at = c->load_free;

	for (int i = 0; i < ndeps; i++)
		at = later(at, s->stored[deps[i]]);
	return at + s->overhead;
}

/* ---- one core ---- */

static void
run_tile(struct sf_serve *s, struct core *c, int64_t number)
{
	struct sf_flight_tile *tile =
	    sf_flight_tile(&s->flight, c->number, number);

	tile->t.issue = tile->t.dep = c->load_free;
	if (tile->first) {
		/* Nobody else asks for the server meanwhile. */
		while (!sf_flight_ready(&s->flight, c->number) && c->n != 0)
			serve_store(s, c);
		tile->t.dep = ready_at(s, c);
	}
	tile->t.alloc = grant(s, c, tile->t.dep, tile->size);
	load_and_compute(s, c, number);
}

/* ---- several ---- */

/*
 * Of all that ask, or will, the first is served: at one instant what needs no
 * server, then loads before stores, then by core. What is not known yet, as it
 * waits for the store of another tile, asks behind that store.
 */
struct request {
	double time;
	bool holds, is_store;
	struct core *core; /* NULL: there is none */
};

static bool
goes_before(const struct request *a, const struct request *b)
{
	if (b->core == NULL || a->time != b->time)
		return b->core == NULL || a->time < b->time;
	if (a->holds != b->holds)
		return b->holds;
	if (a->is_store != b->is_store)
		return b->is_store;
	return a->core->number < b->core->number;
}

/*
 * When, from NOW on, POOL has room for BYTES, as far as it is known what is
 * freed; infinity when that is not.
 */
static double
room_at(const struct pool *pool, double now, int64_t bytes)
{
	const struct sf_free *computes = pool->computes.head;
	const struct sf_free *stores = pool->stores.head;
	int64_t left = pool->size - pool->held - bytes;

	while (left < 0) {
		const struct sf_free **next =
		    computes->time <= stores->time ? &computes : &stores;

		if (isinf((*next)->time))
			return INFINITY;
		now = later(now, (*next)->time);
		left += (*next)->bytes;
		(*next)++;
	}
	return now;
}

/* Finds when a core's next tile asks. */
static void
look_ahead(struct sf_serve *s, struct core *c)
{
	struct sf_flight_tile *tile;

	if (c->next == NO_TILE) {
		if (!sf_flight_next(&s->flight, c->number, &c->tile))
			return;
		c->next = AWAITS_DEPS;
	}
	tile = sf_flight_tile(&s->flight, c->number, c->tile);
	if (c->next == AWAITS_DEPS) {
		tile->t.issue = tile->t.dep = c->load_free;
		if (tile->first && !sf_flight_ready(&s->flight, c->number))
			return;
		if (tile->first)
			tile->t.dep = ready_at(s, c);
		c->next = AWAITS_ROOM;
	}
	if (c->next == AWAITS_ROOM) {
		c->asks =
		    later(room_at(&c->buffer, tile->t.dep, tile->size->granted),
			room_at(&c->acc, tile->t.dep, tile->size->acc_granted));
		if (!isinf(c->asks))
			c->next = ASKS;
	}
}

/* A core's requests, if one of them is before FIRST. */
static void
weigh(struct sf_serve *s, struct core *c, struct request *first)
{
	struct request r = { .core = c };

	if (c->next == ASKS) {
		r.time = c->asks;
		r.holds =
		    sf_flight_tile(&s->flight, c->number, c->tile)->size->load >
		    0;
		if (goes_before(&r, first))
			*first = r;
	}
	if (c->n != 0) {
		r.time = asks(s, c);
		r.holds = first_waiting(s, c)->size->store > 0;
		r.is_store = true;
		if (goes_before(&r, first))
			*first = r;
	}
}

static void
serve(struct sf_serve *s, const struct request *r)
{
	struct core *c = r->core;
	struct sf_flight_tile *tile;

	if (r->is_store) {
		serve_store(s, c);
		/* It may free what a tile waits for sooner than was known. */
		if (c->next == ASKS)
			c->next = AWAITS_ROOM;
		return;
	}
	tile = sf_flight_tile(&s->flight, c->number, c->tile);
	pool_settle(&c->buffer, r->time);
	pool_settle(&c->acc, r->time);
	tile->t.alloc = r->time;
	take_room(c, r->time, tile->size);
	c->next = NO_TILE;
	load_and_compute(s, c, c->tile);
}

/* Serves until a core wants an operator; at the end until all are done. */
static void
run_cores(struct sf_serve *s)
{
	while (!s->flight.failed) {
		struct request first = { .core = NULL };

		for (int i = 0; i < s->ncores; i++) {
			struct core *c = &s->cores[i];

			look_ahead(s, c);
			if (c->next == NO_TILE && !s->ended)
				return;
			weigh(s, c, &first);
		}
		if (first.core == NULL)
			return;
		serve(s, &first);
	}
}

/* ---- operators ---- */

static void
reserve_stored(struct sf_serve *s, int64_t op)
{
	while (s->nstored <= (size_t)op) {
		size_t n = s->nstored != 0 ? 2 * s->nstored : FIRST_ROOM;

		s->stored = sf_reallocarray(s->stored, n, sizeof *s->stored);
		for (; s->nstored < n; s->nstored++)
			s->stored[s->nstored] = 0;
	}
}

static bool
fail_of_flight(const struct sf_serve *s, struct sf_error *error)
{
	if (s->flight.failed)
		*error = s->flight.error;
	return s->flight.failed;
}

bool
sf_serve_run(struct sf_serve *s, int64_t op, const struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	if (!sf_flight_feed(&s->flight, op, nests, deps, ndeps, error))
		return false;
	reserve_stored(s, op);
	if (s->ncores > 1)
		run_cores(s);
	else
		for (int64_t number; !s->flight.failed &&
		     sf_flight_next(&s->flight, 0, &number);)
			run_tile(s, &s->cores[0], number);
	return !fail_of_flight(s, error);
}

/* The buffers of a core at the end. */
static void
end_core(struct core *c, struct sf_core_meter *m)
{
	pool_settle(&c->buffer, DBL_MAX);
	pool_settle(&c->acc, DBL_MAX);
	if (c->buffer.held != 0 || c->acc.held != 0)
		sf_bug("%lld bytes of buffer are never freed",
		    (long long)(c->buffer.held + c->acc.held));
	m->peak = c->buffer.peak;
	m->acc_peak = c->acc.peak;
}

bool
sf_serve_end(struct sf_serve *s, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct core *only = &s->cores[0];

	s->ended = true;
	if (s->ncores > 1)
		run_cores(s);
	else
		while (only->n != 0 && !s->flight.failed)
			serve_store(s, only);
	if (fail_of_flight(s, error))
		return false;
	for (int i = 0; i < s->ncores; i++)
		end_core(&s->cores[i], &s->flight.meter.core[i]);
	*meter = sf_flight_meter(&s->flight);
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = -1, .evaluations = meter->tiles
	};
	return true;
}

static void
init_core(struct core *c, int number, const struct sf_accel *accel)
{
	*c = (struct core){ .number = number, .room = FIRST_ROOM };
	c->waiting = sf_reallocarray(NULL, c->room, sizeof *c->waiting);
	pool_init(&c->buffer, accel->buffer_bytes);
	pool_init(&c->acc, accel->acc_bytes);
}

struct sf_serve *
sf_serve_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_serve *s = sf_malloc(sizeof *s);

	*s = (struct sf_serve){ .overhead = sf_accel_overhead(accel) };
	sf_flight_init(&s->flight, accel->cores, sink);
	s->ncores = s->flight.ncores;
	if (sf_accel_shares(accel))
		s->nservers = (int)accel->servers;
	s->servers = sf_calloc((size_t)s->nservers + 1, sizeof *s->servers);
	s->cores = sf_calloc((size_t)s->ncores, sizeof *s->cores);
	for (int i = 0; i < s->ncores; i++)
		init_core(&s->cores[i], i, accel);
	return s;
}

void
sf_serve_free(struct sf_serve *s)
{
	for (int i = 0; i < s->ncores; i++) {
		pool_release(&s->cores[i].buffer);
		pool_release(&s->cores[i].acc);
		free(s->cores[i].waiting);
	}
	sf_flight_release(&s->flight);
	free(s->cores);
	free(s->servers);
	free(s->stored);
	free(s);
}
