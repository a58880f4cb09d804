/* Operators that take graphs. */
#include "export/higher.h"

#include "export/part.h"

enum treatment {
	WRAPS,
	BRANCHES,
	WHILES,
	MAPS,
	SCANS,
	CALLS,
	RULE,
	PLAIN, /* nothing is known of it */
};

static const struct {
	const char *names;
	enum treatment treatment;
} rows[] = {
#define SF_HIGHER(names, treatment) { names, treatment },
#include "export/higher.def"
#undef SF_HIGHER
};

enum {
	MAX_DEPTH = 100 /* of graphs in graphs */
};

static enum treatment
treatment_of(struct sf_str op)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sf_str names = sf_str_of(rows[i].names);

		while (names.n != 0)
			if (sf_str_eq(sf_str_cut(&names, ' '), op))
				return rows[i].treatment;
	}
	return PLAIN;
}

/* ---- operands ---- */

static bool
is_number(struct sf_str tag)
{
	return SF_KEY(tag, "as_int") || SF_KEY(tag, "as_float") ||
	    SF_KEY(tag, "as_bool") || SF_KEY(tag, "as_sym_int") ||
	    SF_KEY(tag, "as_sym_float") || SF_KEY(tag, "as_sym_bool");
}

static void
push(struct sf_export_walk *walk, struct sf_export_value *value)
{
	sf_buf_put(&walk->list, &value, sizeof value);
}

static bool
take_number(struct sf_export_scope *scope, struct sf_export_operands *o,
    struct sf_str value, struct sf_error *error)
{
	struct sf_export_value *number =
	    sf_arena_calloc(scope->walk->arena, 1, sizeof *number);
	bool first = scope->walk->list.n == 0;

	if (!sf_export_number(scope, value, &number->number, error))
		return false;
	if (first && number->number.value.is == SF_SIZE_IS_TRUTH) {
		o->decided = true;
		o->truth = number->number.value.num != 0;
	}
	push(scope->walk, number);
	return true;
}

static bool
take_graph(struct sf_export_scope *scope, struct sf_export_operands *o,
    struct sf_str value, struct sf_error *error)
{
	if (o->ngraphs == SF_EXPORT_MAX_GRAPHS)
		return sf_fail(
		    error, "more than %d graphs", SF_EXPORT_MAX_GRAPHS);
	if (o->ngraphs == 0)
		o->before = (int)(scope->walk->list.n /
		    sizeof(struct sf_export_value *));
	o->graphs[o->ngraphs++] =
	    sf_part_of(value, "graph", scope->walk->arena);
	return true;
}

/* Numbers may come in lists, as a tuple of operands does. */
static bool
take_operand(struct sf_export_scope *scope, struct sf_export_operands *o,
    struct sf_str tag, struct sf_str value, struct sf_error *error)
{
	struct sf_parts parts;
	struct sf_str element;

	if (SF_KEY(tag, "as_graph"))
		return take_graph(scope, o, value, error);
	if (SF_KEY(tag, "as_operator") && o->called.n == 0) {
		sf_part_string(value, scope->walk->arena, &o->called);
		return true;
	}
	if (SF_KEY(tag, "as_none")) {
		push(scope->walk, NULL);
		return true;
	}
	if (is_number(tag))
		return take_number(scope, o, value, error);
	if (SF_KEY(tag, "as_ints") || SF_KEY(tag, "as_sym_ints")) {
		parts = sf_parts_of_array(value);
		while (sf_parts_element(&parts, &element))
			if (!take_number(scope, o, element, error))
				return false;
		return true;
	}
	return sf_export_values(scope, tag, value, error);
}

static bool
take_operands(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_export_operands *o, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_parts parts = sf_parts_of_array(node->inputs);
	struct sf_str input, tag, value;

	*o = (struct sf_export_operands){ .called = SF_STR("") };
	walk->list.n = 0;
	while (sf_parts_element(&parts, &input)) {
		if (!sf_part_union(sf_part_of(input, "arg", walk->arena),
			walk->arena, &tag, &value))
			return sf_fail(error, "an operand is of no kind");
		if (!take_operand(scope, o, tag, value, error))
			return false;
		if (SF_KEY(tag, "as_graph") ||
		    o->ngroups++ >= SF_EXPORT_MAX_GROUPS)
			continue;
		o->ends[o->ngroups - 1] =
		    (int)(walk->list.n / sizeof(struct sf_export_value *));
	}
	o->values = sf_export_listed(walk, &o->nvalues);
	return true;
}

/* ---- as one operator ---- */

static bool
add_whole(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_str name, const struct sf_export_operands *o, bool results_only,
    const char *why, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_export_value **inputs = sf_arena_calloc(
	    walk->arena, (size_t)o->nvalues + 1, sizeof *inputs);
	struct sf_export_value **outputs;
	int ninputs = 0, noutputs, kept = 0;

	for (int i = 0; i < o->nvalues; i++)
		if (o->values[i] != NULL && o->values[i]->is_tensor)
			inputs[ninputs++] = o->values[i];
	if (!sf_export_results(scope, node, error))
		return false;
	outputs = sf_export_listed(walk, &noutputs);
	for (int i = 0; i < noutputs; i++)
		if (outputs[i] != NULL || !results_only)
			outputs[kept++] = outputs[i];
	sf_export_add(walk, name, sf_export_node_name(scope, node), inputs,
	    ninputs, outputs, kept, SF_STR(""), why);
	return true;
}

bool
sf_export_whole(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    const char *why, struct sf_error *error)
{
	return add_whole(scope, node,
	    sf_torch_target_name(&node->target, scope->walk->arena), o, false,
	    why, error);
}

/* What it returns beside the operator's own results is no use of it. */
static bool
add_called(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o, struct sf_error *error)
{
	struct sf_torch_target target;

	if (!sf_torch_target_parse(o->called, &target))
		return sf_fail(error, "it calls '%.*s', which is no operator",
		    SF_STR_ARG(o->called));
	return add_whole(scope, node,
	    sf_torch_target_name(&target, scope->walk->arena), o, true, NULL,
	    error);
}

/* ---- as its graph ---- */

bool
sf_export_body_open(struct sf_export_scope *inner,
    struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_str graph, const char *part, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_str prefix =
	    sf_str_of(sf_arena_printf(walk->arena, "%.*s%.*s/%s",
		SF_STR_ARG(scope->prefix), SF_STR_ARG(node->name), part));

	walk->depth++;
	return sf_export_scope_open(inner, walk, graph, prefix, error) &&
	    (walk->depth <= MAX_DEPTH ||
		sf_fail(
		    error, "graphs in graphs, more than %d deep", MAX_DEPTH));
}

void
sf_export_body_close(struct sf_export_scope *inner)
{
	inner->walk->depth--;
	sf_export_scope_close(inner);
}

static bool
bind_inputs(struct sf_export_scope *inner,
    struct sf_export_value *const *values, int n, struct sf_error *error)
{
	struct sf_arena *arena = inner->walk->arena;
	struct sf_str inputs = sf_part_of(inner->graph, "inputs", arena);
	struct sf_parts parts = sf_parts_of_array(inputs);
	struct sf_str input, name;
	int64_t want = sf_part_count(inputs);

	if (want != n)
		return sf_fail(error,
		    "its graph takes %lld values and is given %d",
		    (long long)want, n);
	for (int i = 0; sf_parts_element(&parts, &input); i++) {
		name = sf_export_input_name(inner, input);
		if (values[i] != NULL && name.n != 0)
			sf_export_bind(inner, name, values[i]);
	}
	return true;
}

bool
sf_export_body(struct sf_export_scope *inner,
    struct sf_export_value *const *values, int n,
    struct sf_export_value ***made, int *nmade, struct sf_error *error)
{
	struct sf_export_walk *walk = inner->walk;
	struct sf_parts parts =
	    sf_parts_of_array(sf_part_of(inner->graph, "outputs", walk->arena));
	struct sf_str output, tag, value;

	if (!bind_inputs(inner, values, n, error) ||
	    !sf_export_nodes(inner, error))
		return false;
	walk->list.n = 0;
	while (sf_parts_element(&parts, &output)) {
		if (!sf_part_union(output, walk->arena, &tag, &value))
			return sf_fail(error, "a result is of no kind");
		if (SF_KEY(tag, "as_none"))
			push(walk, NULL);
		else if (!sf_export_values(inner, tag, value, error))
			return false;
	}
	*made = sf_export_listed(walk, nmade);
	return true;
}

bool
sf_export_run(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_str graph, const char *part,
    struct sf_export_value *const *values, int n,
    struct sf_export_value ***made, int *nmade, struct sf_error *error)
{
	struct sf_export_scope inner;
	bool good;

	good = sf_export_body_open(&inner, scope, node, graph, part, error) &&
	    sf_export_body(&inner, values, n, made, nmade, error);
	sf_export_body_close(&inner);
	return good;
}

bool
sf_export_hand_out(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_export_value *const *made,
    int nmade, struct sf_error *error)
{
	struct sf_export_value **results;
	int nresults;

	if (!sf_export_results(scope, node, error))
		return false;
	results = sf_export_listed(scope->walk, &nresults);
	if (nmade != nresults)
		return sf_fail(error,
		    "its graph makes %d values, and it has %d results", nmade,
		    nresults);
	for (int i = 0; i < nmade; i++)
		if (results[i] != NULL && made[i] != NULL)
			*results[i] = *made[i];
	return true;
}

bool
sf_export_expand(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    int graph, struct sf_error *error)
{
	struct sf_export_value **made;
	int nmade;

	return sf_export_run(scope, node, o->graphs[graph], "",
		   o->values + o->before, o->nvalues - o->before, &made, &nmade,
		   error) &&
	    sf_export_hand_out(scope, node, made, nmade, error);
}

bool
sf_export_higher(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	enum treatment how = treatment_of(node->target.op);
	struct sf_export_operands o;
	const char *why = NULL;

	if (!take_operands(scope, node, &o, error))
		return false;
	if (how == CALLS && o.called.n != 0)
		return add_called(scope, node, &o, error);
	if (how == WRAPS && o.ngraphs == 1)
		return sf_export_expand(scope, node, &o, 0, error);
	if (how == BRANCHES && o.ngraphs == 2)
		return sf_export_branch(scope, node, &o, error);
	if (how == WHILES && o.ngraphs == 2 && o.before == 0 && o.ngroups >= 1)
		return sf_export_while(scope, node, &o, error);
	if ((how == MAPS || how == SCANS) && o.ngraphs == 1)
		return sf_export_scan(scope, node, &o, how == SCANS, error);
	if (how != RULE && o.ngraphs != 0)
		why = sf_arena_printf(arena, "the body of %.*s is not expanded",
		    SF_STR_ARG(node->target.op));
	return sf_export_whole(scope, node, &o, why, error);
}
