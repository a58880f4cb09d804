/*
 * An axis of a sweep: a parameter and the values that it takes, as a user says
 * them: "25GB/s,50GB/s", "8:128:x2", "10GB/s:60GB/s:+1GB/s", "1:2:n11" (so many,
 * evenly), "1:1000:l4" (the same by factors).
 */
#ifndef SF_SWEEP_AXIS_H
#define SF_SWEEP_AXIS_H

#include "base/arena.h"
#include "base/decl.h"
#include "base/error.h"
#include "base/num.h"
#include "config/key.h"

SF_PUBLIC_BEGIN

enum sf_steps {
	SF_STEPS_NONE,  /* one value */
	SF_STEPS_ADD,   /* LOW + k STEP */
	SF_STEPS_TIMES, /* LOW STEP^k */
	SF_STEPS_EVEN,  /* so many from LOW to HIGH, evenly */
	SF_STEPS_LOG    /* the same by factors */
};

struct sf_axis_item {
	enum sf_steps steps;
	const char *text; /* of one value */
	double low, high, step;
	int64_t first, n; /* values of the axis */
};

struct sf_sweep_axis {
	const char *name; /* with the prefix of its scope */
	const struct sf_key *key;
	const struct sf_key_scope *scope;
	struct sf_axis_item *items;
	int nitems;
	int64_t n; /* values in all */
};

enum {
	SF_AXIS_MOST = 100000000, /* values of an axis */
};

/*
 * Reads SPEC into AXIS, whose first three members are set. Fails when a value
 * is none of the parameter's, or there twice.
 */
bool sf_axis_parse(struct sf_sweep_axis *axis, const char *spec,
    struct sf_arena *arena, struct sf_error *error);

/* Value K as text that sf_key_set takes; it may be in BUFFER. */
const char *sf_axis_value(const struct sf_sweep_axis *axis, int64_t k,
    char buffer[SF_AT_LEAST(SF_DOUBLE_MAX + 1)]);

/*
 * The value at U, in [0, 1): of one range of a real parameter what lies there,
 * by factors where the range has them; else one of the values, all alike.
 */
const char *sf_axis_at(const struct sf_sweep_axis *axis, double u,
    char buffer[SF_AT_LEAST(SF_DOUBLE_MAX + 1)]);

SF_PUBLIC_END

#endif
