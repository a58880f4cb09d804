/*
 * The tree of a formula; only for the files lib/rules/expr-*.c and shape-rule.c.
 */
#ifndef SF_RULES_NODE_H
#define SF_RULES_NODE_H

#include "rules/expr.h"

enum sf_node_type {
	SF_NODE_NUMBER,
	SF_NODE_NAME, /* bound behind "where"; prints as its value */
	SF_NODE_DIM,  /* one size of a tensor */
	SF_NODE_IF,
#define SF_FUNCTION(id, name, takes) SF_NODE_##id,
#include "rules/function.def"
#undef SF_FUNCTION
#define SF_OPERATOR(id, text, precedence) SF_NODE_##id,
#include "rules/operator.def"
#undef SF_OPERATOR
};

/* Tensors of an operator: one, or from FIRST to the end. */
struct sf_ref {
	struct sf_str name;
	bool output;
	bool optional;
	bool many;
	int first;
};

struct sf_node {
	enum sf_node_type type;
	int size; /* nodes that are visited to compute it, itself included */
	int64_t number; /* of a sum: the rank it is limited to */
	bool ranked;    /* there is such a limit */
	struct sf_ref ref;
	struct sf_str attr;
	bool indexed; /* ATTR, NONZERO: an element of a list */
	bool has_from, has_to;
	int64_t from, to; /* DIM and an indexed ATTR: FROM is the index */
	/* Operands; of ATTR, A is the default; of IF, A decides. */
	const struct sf_node *a, *b, *c;
};

/* The tensors that NAME stands for; false when it stands for none. */
bool sf_ref_find(struct sf_str name, struct sf_roles roles, struct sf_ref *ref);

/* Those of OP, *N of them. */
const struct sf_tensor *
sf_ref_all(const struct sf_op *op, const struct sf_ref *ref, int *n);

/* The one of e->op; NULL with the error set when it was left out. */
const struct sf_tensor *
sf_ref_need(struct sf_eval *e, const struct sf_ref *ref);

/* The value of a node; as sf_expr_eval. */
bool sf_node_eval(const struct sf_node *node, struct sf_eval *e, int64_t *out);

#endif
