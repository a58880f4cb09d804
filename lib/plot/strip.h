/*
 * A lane of a timeline: bars that do not overlap, in the order of time. Those
 * that are wide enough for the picture are kept; those below a pixel are merged
 * into bins, so memory depends on the picture's width and not on how many bars
 * there are.
 */
#ifndef SF_PLOT_STRIP_H
#define SF_PLOT_STRIP_H

#include <stdint.h>

#include "plot/axis.h"
#include "plot/bins.h"
#include "plot/page.h"
#include "plot/palette.h"

struct sf_bar {
	double start, end;
	int kind;          /* what it looks like */
	const char *label; /* NULL: none */
};

struct sf_strip {
	struct sf_range range;
	int columns; /* pixels */
	struct sf_bar *bars;
	int n, room;
	double end;     /* of the last bar */
	double busy;    /* length of all bars within the range */
	uint32_t kinds; /* of those bars, one bit each */
	int nkinds;     /* all that there can be, up to 32 */
	bool any_fine;  /* some bars were merged */
	int of;         /* lanes that it is the mean of, 0: it is one */
	struct sf_bins fine;
};

void sf_strip_init(struct sf_strip *strip, int columns, int nkinds,
    const struct sf_range *range);
void sf_strip_release(struct sf_strip *strip);

/*
 * It is the mean of OF lanes: what is added to any of them, in whatever order, is
 * merged, and counts as one of so many.
 */
void sf_strip_mix(struct sf_strip *strip, int of);

/* Labels must live as long as the strip. */
void sf_strip_add(struct sf_strip *strip, const struct sf_bar *bar);

/* Draws it over all of AXIS, between Y and Y + HEIGHT, each kind as LOOK says. */
void sf_strip_draw(struct sf_strip *strip, struct sf_page *page,
    const struct sf_axis *axis, double y, double height,
    struct sf_look (*look)(int kind));

#endif
