/* Control flow: what its graphs must be like, and which branch is taken. */
#include "onnx/run/control.h"

static bool
is(const struct sf_onnx_node *node, const char *op_type)
{
	return node->domain.n == 0 && sf_str_is(node->op_type, op_type);
}

static bool
has_graphs(const struct sf_onnx_node *node)
{
	for (int i = 0; i < node->nattrs; i++)
		if (node->attrs[i].graphs != NULL)
			return true;
	return false;
}

bool
sf_onnx_control_any(const struct sf_onnx_graph *graph)
{
	for (int i = 0; i < graph->nnodes; i++)
		if (has_graphs(&graph->nodes[i]))
			return true;
	return false;
}

static const struct sf_onnx_graph *
find_graph(const struct sf_onnx_node *node, const char *name)
{
	for (int i = 0; i < node->nattrs; i++)
		if (node->attrs[i].type == SF_ONNX_ATTR_GRAPH &&
		    sf_str_is(node->attrs[i].name, name))
			return node->attrs[i].graphs[0];
	return NULL;
}

static bool
need_graph(const struct sf_onnx_node *node, const char *name,
    const struct sf_onnx_graph **graph, struct sf_error *error)
{
	*graph = find_graph(node, name);
	if (*graph == NULL)
		return sf_fail(error,
		    "attribute '%s' is not there, expected "
		    "a graph",
		    name);
	return true;
}

static bool
check_branch(
    const struct sf_onnx_node *node, const char *name, struct sf_error *error)
{
	const struct sf_onnx_graph *graph;

	if (!need_graph(node, name, &graph, error))
		return false;
	if (graph->ninputs == 0 && graph->noutputs == node->noutputs)
		return true;
	return sf_fail(error,
	    "'%s' has %d inputs and %d outputs, expected 0 and %d", name,
	    graph->ninputs, graph->noutputs, node->noutputs);
}

/*
 * A Loop has a count, a condition and N values that go round; its body takes
 * those and gives the condition, the N values, and what the Loop collects.
 */
static bool
check_loop(const struct sf_onnx_node *node, struct sf_error *error)
{
	int values = node->ninputs > 2 ? node->ninputs - 2 : 0;
	const struct sf_onnx_graph *body;

	if (!need_graph(node, "body", &body, error))
		return false;
	if (body->ninputs == values + 2 && node->noutputs >= values &&
	    body->noutputs == node->noutputs + 1)
		return true;
	return sf_fail(error,
	    "the body has %d inputs and %d outputs, expected %d and %d",
	    body->ninputs, body->noutputs, values + 2, node->noutputs + 1);
}

static bool
check_scan(const struct sf_onnx_node *node, struct sf_error *error)
{
	const struct sf_onnx_graph *body;

	if (!need_graph(node, "body", &body, error))
		return false;
	if (body->noutputs == node->noutputs)
		return true;
	return sf_fail(error, "the body has %d outputs, expected %d",
	    body->noutputs, node->noutputs);
}

bool
sf_onnx_control_check(const struct sf_onnx_node *node, struct sf_error *error)
{
	if (is(node, "If"))
		return (node->ninputs == 1 ||
			   sf_fail(error, "%d inputs, expected 1",
			       node->ninputs)) &&
		    check_branch(node, "then_branch", error) &&
		    check_branch(node, "else_branch", error);
	if (is(node, "Loop"))
		return check_loop(node, error);
	if (is(node, "Scan"))
		return check_scan(node, error);
	return true;
}

const struct sf_onnx_graph *
sf_onnx_control_branch(
    const struct sf_onnx_node *node, struct sf_value *const *inputs)
{
	const struct sf_value *condition = is(node, "If") ? inputs[0] : NULL;

	if (condition == NULL || !sf_value_has_ints(condition) ||
	    sf_value_numel(condition) != 1)
		return NULL;
	return find_graph(
	    node, condition->ints[0] != 0 ? "then_branch" : "else_branch");
}

bool
sf_onnx_control_decides(const struct sf_onnx_node *node, int i)
{
	return (is(node, "If") && i == 0) || (is(node, "Loop") && i < 2);
}

bool
sf_onnx_control_branches(const struct sf_onnx_node *node)
{
	return is(node, "If");
}

const char *
sf_onnx_control_closed(const struct sf_onnx_node *node, struct sf_arena *arena)
{
	if (!has_graphs(node))
		return NULL;
	if (is(node, "If"))
		return "the condition of If is not known, so neither branch "
		       "is expanded";
	return sf_arena_printf(arena, "the body of %.*s is not expanded",
	    SF_STR_ARG(node->op_type));
}
