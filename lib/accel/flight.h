/*
 * What an engine that works in the order of time has under way: operators that
 * it was fed, and their tiles from the load on. The tiles of a core end in
 * program order: each is told of and measured when it and all before it on that
 * core are done, so memory is bounded by what buffers hold, not by the number of
 * tiles. An operator is told of when all cores are done with it and with those
 * before it.
 */
#ifndef SF_ACCEL_FLIGHT_H
#define SF_ACCEL_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/engine.h"
#include "accel/meter.h"
#include "accel/nest.h"
#include "accel/tile.h"
#include "base/error.h"

struct sf_flight_tile {
	struct sf_times t;
	double loaded;              /* when the load DMA was free again */
	const struct sf_tile *size; /* in its operator's nest */
	int64_t op;
	bool first, last; /* of its core's part of the operator */
	bool done;
};

/* A core's part of an operator that was fed and is not told of yet. */
struct sf_flight_part {
	size_t room; /* bytes of NEST that there is room for */
	uint16_t sizes[SF_NEST_BATCH]; /* of the batch that is loaded */
	int batch, next;               /* tiles in it, the next one */
	/* Its tiles that ended: how many, and what they came to. */
	int64_t ended;
	struct sf_sums batch_sums;
	struct sf_carried carried;
	struct sf_part_result result;
	struct sf_nest
	    nest; /* the last, with as much of its table as it uses */
};

struct sf_flight_op {
	int64_t op;
	int left; /* cores that are not done with it */
	/* What it waits for. */
	int64_t *deps;
	int ndeps, deps_room;
	struct sf_flight_part *parts[]; /* by core */
};

enum sf_flight_state {
	SF_FLIGHT_NO_TILES,
	SF_FLIGHT_UNDER_WAY,
	SF_FLIGHT_STORED
};

struct sf_flight_core {
	struct sf_flight_tile *tiles; /* a ring, by number modulo ROOM */
	int64_t room, begin, end;     /* numbers of those under way */
	/* Numbers of the operators of which tiles are loaded, and end. */
	int64_t loading, ending;
	double last_compute; /* of the tiles that ended */
};

struct sf_flight {
	const struct sf_sink *sink;
	struct sf_meter meter;
	bool failed; /* a figure passed 2^63 - 1; ERROR says which */
	struct sf_error error;

	int ncores;
	struct sf_flight_core *cores;
	struct sf_flight_op **ops; /* a ring */
	int64_t ops_room, ops_begin, ops_end;
	uint8_t *states; /* by operator */
	int64_t nstates, states_room;
};

void sf_flight_init(
    struct sf_flight *flight, int64_t cores, const struct sf_sink *sink);
void sf_flight_release(struct sf_flight *flight);

/*
 * Feeds an operator, of which NESTS are the cores' parts. Fails when it depends
 * on an operator that has no tiles.
 */
bool sf_flight_feed(struct sf_flight *flight, int64_t op,
    const struct sf_nest *nests, const int64_t *deps, int ndeps,
    struct sf_error *error);

/* Takes a core's next tile to load; false when no operator has more. */
bool sf_flight_next(struct sf_flight *flight, int core, int64_t *tile);

/* A core's tile that was taken and has not ended; good until the next is. */
static inline struct sf_flight_tile *
sf_flight_tile(struct sf_flight *flight, int core, int64_t tile)
{
	const struct sf_flight_core *c = &flight->cores[core];

	return &c->tiles[tile & (c->room - 1)];
}

/* All that the operator which a core is loading depends on is stored. */
bool sf_flight_ready(const struct sf_flight *flight, int core);

/* What that is. */
const int64_t *
sf_flight_deps(const struct sf_flight *flight, int core, int *ndeps);

/*
 * A core's TILE has all its times. Returns true when an operator was stored by
 * that.
 */
bool sf_flight_done(struct sf_flight *flight, int core, int64_t tile);

/* What was measured, once all operators are over; the peaks are set by core. */
struct sf_meter sf_flight_meter(const struct sf_flight *flight);

/* No operator is under way. */
static inline bool
sf_flight_is_over(const struct sf_flight *flight)
{
	return flight->ops_begin == flight->ops_end;
}

#endif
