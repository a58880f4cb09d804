/* Einstein summations: what they run over, and the products they are. */
#ifndef SF_RULES_EINSUM_H
#define SF_RULES_EINSUM_H

#include "rules/expr.h"

/*
 * The product of the sizes of all distinct labels of the attribute equation,
 * the dimensions behind "..." broadcast: 3,840 for "...ij,...jk->...ik" with
 * [1,4,5] and [32,5,6]. False with *e->error set when there is no equation or
 * it does not go with the inputs.
 */
bool sf_einsum_combinations(struct sf_eval *e, int64_t *out);

/*
 * The products of two operands each that it comes to, from left to right, a
 * label being summed as soon as nothing behind needs it; none for one input.
 */
bool sf_einsum_products(struct sf_eval *e, struct sf_products *out);

#endif
