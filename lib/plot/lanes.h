/*
 * The lanes of a timeline's engines. One core, or so few that there is room for
 * it, has a lane an engine; of more cores each has one lane of what it computes,
 * or several cores share one that has their mean, and DMAs share theirs. The
 * memory that cores share has one, too. All cores are in some lane.
 */
#ifndef SF_PLOT_LANES_H
#define SF_PLOT_LANES_H

#include "accel/accel.h"
#include "plot/strip.h"
#include "timeline/tiles.h"

enum sf_lanes_what {
	SF_LANES_ENGINE,   /* of one core */
	SF_LANES_ENGINES,  /* of all cores */
	SF_LANES_COMPUTES, /* what cores compute */
	SF_LANES_MEMORY
};

struct sf_lanes_row {
	enum sf_lanes_what what;
	enum sf_lane lane; /* of an engine, of engines */
	int core, ncores;  /* the first of those it has, and how many */
	struct sf_strip strip;
};

struct sf_lanes {
	struct sf_lanes_row *rows;
	int n;
	int ncores;
	int fold; /* cores that a row of what they compute has; 0: no such row */
	int place[SF_LANES]; /* of an engine's row in the core's, or in all */
	double busy[SF_MAX_CORES]; /* seconds in sight in which it computes */
};

/* Of ACCEL, on a page that is HEIGHT high, in so many columns of pixels. */
void sf_lanes_init(struct sf_lanes *lanes, const struct sf_accel *accel,
    int columns, double height, const struct sf_range *range);
void sf_lanes_release(struct sf_lanes *lanes);

void sf_lanes_add(struct sf_lanes *lanes, const struct sf_timed_tile *tile);

/* The categories that are in sight, one bit each. */
uint32_t sf_lanes_kinds(const struct sf_lanes *lanes);

/* Some bars were merged. */
bool sf_lanes_any_fine(const struct sf_lanes *lanes);

/* How long the cores that compute least and most do, in sight. */
void
sf_lanes_extremes(const struct sf_lanes *lanes, double *least, double *most);

/* The name without its namespace, "Conv". */
const char *sf_lanes_short_name(const char *name);

/* What a row of lanes of this height needs to be told from the next. */
enum {
	SF_LANES_PITCH = 15, /* of an engine's */
	SF_LANES_THIN = 4    /* of what a core computes, without a name each */
};

#endif
