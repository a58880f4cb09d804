/*
 * A device's efficiencies from traces of operators that were measured on it:
 * samples by category, their fits, and what the fits do not say.
 */
#ifndef SF_CALIBRATE_CALIBRATE_H
#define SF_CALIBRATE_CALIBRATE_H

#include "base/table.h"
#include "calibrate/fit.h"
#include "cost/device.h"
#include "cost/peak.h"
#include "cost/roofline.h"
#include "stream/stream.h"
#include "trace/category.h"

enum {
	SF_LEAST_CALLS = 8, /* of a category that is fitted */
	SF_LEAST_SIZES = 3, /* different pairs of FLOPs and bytes */
	SF_HOLD_OUT = 5,    /* every fifth size is held out of a second fit */
};

/* How far modelled times are off, over some calls. */
struct sf_off {
	int64_t calls;
	double relative; /* the sum of |modelled - measured| / measured */
	double off_s, measured_s;
};

/* All calls of one operator in one category. */
struct sf_calibrated_type {
	struct sf_str name;
	enum sf_category category;
	int64_t calls;   /* that are samples */
	int64_t other;   /* that are not: not measured, or took no time */
	bool uncounted;  /* some call could not be counted */
	bool collective; /* moves over links, of which a device says nothing */
	struct sf_off before, after, held_out;
};

struct sf_calibrated_category {
	struct sf_buf samples; /* struct sf_sample */
	struct sf_buf types;   /* struct sf_calibrated_type *, of each */
	struct sf_buf groups;  /* size_t: which size each has, as first met */
	struct sf_table sizes;
	int64_t calls;
	struct sf_fit fit;
	bool fitted;     /* FIT says something */
	const char *why; /* not; NULL when it is fitted */
	bool held;       /* some sizes were held out */
	struct sf_off before, after, held_out;
	double low, mid, high; /* modelled / measured - 1: tenth, half, nine
				  tenths of the calls are not above */
};

struct sf_calibration {
	struct sf_arena *arena;
	const struct sf_device *base;
	struct sf_device device; /* with what was found */
	struct sf_calibrated_category categories[SF_CAT_COUNT];
	struct sf_table types; /* struct sf_calibrated_type */
	struct sf_origins origins;
	struct sf_off before, after, held_out;
	int64_t traces, ops;
};

void sf_calibration_init(struct sf_calibration *c, const struct sf_device *base,
    struct sf_arena *arena);
void sf_calibration_release(struct sf_calibration *c);

/* Takes the current record; dies at an operator that is not counted. */
void sf_calibration_record(
    struct sf_calibration *c, struct sf_stream *stream, enum sf_kind kind);

/* When all are there. */
void sf_calibration_finish(struct sf_calibration *c);

/* The mean of the relative deviations; -1 of no call. */
double sf_off_mean(const struct sf_off *off);

/* Sets TERM of CATEGORY; false when a device cannot have it. */
bool sf_calibration_value(const struct sf_calibration *c,
    enum sf_category category, unsigned term, double *value);

#endif
