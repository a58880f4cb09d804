/* Goes through a model node by node and finds the shape of every value. */
#include "onnx/run/run.h"

#include <stdlib.h>

#include "onnx/infer/declared.h"
#include "onnx/ops/rules.h"
#include "onnx/run/control.h"
#include "onnx/run/dead.h"
#include "onnx/run/depends.h"
#include "onnx/run/order.h"
#include "onnx/run/stated.h"
#include "onnx/run/track.h"
#include "onnx/run/values.h"

static bool walk(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_body *body);

/* ---- messages ---- */

/* The end of a long place, which says most. */
static struct sf_str
end_of(struct sf_str place)
{
	enum {
		MOST = 100
	};
	size_t from = place.n > MOST ? place.n - MOST : 0;

	while (from < place.n && from != 0 && (place.p[from] & 0xc0) == 0x80)
		from++;
	return (struct sf_str){ place.p + from, place.n - from };
}

/* Puts the place of the innermost node before what went wrong. */
static bool
fail_at(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node)
{
	struct sf_error inner = *run->error;
	const char *label = sf_onnx_node_label(node, run->arena);

	if (run->placed)
		return false;
	run->placed = true;
	if (scope->prefix.n != 0)
		return sf_fail(run->error, "%s in '%s%.*s': %s", label,
		    end_of(scope->prefix).n < scope->prefix.n ? "..." : "",
		    SF_STR_ARG(end_of(scope->prefix)), inner.text);
	return sf_fail(run->error, "%s: %s", label, inner.text);
}

/* ---- expansion ---- */

/* The scope for a function that NODE calls or a branch that it takes. */
static bool
enter(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_onnx_scope *inner)
{
	struct sf_str name = node->name;

	for (int i = 0; i < node->noutputs && name.n == 0; i++)
		name = node->outputs[i];
	inner->prefix = sf_onnx_tids_make(&run->prefixes, scope->prefix, name);
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

static bool
declare_more(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    struct sf_str name, struct sf_value *value)
{
	const struct sf_onnx_info *info = sf_onnx_scope_declared(scope, name);
	const char *contradiction;

	if (info == NULL)
		return true;
	contradiction = sf_onnx_declare_more(value, &info->type, run->arena);
	if (contradiction != NULL && run->ncontradictions++ == 0)
		run->contradiction = contradiction;
	if (value->why != NULL && sf_value_resolved(value))
		value->why = NULL;
	return sf_onnx_value_check(run, value);
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
	return declare_more(run, scope, node->outputs[i], value);
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
		run->arena, run->error))
		return false;
	callee->ordered = true;
	for (int i = 0; i < f->ninputs; i++)
		sf_table_add(&inner->values, f->inputs[i])->ptr =
		    i < node->ninputs ? inputs[i] : NULL;
	for (int i = 0; i < node->noutputs; i++)
		rename_output(run, scope, node, i, inner, f->outputs[i]);
	sf_onnx_scope_declare(inner, f->infos, f->ninfos);
	if (!walk(run, inner, &callee->body))
		return false;
	for (int i = 0; i < node->noutputs; i++)
		if (!hand_out(run, scope, node, i, inner, f->outputs[i]))
			return false;
	return true;
}

static bool
expand_call(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
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
	ok = enter(run, scope, node, &inner) &&
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
	struct sf_onnx_body body;

	if (!sf_onnx_order_graph(&body, graph, run->arena, run->error))
		return false;
	for (int i = 0; i < node->noutputs; i++)
		rename_output(
		    run, scope, node, i, inner, graph->outputs[i].name);
	sf_onnx_scope_declare(inner, graph->infos, graph->ninfos);
	sf_onnx_scope_declare(inner, graph->outputs, graph->noutputs);
	if (!sf_onnx_values_inits(run, inner, graph) ||
	    !walk(run, inner, &body))
		return false;
	for (int i = 0; i < node->noutputs; i++)
		if (!hand_out(
			run, scope, node, i, inner, graph->outputs[i].name))
			return false;
	return true;
}

static bool
expand_branch(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_graph *graph)
{
	struct sf_onnx_scope inner;
	bool ok;

	sf_onnx_scope_init(&inner, scope, run->arena);
	inner.function = scope->function;
	inner.call = scope->call;
	ok = enter(run, scope, node, &inner) &&
	    walk_branch(run, scope, node, &inner, graph);
	sf_onnx_scope_release(&inner);
	return ok;
}

/* ---- operators ---- */

static bool
find_opset(const struct sf_onnx_opset *opsets, int n, struct sf_str domain,
    int64_t *version)
{
	for (int i = 0; i < n; i++)
		if (sf_str_eq(opsets[i].domain, domain)) {
			*version = opsets[i].version;
			return true;
		}
	return false;
}

/* The version of NODE's operator set, as its function or the model has it. */
static bool
opset_of(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int64_t *version)
{
	const struct sf_onnx_function *f = scope->function;
	const struct sf_onnx_model *model = run->model;

	if (f != NULL &&
	    find_opset(f->opsets, f->nopsets, node->domain, version))
		return true;
	if (find_opset(model->opsets, model->nopsets, node->domain, version))
		return true;
	/* Before IR version 3 there was one set; others begin at 1. */
	*version = 1;
	if (node->domain.n != 0 || model->ir_version < 3)
		return true;
	return sf_fail(run->error,
	    "the model does not say which version of the default operator set "
	    "it uses");
}

static struct sf_onnx_op *
new_op(struct sf_onnx_run *run)
{
	if (run->nops == run->room) {
		run->room = run->room != 0 ? run->room * 2 : 256;
		run->ops = sf_reallocarray(
		    run->ops, (size_t)run->room, sizeof *run->ops);
	}
	run->ops[run->nops] = (struct sf_onnx_op){ 0 };
	return &run->ops[run->nops++];
}

static struct sf_str
op_name(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node)
{
	struct sf_str stem = scope->prefix, name = node->name;
	char *text;

	if (stem.n == 0)
		return name;
	if (name.n == 0)
		return stem;
	text = sf_arena_alloc(run->arena, stem.n + 1 + name.n);
	memcpy(text, stem.p, stem.n);
	text[stem.n] = '/';
	memcpy(text + stem.n + 1, name.p, name.n);
	run->tids.text += stem.n + name.n;
	return (struct sf_str){ text, stem.n + 1 + name.n };
}

static struct sf_value *
clear_scratch(struct sf_onnx_run *run, int n)
{
	if (n > run->scratch_room) {
		run->scratch_room = n;
		run->scratch = sf_reallocarray(
		    run->scratch, (size_t)n, sizeof *run->scratch);
	}
	for (int i = 0; i < n; i++)
		run->scratch[i] =
		    (struct sf_value){ .dtype = SF_DT_UNKNOWN, .nitems = -1 };
	return run->scratch;
}

/* Why the outputs of NODE cannot be found out. */
static const char *
no_rule(struct sf_onnx_run *run, const struct sf_onnx_node *node, int64_t opset,
    struct sf_str output)
{
	const char *of = "";

	if (node->domain.n == 0)
		of = sf_arena_printf(
		    run->arena, " of opset %lld", (long long)opset);
	return sf_arena_printf(run->arena,
	    "no shape rule for operator type '%.*s%s%.*s'%s; --rules FILE with "
	    "'out =', or --shape %s gives it",
	    SF_STR_ARG(node->domain), node->domain.n != 0 ? "." : "",
	    SF_STR_ARG(node->op_type), of,
	    sf_onnx_value_argument(run, output, "..."));
}

/* Runs the rule; op->folded: the outputs can be computed beforehand. */
static bool
infer(struct sf_onnx_run *run, struct sf_infer *in, struct sf_onnx_op *op)
{
	const struct sf_infer_entry *entry = sf_onnx_stated_entry(run, in->node,
	    sf_infer_find(in->node->domain, in->node->op_type, in->opset));

	op->entry = entry;
	if (entry != NULL && !sf_infer_run(in, entry))
		return false;
	op->folded = entry != NULL && op->closed == NULL &&
	    !sf_infer_random(entry, in->node->ninputs);
	for (int i = 0; i < in->ninputs; i++)
		op->folded = op->folded &&
		    (in->inputs[i] == NULL || in->inputs[i]->constant);
	for (int i = 0; i < in->noutputs; i++) {
		struct sf_value *out = &in->outputs[i];

		if (out->why != NULL || sf_onnx_value_open(out) == NULL)
			continue;
		out->why = op->closed;
		if (entry == NULL && op->closed == NULL)
			out->why = no_rule(run, in->node, in->opset, out->name);
	}
	return true;
}

/* The reason is not one that an input had. */
static bool
own_reason(const struct sf_onnx_op *op, const char *why)
{
	for (int i = 0; i < op->ninputs; i++)
		if (op->inputs[i] != NULL && op->inputs[i]->why == why)
			return false;
	return true;
}

/* Output I of the op is the value that the rule left in the scratch. */
static bool
keep_output(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    struct sf_onnx_op *op, int i)
{
	struct sf_str name = op->node->outputs[i];
	struct sf_value *value = sf_onnx_value_new(run, run->scratch[i].name);

	*value = run->scratch[i];
	value->constant = op->folded;
	sf_onnx_value_of(value)->made = run->nops;
	if (!declare_more(run, scope, name, value) ||
	    !sf_onnx_stated_shape(run, value, op) ||
	    !sf_onnx_value_check(run, value))
		return false;
	if (value->why != NULL && op->entry != NULL &&
	    op->entry->stated == NULL && op->closed == NULL &&
	    sf_onnx_value_open(value) != NULL && own_reason(op, value->why))
		value->why = sf_onnx_depends_output(run, i, value);
	op->outputs[i] = value;
	sf_table_add(&scope->values, name)->ptr = value;
	if (sf_onnx_params_listed(run->params, value->name)) {
		sf_onnx_value_of(value)->computed = op->ninputs != 0;
		sf_onnx_track_leaf(run, value, SF_ONNX_LEAF_SURE, NULL);
	}
	if (op->folded && op->ninputs == 0)
		sf_onnx_track_leaf(run, value,
		    sf_onnx_params_constant(run->params, value->name),
		    scope->function != NULL ? op->node : NULL);
	return true;
}

static bool
keep_outputs(
    struct sf_onnx_run *run, struct sf_onnx_scope *scope, struct sf_onnx_op *op)
{
	op->noutputs = op->node->noutputs;
	op->outputs = sf_arena_calloc(
	    run->arena, (size_t)op->noutputs, sizeof(struct sf_value *));
	for (int i = 0; i < op->noutputs; i++)
		if (op->node->outputs[i].n != 0 &&
		    !keep_output(run, scope, op, i))
			return false;
	return true;
}

static bool
add_op(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs, const char *closed)
{
	struct sf_onnx_op *op = new_op(run);
	struct sf_infer in = { .arena = run->arena,
		.node = node,
		.inputs = inputs,
		.ninputs = node->ninputs,
		.outputs = clear_scratch(run, node->noutputs),
		.noutputs = node->noutputs,
		.contents = &run->contents,
		.error = run->error };

	op->node = node;
	op->name = op_name(run, scope, node);
	op->inputs = inputs;
	op->closed = closed;
	while (in.ninputs > 0 && node->inputs[in.ninputs - 1].n == 0)
		in.ninputs--;
	op->ninputs = in.ninputs;
	if (captured != NULL) {
		if (!sf_onnx_values_find(
			run, scope, captured->v, captured->n, &op->captured))
			return false;
		op->ncaptured = (int)captured->n;
	}
	for (int i = 0; i < node->noutputs; i++)
		run->scratch[i].name = node->outputs[i].n != 0
		    ? sf_onnx_value_tid(run, scope, node->outputs[i])
		    : SF_STR("");
	if (!opset_of(run, scope, node, &in.opset))
		return false;
	op->opset = in.opset;
	if (!infer(run, &in, op))
		return false;
	if (in.oddity != NULL && run->nodd++ == 0)
		run->odd = sf_arena_printf(run->arena, "%s: %s",
		    sf_onnx_node_label(node, run->arena), in.oddity);
	return keep_outputs(run, scope, op);
}

/* A bound on what calls and branches turn into. */
static bool
count_expanded(struct sf_onnx_run *run)
{
	if (++run->expanded > SF_ONNX_MAX_EXPANDED)
		return sf_fail(run->error,
		    "functions and branches expand to more than %d nodes",
		    SF_ONNX_MAX_EXPANDED);
	if (run->tids.text + run->prefixes.text > SF_ONNX_MAX_TEXT)
		return sf_fail(run->error,
		    "the names of expanded values take more than %d bytes",
		    SF_ONNX_MAX_TEXT);
	return true;
}

static bool
step(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured)
{
	struct sf_onnx_callee *callee =
	    sf_onnx_functions_find(&run->functions, node);
	const struct sf_onnx_graph *branch;
	struct sf_value **inputs;
	const char *closed;

	if (scope != &run->root && !count_expanded(run))
		return false;
	if (!sf_onnx_values_find(
		run, scope, node->inputs, (size_t)node->ninputs, &inputs))
		return false;
	if (callee != NULL && sf_onnx_stated_entry(run, node, NULL) == NULL)
		return expand_call(run, scope, node, inputs, callee);
	if (!sf_onnx_control_check(node, run->error))
		return false;
	branch = sf_onnx_control_branch(node, inputs);
	if (branch != NULL) {
		/* What decides is still computed. */
		sf_onnx_value_of(inputs[0])->live = true;
		return expand_branch(run, scope, node, branch);
	}
	closed = sf_onnx_control_closed(node, run->arena);
	if (closed != NULL)
		closed = sf_onnx_depends_closed(run, node, inputs, closed);
	return add_op(run, scope, node, captured, inputs, closed);
}

static bool
walk(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_body *body)
{
	run->nreplaced += body->nreplaced;
	for (int i = 0; i < body->norder; i++) {
		int at = body->order[i];
		const struct sf_onnx_node *node = &body->nodes[at];
		const struct sf_onnx_names *captured = NULL;

		if (scope->function != NULL)
			node = sf_onnx_function_node(scope->function,
			    scope->call, node, run->arena, run->error);
		if (node == NULL)
			return fail_at(run, scope, &body->nodes[at]);
		if (body->captured != NULL && body->captured[at].n != 0)
			captured = &body->captured[at];
		if (!step(run, scope, node, captured))
			return fail_at(run, scope, node);
	}
	return true;
}

/* ---- the whole model ---- */

static void
take_names(struct sf_onnx_run *run, const struct sf_onnx_graph *graph)
{
	struct sf_table *taken = &run->tids.taken;

	for (int i = 0; i < graph->ninputs; i++)
		sf_table_add(taken, graph->inputs[i].name)->num = 1;
	for (int i = 0; i < graph->ninits; i++)
		sf_table_add(taken, graph->inits[i].name)->num = 1;
	for (int i = 0; i < graph->nnodes; i++)
		for (int k = 0; k < graph->nodes[i].noutputs; k++)
			sf_table_add(taken, graph->nodes[i].outputs[k])->num =
			    1;
}

static bool
find_outputs(struct sf_onnx_run *run, const struct sf_onnx_graph *graph)
{
	run->noutputs = graph->noutputs;
	run->outputs = sf_arena_calloc(
	    run->arena, (size_t)graph->noutputs, sizeof(struct sf_value *));
	for (int i = 0; i < graph->noutputs; i++)
		if (!sf_onnx_scope_find(
			&run->root, graph->outputs[i].name, &run->outputs[i]))
			return sf_fail(run->error,
			    "output '%.*s' comes from nowhere: no node, input "
			    "or initializer has that name",
			    SF_STR_ARG(graph->outputs[i].name));
	return true;
}

static void
init(struct sf_onnx_run *run, struct sf_onnx_model *model,
    struct sf_onnx_params *params, struct sf_onnx_stated *stated,
    struct sf_arena *arena, struct sf_error *error)
{
	*run = (struct sf_onnx_run){ .arena = arena,
		.model = model,
		.params = params,
		.stated = stated,
		.error = error,
		.contents = SF_ONNX_MAX_CONTENTS,
		.trial_contents = SF_ONNX_MAX_CONTENTS };
	sf_onnx_scope_init(&run->root, NULL, arena);
	sf_table_init(&run->tids.taken, arena);
	sf_table_init(&run->prefixes.taken, arena);
	/* Only expansion makes up names. */
	if (model->nfunctions != 0 || sf_onnx_control_any(&model->graph))
		take_names(run, &model->graph);
	sf_onnx_scope_declare(
	    &run->root, model->graph.infos, model->graph.ninfos);
	sf_onnx_scope_declare(
	    &run->root, model->graph.outputs, model->graph.noutputs);
}

bool
sf_onnx_run(struct sf_onnx_run *run, struct sf_onnx_model *model,
    struct sf_onnx_params *params, struct sf_onnx_stated *stated,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_onnx_graph *graph = &model->graph;
	struct sf_onnx_body body;

	init(run, model, params, stated, arena, error);
	if (!sf_onnx_functions_init(&run->functions, model, arena, error) ||
	    !sf_onnx_order_graph(&body, graph, arena, error) ||
	    !sf_onnx_values_inits(run, &run->root, graph) ||
	    !sf_onnx_values_inputs(run, graph) ||
	    !walk(run, &run->root, &body) || !find_outputs(run, graph) ||
	    !sf_onnx_params_check(params, error) || !sf_onnx_stated_check(run))
		return false;
	sf_onnx_mark_dead(run);
	return sf_onnx_track(run);
}

void
sf_onnx_run_release(struct sf_onnx_run *run)
{
	sf_onnx_scope_release(&run->root);
	sf_onnx_functions_release(&run->functions);
	sf_table_release(&run->tids.taken);
	sf_table_release(&run->prefixes.taken);
	free(run->ops);
	free(run->scratch);
}
