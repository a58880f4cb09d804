/*
 * The tiles of a simulated trace, read back from the stream: each tile record
 * joined with its operator and with the sizes that the operator's loop nest
 * gives it. Memory does not grow with the number of tiles.
 */
#ifndef SF_TIMELINE_TILES_H
#define SF_TIMELINE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/nest.h"
#include "accel/tile.h"
#include "base/table.h"
#include "stream/trace.h"
#include "trace/op.h"

enum sf_lane {
#define SF_LANE(id, name) SF_LANE_##id,
#include "timeline/lane.def"
#undef SF_LANE
	SF_LANES
};

/* "Load DMA". */
const char *sf_lane_name(enum sf_lane lane);

struct sf_timed_op {
	int64_t i;
	/* Text lives as long as the trace. */
	const char *name;   /* "onnx.Conv" */
	const char *node;   /* the model's own name of it, or "" */
	const char *module; /* "features.0", or "" where nothing says it */
	enum sf_category category;
	enum sf_where where;
	const char *bound; /* "compute", "memory" */
};

struct sf_timed_tile {
	int64_t i;
	int core; /* that ran it */
	const struct sf_timed_op *op;
	struct sf_times t;     /* in seconds, whatever the record's unit */
	int64_t read, written; /* bytes that its load and its store move */
	/* Buffer: granted, freed at the end of the compute, of the store. */
	int64_t granted, at_compute, at_store;
	/* When its transfers began to move bytes, and were done with that. */
	double load_begin, load_done, store_done;
	/*
	 * When the memory began to serve the load, no earlier than that: one that
	 * is held may stand in line with its DMA busy.
	 */
	double served;
	bool stores;
};

/* What a lane does for a tile; never shorter than nothing. */
struct sf_stay {
	enum sf_lane lane;
	double start, end; /* seconds */
	int64_t bytes;     /* moved, or held while it computes */
};

enum {
	SF_MAX_STAYS = 3
};

struct sf_tiles {
	struct sf_stream *stream;
	struct sf_arena *arena; /* of the trace */
	struct sf_table names;
	struct sf_table owners; /* modules of views of parameters */
	struct sf_trace trace;
	struct sf_accel accel;
	bool lowered; /* ACCEL is there */
	bool simulated;
	/*
	 * Set by who takes a trace without tiles, too: then one that has none
	 * behind its first operators is passed over, and is ABSENT.
	 */
	bool optional, absent;
	/* Of the summary: what is to blame, and why; "" before it. */
	const char *hotspot, *why;
	int64_t n;             /* tiles so far */
	struct sf_timed_op op; /* the last one */
	int64_t op_tiles;      /* of it so far, and of all */
	int64_t all_tiles;
	struct sf_nest *nests; /* of the cores */
	int core;              /* whose tiles come */
	uint16_t sizes[SF_NEST_BATCH];
	int nsizes, size;
	const struct sf_tile *tile; /* of the last one, in the nest */
	/* Of earlier tiles of each core, in the record's unit. */
	struct sf_lane_ends {
		double load, compute, store;
	} ends[SF_MAX_CORES];
};

void sf_tiles_init(struct sf_tiles *tiles, struct sf_stream *stream);
void sf_tiles_release(struct sf_tiles *tiles);

/*
 * Takes the stream's current record, whatever its kind; true when it was a
 * tile, which is in *TILE then. Dies when the trace was not simulated with
 * tiles, when a tile is not one of its operator, or when its times are no order
 * that the block could have kept.
 */
bool sf_tiles_record(
    struct sf_tiles *tiles, enum sf_kind kind, struct sf_timed_tile *tile);

/* What the lanes do for a tile, stays of no duration left out; their number. */
int sf_tile_stays(
    const struct sf_timed_tile *tile, struct sf_stay stays[SF_MAX_STAYS]);

#endif
