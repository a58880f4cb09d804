/*
 * Attention that a trace has in parts: a product of what a softmax gave, with
 * views, copies and element-wise operators of its size at most between them. A
 * device runs such attention as one operator, which keeps the scores to itself.
 */
#ifndef SF_COST_APART_H
#define SF_COST_APART_H

#include "base/arena.h"
#include "base/decl.h"
#include "base/table.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

struct sf_apart {
	struct sf_arena *arena;
	struct sf_table weights; /* tids of what a softmax gave, to its size */
	int64_t found;           /* products of them */
};

void sf_apart_init(struct sf_apart *apart);
void sf_apart_release(struct sf_apart *apart);

/* Forgets the trace that has ended. */
void sf_apart_reset(struct sf_apart *apart);

/* Adds the next operator, which is counted. */
void sf_apart_take(struct sf_apart *apart, const struct sf_op *op);

SF_PUBLIC_END

#endif
