/*
 * What a rule states after "window =": which sizes a convolution or a pooling
 * slides over, and where its kernel stands. simfront-rules(5) describes it.
 */
#ifndef SF_RULES_WINDOW_RULE_H
#define SF_RULES_WINDOW_RULE_H

#include "rules/expr.h"
#include "trace/product.h"

struct sf_window_rule;

/*
 * Reads "x[2:], w[2:]", "x[2:], attr(kernel_shape)" or, for a window as large
 * as the input, "x[2:]". NULL, with what was expected in *ERROR, when it is
 * wrong.
 */
const struct sf_window_rule *sf_window_rule_parse(struct sf_str text,
    struct sf_roles roles, struct sf_arena *arena, struct sf_error *error);

/* As it was written. */
struct sf_str sf_window_rule_text(const struct sf_window_rule *rule);

/*
 * The window of e->op, in e->arena; OUT->n is 0 when the operator does not say
 * its kernel. Strides, dilations and padding are attributes, by the names of
 * ONNX (strides, dilations, pads, auto_pad) or of PyTorch (stride, dilation,
 * padding); a stride that PyTorch's pooling leaves out is the kernel. False
 * with *e->error set when an attribute is not what it must be.
 */
bool sf_window_rule_eval(const struct sf_window_rule *rule, struct sf_eval *e,
    struct sf_op_window *out);

#endif
