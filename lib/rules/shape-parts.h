/*
 * The parts of a shape that a rule states; only for the files
 * lib/rules/shape-*.c.
 */
#ifndef SF_RULES_SHAPE_PARTS_H
#define SF_RULES_SHAPE_PARTS_H

#include "rules/node.h"
#include "rules/shape-rule.h"

/* Where sizes begin or end: an integer, which may be negative, or a formula. */
struct sf_shape_bound {
	bool given; /* otherwise from the first, or to the end */
	int64_t at;
	const struct sf_expr *expr; /* NULL: it is AT */
};

/* Sizes of tensors, one after the other; of several only in a broadcast. */
struct sf_shape_span {
	struct sf_ref ref;
	struct sf_shape_bound from, to;
};

/* One size, those of a span, or what several spans broadcast to. */
struct sf_shape_piece {
	const struct sf_expr *size;
	bool broadcast;
	int n;
	struct sf_shape_span *spans;
};

/* The type: one of a name, that of a tensor, or what an attribute says. */
struct sf_shape_type {
	bool given;
	enum sf_dtype dtype; /* of an attribute: when it is not there */
	bool of_tensor;
	struct sf_ref ref;
	struct sf_str attr;
};

struct sf_shape_rule {
	struct sf_str text;
	struct sf_shape_type type;
	int n;
	struct sf_shape_piece *pieces;
};

#endif
