/* Tensors and operators of a model's trace. */
#include "model/graph.h"

#include <string.h>

#include "base/buf.h"
#include "base/die.h"
#include "base/num.h"
#include "model/stride.h"

static SF_NORETURN void
die_of_size(const struct sf_graph *graph, int rank, const int64_t *shape)
{
	struct sf_buf text = { 0 };

	for (int i = 0; i < rank; i++)
		sf_buf_printf(
		    &text, "%s%lld", i != 0 ? "," : "", (long long)shape[i]);
	sf_die(SF_EX_INPUT, "%s: a tensor of [%.*s] has more than 2^63-1 bytes",
	    graph->source, (int)text.n, text.p);
}

static int64_t
item_bytes(enum sf_dtype dtype)
{
	return sf_dtype_bits(dtype) / 8;
}

struct sf_val *
sf_val_new(
    struct sf_graph *graph, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	struct sf_val *val = sf_arena_calloc(graph->arena, 1, sizeof *val);
	int64_t numel, bytes;

	if (rank > SF_VAL_RANK)
		sf_bug("a tensor of %d dimensions", rank);
	val->rank = rank;
	val->dtype = dtype;
	if (rank != 0)
		memcpy(val->shape, shape, (size_t)rank * sizeof *shape);
	if (!sf_mul_all(val->shape, (size_t)rank, &numel) ||
	    !sf_mul(numel, item_bytes(dtype), &bytes))
		die_of_size(graph, rank, shape);
	sf_stride_dense(val);
	return val;
}

struct sf_val *
sf_val_like(struct sf_graph *graph, const struct sf_val *val)
{
	struct sf_val *copy = sf_arena_alloc(graph->arena, sizeof *copy);

	*copy = *val;
	copy->name = NULL;
	copy->number = 0;
	copy->wanted = false;
	copy->floating = NULL;
	return copy;
}

int64_t
sf_val_numel(const struct sf_val *val)
{
	int64_t numel;

	/* It was checked when the tensor was made. */
	if (!sf_mul_all(val->shape, (size_t)val->rank, &numel))
		sf_bug("a tensor that is too large");
	return numel;
}

int64_t
sf_val_stored(const struct sf_val *val)
{
	if (val->stored != 0)
		return val->stored;
	return sf_val_numel(val) * item_bytes(val->dtype);
}

void
sf_graph_store(struct sf_graph *graph, struct sf_val *val, int64_t bytes)
{
	if (!sf_add(graph->param_bytes - sf_val_stored(val), bytes,
		&graph->param_bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the parameters have more than 2^63-1 bytes",
		    graph->source);
	val->stored = bytes;
}

struct sf_val *
sf_graph_param(struct sf_graph *graph, const char *name, enum sf_dtype dtype,
    int rank, const int64_t *shape)
{
	struct sf_val *val = sf_val_new(graph, dtype, rank, shape);
	int64_t numel = sf_val_numel(val);

	val->name = name;
	val->param = true;
	if (!sf_add(graph->param_elements, numel, &graph->param_elements) ||
	    !sf_add(graph->param_bytes, numel * item_bytes(dtype),
		&graph->param_bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the parameters have more than 2^63-1 bytes",
		    graph->source);
	return val;
}

static struct sf_val **
keep(struct sf_val **to, struct sf_val *const *vals, int n)
{
	if (n != 0)
		memcpy(to, vals, (size_t)n * sizeof *vals);
	return to;
}

/* The tensors lie behind the node. */
static struct sf_graph_node *
make_node(struct sf_graph *graph, const char *op, struct sf_val *const *inputs,
    int ninputs, struct sf_val *const *outputs, int noutputs)
{
	struct sf_graph_node *node = sf_arena_alloc(graph->arena,
	    sizeof *node + (size_t)(ninputs + noutputs) * sizeof *inputs);
	struct sf_val **vals = (struct sf_val **)(node + 1);

	*node = (struct sf_graph_node){ .op = op,
		.module = graph->module,
		.inputs = keep(vals, inputs, ninputs),
		.ninputs = ninputs,
		.outputs = keep(vals + ninputs, outputs, noutputs),
		.noutputs = noutputs };
	return node;
}

/* Links NODE before NEXT, at the end when that is NULL. */
static void
link_node(struct sf_graph *graph, struct sf_graph_node *node,
    struct sf_graph_node *next)
{
	node->next = next;
	node->prev = next != NULL ? next->prev : graph->last;
	if (node->prev != NULL)
		node->prev->next = node;
	else
		graph->first = node;
	if (next != NULL)
		next->prev = node;
	else
		graph->last = node;
}

struct sf_graph_node *
sf_graph_add(struct sf_graph *graph, const char *op,
    struct sf_val *const *inputs, int ninputs, struct sf_val *const *outputs,
    int noutputs)
{
	struct sf_graph_node *node =
	    make_node(graph, op, inputs, ninputs, outputs, noutputs);

	link_node(graph, node, NULL);
	return node;
}

struct sf_graph_node *
sf_graph_insert(struct sf_graph *graph, struct sf_graph_node *next,
    const char *op, struct sf_val *const *inputs, int ninputs,
    struct sf_val *const *outputs, int noutputs)
{
	struct sf_graph_node *node =
	    make_node(graph, op, inputs, ninputs, outputs, noutputs);

	node->module = next->module;
	link_node(graph, node, next);
	return node;
}

void
sf_graph_float(
    struct sf_graph *graph, const char *op, struct sf_val *output, bool folded)
{
	output->floating = make_node(graph, op, NULL, 0, &output, 1);
	output->floating->folded = folded;
}

void
sf_graph_hold(struct sf_graph *graph, struct sf_val *val)
{
	sf_graph_add(graph, NULL, &val, 1, NULL, 0)->effect = true;
}

static void
unlink_node(struct sf_graph *graph, struct sf_graph_node *node)
{
	if (node->prev != NULL)
		node->prev->next = node->next;
	else
		graph->first = node->next;
	if (node->next != NULL)
		node->next->prev = node->prev;
	else
		graph->last = node->prev;
}

void
sf_graph_drop(struct sf_graph *graph, struct sf_graph_node *node)
{
	unlink_node(graph, node);
}

void
sf_graph_cut(struct sf_graph *graph, struct sf_graph_node *last)
{
	graph->last = last;
	if (last != NULL)
		last->next = NULL;
	else
		graph->first = NULL;
}

static bool
stays(const struct sf_graph_node *node)
{
	for (int i = 0; i < node->noutputs; i++)
		if (node->outputs[i]->wanted)
			return true;
	return node->effect;
}

static void
want(struct sf_val *const *vals, int n, bool wanted)
{
	for (int i = 0; i < n; i++)
		if (vals[i] != NULL)
			vals[i]->wanted = wanted;
}

static void
drop_unwanted(struct sf_graph *graph, struct sf_val *result)
{
	struct sf_graph_node *prev;

	for (struct sf_graph_node *n = graph->first; n != NULL; n = n->next)
		want(n->outputs, n->noutputs, false);
	result->wanted = true;
	for (struct sf_graph_node *n = graph->last; n != NULL; n = prev) {
		prev = n->prev;
		if (stays(n))
			want(n->inputs, n->ninputs, true);
		else
			unlink_node(graph, n);
	}
}

static void
drop_holds(struct sf_graph *graph)
{
	struct sf_graph_node *next;

	for (struct sf_graph_node *n = graph->first; n != NULL; n = next) {
		next = n->next;
		if (n->op == NULL)
			unlink_node(graph, n);
	}
}

static void
place_floating(struct sf_graph *graph)
{
	for (struct sf_graph_node *n = graph->first; n != NULL; n = n->next)
		for (int i = 0; i < n->ninputs; i++) {
			struct sf_val *val = n->inputs[i];

			if (val == NULL || val->floating == NULL)
				continue;
			link_node(graph, val->floating, n);
			val->floating = NULL;
		}
}

void
sf_graph_prune(struct sf_graph *graph, struct sf_val *result)
{
	drop_unwanted(graph, result);
	place_floating(graph);
	drop_holds(graph);
	drop_unwanted(graph, result);
}
