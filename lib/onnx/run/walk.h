/*
 * What the files that expand nodes have from one another: they go through
 * bodies (run.c), replace nodes by what they stand for (expand.c, loop.c, ...),
 * and add operators to the trace (op.c). Each returns false with the error set.
 */
#ifndef SF_ONNX_WALK_H
#define SF_ONNX_WALK_H

#include "onnx/run/order.h"
#include "onnx/run/run.h"

/* Takes every node of BODY, in its order, in SCOPE. */
bool sf_onnx_walk(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_body *body);

/* ---- expand.c ---- */

/* The scope for what NODE stands for: its names begin with that of NODE. */
bool sf_onnx_enter(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_onnx_scope *inner);

bool sf_onnx_expand_call(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_value **inputs,
    struct sf_onnx_callee *callee);
bool sf_onnx_expand_branch(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_graph *graph);

/* ---- op.c ---- */

/*
 * Adds NODE as an operator. CLOSED says why its graphs are not expanded; NULL
 * where it has none.
 */
bool sf_onnx_op_add(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs, const char *closed);

/* Adds to VALUE what the scope declares of NAME. */
bool sf_onnx_declare_found(struct sf_onnx_run *run,
    const struct sf_onnx_scope *scope, struct sf_str name,
    struct sf_value *value);

#endif
