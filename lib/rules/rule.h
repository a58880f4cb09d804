/* One rule: what an operator is called for, its category and its formulas. */
#ifndef SF_RULES_RULE_H
#define SF_RULES_RULE_H

#include "base/arena.h"
#include "base/error.h"
#include "rules/expr.h"
#include "rules/gemm-rule.h"
#include "rules/shape-rule.h"
#include "rules/window-rule.h"
#include "trace/category.h"

enum sf_field {
#define SF_FIELD(id, name) SF_FIELD_##id,
#include "rules/field.def"
#undef SF_FIELD
	SF_FIELD_COUNT
};

/* The shape of one output, or of all that have no other. */
struct sf_out_rule {
	int output; /* -1: all others */
	const struct sf_shape_rule *shape;
};

struct sf_rule {
	enum sf_category category;
	/*
	 * A view whose outputs are its first input seen otherwise, and not
	 * something about it, as a shape is: it hands parameters on.
	 */
	bool aliases;
	struct sf_roles roles;
	int required;  /* roles that must be there */
	bool constant; /* the counts are the same whatever the shapes */
	struct sf_str roles_text;
	const struct sf_gemm_rule *gemm;     /* NULL: it states no product */
	const struct sf_window_rule *window; /* NULL: it has none */
	const struct sf_out_rule *outs;      /* NOUTS of them, none to count */
	int nouts;
	const char *place; /* "FILE:LINE" of one of the user's; or NULL */
	/* An expression each; the category's default where the rule has none. */
	const struct sf_expr *fields[SF_FIELD_COUNT];
	int64_t
	    fixed[SF_FIELD_COUNT]; /* its value where it is a number, or -1 */
};

/*
 * Makes a rule of its texts: ROLES "x, w, bias?, rest*" and FIELDS "gemm =
 * PRODUCTS; window = SIZES; flops = FORMULA; out = SHAPE", either may be empty. The texts must live as long as the arena. NULL, with what was expected
 * in *ERROR, when they are wrong.
 */
struct sf_rule *sf_rule_new(enum sf_category category, struct sf_str roles,
    struct sf_str fields, struct sf_arena *arena, struct sf_error *error);

/* The FLOPs as a formula for people: with its products for macs(). */
struct sf_str
sf_rule_formula(const struct sf_rule *rule, struct sf_arena *arena);

/* What it states of output I, NULL when nothing. */
const struct sf_shape_rule *sf_rule_out(const struct sf_rule *rule, int i);

/* False with the error set when e->op lacks an input that must be there. */
bool sf_rule_check_inputs(const struct sf_rule *rule, struct sf_eval *e);

/*
 * Counts the operator e->op, whose tensors are all resolved unless the rule is
 * constant; sets e->products and e->window for sf_expr_print. False, with what
 * was expected in *e->error, when it is not what the rule is for, or with
 * *e->wrong when the count fails for another reason.
 */
bool sf_rule_count(
    const struct sf_rule *rule, struct sf_eval *e, struct sf_counts *counts);

#endif
