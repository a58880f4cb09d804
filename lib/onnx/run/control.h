/* Operators that hold graphs: If, Loop, Scan, and those that search. */
#ifndef SF_ONNX_CONTROL_H
#define SF_ONNX_CONTROL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"
#include "onnx/run/order.h"
#include "onnx/run/run.h"

struct sf_onnx_closed;

/* A node that holds graphs, where it stands and what it is given. */
struct sf_onnx_held {
	struct sf_onnx_run *run;
	struct sf_onnx_scope *scope;
	const struct sf_onnx_node *node;
	const struct sf_onnx_names *captured; /* by the graphs, from outside */
	struct sf_value **inputs;
};

/* Some node of the graph itself holds a graph. */
bool sf_onnx_control_any(const struct sf_onnx_graph *graph);

/* NODE holds one, or must. */
bool sf_onnx_control_is(const struct sf_onnx_node *node);

/*
 * Expands the node as far as what it does is known, otherwise adds it as an
 * operator that says why it is not. False with run->error set when it can not
 * be valid.
 */
bool sf_onnx_control(const struct sf_onnx_held *held);

/* Its input I says whether or how often a graph inside runs. */
bool sf_onnx_control_decides(const struct sf_onnx_node *node, int i);

/* It runs one of its graphs, once. */
bool sf_onnx_control_branches(const struct sf_onnx_node *node);

/* ---- for the files that expand them ---- */

/* The graph in the attribute NAME, or NULL. */
const struct sf_onnx_graph *
sf_onnx_control_graph(const struct sf_onnx_node *node, const char *name);

/* The integers of the attribute NAME, *N of them; NULL when there is none. */
const int64_t *sf_onnx_control_ints(
    const struct sf_onnx_node *node, const char *name, size_t *n);

/* VALUE has one element, which is the integer or truth value *X. */
bool sf_onnx_control_number(const struct sf_value *value, int64_t *x);

/* Adds it as an operator of which CLOSED says what is known. */
bool sf_onnx_control_close(
    const struct sf_onnx_held *held, const struct sf_onnx_closed *closed);

/* Of the default domain and that type. */
bool
sf_onnx_control_named(const struct sf_onnx_node *node, const char *op_type);

/* Each as sf_onnx_control. */
bool sf_onnx_expand_if(const struct sf_onnx_held *held);
bool sf_onnx_expand_loop(const struct sf_onnx_held *held);
bool sf_onnx_expand_scan(const struct sf_onnx_held *held);
bool sf_onnx_expand_map(const struct sf_onnx_held *held);
bool sf_onnx_expand_search(const struct sf_onnx_held *held);

/* The node is a search, such as BeamSearch. */
bool sf_onnx_search_is(const struct sf_onnx_node *node);

#endif
