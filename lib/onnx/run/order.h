/* The order in which the nodes of a graph or function can be computed. */
#ifndef SF_ONNX_ORDER_H
#define SF_ONNX_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "onnx/read/model.h"

struct sf_onnx_names {
	struct sf_str *v;
	size_t n;
};

/*
 * Nodes in order. Everything lives in the arena that made it.
 *
 * A name that two Constant nodes make is the later one's, as ONNX Runtime has
 * it (such files exist: someone changed a constant by adding another one); the
 * earlier ones, NREPLACED of them, are not in the order.
 */
struct sf_onnx_body {
	const struct sf_onnx_node *nodes;
	int nnodes;
	int *order; /* indices; those of the file when they will do */
	int norder; /* NNODES - NREPLACED */
	int nreplaced;
	/*
	 * By node: the names that the graphs in its attributes take from
	 * outside; NULL when no node has a graph.
	 */
	struct sf_onnx_names *captured;
};

/*
 * Orders the nodes of a body in which the names of DEFINED are there from the
 * start: each node behind those it needs, otherwise as they stand in the file.
 * False with the error set when a name is produced twice or nodes need each
 * other in a cycle. Takes time in proportion to the nodes and their inputs.
 */
bool sf_onnx_order(struct sf_onnx_body *body, const struct sf_onnx_node *nodes,
    int nnodes, const struct sf_onnx_names *defined, struct sf_arena *arena,
    struct sf_error *error);

/* The same for a graph, whose inputs and initializers are there. */
bool sf_onnx_order_graph(struct sf_onnx_body *body,
    const struct sf_onnx_graph *graph, struct sf_arena *arena,
    struct sf_error *error);

/* An attribute of the node is a graph, or a list of some. */
bool sf_onnx_has_graphs(const struct sf_onnx_node *node);

/* "node 'conv1' (Conv)", or "the Conv that makes 'y'" when it has no name. */
const char *
sf_onnx_node_label(const struct sf_onnx_node *node, struct sf_arena *arena);

#endif
