/* The part of a trace's time that a picture shows. */
#ifndef SF_PLOT_RANGE_H
#define SF_PLOT_RANGE_H

#include <stdbool.h>

#include "base/error.h"

struct sf_range {
	double from, to; /* seconds */
	bool known;      /* else all there is, from 0 */
};

/* Reads "FROM,TO", two times with or without a unit: "10us,20us". */
bool sf_range_parse(
    const char *text, struct sf_range *range, struct sf_error *error);

#endif
