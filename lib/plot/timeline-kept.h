/* What a timeline keeps of a trace until it is drawn. */
#ifndef SF_PLOT_TIMELINE_KEPT_H
#define SF_PLOT_TIMELINE_KEPT_H

#include "plot/curve.h"
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

struct sf_timeline {
	struct sf_picture picture;
	struct sf_range range;
	struct sf_op_lane ops;
	struct sf_strip lanes[SF_LANES];
	struct sf_strip waits;
	double waited[SF_WAITS]; /* seconds in sight */
	int64_t tiles;           /* of the core that is drawn, so far */
	double computed;         /* its last compute ended */
	double core_stored;      /* its last store */
	double stored;           /* and that of any core */
	struct sf_curve buffer, fifo;
	struct sf_level buffer_level, fifo_level;
};

/* The run is over: adds what follows from all of its tiles. */
void sf_timeline_end(struct sf_timeline *timeline);

#endif
