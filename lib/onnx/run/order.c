/* Topological order of nodes, stable and linear. */
#include "onnx/run/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

const char *
sf_onnx_node_label(const struct sf_onnx_node *node, struct sf_arena *arena)
{
	struct sf_str out = SF_STR("");

	if (node->name.n != 0)
		return sf_arena_printf(arena, "node '%.*s' (%.*s)",
		    SF_STR_ARG(node->name), SF_STR_ARG(node->op_type));
	for (int i = node->noutputs - 1; i >= 0; i--)
		if (node->outputs[i].n != 0)
			out = node->outputs[i];
	return sf_arena_printf(arena, "the %.*s that makes '%.*s'",
	    SF_STR_ARG(node->op_type), SF_STR_ARG(out));
}

/* ---- names that a graph takes from outside ---- */

static void free_names(const struct sf_onnx_graph *graph, bool takes,
    struct sf_table *out, struct sf_arena *arena);

/* What its branches list as inputs are names from around it. */
static bool
is_if(const struct sf_onnx_node *node)
{
	return node->domain.n == 0 && sf_str_is(node->op_type, "If");
}

/* What the graphs in the node's attributes take from outside of them. */
static void
captured_names(const struct sf_onnx_node *node, struct sf_table *out,
    struct sf_arena *arena)
{
	for (int i = 0; i < node->nattrs; i++) {
		const struct sf_onnx_attr *a = &node->attrs[i];

		if (a->graphs == NULL)
			continue;
		for (size_t k = 0; k < a->n; k++)
			free_names(a->graphs[k], !is_if(node), out, arena);
	}
}

bool
sf_onnx_has_graphs(const struct sf_onnx_node *node)
{
	for (int i = 0; i < node->nattrs; i++)
		if (node->attrs[i].graphs != NULL)
			return true;
	return false;
}

static void
define_all(
    struct sf_table *defined, const struct sf_onnx_graph *graph, bool takes)
{
	for (int i = 0; i < graph->ninputs && takes; i++)
		sf_table_add(defined, graph->inputs[i].name);
	for (int i = 0; i < graph->ninits; i++)
		sf_table_add(defined, graph->inits[i].name);
	for (int i = 0; i < graph->nnodes; i++)
		for (int k = 0; k < graph->nodes[i].noutputs; k++)
			sf_table_add(defined, graph->nodes[i].outputs[k]);
}

static void
need(const struct sf_table *defined, struct sf_table *out, struct sf_str name)
{
	if (name.n != 0 && sf_table_find(defined, name) == NULL)
		sf_table_add(out, name);
}

/*
 * TAKES: its inputs are its own. Graphs nest no deeper than their messages do.
 */
static void
free_names(const struct sf_onnx_graph *graph, bool takes, struct sf_table *out,
    struct sf_arena *arena)
{
	struct sf_table defined, inner;

	sf_table_init(&defined, arena);
	sf_table_init(&inner, arena);
	define_all(&defined, graph, takes);
	for (int i = 0; i < graph->nnodes; i++) {
		const struct sf_onnx_node *node = &graph->nodes[i];

		for (int k = 0; k < node->ninputs; k++)
			need(&defined, out, node->inputs[k]);
		if (sf_onnx_has_graphs(node))
			captured_names(node, &inner, arena);
	}
	for (size_t i = 0; i < inner.n; i++)
		need(&defined, out, inner.order[i]->name);
	for (int i = 0; i < graph->noutputs; i++)
		need(&defined, out, graph->outputs[i].name);
	sf_table_release(&inner);
	sf_table_release(&defined);
}

static void
capture(struct sf_onnx_body *body, int node, struct sf_arena *arena)
{
	struct sf_onnx_names *names;
	struct sf_table found;

	if (body->captured == NULL)
		body->captured = sf_arena_calloc(
		    arena, (size_t)body->nnodes, sizeof *body->captured);
	names = &body->captured[node];
	sf_table_init(&found, arena);
	captured_names(&body->nodes[node], &found, arena);
	names->n = found.n;
	names->v = sf_arena_calloc(arena, found.n, sizeof *names->v);
	for (size_t i = 0; i < found.n; i++)
		names->v[i] = found.order[i]->name;
	sf_table_release(&found);
}

/* ---- order ---- */

enum {
	DEFINED = -1
};

/* How far a node has come. */
enum {
	WAITING,
	STARTED,
	PLACED,
	REPLACED
};

struct sorter {
	struct sf_onnx_body *body;
	struct sf_arena *arena;
	struct sf_error *error;
	/* The number of the node that makes a name, plus one; or DEFINED. */
	struct sf_table makers;
	/* Of node I: deps[first[I]] up to deps[first[I + 1]]. */
	int *deps;
	size_t *first;
	char *state;
	int *stack;
	size_t *next; /* of each node on the stack, what it looks at next */
};

static bool
is_constant(const struct sf_onnx_node *node)
{
	return node->domain.n == 0 && sf_str_is(node->op_type, "Constant") &&
	    node->noutputs == 1;
}

static bool
add_maker(struct sorter *s, int node, struct sf_str name)
{
	const struct sf_onnx_node *nodes = s->body->nodes;
	struct sf_entry *e = sf_table_add(&s->makers, name);

	if (e->num == DEFINED)
		return sf_fail(s->error,
		    "%s: its output '%.*s' is an input or an initializer, too",
		    sf_onnx_node_label(&s->body->nodes[node], s->arena),
		    SF_STR_ARG(name));
	if (e->num > 0 && is_constant(&nodes[node]) &&
	    is_constant(&nodes[e->num - 1])) {
		s->state[e->num - 1] = REPLACED;
		s->body->nreplaced++;
	} else if (e->num != 0)
		return sf_fail(s->error,
		    "%s: its output '%.*s' is made by another node, too",
		    sf_onnx_node_label(&s->body->nodes[node], s->arena),
		    SF_STR_ARG(name));
	e->num = node + 1;
	return true;
}

static bool
find_makers(struct sorter *s, const struct sf_onnx_names *defined)
{
	for (size_t i = 0; i < defined->n; i++)
		if (defined->v[i].n != 0)
			sf_table_add(&s->makers, defined->v[i])->num = DEFINED;
	for (int i = 0; i < s->body->nnodes; i++) {
		const struct sf_onnx_node *node = &s->body->nodes[i];

		for (int k = 0; k < node->noutputs; k++)
			if (node->outputs[k].n != 0 &&
			    !add_maker(s, i, node->outputs[k]))
				return false;
	}
	return true;
}

static size_t
add_deps(struct sorter *s, size_t at, const struct sf_str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sf_entry *e = sf_table_find(&s->makers, names[i]);

		if (e != NULL && e->num > 0)
			s->deps[at++] = (int)(e->num - 1);
	}
	return at;
}

/* Fills in deps; true when every node is behind those it needs as it is. */
static bool
find_deps(struct sorter *s)
{
	struct sf_onnx_body *body = s->body;
	bool sorted = body->nreplaced == 0;
	size_t total = 0, at = 0;

	for (int i = 0; i < body->nnodes; i++) {
		total += (size_t)body->nodes[i].ninputs;
		if (body->captured != NULL)
			total += body->captured[i].n;
	}
	s->deps = sf_reallocarray(NULL, total, sizeof *s->deps);
	s->first =
	    sf_reallocarray(NULL, (size_t)body->nnodes + 1, sizeof *s->first);
	for (int i = 0; i < body->nnodes; i++) {
		s->first[i] = at;
		at = add_deps(s, at, body->nodes[i].inputs,
		    (size_t)body->nodes[i].ninputs);
		if (body->captured != NULL)
			at = add_deps(
			    s, at, body->captured[i].v, body->captured[i].n);
		for (size_t k = s->first[i]; k < at; k++)
			sorted = sorted && s->deps[k] < i;
	}
	s->first[body->nnodes] = at;
	return sorted;
}

/* Puts a node into the order behind all that it needs. */
static bool
place(struct sorter *s, int root)
{
	int depth = 0;

	s->stack[depth] = root;
	s->next[depth++] = s->first[root];
	s->state[root] = STARTED;
	while (depth != 0) {
		int node = s->stack[depth - 1], dep;

		if (s->next[depth - 1] == s->first[node + 1]) {
			s->state[node] = PLACED;
			s->body->order[s->body->norder++] = node;
			depth--;
			continue;
		}
		dep = s->deps[s->next[depth - 1]++];
		if (s->state[dep] == STARTED)
			return sf_fail(s->error,
			    "%s: it needs its own output: a cycle",
			    sf_onnx_node_label(&s->body->nodes[dep], s->arena));
		if (s->state[dep] == WAITING) {
			s->stack[depth] = dep;
			s->next[depth++] = s->first[dep];
			s->state[dep] = STARTED;
		}
	}
	return true;
}

static bool
sort(struct sorter *s)
{
	size_t n = (size_t)s->body->nnodes;
	bool ok = true;

	s->body->norder = 0;
	s->stack = sf_reallocarray(NULL, n, sizeof *s->stack);
	s->next = sf_reallocarray(NULL, n, sizeof *s->next);
	for (int i = 0; i < s->body->nnodes && ok; i++)
		ok = s->state[i] != WAITING || place(s, i);
	free(s->stack);
	free(s->next);
	return ok;
}

bool
sf_onnx_order(struct sf_onnx_body *body, const struct sf_onnx_node *nodes,
    int nnodes, const struct sf_onnx_names *defined, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sorter s = { .body = body, .arena = arena, .error = error };
	struct sf_arena *makers;
	bool ok;

	*body = (struct sf_onnx_body){ .nodes = nodes, .nnodes = nnodes };
	body->order =
	    sf_arena_calloc(arena, (size_t)nnodes, sizeof *body->order);
	for (int i = 0; i < nnodes; i++)
		body->order[i] = i;
	body->norder = nnodes;
	for (int i = 0; i < nnodes; i++)
		if (sf_onnx_has_graphs(&nodes[i]))
			capture(body, i, arena);
	s.state = sf_malloc((size_t)nnodes);
	memset(s.state, WAITING, (size_t)nnodes);
	/* Not in ARENA: what runs next has this memory again. */
	makers = sf_arena_new();
	sf_table_init(&s.makers, makers);
	ok = find_makers(&s, defined) && (find_deps(&s) || sort(&s));
	sf_table_release(&s.makers);
	sf_arena_free(makers);
	free(s.state);
	free(s.deps);
	free(s.first);
	return ok;
}

/* False when two of N names are the same. */
static bool
distinct(
    const struct sf_onnx_names *names, const char *what, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_table seen;
	bool ok = true;

	sf_table_init(&seen, arena);
	for (size_t i = 0; i < names->n && ok; i++) {
		if (names->v[i].n == 0)
			ok = sf_fail(error, "%s %zu has no name", what, i);
		else if (sf_table_add(&seen, names->v[i])->num++ != 0)
			ok = sf_fail(error, "%s '%.*s' is there twice", what,
			    SF_STR_ARG(names->v[i]));
	}
	sf_table_release(&seen);
	sf_arena_free(arena);
	return ok;
}

/* An input may have an initializer of its name: that is its default. */
bool
sf_onnx_order_graph(struct sf_onnx_body *body,
    const struct sf_onnx_graph *graph, struct sf_arena *arena,
    struct sf_error *error)
{
	size_t ninputs = (size_t)graph->ninputs, ninits = (size_t)graph->ninits;
	struct sf_str *names =
	    sf_arena_calloc(arena, ninputs + ninits, sizeof *names);
	struct sf_onnx_names inputs = { names, ninputs };
	struct sf_onnx_names inits = { names + ninputs, ninits };
	struct sf_onnx_names all = { names, ninputs + ninits };

	for (size_t i = 0; i < ninputs; i++)
		inputs.v[i] = graph->inputs[i].name;
	for (size_t i = 0; i < ninits; i++)
		inits.v[i] = graph->inits[i].name;
	return distinct(&inputs, "input", error) &&
	    distinct(&inits, "initializer", error) &&
	    sf_onnx_order(
		body, graph->nodes, graph->nnodes, &all, arena, error);
}
