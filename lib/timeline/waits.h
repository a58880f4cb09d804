/*
 * What the compute units wait for before a tile, by the rule of a meter (see
 * accel/meter.h): the gap between the computes of two tiles is walked back along
 * the load of the second. The three stretches follow each other from the end of
 * the compute before to the beginning of the tile's own; each may be empty.
 */
#ifndef SF_TIMELINE_WAITS_H
#define SF_TIMELINE_WAITS_H

#include "timeline/tiles.h"

struct sf_waits {
	double computed; /* the compute before ended; the gap begins here */
	double ready;    /* until then for operators before it */
	double granted;  /* until then for room in the buffer */
	double loaded;   /* until then for its load: its compute begins */
};

/* COMPUTED is when the compute of the tile before it ended, 0 at the first. */
struct sf_waits sf_waits_of(const struct sf_timed_tile *tile, double computed);

#endif
