/*
 * A quantity over time that stays the same for a while and then steps. Steps
 * are kept while there are few enough for the picture; with more of them it is
 * drawn as its mean, and its least and most value, of each pixel.
 */
#ifndef SF_PLOT_CURVE_H
#define SF_PLOT_CURVE_H

#include <stdint.h>

#include "plot/axis.h"
#include "plot/bins.h"
#include "plot/page.h"

struct sf_stretch {
	double from, until, value;
};

struct sf_curve {
	struct sf_range range;
	int columns;
	struct sf_stretch *stretches; /* NULL once there were too many */
	int n, room;
	double most; /* within the range */
	int of;      /* curves that it is the mean of, 0: it is one */
	struct sf_bins bins;
};

void sf_curve_init(
    struct sf_curve *curve, int columns, const struct sf_range *range);
void sf_curve_release(struct sf_curve *curve);

/*
 * It is the mean of OF curves, each of which must have a value all the time, and
 * they may come in any order; its range is that of all of them.
 */
void sf_curve_mix(struct sf_curve *curve, int of);

/* In the order of time. */
void
sf_curve_add(struct sf_curve *curve, double from, double until, double value);

/* True when it is drawn as means and ranges. */
bool sf_curve_is_binned(const struct sf_curve *curve);

/* Draws it over all of X; values go from 0 up along Y. */
void sf_curve_draw(const struct sf_curve *curve, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y);

#endif
