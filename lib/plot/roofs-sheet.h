/* What the parts of a roofline are drawn on. */
#ifndef SF_PLOT_ROOFS_SHEET_H
#define SF_PLOT_ROOFS_SHEET_H

#include "plot/frame.h"
#include "plot/labels.h"
#include "plot/roofs.h"

enum {
	/* Slope, flat and ridge of each roof, and peaks of element types. */
	SF_ROOFS_LINES = 3 * 2 * SF_ROOFS_TRACES + SF_PEAK_COUNT
};

struct sf_roofs_sheet {
	const struct sf_roofs *roofs;
	struct sf_page *page;
	struct sf_box box;
	struct sf_axis x, y; /* FLOP/byte, FLOP/s */
	struct sf_segment lines[SF_ROOFS_LINES];
	int nlines;
	struct sf_labels labels;
};

/* ---- roofs-lines.c ---- */

double sf_roof_ridge(const struct sf_roof *roof);

/* Draws all roofs; later, where no point is, their names. */
void sf_roofs_draw_lines(struct sf_roofs_sheet *sheet);
void sf_roofs_name_lines(struct sf_roofs_sheet *sheet);

/* ---- roofs-strip.c: what has no place on the axes ---- */

enum {
	SF_ROOFS_STRIP = 176 /* pixels at the right */
};

/* Bars at the right of the box, one below the other, a trace each. */
void sf_roofs_draw_strips(struct sf_roofs_sheet *sheet);

/* ---- roofs-draw.c ---- */

/* The mark of a trace's points, as large as a circle of radius R. */
void sf_roofs_mark(struct sf_page *page, int trace, double x, double y,
    double r, struct sf_look look);

/* Below the box: numbers and name of the axis, a line of text. */
enum {
	SF_ROOFS_BOTTOM = 64
};

/* Where a type's point is, FLOP/byte and FLOP/s. */
double sf_roof_intensity(const struct sf_roof_type *type);
double sf_roof_attained(const struct sf_roof_type *type);

/* How near it comes to its own roof, 1 for what is there but for rounding. */
double sf_roof_reached(const struct sf_roof_type *type);

double sf_roof_radius(const struct sf_roofs_sheet *sheet,
    const struct sf_roof_trace *trace, const struct sf_roof_type *type);

/* "mul", the name without its namespace. */
const char *sf_roof_type_name(const struct sf_roof_type *type);

/* ---- roofs-names.c ---- */

/* Names of points, once all points are drawn. */
void sf_roofs_draw_names(struct sf_roofs_sheet *sheet);

#endif
