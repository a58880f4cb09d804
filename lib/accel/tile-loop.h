/*
 * The pipeline of a block with two memory channels or more, tile by tile: the
 * state between two tiles and the step from one to the next. Inline, as who
 * runs tiles runs billions of them.
 *
 * Frees at compute ends and frees at store ends each come in the order of
 * time, so two queues hold them and no heap is needed.
 *
 * A tile waits for the instant at which enough is free; which free brings it
 * is settled by counting bytes, so frees are taken only when their bytes are
 * wanted. That is one or two a tile, over and over, where taking all that are
 * due would be none here and three there, as times fall, and a processor
 * guesses the first kind of loop right. Room is counted below the peak so far
 * and not below the size of the buffer: a tile that finds none raises the
 * peak if the buffer allows, else it waits.
 */
#ifndef SF_ACCEL_TILE_LOOP_H
#define SF_ACCEL_TILE_LOOP_H

#include <math.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/frees.h"
#include "accel/meter.h"
#include "accel/nest.h"
#include "accel/tile.h"

/* Into the loop over tiles with it, whatever it costs in bytes of code. */
#define SF_HOT static inline __attribute__((always_inline))

/* All that one tile needs to know of those before it. */
struct sf_pipeline {
	double load_end, comp_end, store_end; /* of the tile before */
	/*
	 * The most bytes held so far, after all changes at one instant, and
	 * the part of them that is not held, by the frees taken so far.
	 */
	int64_t peak, room;
	int64_t above;  /* bytes of buffer that were never held: size - peak */
	double granted; /* when the tile before was */
	/* When the peak was raised last, and what it was before that instant. */
	double raised;
	int64_t lower;
	struct sf_frees computes, stores; /* not taken yet */
};

static inline void
sf_pipeline_init(struct sf_pipeline *s, const struct sf_accel *accel)
{
	*s = (struct sf_pipeline){ .above = accel->buffer_bytes, .raised = -1 };
	sf_frees_init(&s->computes);
	sf_frees_init(&s->stores);
}

static inline void
sf_pipeline_release(struct sf_pipeline *s)
{
	sf_frees_release(&s->computes);
	sf_frees_release(&s->stores);
}

static inline void
sf_pipeline_copy(struct sf_pipeline *to, const struct sf_pipeline *from)
{
	struct sf_frees computes = to->computes, stores = to->stores;

	sf_frees_copy(&computes, &from->computes);
	sf_frees_copy(&stores, &from->stores);
	*to = *from;
	to->computes = computes;
	to->stores = stores;
}

SF_HOT double
sf_later(double a, double b)
{
	return a > b ? a : b;
}

/* Takes all frees that are due at NOW. */
SF_HOT void
sf_pipeline_take_due(struct sf_pipeline *s, double now)
{
	s->room += sf_frees_take(&s->computes, now);
	s->room += sf_frees_take(&s->stores, now);
}

/* Makes room for what N tiles free, of which only those to come are kept. */
static inline void
sf_pipeline_reserve(struct sf_pipeline *s, int n)
{
	if (sf_frees_has_room(&s->computes, (size_t)n) &&
	    sf_frees_has_room(&s->stores, (size_t)n))
		return;
	sf_pipeline_take_due(s, s->granted);
	sf_frees_reserve(&s->computes, (size_t)n);
	sf_frees_reserve(&s->stores, (size_t)n);
}

/* At NOW, when all frees that are due were taken, BYTES are held more. */
SF_HOT void
sf_pipeline_raise_peak(struct sf_pipeline *s, double now, int64_t bytes)
{
	int64_t by = bytes - s->room;

	if (now > s->raised)
		s->lower = s->peak;
	s->raised = now;
	s->peak += by;
	s->above -= by;
	s->room = bytes;
}

/*
 * A tile that takes no time leaves the instant NOW of its own grant, which is
 * not as full as it seemed.
 */
SF_HOT void
sf_pipeline_leave_at_once(struct sf_pipeline *s, double now)
{
	int64_t over = s->peak - s->lower;

	sf_pipeline_take_due(s, now);
	if (now > s->raised)
		return;
	if (over > s->room)
		over = s->room;
	s->peak -= over;
	s->above += over;
	s->room -= over;
}

/* Grants BYTES of buffer at the first instant from NOW on that has them. */
SF_HOT double
sf_pipeline_grant(struct sf_pipeline *s, double now, int64_t bytes)
{
	while (s->room < bytes) {
		double compute = s->computes.head->time;
		double store = s->stores.head->time;
		double next = compute < store ? compute : store;

		if (next > now) {
			if (s->above >= bytes - s->room) {
				sf_pipeline_raise_peak(s, now, bytes);
				break;
			}
			/* A tile fits the empty buffer: a free is to come. */
			now = next;
		}
		if (compute < store)
			s->room += s->computes.head++->bytes;
		else
			s->room += s->stores.head++->bytes;
	}
	s->room -= bytes;
	s->granted = now;
	return now;
}

/* The times of TILE, whose dependencies are stored at DEP. */
SF_HOT struct sf_times
sf_pipeline_run_tile(
    struct sf_pipeline *s, const struct sf_tile *tile, double dep)
{
	struct sf_times t = { .issue = s->load_end, .dep = dep };

	t.alloc = sf_pipeline_grant(s, dep, tile->at_compute + tile->at_store);
	t.load_end = t.alloc + tile->load;
	t.comp_start = sf_later(t.load_end, s->comp_end);
	t.comp_end = t.comp_start + tile->compute;
	t.store_start = t.store_end = t.comp_end;
	if (tile->stores) {
		t.store_start = sf_later(t.comp_end, s->store_end);
		t.store_end = t.store_start + tile->store;
		s->store_end = t.store_end;
		sf_frees_put(&s->stores, t.store_end, tile->at_store);
	}
	sf_frees_put(&s->computes, t.comp_end, tile->at_compute);
	s->load_end = t.load_end;
	s->comp_end = t.comp_end;
	if (t.comp_end <= t.alloc)
		sf_pipeline_leave_at_once(s, t.alloc);
	return t;
}

/* Runs tiles that wait for no operator, and adds them to SUMS. */
static inline void
sf_pipeline_run_batch(struct sf_pipeline *state, const struct sf_tile *table,
    const uint16_t *sizes, int n, struct sf_sums *sums)
{
	/* Copies, which stay in registers. */
	struct sf_pipeline s = *state;
	struct sf_sums sum = *sums;

	for (int i = 0; i < n; i++) {
		const struct sf_tile *tile = &table[sizes[i]];
		double before = s.comp_end;
		struct sf_times t = sf_pipeline_run_tile(&s, tile, s.load_end);

		sf_meter_tile(&sum, tile, &t, before, t.load_end);
	}
	*state = s;
	*sums = sum;
}

/*
 * Runs the first tiles of a nest, of which the very first waits for READY, and
 * returns its alloc.
 */
static inline double
sf_pipeline_run_first(struct sf_pipeline *s, struct sf_nest *nest, double ready,
    struct sf_sums *sums)
{
	uint16_t sizes[SF_NEST_BATCH];
	int n = sf_nest_next(nest, sizes);
	const struct sf_tile *first = &nest->table[sizes[0]];
	double before = s->comp_end;
	struct sf_sums batch = { 0 };
	struct sf_times t;

	sf_pipeline_reserve(s, n);
	t = sf_pipeline_run_tile(s, first, sf_later(s->load_end, ready));
	sf_meter_tile(
	    &batch, first, &t, sf_meter_ready(&batch, &t, before), t.load_end);
	sf_pipeline_run_batch(s, nest->table, sizes + 1, n - 1, &batch);
	sf_sums_add(sums, &batch);
	return t.alloc;
}

/* Runs all tiles and returns the first one's alloc. */
static inline double
sf_pipeline_run_nest(struct sf_pipeline *s, struct sf_nest *nest, double ready,
    struct sf_sums *sums)
{
	double start = sf_pipeline_run_first(s, nest, ready, sums);
	uint16_t sizes[SF_NEST_BATCH];

	for (int n; (n = sf_nest_next(nest, sizes)) != 0;) {
		struct sf_sums batch = { 0 };

		sf_pipeline_reserve(s, n);
		sf_pipeline_run_batch(s, nest->table, sizes, n, &batch);
		sf_sums_add(sums, &batch);
	}
	return start;
}

#endif
