/*
 * Time in equal bins, for what is too fine to be drawn: each holds how long
 * something was so, times what it was. Without a range that is known before,
 * the bins double in width whenever time outgrows them, so memory stays what it
 * was.
 */
#ifndef SF_PLOT_BINS_H
#define SF_PLOT_BINS_H

#include <stdbool.h>

#include "plot/range.h"

struct sf_bins {
	double from, width; /* WIDTH is 0 until there is anything */
	int count;          /* bins, an even number */
	int planes;         /* sums a bin */
	bool fixed;         /* what is outside is left out */
	double *sum;        /* of plane p in bin b: [p * count + b] */
	double *low, *high; /* least and most value that was put there */
};

void sf_bins_init(
    struct sf_bins *bins, int count, int planes, const struct sf_range *range);
void sf_bins_release(struct sf_bins *bins);

/* VALUE on one plane from FROM until UNTIL, 0 <= FROM < UNTIL. */
void sf_bins_add(
    struct sf_bins *bins, int plane, double from, double until, double value);

/* The mean value of one plane over [FROM, UNTIL), 0 where there was nothing. */
double
sf_bins_mean(const struct sf_bins *bins, int plane, double from, double until);

/* The least and the most value there; false where there was nothing. */
bool sf_bins_extremes(const struct sf_bins *bins, double from, double until,
    double *low, double *high);

#endif
