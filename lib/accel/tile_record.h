/* The tile record: when one tile ran. */
#ifndef SF_ACCEL_TILE_RECORD_H
#define SF_ACCEL_TILE_RECORD_H

#include "accel/tile.h"
#include "stream/stream.h"

struct sf_tile_place {
	int64_t i;    /* from 0, by one, within the trace */
	int64_t op;   /* of the operator that it belongs to */
	int64_t core; /* that ran it */
};

struct sf_tile_record {
	struct sf_tile_place place;
	double t[SF_TILE_TIMES]; /* as struct sf_times, in the record's unit */
	int n;                   /* SF_TILE_TIMES */
};

/* Writes the members behind the kind. */
void sf_tile_write(struct sf_jsonw *w, const struct sf_tile_place *place,
    const struct sf_times *times);

/*
 * Reads the current record, which must be a tile. Dies when its times are not
 * eight numbers >= 0 that do not fall.
 */
void sf_tile_read(struct sf_stream *stream, struct sf_tile_record *tile);

#endif
