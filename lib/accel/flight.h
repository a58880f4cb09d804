/*
 * What an engine that works in the order of time has under way: operators that
 * it was fed, and their tiles from the load on. Tiles end in program order:
 * each is told of and measured when it and all before it are done, so memory
 * is bounded by what the buffer holds, not by the number of tiles.
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
	bool first, last; /* of its operator */
	bool done;
};

/* An operator that was fed and is not stored yet. */
struct sf_flight_op {
	int64_t op;
	size_t room; /* bytes of NEST that there is room for */
	uint16_t sizes[SF_NEST_BATCH]; /* of the batch that is loaded */
	int batch, next;               /* tiles in it, the next one */
	/* Its tiles that ended: how many, and what they came to. */
	int64_t ended;
	struct sf_sums sums, batch_sums;
	struct sf_carried carried;
	double start;
	struct sf_nest
	    nest; /* the last, with as much of its table as it uses */
};

enum sf_flight_state {
	SF_FLIGHT_NO_TILES,
	SF_FLIGHT_UNDER_WAY,
	SF_FLIGHT_STORED
};

struct sf_flight {
	const struct sf_sink *sink;
	struct sf_meter meter;
	bool failed; /* a figure passed 2^63 - 1; ERROR says which */
	struct sf_error error;

	struct sf_flight_tile *tiles; /* a ring, by number modulo ROOM */
	int64_t room, begin, end;     /* numbers of those under way */
	struct sf_flight_op **ops;    /* a ring; the last one is loading */
	int64_t ops_room, ops_begin, ops_end;
	/* What the operator that is loading waits for. */
	int64_t *deps;
	int ndeps, deps_room;
	uint8_t *states; /* by operator */
	int64_t nstates, states_room;
};

void sf_flight_init(struct sf_flight *flight, const struct sf_sink *sink);
void sf_flight_release(struct sf_flight *flight);

/*
 * Feeds an operator. All tiles of the one before it must have been taken.
 * Fails when it depends on an operator that has no tiles.
 */
bool
sf_flight_feed(struct sf_flight *flight, int64_t op, const struct sf_nest *nest,
    const int64_t *deps, int ndeps, struct sf_error *error);

/* Takes the next tile to load; false when the operator has no more. */
bool sf_flight_next(struct sf_flight *flight, int64_t *tile);

/* A tile that was taken and has not ended; good until the next is taken. */
static inline struct sf_flight_tile *
sf_flight_tile(struct sf_flight *flight, int64_t tile)
{
	return &flight->tiles[tile & (flight->room - 1)];
}

/* All that the operator which is loading depends on is stored. */
bool sf_flight_ready(const struct sf_flight *flight);

/*
 * TILE has all its times. Returns true when an operator was stored by that.
 */
bool sf_flight_done(struct sf_flight *flight, int64_t tile);

#endif
