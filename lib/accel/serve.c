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

struct sf_serve {
	struct sf_flight flight;
	bool one; /* server, for loads and stores */
	double overhead;
	struct pool buffer, acc;
	double server, load_free, store_free; /* when each is free */
	double load_end, comp_end, store_end; /* of the last tiles with them */
	/* Numbers of computed tiles whose stores are not served: a ring. */
	int64_t *waiting;
	size_t room, begin, n;
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

/* When a transfer starts that asks at ASKED and holds the server for HOLD. */
static double
start_of(struct sf_serve *s, double asked, double hold)
{
	double start = asked;

	if (s->one && hold > 0) {
		start = later(asked, s->server);
		s->server = start + hold;
	}
	return start;
}

static struct sf_flight_tile *
first_waiting(struct sf_serve *s)
{
	return sf_flight_tile(&s->flight, s->waiting[s->begin & (s->room - 1)]);
}

/* When the first store in line asks, or did. */
static double
asks(struct sf_serve *s)
{
	return later(first_waiting(s)->t.comp_end, s->store_free);
}

static void
serve_store(struct sf_serve *s)
{
	int64_t number = s->waiting[s->begin & (s->room - 1)];
	struct sf_flight_tile *tile = first_waiting(s);
	const struct sf_tile *size = tile->size;
	struct sf_times *t = &tile->t;

	t->store_start = start_of(s, asks(s), size->store);
	s->store_free = t->store_start + size->store;
	/* Data are stored in the order in which they were sent. */
	t->store_end = later(t->store_start + size->store_whole, s->store_end);
	s->store_end = t->store_end;
	put_free(&s->buffer.stores, t->store_end, size->at_store);
	put_free(&s->acc.stores, t->store_end, size->acc_at_store);
	s->begin++;
	s->n--;
	if (tile->last)
		s->stored[tile->op] = t->store_end;
	sf_flight_done(&s->flight, number);
}

static void
wait_for_store(struct sf_serve *s, int64_t number)
{
	if (s->n == s->room) {
		int64_t *old = s->waiting;
		size_t room = s->room;

		s->room *= 2;
		s->waiting = sf_reallocarray(NULL, s->room, sizeof *old);
		for (size_t i = s->begin; i < s->begin + s->n; i++)
			s->waiting[i & (s->room - 1)] = old[i & (room - 1)];
		free(old);
	}
	s->waiting[(s->begin + s->n++) & (s->room - 1)] = number;
	if (!s->one)
		serve_store(s);
}

/* Stores that a load which asks at NOW finds in front of it. */
static void
serve_before(struct sf_serve *s, double now)
{
	while (s->n != 0) {
		double asked = asks(s);
		bool holds = first_waiting(s)->size->store > 0;

		/* One that holds nothing is in nobody's way. */
		if (asked > now || (asked == now && holds))
			return;
		serve_store(s);
	}
}

/* ---- tiles ---- */

/* The first instant from NOW on that has room for what a tile is granted. */
static double
grant(struct sf_serve *s, double now, const struct sf_tile *size)
{
	for (;;) {
		double next;

		serve_before(s, now);
		pool_settle(&s->buffer, now);
		pool_settle(&s->acc, now);
		if (s->buffer.size - s->buffer.held >= size->granted &&
		    s->acc.size - s->acc.held >= size->acc_granted)
			break;
		/* A tile fits what is empty: a free is to come. */
		next = earlier(next_free(&s->buffer), next_free(&s->acc));
		if (s->n != 0 && asks(s) < next)
			serve_store(s);
		else if (isinf(next))
			sf_bug("no room for a tile ever");
		else
			now = next;
	}
	pool_grant(&s->buffer, now, size->granted);
	pool_grant(&s->acc, now, size->acc_granted);
	return now;
}

static void
load(struct sf_serve *s, struct sf_flight_tile *tile)
{
	const struct sf_tile *size = tile->size;
	double start = start_of(s, tile->t.alloc, size->load);

	s->load_free = tile->loaded = start + size->load;
	/* Data come in the order in which they were asked for. */
	s->load_end = later(start + size->load_whole, s->load_end);
	tile->t.load_end = s->load_end;
}

static void
compute(struct sf_serve *s, struct sf_flight_tile *tile)
{
	const struct sf_tile *size = tile->size;
	struct sf_times *t = &tile->t;

	t->comp_start = later(t->load_end, s->comp_end);
	t->comp_end = t->comp_start + size->compute;
	t->store_start = t->store_end = t->comp_end;
	s->comp_end = t->comp_end;
	put_free(&s->buffer.computes, t->comp_end, size->at_compute);
	put_free(&s->acc.computes, t->comp_end, size->acc_at_compute);
}

static void
run_tile(struct sf_serve *s, int64_t number, double dep)
{
	struct sf_flight_tile *tile = sf_flight_tile(&s->flight, number);

	tile->t.issue = s->load_free;
	tile->t.dep = dep;
	tile->t.alloc = grant(s, dep, tile->size);
	load(s, tile);
	compute(s, tile);
	if (tile->size->stores)
		wait_for_store(s, number);
	else
		sf_flight_done(&s->flight, number);
}

/* ---- operators ---- */

/* When the first load may begin: all of DEPS stored, and the overhead. */
static double
ready(struct sf_serve *s, const int64_t *deps, int ndeps)
{
	double at = s->load_free;

	/* Nobody else asks for the server meanwhile. */
	while (!sf_flight_ready(&s->flight) && s->n != 0)
		serve_store(s);
	for (int i = 0; i < ndeps; i++)
		at = later(at, s->stored[deps[i]]);
	return at + s->overhead;
}

static void
reserve_stored(struct sf_serve *s, int64_t op)
{
	if ((size_t)op < s->nstored)
		return;
	while (s->nstored <= (size_t)op)
		s->nstored = s->nstored != 0 ? 2 * s->nstored : FIRST_ROOM;
	s->stored = sf_reallocarray(s->stored, s->nstored, sizeof *s->stored);
}

static bool
fail_of_flight(const struct sf_serve *s, struct sf_error *error)
{
	if (s->flight.failed)
		*error = s->flight.error;
	return s->flight.failed;
}

bool
sf_serve_run(struct sf_serve *s, int64_t op, const struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	bool first = true;

	if (!sf_flight_feed(&s->flight, op, nest, deps, ndeps, error))
		return false;
	reserve_stored(s, op);
	for (int64_t number;
	     !s->flight.failed && sf_flight_next(&s->flight, &number);
	     first = false)
		run_tile(
		    s, number, first ? ready(s, deps, ndeps) : s->load_free);
	return !fail_of_flight(s, error);
}

bool
sf_serve_end(struct sf_serve *s, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	while (s->n != 0 && !s->flight.failed)
		serve_store(s);
	if (fail_of_flight(s, error))
		return false;
	pool_settle(&s->buffer, DBL_MAX);
	pool_settle(&s->acc, DBL_MAX);
	if (s->buffer.held != 0 || s->acc.held != 0)
		sf_bug("%lld bytes of buffer are never freed",
		    (long long)(s->buffer.held + s->acc.held));
	*meter = s->flight.meter;
	meter->peak = s->buffer.peak;
	meter->acc_peak = s->acc.peak;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = -1, .evaluations = meter->tiles
	};
	return true;
}

struct sf_serve *
sf_serve_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_serve *s = sf_malloc(sizeof *s);

	*s = (struct sf_serve){ .one = accel->servers == 1,
		.overhead = sf_accel_overhead(accel),
		.room = FIRST_ROOM };
	s->waiting = sf_reallocarray(NULL, s->room, sizeof *s->waiting);
	sf_flight_init(&s->flight, sink);
	pool_init(&s->buffer, accel->buffer_bytes);
	pool_init(&s->acc, accel->acc_bytes);
	return s;
}

void
sf_serve_free(struct sf_serve *s)
{
	pool_release(&s->buffer);
	pool_release(&s->acc);
	sf_flight_release(&s->flight);
	free(s->waiting);
	free(s->stored);
	free(s);
}
