/* Calls of functions and branches, in the place of their nodes. */
#include "onnx/run/walk.h"

#include "onnx/run/values.h"

/* The scope for a function that NODE calls or a branch that it takes. */
bool
sf_onnx_enter(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_onnx_scope *inner)
{
	struct sf_str name = node->name;

	for (int i = 0; i < node->noutputs && name.n == 0; i++)
		name = node->outputs[i];
	inner->prefix = sf_onnx_tids_make(&run->prefixes, scope->prefix, name);
	inner->module = node->module.n != 0 ? node->module : scope->module;
	inner->depth = scope->depth + 1;
	if (inner->depth > SF_ONNX_MAX_CALL_DEPTH)
		return sf_fail(run->error,
		    "calls and branches are nested deeper than %d",
		    SF_ONNX_MAX_CALL_DEPTH);
	return true;
}

/* What the body calls INNER_NAME becomes the node's output I. */
static void
rename_output(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int i, struct sf_onnx_scope *inner,
    struct sf_str inner_name)
{
	struct sf_entry *e;
	struct sf_str *tid;

	if (node->outputs[i].n == 0)
		return;
	e = sf_table_add(&inner->renamed, inner_name);
	if (e->ptr != NULL)
		return;
	tid = sf_arena_alloc(run->arena, sizeof *tid);
	*tid = sf_onnx_value_tid(run, scope, node->outputs[i]);
	e->ptr = tid;
}

/* The node's output I is what the body calls INNER_NAME. */
static bool
hand_out(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int i, struct sf_onnx_scope *inner,
    struct sf_str inner_name)
{
	struct sf_value *value = NULL;

	if (!sf_onnx_scope_find(inner, inner_name, &value) || value == NULL)
		return sf_fail(run->error,
		    "nothing in it makes its output '%.*s'",
		    SF_STR_ARG(inner_name));
	if (node->outputs[i].n == 0)
		return true;
	sf_table_add(&scope->values, node->outputs[i])->ptr = value;
	return sf_onnx_declare_found(run, scope, node->outputs[i], value);
}

static bool
walk_function(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_value **inputs,
    struct sf_onnx_scope *inner, struct sf_onnx_callee *callee)
{
	const struct sf_onnx_function *f = callee->function;
	struct sf_onnx_names defined = { f->inputs, (size_t)f->ninputs };

	if (node->ninputs > f->ninputs || node->noutputs > f->noutputs)
		return sf_fail(run->error,
		    "%d inputs and %d outputs, but the function has %d and %d",
		    node->ninputs, node->noutputs, f->ninputs, f->noutputs);
	if (!callee->ordered &&
	    !sf_onnx_order(&callee->body, f->nodes, f->nnodes, &defined,
		run->base, run->error))
		return false;
	callee->ordered = true;
	for (int i = 0; i < f->ninputs; i++)
		sf_table_add(&inner->values, f->inputs[i])->ptr =
		    i < node->ninputs ? inputs[i] : NULL;
	for (int i = 0; i < node->noutputs; i++)
		rename_output(run, scope, node, i, inner, f->outputs[i]);
	sf_onnx_scope_declare(inner, f->infos, f->ninfos);
	if (!sf_onnx_walk(run, inner, &callee->body))
		return false;
	for (int i = 0; i < node->noutputs; i++)
		if (!hand_out(run, scope, node, i, inner, f->outputs[i]))
			return false;
	return true;
}

bool
sf_onnx_expand_call(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_value **inputs,
    struct sf_onnx_callee *callee)
{
	struct sf_onnx_scope inner;
	bool ok;

	if (callee->active)
		return sf_fail(run->error, "the function calls itself");
	sf_onnx_scope_init(&inner, NULL, run->arena);
	inner.function = callee->function;
	inner.call = node;
	callee->active = true;
	ok = sf_onnx_enter(run, scope, node, &inner) &&
	    walk_function(run, scope, node, inputs, &inner, callee);
	callee->active = false;
	sf_onnx_scope_release(&inner);
	return ok;
}

static bool
walk_branch(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_onnx_scope *inner,
    const struct sf_onnx_graph *graph)
{
	const struct sf_onnx_body *body = sf_onnx_body_of(run, graph);

	if (body == NULL)
		return false;
	for (int i = 0; i < node->noutputs; i++)
		rename_output(
		    run, scope, node, i, inner, graph->outputs[i].name);
	sf_onnx_scope_declare(inner, graph->infos, graph->ninfos);
	sf_onnx_scope_declare(inner, graph->outputs, graph->noutputs);
	if (!sf_onnx_values_inits(run, inner, graph) ||
	    !sf_onnx_walk(run, inner, body))
		return false;
	for (int i = 0; i < node->noutputs; i++)
		if (!hand_out(
			run, scope, node, i, inner, graph->outputs[i].name))
			return false;
	return true;
}

bool
sf_onnx_expand_branch(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_graph *graph)
{
	struct sf_onnx_scope inner;
	bool ok;

	sf_onnx_scope_init(&inner, scope, run->arena);
	inner.function = scope->function;
	inner.call = scope->call;
	ok = sf_onnx_enter(run, scope, node, &inner) &&
	    walk_branch(run, scope, node, &inner, graph);
	sf_onnx_scope_release(&inner);
	return ok;
}
