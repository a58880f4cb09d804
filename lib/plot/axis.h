/* Axes: from values to places on the page, and round numbers to mark them. */
#ifndef SF_PLOT_AXIS_H
#define SF_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct sf_axis {
	double from, to; /* values; FROM < TO */
	double at;       /* place of FROM on the page */
	double size;     /* of the axis; below 0 where it grows upwards */
	bool log;        /* decades are equal; FROM > 0 then */
};

double sf_axis_place(const struct sf_axis *axis, double value);

/* Marks at whole multiples of STEP. */
struct sf_ticks {
	double step;
	int64_t first, last; /* multiples */
};

/* At most MOST >= 2 marks, 1, 2 or 5 times a power of ten apart. */
struct sf_ticks sf_ticks_decimal(double from, double to, int most);

/* The same, a power of two apart: for bytes. */
struct sf_ticks sf_ticks_binary(double from, double to, int most);

/* A unit to mark an axis in. */
struct sf_tick_unit {
	const char *name;
	double size;
};

/* For values up to MAX: s, ms, us, ns; bytes, KiB, MiB, GiB. */
struct sf_tick_unit sf_tick_time(double max_s);
struct sf_tick_unit sf_tick_bytes(double max);

/* The mark's number in UNIT, with the decimals that STEP needs. */
void sf_tick_label(struct sf_buf *out, const struct sf_ticks *ticks,
    int64_t mark, struct sf_tick_unit unit);

/* X rounded up to 1, 2 or 5 times a power of ten; X > 0. */
double sf_round_up(double x);

#endif
