/* What pictures have in common: title, legend, panels with marked axes. */
#ifndef SF_PLOT_FRAME_H
#define SF_PLOT_FRAME_H

#include <stdint.h>

#include "plot/axis.h"
#include "plot/page.h"
#include "plot/palette.h"

/* A rectangle for data. */
struct sf_box {
	double x, y, w, h;
};

/* Title and what explains it, at the top; returns where they end. */
double sf_frame_title(struct sf_page *page, double width, const char *title,
    const char *explained);

/* What a colour stands for. */
struct sf_legend_row {
	struct sf_look look;
	const char *name;
};

/*
 * Patches and names, from X on in as many rows as it takes up to the right end;
 * returns where they end.
 */
double sf_frame_rows(struct sf_page *page, double x, double y, double right,
    const struct sf_legend_row *keys, int n);

/* How high they are, without drawing them. */
double sf_frame_rows_height(struct sf_page *page, double x, double right,
    const struct sf_legend_row *rows, int n);

/* Draws those of the categories in SET, one bit each. */
double sf_frame_legend(
    struct sf_page *page, double x, double y, double right, uint32_t set);

/*
 * Marks of the axis below the box, with lines through it: the lines of several
 * boxes, the numbers below the last of them.
 */
void sf_frame_x_lines(struct sf_page *page, const struct sf_box *box,
    const struct sf_axis *axis, const struct sf_ticks *ticks);
void
sf_frame_x_numbers(struct sf_page *page, double y, const struct sf_axis *axis,
    const struct sf_ticks *ticks, struct sf_tick_unit unit);

/* Marks of the axis at the left, with lines and numbers. */
void sf_frame_y(struct sf_page *page, const struct sf_box *box,
    const struct sf_axis *axis, const struct sf_ticks *ticks,
    struct sf_tick_unit unit);

void sf_frame_outline(struct sf_page *page, const struct sf_box *box);

#endif
