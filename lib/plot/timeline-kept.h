/* What a timeline keeps of a trace until it is drawn. */
#ifndef SF_PLOT_TIMELINE_KEPT_H
#define SF_PLOT_TIMELINE_KEPT_H

#include "plot/curve.h"
#include "plot/lanes.h"
#include "plot/op-lane.h"
#include "plot/palette.h"
#include "plot/strip.h"
#include "plot/timeline.h"
#include "timeline/level.h"

/* Where things are on the page. */
enum {
	SF_TIMELINE_LEFT = 112, /* names of lanes, numbers of axes */
	SF_TIMELINE_RIGHT = 84, /* busy shares */
};

/* What is going on on a core. */
struct sf_timeline_core {
	double computed; /* its last compute ended */
	double stored;   /* its last store */
	struct sf_level buffer, fifo;
};

struct sf_timeline {
	struct sf_picture picture;
	struct sf_range range;
	int columns; /* pixels */
	struct sf_op_lane ops;
	struct sf_strip waits;   /* of several cores the mean */
	double waited[SF_WAITS]; /* seconds in sight, of all cores */
	int64_t tiles;           /* so far */
	double stored;           /* the last store of any core */
	struct sf_curve buffer, fifo;
	/* Once the block is known. */
	struct sf_timeline_core *cores; /* NULL: it is not */
	int ncores;
	struct sf_lanes lanes;
};

/*
 * The run, which is of OF, is over: adds what follows from all of its tiles.
 */
void sf_timeline_end(struct sf_timeline *timeline, const struct sf_tiles *of);

#endif
