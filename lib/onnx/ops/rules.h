/*
 * The shape rules: lib/onnx/ops/infer.def names them and says which operator
 * types each serves, and what each does stands beside it in
 * lib/onnx/ops/shape-*.c.
 */
#ifndef SF_ONNX_RULES_H
#define SF_ONNX_RULES_H

#include "onnx/infer/infer.h"

/* A rule of several rows is declared as often, each time the same. */
#define SF_INFER(                                                   \
    domain, op_type, since, rule, min_in, max_in, min_out, max_out) \
	sf_infer_rule sf_rule_##rule;
#define SF_INFER_WITH(                                                   \
    domain, op_type, since, rule, min_in, max_in, min_out, max_out, ...) \
	sf_infer_rule sf_rule_##rule;
#include "onnx/ops/infer.def"
#undef SF_INFER
#undef SF_INFER_WITH

/* What a row does to a tensor with its channels last. */
sf_infer_rule sf_rule_qlinear_conv_transpose;

sf_infer_packed sf_packed_blobs, sf_packed_block, sf_packed_bnb4,
    sf_packed_experts, sf_packed_fp4, sf_packed_fpq4, sf_packed_mlp,
    sf_packed_nbits, sf_packed_qkv, sf_packed_qlora, sf_packed_table;

/*
 * The row for an operator type with the highest SINCE that is not above OPSET;
 * NULL when there is none.
 */
const struct sf_infer_entry *
sf_infer_find(struct sf_str domain, struct sf_str op_type, int64_t opset);

/* The table, for the tests: *N entries. */
const struct sf_infer_entry *sf_infer_table(int *n);

#endif
