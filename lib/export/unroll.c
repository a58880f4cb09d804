/* Scans and maps, step by step: how many is a size of what they run over. */
#include "export/higher.h"
#include "export/part.h"

enum {
	MAX_EXPANDED = 200000,
	/* Of graphs, read again at each step. */
	MAX_TEXT = 512 << 20
};

struct loop {
	struct sf_export_scope *scope;
	const struct sf_export_node *node;
	const struct sf_export_operands *o;
	int ncarry, nxs; /* values: what goes round, what is cut, the rest */
	int64_t steps;
	struct sf_export_value **values; /* of the step */
	struct sf_export_value **made;   /* by the step before */
	int nmade;
	/* What each step made beside what goes round, step by step. */
	struct sf_export_value **ys;
};

/* ---- what it was before ---- */

struct sf_export_mark
sf_export_mark(const struct sf_export_walk *walk)
{
	return (struct sf_export_mark){ .nops = walk->nops,
		.nopen = walk->nopen,
		.expanded = walk->expanded,
		.open = walk->open,
		.nassumed = walk->choices != NULL ? walk->choices->nassumed : 0,
		.blame = walk->symbols.blame };
}

void
sf_export_undo(struct sf_export_walk *walk, const struct sf_export_mark *mark)
{
	walk->wasted += walk->expanded - mark->expanded;
	walk->nops = mark->nops;
	walk->nopen = mark->nopen;
	walk->expanded = mark->expanded;
	walk->open = mark->open;
	walk->symbols.blame = mark->blame;
	if (walk->choices != NULL)
		walk->choices->nassumed = mark->nassumed;
	walk->list.n = 0;
}

bool
sf_export_no_more(const struct sf_export_walk *walk)
{
	return walk->wasted > 2 * MAX_EXPANDED;
}

const char *
sf_export_too_many(struct sf_export_walk *walk,
    const struct sf_export_mark *mark, struct sf_str name, size_t text,
    int64_t steps)
{
	int64_t nodes = walk->expanded - mark->expanded;

	if (steps > (MAX_EXPANDED - walk->expanded) / nodes)
		return sf_arena_printf(walk->arena,
		    "the body of %.*s is not expanded: %lld steps of %lld "
		    "nodes would be more than the %d that all may take",
		    SF_STR_ARG(name), (long long)steps + 1, (long long)nodes,
		    MAX_EXPANDED);
	if (steps > MAX_TEXT / (int64_t)text)
		return sf_arena_printf(walk->arena,
		    "the body of %.*s is not expanded: %lld steps of a graph "
		    "of %zu bytes would be more than the %d that may be read",
		    SF_STR_ARG(name), (long long)steps + 1, text, MAX_TEXT);
	return NULL;
}

/* ---- slices and stacks ---- */

static void
add(struct loop *l, const char *name, struct sf_str node,
    struct sf_export_value *const *inputs, int ninputs,
    struct sf_export_value *output, const char *attrs)
{
	sf_export_add(l->scope->walk, sf_str_of(name), node, inputs, ninputs,
	    &output, 1, sf_str_of(attrs), NULL);
}

static bool
is_slice(const struct sf_tensor *slice, const struct sf_tensor *whole)
{
	if (slice->dtype != whole->dtype || slice->rank + 1 != whole->rank)
		return false;
	for (int i = 0; i < slice->rank; i++)
		if (slice->shape[i] != whole->shape[i + 1] &&
		    slice->shape[i] != SF_DIM_UNKNOWN &&
		    whole->shape[i + 1] != SF_DIM_UNKNOWN)
			return false;
	return true;
}

/* Step STEP's part of X, by the name that INPUT has in the graph. */
static struct sf_export_value *
slice(struct loop *l, struct sf_export_scope *inner, struct sf_str input,
    struct sf_export_value *x, int64_t step, struct sf_error *error)
{
	struct sf_export_value *part =
	    sf_export_define(inner, sf_export_input_name(inner, input), error);

	if (part == NULL)
		return NULL;
	if (!is_slice(&part->tensor, &x->tensor)) {
		sf_fail(error,
		    "its graph takes '%.*s', which is no slice of "
		    "'%.*s'",
		    SF_STR_ARG(part->tensor.tid), SF_STR_ARG(x->tensor.tid));
		return NULL;
	}
	part->tensor.param = x->tensor.param;
	add(l, "aten.select", part->tensor.tid, &x, 1, part,
	    sf_arena_printf(inner->walk->arena,
		"{\"overload\":\"int\",\"dim\":0,\"index\":%lld}",
		(long long)step));
	return part;
}

static bool
bind_slices(struct loop *l, struct sf_export_scope *inner, int64_t step,
    struct sf_error *error)
{
	struct sf_parts parts = sf_parts_of_array(
	    sf_part_of(inner->graph, "inputs", inner->walk->arena));
	struct sf_str input;

	for (int i = 0;
	     i < l->ncarry + l->nxs && sf_parts_element(&parts, &input); i++) {
		if (i < l->ncarry)
			continue;
		l->values[i] =
		    slice(l, inner, input, l->o->values[i], step, error);
		if (l->values[i] == NULL)
			return false;
	}
	return true;
}

static bool
run_step(struct loop *l, int64_t step, struct sf_error *error)
{
	struct sf_export_walk *walk = l->scope->walk;
	struct sf_export_scope inner;
	const char *part =
	    sf_arena_printf(walk->arena, "%lld/", (long long)step);
	bool good;

	walk->expanded += 1 + l->nxs;
	for (int i = 0; i < l->ncarry && step > 0; i++)
		l->values[i] = l->made[i];
	good = sf_export_body_open(
		   &inner, l->scope, l->node, l->o->graphs[0], part, error) &&
	    bind_slices(l, &inner, step, error) &&
	    sf_export_body(
		&inner, l->values, l->o->nvalues, &l->made, &l->nmade, error);
	sf_export_body_close(&inner);
	if (good && l->nmade < l->ncarry)
		return sf_fail(error,
		    "its graph makes %d values, and %d go round", l->nmade,
		    l->ncarry);
	return good;
}

/* What the steps made is put together; the last one's is what goes on. */
static bool
finish(struct loop *l, struct sf_error *error)
{
	struct sf_export_walk *walk = l->scope->walk;
	struct sf_export_value **results, **list;
	int nresults, nys = l->nmade - l->ncarry;

	if (!sf_export_results(l->scope, l->node, error))
		return false;
	results = sf_export_listed(walk, &nresults);
	if (nresults != l->nmade)
		return sf_fail(error,
		    "its graph makes %d values, and it has %d results",
		    l->nmade, nresults);
	for (int i = 0; i < l->ncarry; i++)
		if (results[i] != NULL && l->made[i] != NULL)
			*results[i] = *l->made[i];
	list = sf_arena_calloc(walk->arena, (size_t)l->steps + 1, sizeof *list);
	for (int i = 0; i < nys; i++) {
		struct sf_export_value *y = results[l->ncarry + i];

		for (int64_t step = 0; step < l->steps; step++)
			list[step] = l->ys[step * nys + i];
		if (y == NULL || list[0] == NULL)
			continue;
		if (!is_slice(&list[0]->tensor, &y->tensor))
			return sf_fail(error,
			    "its graph makes '%.*s', which is no slice of "
			    "'%.*s'",
			    SF_STR_ARG(list[0]->tensor.tid),
			    SF_STR_ARG(y->tensor.tid));
		add(l, "aten.stack", sf_export_node_name(l->scope, l->node),
		    list, (int)l->steps, y, "");
	}
	return true;
}

/* ---- the loop ---- */

/* All of XS have their slices along their first dimension, as many. */
static bool
find_steps(struct loop *l, const char **why, struct sf_error *error)
{
	for (int i = l->ncarry; i < l->ncarry + l->nxs; i++) {
		const struct sf_export_value *x = l->o->values[i];

		if (x == NULL || !x->is_tensor || x->tensor.rank == 0)
			return sf_fail(
			    error, "what it runs over has no first dimension");
		if (x->tensor.shape[0] == SF_DIM_UNKNOWN) {
			*why = x->open;
			continue;
		}
		if (l->steps >= 0 && l->steps != x->tensor.shape[0])
			return sf_fail(error,
			    "it runs over %lld slices of one tensor and %lld "
			    "of another",
			    (long long)l->steps, (long long)x->tensor.shape[0]);
		l->steps = x->tensor.shape[0];
	}
	return true;
}

static bool
keep_ys(struct loop *l, int64_t step, struct sf_error *error)
{
	int nys = l->nmade - l->ncarry;

	if (step == 0)
		l->ys = sf_arena_calloc(l->scope->walk->arena,
		    (size_t)l->steps * (size_t)nys + 1, sizeof(void *));
	for (int i = 0; i < nys; i++) {
		struct sf_export_value *y = l->made[l->ncarry + i];

		if (y != NULL && !y->is_tensor)
			return sf_fail(error,
			    "a result of its graph is no "
			    "tensor");
		l->ys[step * nys + i] = y;
	}
	return true;
}

static bool
unroll(struct loop *l, struct sf_error *error)
{
	struct sf_export_walk *walk = l->scope->walk;
	struct sf_export_mark mark = sf_export_mark(walk);
	const char *why = NULL;

	if (sf_export_no_more(walk))
		return sf_export_whole(l->scope, l->node, l->o,
		    "its body is not expanded: too many nodes were expanded "
		    "in vain",
		    error);
	for (int64_t step = 0; step < l->steps; step++) {
		if (!run_step(l, step, error))
			return false;
		if (step == 0)
			why =
			    sf_export_too_many(walk, &mark, l->node->target.op,
				l->o->graphs[0].n, l->steps - 1);
		if (why != NULL) {
			sf_export_undo(walk, &mark);
			return sf_export_whole(
			    l->scope, l->node, l->o, why, error);
		}
		if (!keep_ys(l, step, error))
			return false;
	}
	return finish(l, error);
}

bool
sf_export_scan(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o, bool carries, struct sf_error *error)
{
	struct loop l = { .scope = scope, .node = node, .o = o, .steps = -1 };
	const char *why = NULL;

	if (o->before != 0 || o->ngroups > 3 || o->ngroups < (carries ? 2 : 1))
		return sf_export_whole(scope, node, o,
		    sf_arena_printf(scope->walk->arena,
			"the body of %.*s is not expanded: its operands are "
			"not as they are known",
			SF_STR_ARG(node->target.op)),
		    error);
	l.ncarry = carries ? o->ends[0] : 0;
	l.nxs = o->ends[carries ? 1 : 0] - l.ncarry;
	if (!find_steps(&l, &why, error))
		return false;
	if (why == NULL && l.steps <= 0)
		why = sf_arena_printf(scope->walk->arena,
		    "the body of %.*s is not expanded: it runs over nothing",
		    SF_STR_ARG(node->target.op));
	if (why != NULL)
		return sf_export_whole(scope, node, o, why, error);
	sf_export_known(scope, node, SF_CHOICE_TRIPS, l.steps);
	l.values = sf_arena_calloc(scope->walk->arena, (size_t)o->nvalues + 1,
	    sizeof(struct sf_export_value *));
	for (int i = 0; i < o->nvalues; i++)
		l.values[i] = o->values[i];
	return unroll(&l, error);
}
