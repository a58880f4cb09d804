/* Operators that hold graphs: If, Loop, Scan. */
#ifndef SF_ONNX_CONTROL_H
#define SF_ONNX_CONTROL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"

/* Some node of the graph itself holds a graph. */
bool sf_onnx_control_any(const struct sf_onnx_graph *graph);

/*
 * The graphs of an If, a Loop or a Scan are there and have the inputs and
 * outputs that they must have; true for all other nodes.
 */
bool
sf_onnx_control_check(const struct sf_onnx_node *node, struct sf_error *error);

/* The branch that an If takes when that is known; NULL otherwise. */
const struct sf_onnx_graph *sf_onnx_control_branch(
    const struct sf_onnx_node *node, struct sf_value *const *inputs);

/* Its input I says whether or how often a graph inside runs. */
bool sf_onnx_control_decides(const struct sf_onnx_node *node, int i);

/* It runs one of its graphs, once. */
bool sf_onnx_control_branches(const struct sf_onnx_node *node);

/* Why the node's graphs are not expanded; NULL when it has none. */
const char *
sf_onnx_control_closed(const struct sf_onnx_node *node, struct sf_arena *arena);

#endif
