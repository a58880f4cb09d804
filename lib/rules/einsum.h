/* How many index combinations an Einstein summation runs over. */
#ifndef SF_RULES_EINSUM_H
#define SF_RULES_EINSUM_H

#include "base/error.h"
#include "trace/op.h"

/*
 * The product of the sizes of all distinct labels of EQUATION, the dimensions
 * behind "..." broadcast: 3,840 for "...ij,...jk->...ik" with [1,4,5] and
 * [32,5,6]. False with *ERROR set when equation and inputs do not go together.
 */
bool sf_einsum_combinations(struct sf_str equation, const struct sf_op *op,
    int64_t *out, struct sf_error *error);

#endif
