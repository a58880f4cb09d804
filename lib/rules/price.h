/* What operators would cost that are not written, by the rules. */
#ifndef SF_RULES_PRICE_H
#define SF_RULES_PRICE_H

#include "rules/rulebook.h"
#include "trace/op.h"

struct sf_price {
	int64_t ops, flops;
	int64_t open; /* of OPS, those that cannot be counted */
};

/*
 * Adds what OP comes to, but not to OPS. Measures its tensors; its attributes
 * are copied to ARENA.
 */
void sf_price_add(struct sf_price *price, struct sf_rulebook *book,
    struct sf_op *op, struct sf_arena *arena);

/* "3 operators and 80 FLOPs" */
const char *sf_price_text(const struct sf_price *price, struct sf_arena *arena);

#endif
