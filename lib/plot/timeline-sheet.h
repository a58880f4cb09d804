/* A timeline that is being drawn. */
#ifndef SF_PLOT_TIMELINE_SHEET_H
#define SF_PLOT_TIMELINE_SHEET_H

#include "plot/frame.h"
#include "plot/timeline-kept.h"

/* What is drawn on: the panels one below the other share the axis of time. */
struct sf_timeline_sheet {
	struct sf_page *page;
	struct sf_axis time;
	struct sf_ticks ticks;
	struct sf_tick_unit unit;
	double y; /* where the next panel begins */
};

enum {
	SF_TIMELINE_GAP = 6, /* between lanes */
	SF_TIMELINE_WAITS = 24,
};

/* The ground of lanes of engines, and of others. */
#define SF_TIMELINE_GROUND 0xf6f6f6
#define SF_TIMELINE_OTHER  0xfafafa

/* A lane's ground, and its name, which may be "", beside it. */
void sf_timeline_ground(struct sf_timeline_sheet *sheet, const char *name,
    double height, uint32_t colour);

/* The lanes of engines. */
void sf_timeline_lanes(
    struct sf_timeline_sheet *sheet, struct sf_lanes *lanes, double height);

/*
 * How high they are in that space, beside panels that want PANELS of it; all of
 * it where nothing is left for them.
 */
double sf_timeline_lanes_height(
    const struct sf_lanes *lanes, double space, double panels);

/* The legend of what is waited for. */
struct sf_timeline_waits {
	struct sf_buf names[SF_WAITS];
	struct sf_legend_row rows[SF_WAITS];
	int n;
	double height;
};

void sf_timeline_name_waits(const struct sf_timeline_sheet *sheet,
    const struct sf_timeline *timeline, struct sf_timeline_waits *waits);

/* The lane of stalls and their legend, which it frees. */
void sf_timeline_stalls(struct sf_timeline_sheet *sheet,
    struct sf_timeline *timeline, struct sf_timeline_waits *waits);

#endif
