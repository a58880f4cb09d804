/*
 * Fitting a roofline with a fixed time a call to measured times:
 *
 *	time = max(flops * s_per_flop, bytes * s_per_byte) + call_s
 *
 * all three not negative, by the least sum of relative deviations
 * |modelled - measured| / measured, which a few calls that took far longer than
 * the others hardly move. For a given ridge, the FLOPs a byte above which a
 * call is bound by its arithmetic, that is a convex problem, which is solved by
 * weighted least squares, weights being renewed until they stay (iteratively
 * reweighted least squares; Holland and Welsch, Communications in Statistics
 * A6(9), 1977). The ridge is searched among those that the calls have.
 */
#ifndef SF_CALIBRATE_FIT_H
#define SF_CALIBRATE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Terms, as bits of a set. */
enum {
	SF_FIT_FLOPS = 1,
	SF_FIT_BYTES = 2,
	SF_FIT_CALL = 4,
	SF_FIT_ALL = 7
};

struct sf_sample {
	double flops, bytes;
	double time_s; /* above 0 */
};

struct sf_fit {
	unsigned terms; /* that the samples determine; others are 0 below */
	/* That they may have, and cannot be told apart: then there are none. */
	unsigned open;
	double s_per_flop, s_per_byte, call_s;
	double deviation; /* the mean of the relative deviations */
};

/* The best fit with those TERMS alone. N > 0. */
struct sf_fit
sf_fit_terms(const struct sf_sample *samples, size_t n, unsigned terms);

/*
 * The fit with the fewest of the terms ALLOWED whose deviation is hardly above
 * that of all. A term that another could stand for as well, as when all calls
 * are of one size, is open, and then nothing is said of any. N > 0.
 */
struct sf_fit
sf_fit(const struct sf_sample *samples, size_t n, unsigned allowed);

/* What a fit says of one call. */
double sf_fit_time(const struct sf_fit *fit, double flops, double bytes);

#endif
