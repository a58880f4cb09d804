/*
 * The fast engine: no events, as each tile's times follow from those of earlier
 * tiles. Here is the way of blocks in which each DMA has a memory server of its
 * own, transfers hold it while they wait and a tile frees what it was granted
 * (tile-loop.h); all others go by serve.h.
 */
#include <math.h>
#include <stdlib.h>

#include "accel/batch.h"
#include "accel/engines.h"
#include "accel/serve.h"
#include "accel/tile-loop.h"
#include "base/arena.h"
#include "base/die.h"

struct sf_engine {
	struct sf_serve *serve; /* NULL: the way that is here */
	double overhead;        /* before an operator's first load */
	const struct sf_sink *sink;
	struct sf_pipeline state, before; /* now, and before the operator */
	struct sf_meter meter;
	/* Of batches that ran before; NULL where each tile is told of. */
	struct sf_batch_memo *memo;
	bool whole_cycles;
	double *stored; /* when each operator was */
	size_t nstored, room;
};

bool
sf_fast_is_late(const struct sf_accel *accel)
{
	return accel->cores > 1 || accel->servers == 1 ||
	    accel->latency != SF_LATENCY_HELD || accel->reuse ||
	    accel->acc_bytes != 0;
}

struct sf_engine *
sf_fast_make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct sf_engine *e = sf_malloc(sizeof *e);

	*e = (struct sf_engine){ .sink = sink,
		.overhead = sf_accel_overhead(accel),
		.whole_cycles = accel->quantise };
	if (sf_fast_is_late(accel))
		e->serve = sf_serve_make(accel, sink);
	if (sink->tile == NULL) {
		e->memo = sf_malloc(sizeof *e->memo);
		sf_batch_memo_init(e->memo);
	}
	sf_pipeline_init(&e->state, accel);
	sf_pipeline_init(&e->before, accel);
	return e;
}

void
sf_fast_free(struct sf_engine *e)
{
	sf_pipeline_release(&e->state);
	sf_pipeline_release(&e->before);
	free(e->memo);
	if (e->serve != NULL)
		sf_serve_free(e->serve);
	free(e->stored);
	free(e);
}

/* When all of DEPS are stored. */
static bool
find_ready(const struct sf_engine *e, const int64_t *deps, int ndeps,
    double *ready, struct sf_error *error)
{
	*ready = 0;
	for (int i = 0; i < ndeps; i++) {
		size_t dep = (size_t)deps[i];

		if (dep >= e->nstored || isnan(e->stored[dep]))
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)deps[i]);
		*ready = sf_later(*ready, e->stored[dep]);
	}
	return true;
}

static void
set_stored(struct sf_engine *e, int64_t op, double time)
{
	while (e->nstored <= (size_t)op) {
		if (e->nstored == e->room) {
			e->room = e->room != 0 ? e->room * 2 : 64;
			e->stored = sf_reallocarray(
			    e->stored, e->room, sizeof *e->stored);
		}
		e->stored[e->nstored++] = NAN;
	}
	e->stored[op] = time;
}

/* Runs all tiles once more, from the state before, and tells of each. */
static void
tell_tiles(struct sf_engine *e, int64_t op, struct sf_nest *nest, double ready)
{
	uint16_t sizes[SF_NEST_BATCH];
	struct sf_pipeline *s = &e->before;

	sf_nest_rewind(nest);
	for (int n; (n = sf_nest_next(nest, sizes)) != 0;) {
		sf_pipeline_reserve(s, n);
		for (int i = 0; i < n; i++, ready = 0) {
			const struct sf_tile *tile = &nest->table[sizes[i]];
			struct sf_times t = sf_pipeline_run_tile(
			    s, tile, sf_later(s->load_end, ready));

			e->sink->tile(e->sink->to, op, 0, &t);
		}
	}
}

bool
sf_fast_run(struct sf_engine *e, int64_t op, struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct sf_sums sums = { 0 };
	struct sf_op_result result;
	struct sf_pipeline *s = &e->state;
	struct sf_ties ties = SF_TIES_UNKNOWN;
	double ready, start;

	if (e->serve != NULL)
		return sf_serve_run(e->serve, op, nest, deps, ndeps, error);
	if (!find_ready(e, deps, ndeps, &ready, error))
		return false;
	ready = sf_later(s->load_end, ready) + e->overhead;
	/* A nest's tiles follow its operator, whose end comes first. */
	if (e->sink->tile != NULL)
		sf_pipeline_copy(&e->before, s);
	if (e->memo != NULL)
		start = sf_batch_run(
		    e->memo, s, nest, ready, e->whole_cycles, &ties, &sums);
	else
		start = sf_pipeline_run_nest(s, nest, ready, &sums);
	/* An operator's last tile stores. */
	set_stored(e, op, s->store_end);
	if (!sf_meter_op(&e->meter, nest, &sums, start, s->comp_end,
		s->store_end, &result))
		return sf_fail(error,
		    "tiles, bytes or multiply-accumulates "
		    "so far pass 2^63 - 1");
	e->sink->op(e->sink->to, &result);
	if (e->sink->tile != NULL)
		tell_tiles(e, op, nest, ready);
	return true;
}

bool
sf_fast_end(struct sf_engine *e, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct sf_pipeline *s = &e->state;

	if (e->serve != NULL)
		return sf_serve_end(e->serve, meter, cost, error);
	/* Whatever can fail has failed before. */
	e->meter.peak = s->peak;
	*meter = e->meter;
	*cost = (struct sf_engine_cost){
		.events = -1, .cycles = -1, .evaluations = meter->tiles
	};
	sf_pipeline_take_due(s, meter->makespan);
	if (s->room != s->peak)
		sf_bug("%lld bytes of buffer are never freed",
		    (long long)(s->peak - s->room));
	return true;
}
