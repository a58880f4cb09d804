/* Goes through a model node by node and finds the shape of every value. */
#include "onnx/run/run.h"

#include <stdlib.h>

#include "onnx/run/attempt.h"
#include "onnx/run/control.h"
#include "onnx/run/dead.h"
#include "onnx/run/depends.h"
#include "onnx/run/order.h"
#include "onnx/run/stated.h"
#include "onnx/run/track.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

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

bool
sf_onnx_count_expanded(struct sf_onnx_run *run, int noutputs)
{
	run->overflow = true;
	run->widened += noutputs;
	if (run->widened > SF_ONNX_MAX_OUTPUTS)
		return sf_fail(run->error,
		    "functions and branches expand to nodes of more than %d "
		    "outputs in all",
		    SF_ONNX_MAX_OUTPUTS);
	if (++run->expanded + run->lost > SF_ONNX_MAX_EXPANDED)
		return sf_fail(run->error,
		    "functions and branches expand to more than %d nodes",
		    SF_ONNX_MAX_EXPANDED);
	if (run->tids.text + run->prefixes.text > SF_ONNX_MAX_TEXT)
		return sf_fail(run->error,
		    "the names of expanded values take more than %d bytes",
		    SF_ONNX_MAX_TEXT);
	run->overflow = false;
	return true;
}

const struct sf_onnx_body *
sf_onnx_body_of(struct sf_onnx_run *run, const struct sf_onnx_graph *graph)
{
	struct sf_str key = { (const char *)&graph, sizeof graph };
	struct sf_entry *e = sf_table_add(&run->bodies, key);
	struct sf_onnx_body *body = e->ptr;

	if (body != NULL)
		return body;
	body = sf_arena_calloc(run->base, 1, sizeof *body);
	if (!sf_onnx_order_graph(body, graph, run->base, run->error))
		return NULL;
	e->ptr = body;
	return body;
}

static bool
step(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured)
{
	struct sf_onnx_callee *callee =
	    sf_onnx_functions_find(&run->functions, node);
	struct sf_value **inputs;

	if (scope != &run->root && !sf_onnx_count_expanded(run, node->noutputs))
		return false;
	if (!sf_onnx_values_find(
		run, scope, node->inputs, (size_t)node->ninputs, &inputs))
		return false;
	if (callee != NULL && sf_onnx_stated_entry(run, node, NULL) == NULL)
		return sf_onnx_expand_call(run, scope, node, inputs, callee);
	if (sf_onnx_control_is(node))
		return sf_onnx_control(&(struct sf_onnx_held){
		    run, scope, node, captured, inputs });
	return sf_onnx_op_add(run, scope, node, captured, inputs, NULL);
}

bool
sf_onnx_walk(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
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
    struct sf_onnx_params *params, const struct sf_onnx_plan *plan,
    struct sf_arena *arena, struct sf_error *error)
{
	*run = (struct sf_onnx_run){ .arena = arena,
		.model = model,
		.params = params,
		.plan = plan,
		.stated = plan->stated,
		.base = arena,
		.error = error,
		.contents = SF_ONNX_MAX_CONTENTS,
		.trial_contents = SF_ONNX_MAX_CONTENTS };
	sf_onnx_scope_init(&run->root, NULL, arena);
	sf_table_init(&run->tids.taken, arena);
	sf_table_init(&run->prefixes.taken, arena);
	sf_table_init(&run->bodies, arena);
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
    struct sf_onnx_params *params, const struct sf_onnx_plan *plan,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_onnx_graph *graph = &model->graph;
	struct sf_onnx_body body;

	init(run, model, params, plan, arena, error);
	if (!sf_onnx_functions_init(&run->functions, model, arena, error) ||
	    !sf_onnx_order_graph(&body, graph, arena, error) ||
	    !sf_onnx_values_inits(run, &run->root, graph) ||
	    !sf_onnx_values_inputs(run, graph) ||
	    !sf_onnx_walk(run, &run->root, &body) ||
	    !find_outputs(run, graph) || !sf_onnx_params_check(params, error) ||
	    !sf_onnx_stated_check(run))
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
	sf_table_release(&run->bodies);
	free(run->groups);
	sf_onnx_attempt_release(run);
	free(run->ops);
	free(run->scratch);
}
