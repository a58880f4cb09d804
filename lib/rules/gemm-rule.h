/*
 * What a rule states after "gemm =": the matrix products that an operator is
 * made of. simfront-rules(5) describes the language.
 */
#ifndef SF_RULES_GEMM_RULE_H
#define SF_RULES_GEMM_RULE_H

#include "rules/expr.h"
#include "trace/product.h"

struct sf_gemm_rule;

/*
 * Reads "B, M, K, N of x, w | ... where ..."; the text must live as long as
 * the arena. NULL, with what was expected in *ERROR, when it is wrong.
 */
const struct sf_gemm_rule *sf_gemm_rule_parse(struct sf_str text,
    struct sf_roles roles, struct sf_arena *arena, struct sf_error *error);

/* As it was written. */
struct sf_str sf_gemm_rule_text(const struct sf_gemm_rule *rule);

/* The multiply-accumulates as a formula: "(B*M*K*N + B*M*N*K)". */
struct sf_str sf_gemm_rule_macs(const struct sf_gemm_rule *rule);

/*
 * The products of e->op, in e->arena: those that have no empty side, equal
 * ones of a list of matrices joined. False with *e->error set when it lacks
 * what a formula asks for or a number passes 2^63 - 1.
 */
bool sf_gemm_rule_eval(const struct sf_gemm_rule *rule, struct sf_eval *e,
    struct sf_products *out);

#endif
