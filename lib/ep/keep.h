/* A copy of an operator that outlives its record. */
#ifndef SF_EP_KEEP_H
#define SF_EP_KEEP_H

#include "base/table.h"
#include "trace/op.h"

/*
 * Makes KEPT what OP is, in the arena of NAMES, which takes the names: equal
 * ones are kept once. Not kept are the model's name of it, the names of sizes,
 * why some are not known, and what stages after sf-rules added.
 */
void
sf_op_keep(struct sf_op *kept, const struct sf_op *op, struct sf_table *names);

#endif
