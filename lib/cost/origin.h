/*
 * Of which type the data of a value are. What is stored as F32 or F64 may hold
 * no more than data of 16 bits that were widened within the trace, as ATen's
 * mathematical attention widens its queries, keys and values: a device that
 * multiplies BF16 and sums in F32 needs no F32 product for them. The data of a
 * value are of the widest type of what it was computed from, and no wider than
 * the value; what nobody made, and what was made of integers, is of its own
 * type; a constant, made of nothing, adds nothing.
 */
#ifndef SF_COST_ORIGIN_H
#define SF_COST_ORIGIN_H

#include "base/arena.h"
#include "base/decl.h"
#include "base/table.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

struct sf_origins {
	struct sf_arena *arena;
	struct sf_table tids; /* to the narrower type, of those that have one */
};

void sf_origins_init(struct sf_origins *origins);
void sf_origins_release(struct sf_origins *origins);

/* Forgets the values of a trace that has ended. */
void sf_origins_reset(struct sf_origins *origins);

/* Of which type the data are that an operator reads in TENSOR. */
enum sf_dtype
sf_origin_of(const struct sf_origins *origins, const struct sf_tensor *tensor);

/* OP computes its outputs. */
void sf_origins_take(struct sf_origins *origins, const struct sf_op *op);

SF_PUBLIC_END

#endif
