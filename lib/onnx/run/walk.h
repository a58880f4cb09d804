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

/* The nodes of GRAPH in order, found once; NULL with the error set. */
const struct sf_onnx_body *
sf_onnx_body_of(struct sf_onnx_run *run, const struct sf_onnx_graph *graph);

/*
 * One more node, of so many outputs, comes from expansion; run->overflow when
 * that is too much.
 */
bool sf_onnx_count_expanded(struct sf_onnx_run *run, int noutputs);

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

/* The version of NODE's operator set, as its function or the model has it. */
bool
sf_onnx_opset_of(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int64_t *version);

/* Control flow that is not expanded. */
struct sf_onnx_closed {
	const char *why;
	struct sf_value *types; /* of the node's outputs; NULL: not known */
};

/* Adds NODE as an operator. CLOSED is NULL where it has no graphs. */
bool sf_onnx_op_add(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs, const struct sf_onnx_closed *closed);

/*
 * Adds an operator of the default domain that the model does not have, as a
 * part of the work of NODE in SCOPE: of N INPUTS it makes OUTPUTS, whose types
 * and names are set. ATTRS may be NULL; they and the arrays are kept.
 */
void sf_onnx_op_make(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const char *op_type,
    struct sf_value **inputs, int n, struct sf_value **outputs, int noutputs,
    struct sf_onnx_attr *attrs, int nattrs);

/* Adds to VALUE what the scope declares of NAME. */
bool sf_onnx_declare_found(struct sf_onnx_run *run,
    const struct sf_onnx_scope *scope, struct sf_str name,
    struct sf_value *value);

#endif
