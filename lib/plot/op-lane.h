/*
 * Two lanes that divide a run among its operators and their modules: an
 * operator's part ends with its last store, and begins where that of those
 * before it ended, so that parts do not overlap and their sum is the run. Names
 * stand where they have room. Memory grows with operators.
 */
#ifndef SF_PLOT_OP_LANE_H
#define SF_PLOT_OP_LANE_H

#include "plot/axis.h"
#include "plot/page.h"
#include "plot/range.h"
#include "plot/strip.h"
#include "timeline/tiles.h"

/* One operator's part, and the texts that name it. */
struct sf_op_part {
	int64_t op;
	double from, to; /* seconds */
	enum sf_category category;
	const char *name, *node;
	struct sf_str module; /* once the run is over, that of all it is in */
};

struct sf_op_lane {
	struct sf_op_part *parts;
	size_t n, room;
	struct sf_strip strip;
};

void sf_op_lane_init(
    struct sf_op_lane *lane, int columns, const struct sf_range *range);
void sf_op_lane_release(struct sf_op_lane *lane);

/* Each tile in order; its operator's texts must live as long as the lane. */
void sf_op_lane_add(struct sf_op_lane *lane, const struct sf_timed_tile *tile);

/* The run is over: makes its bars, of the part of it in sight. */
void sf_op_lane_end(struct sf_op_lane *lane);

/* Draws operators between Y and Y + HEIGHT. */
void sf_op_lane_draw(struct sf_op_lane *lane, struct sf_page *page,
    const struct sf_axis *axis, double y, double height);

/*
 * How many parts of modules' names tell modules apart that have room for their
 * names; 0 when no more than one module is in sight.
 */
int sf_op_lane_depth(const struct sf_op_lane *lane, struct sf_page *page,
    const struct sf_axis *axis);

/* How many modules are in sight that DEPTH parts tell apart. */
int sf_op_lane_groups(
    const struct sf_op_lane *lane, const struct sf_axis *axis, int depth);

/* Draws modules, told by DEPTH parts. */
void
sf_op_lane_draw_modules(const struct sf_op_lane *lane, struct sf_page *page,
    const struct sf_axis *axis, double y, double height, int depth);

#endif
