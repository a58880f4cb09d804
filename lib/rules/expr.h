/*
 * The formulas that rules are made of: whole numbers computed from the shapes,
 * sizes and attributes of one operator. docs/man/simfront-rules.5 describes
 * the language. A formula is parsed once; the tree that computes it is the one
 * that prints it.
 */
#ifndef SF_RULES_EXPR_H
#define SF_RULES_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "trace/op.h"
#include "trace/product.h"

/* What a rule calls the operator's inputs, in order. */
struct sf_role {
	struct sf_str name;
	bool optional; /* may be left out: it then has no elements and bytes */
	bool rest;     /* this and all that follow, none allowed; the last */
};

struct sf_roles {
	const struct sf_role *v;
	int n;
};

struct sf_node; /* lib/rules/node.h */

struct sf_expr {
	struct sf_str text;    /* as it was written */
	struct sf_str formula; /* of it, what comes before "where" */
	const struct sf_node *root;
};

/*
 * Reads all of TEXT; text and roles must live as long as the expression. On
 * failure fills *ERROR with what was found and expected and returns NULL.
 */
const struct sf_expr *sf_expr_parse(struct sf_str text, struct sf_roles roles,
    struct sf_arena *arena, struct sf_error *error);

/* The attributes of an operator, read with the first that is asked for. */
struct sf_attrs {
	bool read;
	int n;
	struct sf_attr {
		struct sf_str name, value;
	} * v;
};

/* What a formula is computed for. */
struct sf_eval {
	const struct sf_op *op;
	struct sf_arena *arena; /* takes texts whose escapes were undone */
	struct sf_error *error;
	struct sf_attrs *attrs; /* those of OP; NULL: each look reads them */
	/* What macs() and taps() ask for; NULL where no rule states it. */
	const struct sf_products *products;
	const struct sf_op_window *window;
	/* What was asked for is not known of this tensor; otherwise NULL. */
	const struct sf_tensor *open;
	/*
	 * Set where it fails for another reason than that the operator is not
	 * what the rule is for: a number that passes 2^63 - 1, a rule that
	 * contradicts itself. NULL: who asks does not care.
	 */
	bool *wrong;
};

/* Fails for a number that passes 2^63 - 1. */
bool sf_eval_too_large(struct sf_eval *e);

/*
 * Computes it for an operator. False, with what was expected in *e->error, when
 * the operator lacks what the formula asks for or a number passes 2^63 - 1; and
 * false with e->open set when that is not known of one of its tensors.
 */
bool sf_expr_eval(const struct sf_expr *expr, struct sf_eval *e, int64_t *out);

/*
 * Appends the formula with numbers in place of its names. Of a condition, only
 * the branch that was taken is there, so what is printed is plain arithmetic:
 * + - * / // ( ) min max. To be called when sf_expr_eval succeeded.
 */
void sf_expr_print(
    const struct sf_expr *expr, struct sf_eval *e, struct sf_buf *out);

/* True when it is a number and asks for nothing. */
bool sf_expr_constant(const struct sf_expr *expr);

/* True when TEXT can name a role or what stands behind "where". */
bool sf_expr_name_valid(struct sf_str text);

/* True when TEXT is letters, digits and underscores, as an attribute's name. */
bool sf_expr_word(struct sf_str text);

/* "in0", "out2": the number behind WORD, -1 when it is something else. */
int sf_expr_numbered(struct sf_str name, const char *word);

#endif
