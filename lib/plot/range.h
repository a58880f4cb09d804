/* The part of a trace's time that a picture shows. */
#ifndef SF_PLOT_RANGE_H
#define SF_PLOT_RANGE_H

#include <stdbool.h>

struct sf_range {
	double from, to; /* seconds */
	bool known;      /* else all there is, from 0 */
};

#endif
