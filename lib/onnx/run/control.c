/* Control flow: what its graphs must be like. */
#include "onnx/run/control.h"

#include "onnx/run/walk.h"

bool
sf_onnx_control_named(const struct sf_onnx_node *node, const char *op_type)
{
	return node->domain.n == 0 && sf_str_is(node->op_type, op_type);
}

bool
sf_onnx_control_any(const struct sf_onnx_graph *graph)
{
	for (int i = 0; i < graph->nnodes; i++)
		if (sf_onnx_has_graphs(&graph->nodes[i]))
			return true;
	return false;
}

const struct sf_onnx_graph *
sf_onnx_control_graph(const struct sf_onnx_node *node, const char *name)
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
	*graph = sf_onnx_control_graph(node, name);
	if (*graph == NULL)
		return sf_fail(error,
		    "attribute '%s' is not there, expected "
		    "a graph",
		    name);
	return true;
}

/*
 * A branch takes nothing: what some tools list as its inputs are names from
 * around it.
 */
static bool
check_branch(
    const struct sf_onnx_node *node, const char *name, struct sf_error *error)
{
	const struct sf_onnx_graph *graph;

	if (!need_graph(node, name, &graph, error))
		return false;
	return graph->noutputs == node->noutputs ||
	    sf_fail(error, "'%s' has %d outputs, expected %d", name,
		graph->noutputs, node->noutputs);
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

static bool
check_map(const struct sf_onnx_node *node, struct sf_error *error)
{
	const struct sf_onnx_graph *body;

	if (!need_graph(node, "body", &body, error))
		return false;
	if (node->ninputs > 0 && body->ninputs == node->ninputs &&
	    body->noutputs == node->noutputs)
		return true;
	return sf_fail(error,
	    "the body has %d inputs and %d outputs, expected %d and %d",
	    body->ninputs, body->noutputs, node->ninputs, node->noutputs);
}

static bool
check(const struct sf_onnx_node *node, struct sf_error *error)
{
	if (sf_onnx_control_named(node, "If"))
		return (node->ninputs == 1 ||
			   sf_fail(error, "%d inputs, expected 1",
			       node->ninputs)) &&
		    check_branch(node, "then_branch", error) &&
		    check_branch(node, "else_branch", error);
	if (sf_onnx_control_named(node, "Loop"))
		return check_loop(node, error);
	if (sf_onnx_control_named(node, "Scan"))
		return check_scan(node, error);
	if (sf_onnx_control_named(node, "SequenceMap"))
		return check_map(node, error);
	return true;
}

const int64_t *
sf_onnx_control_ints(
    const struct sf_onnx_node *node, const char *name, size_t *n)
{
	*n = 0;
	for (int i = 0; i < node->nattrs; i++) {
		const struct sf_onnx_attr *a = &node->attrs[i];

		if (!sf_str_is(a->name, name))
			continue;
		if (a->type == SF_ONNX_ATTR_INT) {
			*n = 1;
			return &a->i;
		}
		if (a->type == SF_ONNX_ATTR_INTS) {
			*n = a->n;
			return a->ints;
		}
	}
	return NULL;
}

bool
sf_onnx_control_number(const struct sf_value *value, int64_t *x)
{
	if (value == NULL || !sf_value_has_ints(value) ||
	    sf_value_numel(value) != 1)
		return false;
	*x = value->ints[0];
	return true;
}

bool
sf_onnx_control_decides(const struct sf_onnx_node *node, int i)
{
	return (sf_onnx_control_named(node, "If") && i == 0) ||
	    (sf_onnx_control_named(node, "Loop") && i < 2);
}

bool
sf_onnx_control_branches(const struct sf_onnx_node *node)
{
	return sf_onnx_control_named(node, "If");
}

/* Those of the default domain. */
static const struct {
	const char *op_type;
	bool (*expand)(const struct sf_onnx_held *held);
} controls[] = {
	{ "If", sf_onnx_expand_if },
	{ "Loop", sf_onnx_expand_loop },
	{ "Scan", sf_onnx_expand_scan },
	{ "SequenceMap", sf_onnx_expand_map },
};

enum {
	NCONTROLS = sizeof controls / sizeof controls[0]
};

/* Its place among them, NCONTROLS when it is none. */
static size_t
control_of(const struct sf_onnx_node *node)
{
	size_t i = 0;

	while (
	    i < NCONTROLS && !sf_onnx_control_named(node, controls[i].op_type))
		i++;
	return i;
}

bool
sf_onnx_control_is(const struct sf_onnx_node *node)
{
	return sf_onnx_has_graphs(node) || control_of(node) < NCONTROLS ||
	    sf_onnx_search_is(node);
}

bool
sf_onnx_control_close(
    const struct sf_onnx_held *h, const struct sf_onnx_closed *closed)
{
	return sf_onnx_op_add(
	    h->run, h->scope, h->node, h->captured, h->inputs, closed);
}

bool
sf_onnx_control(const struct sf_onnx_held *h)
{
	struct sf_onnx_closed closed = { 0 };
	size_t control = control_of(h->node);

	if (!check(h->node, h->run->error))
		return false;
	if (control < NCONTROLS)
		return controls[control].expand(h);
	if (sf_onnx_search_is(h->node))
		return sf_onnx_expand_search(h);
	closed.why = sf_arena_printf(h->run->arena,
	    "the graphs in %.*s are not expanded",
	    SF_STR_ARG(h->node->op_type));
	return sf_onnx_control_close(h, &closed);
}
