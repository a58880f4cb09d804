/*
 * What a rule states after "out =": the sizes and the type of an output.
 * simfront-rules(5) describes it. Who counts does not ask; who finds shapes
 * does.
 */
#ifndef SF_RULES_SHAPE_RULE_H
#define SF_RULES_SHAPE_RULE_H

#include "rules/expr.h"

struct sf_shape_rule;

/*
 * Reads "SIZES[, SIZES]... [as TYPE] [where NAME = A, ...]"; TEXT and ROLES
 * must live as long as the arena. NULL, with what was expected in *ERROR, when
 * it is wrong.
 */
const struct sf_shape_rule *sf_shape_rule_parse(struct sf_str text,
    struct sf_roles roles, struct sf_arena *arena, struct sf_error *error);

/* As it was written. */
struct sf_str sf_shape_rule_text(const struct sf_shape_rule *rule);

/* The type that an integer attribute means. */
typedef enum sf_dtype sf_dtype_numbered(int64_t number);

/*
 * Sets type, rank, sizes and their names of *OUT, in e->arena, for e->op, of
 * which the inputs may be known in part: what follows from a size that is not
 * known is not known, and e->open is the first tensor that is to blame. False
 * with *e->error set when the operator is not what the rule is for.
 */
bool sf_shape_rule_eval(const struct sf_shape_rule *rule, struct sf_eval *e,
    sf_dtype_numbered *numbered, struct sf_tensor *out);

#endif
