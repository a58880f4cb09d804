/*
 * Metrics: what is measured of a run, from the tiles and their times alone, in
 * one pass and constant memory. Every engine feeds it the same way, operator by
 * operator and tile by tile in program order, so equal times give equal
 * figures to the last bit.
 */
#ifndef SF_ACCEL_METER_H
#define SF_ACCEL_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/nest.h"
#include "accel/tile.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/* Sums over tiles, in the unit of their times. */
struct sf_sums {
	/* Durations. */
	double load, compute, store;
	/* Between grant and the load DMA's being free, with waits for a server. */
	double loading;
	/* Gaps before a compute, by what the load was doing meanwhile. */
	double wait_load, wait_buffer, wait_deps;
	double area; /* bytes x time in the buffer */
};

/* One operator's part of the run. */
struct sf_op_result {
	double start, end;
	/* As of the run, which they sum to in program order; of all cores. */
	double computing, wait_load, wait_buffer, wait_deps;
	bool compute_bound;
	int64_t tiled_bytes;
};

/* One of several cores; its times and bytes are among those of all, too. */
struct sf_core_meter {
	int64_t tiles, macs, read, written;
	struct sf_sums sums;
	double computing[SF_ON_TRANSIT + 1];
	double transit_loading;
	double last_compute;
	int64_t peak, acc_peak;
};

struct sf_meter {
	int64_t tiles, ops, macs, read, written;
	struct sf_energy_use use;
	struct sf_sums sums;
	double computing[SF_ON_TRANSIT + 1]; /* compute time by unit */
	double transit_loading; /* loading of tiles computed in transit */
	double transit_wait;    /* the part of wait_load before such tiles */
	/* When the last compute so far ended; of cores the sum. */
	double last_compute;
	double makespan;
	/*
	 * The most bytes in the buffer, after all changes at one instant; of
	 * cores in any. The engine sets it, which sees grants and frees in the
	 * order of time.
	 */
	int64_t peak;
	int64_t acc_peak; /* the same of the accumulator */
	int cores;        /* set by the engine before it runs; 0 is 1 */
	struct sf_core_meter core[SF_MAX_CORES]; /* where there are several */
};

/*
 * Both add to SUMS what tile T was; begin with zeroed ones at each batch of the
 * nest and add those to the operator's, so that a long sum stays as good as a
 * short one and every engine rounds it the same way. Inline and without a
 * branch because there may be billions.
 *
 * A gap before a compute is told by walking back along the load. The compute
 * before ended at BEFORE (0 at the first), no earlier than the load before, so
 * the gap lies between the issue and the end of the tile's own load.
 */

/*
 * The wait for operators, at an operator's first tile. The rest of the gap
 * begins with what is returned.
 */
static inline double
sf_meter_ready(struct sf_sums *sums, const struct sf_times *t, double before)
{
	double ready = t->dep > before ? t->dep : before;

	sums->wait_deps += ready - before;
	return ready;
}

/*
 * All else; READY is where the gap begins, or would if there were one, and
 * LOADED when the load DMA is free again: the end of the load, or before it
 * where the data come later.
 */
static inline void
sf_meter_tile(struct sf_sums *sums, const struct sf_tile *tile,
    const struct sf_times *t, double ready, double loaded)
{
	double from = t->alloc > ready ? t->alloc : ready;

	sums->load += tile->load;
	sums->compute += tile->compute;
	sums->store += tile->store;
	sums->loading += loaded - t->alloc;
	sums->area += tile->at_compute_f * (t->comp_end - t->alloc) +
	    tile->at_store_f * (t->store_end - t->alloc);
	sums->wait_load += t->comp_start - from;
	sums->wait_buffer += from - ready;
}

/*
 * Bytes that were granted to a tile and are freed by a later one of the same
 * operator; zeroed at its first.
 */
struct sf_carried {
	double bytes, since;
};

/* Adds what was kept until the grant of a tile; before sf_meter_tile. */
static inline void
sf_meter_carried(struct sf_sums *sums, struct sf_carried *carried,
    const struct sf_tile *tile, const struct sf_times *t)
{
	sums->area += carried->bytes * (t->alloc - carried->since);
	carried->since = t->alloc;
	carried->bytes +=
	    (double)(tile->granted - tile->at_compute - tile->at_store);
}

/* Adds those of operators that come behind. */
void sf_sums_add(struct sf_sums *to, const struct sf_sums *sums);

/*
 * Adds an operator whose tiles gave SUMS and fills *RESULT; START is its first
 * alloc, COMPUTED and END the comp_end and store_end of its last tile. False
 * when a count passes 2^63 - 1.
 */
bool sf_meter_op(struct sf_meter *meter, const struct sf_nest *nest,
    const struct sf_sums *sums, double start, double computed, double end,
    struct sf_op_result *result);

/* What a core did of an operator. */
struct sf_part_result {
	struct sf_sums sums;
	double start, computed, end;
};

/*
 * The same of the cores' parts of an operator: the nests of those that have
 * tiles, NULL for the others, and what those tiles gave, by core.
 */
bool sf_meter_parts(struct sf_meter *meter, const struct sf_nest *const *nests,
    const struct sf_part_result *const *parts, struct sf_op_result *result);

SF_PUBLIC_END

#endif
