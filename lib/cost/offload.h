/*
 * An accelerator that runs only some categories, a host that runs the rest, and
 * a link between them. Weights are resident on both sides. A tensor that exists
 * before the trace starts is on the accelerator. The first time an operator
 * reads a tensor that is not on its side one transfer is charged, and the
 * tensor is then on both; what an operator makes is on its side only.
 */
#ifndef SF_COST_OFFLOAD_H
#define SF_COST_OFFLOAD_H

#include "base/decl.h"
#include "cost/device.h"
#include "trace/op.h"
#include "trace/value.h"

SF_PUBLIC_BEGIN

enum sf_side {
	SF_SIDE_ACCEL = 1,
	SF_SIDE_HOST = 2
}; /* bits of a set */

struct sf_offload {
	uint32_t supports; /* categories that the accelerator runs, as bits */
	double link_bytes_per_s, link_latency_s;
	struct sf_values values; /* where they are, of one trace */
};

/*
 * CATEGORIES is "matmul,attention"; dies with SF_EX_USAGE when a word is no
 * category, listing them.
 */
void sf_offload_init(struct sf_offload *offload, const char *categories,
    const struct sf_link *link);
void sf_offload_release(struct sf_offload *offload);

/* Forgets the values of the trace that has ended. */
void sf_offload_reset(struct sf_offload *offload);

/* The side that runs an operator of that category. */
enum sf_side
sf_offload_side(const struct sf_offload *offload, enum sf_category category);

/*
 * Moves what OP reads to its side and notes where its outputs are. Returns the
 * seconds that the transfers take. A free operator moves nothing: its outputs
 * are where its first input is.
 */
double sf_offload_op(struct sf_offload *offload, const struct sf_op *op);

SF_PUBLIC_END

#endif
