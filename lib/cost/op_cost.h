/* The `cost` member of an op: what sf-cost found. */
#ifndef SF_COST_OP_COST_H
#define SF_COST_OP_COST_H

#include "cost/peak.h"
#include "cost/roofline.h"
#include "trace/op.h"

/* Seconds of any op are 0 or in this range, so that rates stay finite. */
#define SF_COST_LEAST_S 1e-30
#define SF_COST_MOST_S  1e30

struct sf_op_cost {
	double time_s;
	enum sf_bound bound;
	enum sf_cost_unit unit;
	double transfer_s; /* not part of TIME_S */
	/*
	 * What its products multiply, and whose peak that was costed at; both
	 * SF_PEAK_NONE where the device has one peak, or it has no products.
	 */
	enum sf_precision type, peak;
};

/* Appends the member to the current record, an op. */
void sf_op_cost_put(struct sf_stream *stream, const struct sf_op_cost *cost);

/* Reads that of OP, which has one; dies when it is not as it must be. */
void sf_op_cost_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_op_cost *cost);

#endif
