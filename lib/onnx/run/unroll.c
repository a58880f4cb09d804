/* Expands a graph inside a node step by step. */
#include "onnx/run/unroll.h"

#include <stdio.h>
#include <stdlib.h>

#include "onnx/infer/declared.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

/* ---- values that are seen inside ---- */

struct sf_value *
sf_onnx_alias(struct sf_onnx_run *run, const struct sf_value *value, int item)
{
	const struct sf_onnx_value *from =
	    (const struct sf_onnx_value *)(const void *)value;
	struct sf_onnx_value *of = sf_arena_calloc(run->arena, 1, sizeof *of);

	of->v = item >= 0 ? *value->items[item] : *value;
	of->v.constant = false;
	of->v.param = false;
	if (item >= 0)
		of->v.name = sf_str_of(sf_arena_printf(
		    run->arena, "%.*s[%d]", SF_STR_ARG(value->name), item));
	of->made = from->made;
	of->elements = -1;
	of->item = item >= 0 ? item : from->item;
	of->alias_of = from->alias_of;
	if (of->alias_of == NULL || item >= 0)
		of->alias_of =
		    sf_onnx_value_of((struct sf_value *)(uintptr_t)value);
	of->next = run->aliases;
	run->aliases = of;
	return &of->v;
}

static void
put(struct sf_onnx_unroll *u, int i, struct sf_value *value)
{
	struct sf_str name = u->graph->inputs[i].name;
	const struct sf_onnx_info *info =
	    sf_onnx_scope_declared(&u->frame, name);

	if (value != NULL && info != NULL && !sf_value_resolved(value))
		sf_onnx_declare_more(value, &info->type, u->run->arena);
	sf_table_add(&u->step.values, name)->ptr = value;
}

void
sf_onnx_unroll_bind(
    struct sf_onnx_unroll *u, int i, const struct sf_value *value)
{
	put(u, i, value != NULL ? sf_onnx_alias(u->run, value, -1) : NULL);
}

void
sf_onnx_unroll_bind_item(
    struct sf_onnx_unroll *u, int i, const struct sf_value *value, int item)
{
	put(u, i, sf_onnx_alias(u->run, value, item));
}

struct sf_value *
sf_onnx_unroll_bind_new(struct sf_onnx_unroll *u, int i)
{
	struct sf_value *value = sf_onnx_value_new(u->run,
	    sf_onnx_value_tid(u->run, &u->step, u->graph->inputs[i].name));

	put(u, i, value);
	return value;
}

void
sf_onnx_unroll_bind_int(
    struct sf_onnx_unroll *u, int i, enum sf_dtype dtype, int64_t x)
{
	struct sf_value *value = sf_onnx_unroll_bind_new(u, i);
	const struct sf_onnx_type *type = &u->graph->inputs[i].type;
	int64_t *ints = sf_arena_alloc(u->run->arena, 2 * sizeof *ints);

	ints[0] = x;
	ints[1] = 1; /* the size of a vector */
	value->kind = SF_ONNX_TYPE_TENSOR;
	value->dtype = dtype;
	value->rank_known = true;
	/* Some exporters declare a vector of one. */
	value->rank = type->rank_known && type->rank == 1;
	value->dims = ints + 1;
	value->ints = ints;
	value->dim_names = NULL;
	value->why = NULL;
}

/* ---- frame and steps ---- */

static bool
is_constant(const struct sf_onnx_node *node)
{
	return node->domain.n == 0 && node->ninputs == 0 &&
	    sf_str_is(node->op_type, "Constant");
}

/* Takes the Constant nodes once and leaves the others in the body. */
static bool
walk_constants(struct sf_onnx_unroll *u, const struct sf_onnx_body *all)
{
	struct sf_onnx_body constants = *all;
	int *order =
	    sf_arena_calloc(u->run->arena, (size_t)all->norder, sizeof *order);
	int n = 0, behind = all->norder;

	for (int i = 0; i < all->norder; i++)
		if (is_constant(&all->nodes[all->order[i]]))
			order[n++] = all->order[i];
	for (int i = all->norder - 1; i >= 0; i--)
		if (!is_constant(&all->nodes[all->order[i]]))
			order[--behind] = all->order[i];
	constants.order = order;
	constants.norder = n;
	u->body = *all;
	u->body.order = order + n;
	u->body.norder = all->norder - n;
	u->body.nreplaced = 0;
	return sf_onnx_walk(u->run, &u->frame, &constants);
}

bool
sf_onnx_unroll_begin(struct sf_onnx_unroll *u, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node,
    const struct sf_onnx_graph *graph)
{
	return sf_onnx_unroll_begin_part(u, run, scope, node, graph, NULL);
}

bool
sf_onnx_unroll_begin_part(struct sf_onnx_unroll *u, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node,
    const struct sf_onnx_graph *graph, const char *part)
{
	const struct sf_onnx_body *all;

	*u = (struct sf_onnx_unroll){
		.run = run, .outer = scope, .node = node, .graph = graph
	};
	sf_onnx_scope_init(&u->frame, scope, run->arena);
	u->frame.function = scope->function;
	u->frame.call = scope->call;
	u->results = sf_arena_calloc(
	    run->arena, (size_t)graph->noutputs, sizeof *u->results);
	u->given = sf_arena_calloc(
	    run->arena, (size_t)node->noutputs, sizeof *u->given);
	all = sf_onnx_body_of(run, graph);
	if (all == NULL || !sf_onnx_enter(run, scope, node, &u->frame))
		return false;
	if (part != NULL)
		u->frame.prefix = sf_onnx_tids_make(
		    &run->prefixes, u->frame.prefix, sf_str_of(part));
	sf_onnx_scope_declare(&u->frame, graph->infos, graph->ninfos);
	sf_onnx_scope_declare(&u->frame, graph->inputs, graph->ninputs);
	sf_onnx_scope_declare(&u->frame, graph->outputs, graph->noutputs);
	return sf_onnx_values_inits(run, &u->frame, graph) &&
	    walk_constants(u, all);
}

bool
sf_onnx_unroll_next(struct sf_onnx_unroll *u)
{
	char number[24];

	if (u->steps != 0)
		sf_onnx_scope_release(&u->step);
	snprintf(number, sizeof number, "%lld", (long long)u->steps++);
	sf_onnx_scope_init(&u->step, &u->frame, u->run->arena);
	u->step.step = true;
	u->step.function = u->frame.function;
	u->step.call = u->frame.call;
	u->step.depth = u->frame.depth;
	u->step.prefix = sf_onnx_tids_make(
	    &u->run->prefixes, u->frame.prefix, sf_str_of(number));
	u->first_op = u->run->nops;
	return sf_onnx_count_expanded(u->run, 0);
}

void
sf_onnx_unroll_within(struct sf_onnx_unroll *u, struct sf_value *value)
{
	if (value == NULL)
		return;
	if (u->nwithin == u->room) {
		struct sf_value **more;

		u->room = u->room != 0 ? u->room * 2 : 16;
		more = sf_arena_calloc(
		    u->run->arena, (size_t)u->room, sizeof(struct sf_value *));
		for (int64_t i = 0; i < u->nwithin; i++)
			more[i] = u->within[i];
		u->within = more;
	}
	u->within[u->nwithin++] = value;
}

bool
sf_onnx_unroll_step(struct sf_onnx_unroll *u)
{
	if (!sf_onnx_walk(u->run, &u->step, &u->body))
		return false;
	for (int i = 0; i < u->graph->noutputs; i++) {
		struct sf_str name = u->graph->outputs[i].name;

		if (!sf_onnx_scope_find(&u->step, name, &u->results[i]) ||
		    u->results[i] == NULL)
			return sf_fail(u->run->error,
			    "nothing in it makes its output '%.*s'",
			    SF_STR_ARG(name));
		sf_onnx_unroll_within(u, u->results[i]);
	}
	return true;
}

/* ---- the node's outputs ---- */

bool
sf_onnx_unroll_nameless(
    const struct sf_onnx_unroll *u, const struct sf_value *value)
{
	const struct sf_onnx_value *of =
	    (const struct sf_onnx_value *)(const void *)value;

	return of->alias_of == NULL && of->made > u->first_op &&
	    of->handed != u->node;
}

void
sf_onnx_unroll_rename(
    struct sf_onnx_unroll *u, struct sf_value *value, struct sf_str tid)
{
	sf_onnx_value_of(value)->handed = u->node;
	value->name = tid;
}

bool
sf_onnx_unroll_give(struct sf_onnx_unroll *u, int i, struct sf_value *value)
{
	struct sf_str name = u->node->outputs[i];

	if (name.n == 0)
		return true;
	u->given[i] = value;
	sf_table_add(&u->outer->values, name)->ptr = value;
	if (value == NULL)
		return true;
	if (sf_onnx_unroll_nameless(u, value))
		sf_onnx_unroll_rename(
		    u, value, sf_onnx_value_tid(u->run, u->outer, name));
	return sf_onnx_declare_found(u->run, u->outer, name, value);
}

void
sf_onnx_unroll_end(struct sf_onnx_unroll *u)
{
	struct sf_onnx_run *run = u->run;

	if (u->steps != 0)
		sf_onnx_scope_release(&u->step);
	sf_onnx_scope_release(&u->frame);
	if (run->ngroups == run->group_room) {
		run->group_room =
		    run->group_room != 0 ? run->group_room * 2 : 16;
		run->groups = sf_reallocarray(
		    run->groups, (size_t)run->group_room, sizeof *run->groups);
	}
	run->groups[run->ngroups++] = (struct sf_onnx_group){ .end = run->nops,
		.out = u->given,
		.nout = u->node->noutputs,
		.within = u->within,
		.nwithin = u->nwithin };
}
