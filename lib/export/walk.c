/* The nodes of an exported program, in order. */
#include "export/walk.h"

#include <stdlib.h>

#include "export/part.h"
#include "rules/rule.h"

/* ---- operators ---- */

static struct sf_tensor *
tensors_of(struct sf_export_walk *walk, struct sf_export_value *const *values,
    int n, const char **why)
{
	struct sf_tensor *tensors =
	    sf_arena_calloc(walk->arena, (size_t)n + 1, sizeof *tensors);

	for (int i = 0; i < n; i++) {
		if (values[i] == NULL) {
			tensors[i].absent = true;
			continue;
		}
		tensors[i] = values[i]->tensor;
		if (*why == NULL)
			*why = values[i]->open;
	}
	return tensors;
}

void
sf_export_add(struct sf_export_walk *walk, struct sf_str name,
    struct sf_str node, struct sf_export_value *const *inputs, int ninputs,
    struct sf_export_value *const *outputs, int noutputs, struct sf_str attrs,
    const char *why)
{
	const struct sf_rule *rule = sf_rulebook_find(walk->rules, name);
	const char *open = why;
	struct sf_op *op;

	if (walk->nops == walk->room) {
		walk->room = walk->room != 0 ? walk->room * 2 : 256;
		walk->ops = sf_reallocarray(
		    walk->ops, (size_t)walk->room, sizeof *walk->ops);
	}
	op = &walk->ops[walk->nops++];
	*op = (struct sf_op){ .name = name,
		.node = node,
		.module = walk->module,
		.ninputs = ninputs,
		.noutputs = noutputs,
		.attrs = attrs };
	op->inputs = tensors_of(walk, inputs, ninputs, &open);
	op->outputs = tensors_of(walk, outputs, noutputs, &open);
	/* A view costs nothing, whatever the sizes are. */
	if (why == NULL && rule != NULL && rule->category == SF_CAT_VIEW)
		return;
	op->unresolved = open != NULL ? sf_str_of(open) : SF_STR("");
	if (open != NULL && walk->nopen++ == 0)
		walk->open = open;
}

/* The last item of "KEY,FQN,CLASS;KEY,FQN,CLASS" has the module's name. */
static struct sf_str
module_of(struct sf_str stack)
{
	const char *last = sf_str_rchr(stack, ';'), *from, *to;

	if (last != NULL) {
		stack.n -= (size_t)(last + 1 - stack.p);
		stack.p = last + 1;
	}
	from = sf_str_chr(stack, ',');
	to = sf_str_rchr(stack, ',');
	if (from == NULL || from == to)
		return SF_STR("");
	return (struct sf_str){ from + 1, (size_t)(to - from) - 1 };
}

/* "a@1.b" is a.b, called for the second time. */
static struct sf_str
without_calls(struct sf_str module, struct sf_arena *arena)
{
	char *text;
	size_t n = 0;

	if (sf_str_chr(module, '@') == NULL)
		return module;
	text = sf_arena_alloc(arena, module.n);
	for (size_t i = 0; i < module.n; i++) {
		size_t end = i + 1;

		while (end < module.n && module.p[end] >= '0' &&
		    module.p[end] <= '9')
			end++;
		if (module.p[i] == '@' && end > i + 1 &&
		    (end == module.n || module.p[end] == '.'))
			i = end - 1;
		else
			text[n++] = module.p[i];
	}
	return (struct sf_str){ text, n };
}

/* That of the graph around NODE, where it says none. */
static struct sf_str
node_module(
    const struct sf_export_scope *scope, const struct sf_export_node *node)
{
	struct sf_str stack =
	    sf_part_name(node->metadata, "nn_module_stack", scope->walk->arena);

	if (stack.n == 0)
		return scope->walk->module;
	return without_calls(module_of(stack), scope->walk->arena);
}

struct sf_str
sf_export_node_name(
    const struct sf_export_scope *scope, const struct sf_export_node *node)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str stack =
	    sf_part_name(node->metadata, "nn_module_stack", arena);
	struct sf_str module = stack.n != 0 ? module_of(stack) : stack;

	if (module.n == 0 && scope->prefix.n == 0)
		return node->name;
	return sf_str_of(sf_arena_printf(arena, "%.*s%s%.*s%.*s",
	    SF_STR_ARG(module), module.n != 0 ? "/" : "",
	    SF_STR_ARG(scope->prefix), SF_STR_ARG(node->name)));
}

/* ---- nodes ---- */

/* The name that the file has of a node, or that of its first result. */
static struct sf_str
name_of(struct sf_export_scope *scope, struct sf_str node, int64_t i)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str name = sf_part_name(node, "name", arena);
	struct sf_parts parts =
	    sf_parts_of_array(sf_part_of(node, "outputs", arena));
	struct sf_str output, tag, value;

	while (name.n == 0 && sf_parts_element(&parts, &output)) {
		if (!sf_part_union(output, arena, &tag, &value))
			continue;
		if (SF_KEY(tag, "as_tensors")) {
			struct sf_parts list = sf_parts_of_array(value);

			if (!sf_parts_element(&list, &value))
				continue;
		}
		name = sf_part_name(value, "name", arena);
	}
	if (name.n != 0)
		return name;
	return sf_str_of(sf_arena_printf(arena, "node_%lld", (long long)i));
}

static bool
walk_node(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_error *error)
{
	switch (node->target.callee) {
	case SF_TORCH_OP:
		return sf_export_call(scope, node, error);
	case SF_TORCH_HIGHER_ORDER:
		return sf_export_higher(scope, node, error);
	default: /* arithmetic on sizes, which nobody waits for */
		return sf_export_results(scope, node, error);
	}
}

static bool
take_node(struct sf_export_scope *scope, struct sf_str text, int64_t i,
    struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str target = sf_part_name(text, "target", arena);
	struct sf_export_node node = {
		.inputs = sf_part_of(text, "inputs", arena),
		.outputs = sf_part_of(text, "outputs", arena),
		.metadata = sf_part_of(text, "metadata", arena),
	};
	struct sf_str around = scope->walk->module;
	struct sf_error why;
	bool walked;

	if (!sf_torch_target_parse(target, &node.target))
		return sf_fail(error,
		    "node %lld: its target is '%.*s', expected an operator",
		    (long long)i, SF_STR_ARG(target));
	node.name = name_of(scope, text, i);
	scope->walk->expanded += scope->walk->depth > 0;
	scope->walk->module = node_module(scope, &node);
	walked = walk_node(scope, &node, &why);
	scope->walk->module = around;
	if (walked)
		return true;
	return sf_fail(error, "node %lld '%.*s': %s", (long long)i,
	    SF_STR_ARG(target), why.text);
}

bool
sf_export_nodes(struct sf_export_scope *scope, struct sf_error *error)
{
	struct sf_parts parts = sf_parts_of_array(
	    sf_part_of(scope->graph, "nodes", scope->walk->arena));
	struct sf_str node;

	if (!parts.open)
		return sf_fail(error, "a graph without a list of nodes");
	for (int64_t i = 0; sf_parts_element(&parts, &node); i++)
		if (!take_node(scope, node, i, error))
			return false;
	return true;
}

/* ---- the whole ---- */

/* Symbols have their hints where they are sizes by themselves. */
static bool
take_hints(struct sf_export_scope *scope, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;

	for (size_t i = 0; i < scope->metas.n; i++) {
		const struct sf_str *meta = scope->metas.order[i]->ptr;
		struct sf_parts parts =
		    sf_parts_of_array(sf_part_of(*meta, "sizes", walk->arena));
		struct sf_str size;

		while (sf_parts_element(&parts, &size))
			if (!sf_export_symbols_hint(
				&walk->symbols, size, error))
				return false;
	}
	for (size_t i = 0; i < scope->numbers.n; i++)
		if (!sf_export_symbols_hint(&walk->symbols,
			*(const struct sf_str *)scope->numbers.order[i]->ptr,
			error))
			return false;
	return true;
}

/* What the operators of WALK read and make of the values in KEPT. */
static void
mark_kept(struct sf_export_walk *walk, struct sf_table *kept)
{
	for (int64_t i = 0; i < walk->nops; i++) {
		const struct sf_op *op = &walk->ops[i];

		for (int k = 0; k < op->ninputs + op->noutputs; k++) {
			struct sf_tensor *t = k < op->ninputs
			    ? &op->inputs[k]
			    : &op->outputs[k - op->ninputs];

			t->kept =
			    !t->absent && sf_table_find(kept, t->tid) != NULL;
		}
	}
}

/* What was listed outlives the program, but for parameters, which stay. */
static void
keep_listed(struct sf_export_walk *walk)
{
	int n;
	struct sf_export_value **values = sf_export_listed(walk, &n);
	struct sf_table kept;

	sf_table_init(&kept, walk->arena);
	for (int i = 0; i < n; i++)
		if (values[i] != NULL && values[i]->is_tensor &&
		    !values[i]->tensor.param)
			sf_table_add(&kept, values[i]->tensor.tid);
	mark_kept(walk, &kept);
	sf_table_release(&kept);
}

/* What the program returns is used, too, and kept. */
static bool
use_outputs(struct sf_export_scope *scope, struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_parts parts =
	    sf_parts_of_array(sf_part_of(scope->graph, "outputs", arena));
	struct sf_str output, tag, value;

	while (sf_parts_element(&parts, &output))
		if (sf_part_union(output, arena, &tag, &value) &&
		    !sf_export_values(scope, tag, value, error))
			return false;
	keep_listed(scope->walk);
	return true;
}

static bool
walk_program(struct sf_export_walk *walk, struct sf_error *error)
{
	struct sf_export_scope scope;
	bool good;

	good = sf_export_scope_open(
		   &scope, walk, walk->program->graph, SF_STR(""), error) &&
	    take_hints(&scope, error) && sf_export_signature(&scope, error) &&
	    sf_export_nodes(&scope, error) && use_outputs(&scope, error) &&
	    sf_export_params(walk, error);
	sf_export_scope_close(&scope);
	if (!good || sf_export_symbols_check(&walk->symbols, error))
		return good;
	walk->symbols.blame = true;
	return false;
}

bool
sf_export_walk(struct sf_export_walk *walk,
    const struct sf_export_program *program, const struct sf_list *dims,
    struct sf_choices *choices, struct sf_arena *arena, struct sf_error *error)
{
	*walk = (struct sf_export_walk){ .arena = arena,
		.program = program,
		.choices = choices,
		.rules = sf_rulebook_new(arena) };
	return sf_export_symbols_init(
		   &walk->symbols, program->ranges, dims, arena, error) &&
	    walk_program(walk, error);
}

void
sf_export_walk_release(struct sf_export_walk *walk)
{
	sf_rulebook_release(walk->rules);
	sf_export_symbols_release(&walk->symbols);
	sf_buf_release(&walk->list);
	sf_buf_release(&walk->attrs.buf);
	free(walk->ops);
}
