/* What the names in a graph stand for. */
#include "base/num.h"
#include "export/part.h"
#include "export/walk.h"
#include "torch/dtype.h"

static void
index_members(
    struct sf_table *table, struct sf_str object, struct sf_arena *arena)
{
	struct sf_parts parts = sf_parts_of_object(object, arena);
	struct sf_str name, value;

	while (sf_parts_member(&parts, &name, &value)) {
		struct sf_entry *e = sf_table_add(table, name);
		struct sf_str *text = sf_arena_alloc(arena, sizeof *text);

		*text = value;
		e->ptr = text;
	}
}

bool
sf_export_scope_open(struct sf_export_scope *scope, struct sf_export_walk *walk,
    struct sf_str graph, struct sf_str prefix, struct sf_error *error)
{
	static const char *const numbers[] = { "sym_int_values",
		"sym_bool_values", "sym_float_values" };

	*scope = (struct sf_export_scope){
		.walk = walk, .graph = graph, .prefix = prefix
	};
	sf_table_init(&scope->metas, walk->arena);
	sf_table_init(&scope->numbers, walk->arena);
	sf_table_init(&scope->values, walk->arena);
	if (graph.n == 0 || *graph.p != '{')
		return sf_fail(error, "a graph that is no object");
	index_members(&scope->metas,
	    sf_part_of(graph, "tensor_values", walk->arena), walk->arena);
	for (int i = 0; i < 3; i++)
		index_members(&scope->numbers,
		    sf_part_of(graph, numbers[i], walk->arena), walk->arena);
	return true;
}

void
sf_export_scope_close(struct sf_export_scope *scope)
{
	sf_table_release(&scope->metas);
	sf_table_release(&scope->numbers);
	sf_table_release(&scope->values);
}

/* ---- tensors ---- */

/* A number, or in some versions the name of a member. */
static enum sf_dtype
dtype_of(struct sf_str text, struct sf_arena *arena)
{
	struct sf_str name;
	int64_t number;

	if (sf_part_int(text, &number))
		return sf_torch_dtype_of_export(number);
	return sf_part_string(text, arena, &name) ? sf_torch_dtype_of_name(name)
						  : SF_DT_UNKNOWN;
}

static const char *
why_open(
    struct sf_export_walk *walk, const struct sf_tensor *t, struct sf_str name)
{
	for (int i = 0; i < t->rank; i++)
		if (t->shape[i] == SF_DIM_UNKNOWN)
			return sf_arena_printf(walk->arena,
			    "size %d of '%.*s', %.*s, is not known; --dim "
			    "gives symbols their sizes",
			    i, SF_STR_ARG(name), SF_STR_ARG(t->dim_names[i]));
	return t->dtype == SF_DT_UNKNOWN
	    ? sf_arena_printf(walk->arena, "the type of '%.*s' is not known",
		  SF_STR_ARG(name))
	    : NULL;
}

static bool
read_sizes(struct sf_export_walk *walk, struct sf_str sizes,
    struct sf_tensor *t, struct sf_error *error)
{
	int64_t n = sf_part_count(sizes), *shape;
	struct sf_parts parts = sf_parts_of_array(sizes);
	struct sf_str size, *names;

	if (n > SF_MAX_RANK)
		return sf_fail(error,
		    "it has %lld dimensions, expected at most %d", (long long)n,
		    SF_MAX_RANK);
	shape = sf_arena_calloc(walk->arena, (size_t)n + 1, sizeof *shape);
	names = sf_arena_calloc(walk->arena, (size_t)n + 1, sizeof *names);
	for (int i = 0; i < n && sf_parts_element(&parts, &size); i++) {
		if (!sf_export_dim(
			&walk->symbols, size, &shape[i], &names[i], error))
			return false;
		if (shape[i] == SF_DIM_UNKNOWN)
			t->dim_names = names;
	}
	t->rank_known = true;
	t->rank = (int)n;
	t->shape = shape;
	return sf_tensor_measure(t) ||
	    sf_fail(error, "its bytes pass 2^63 - 1");
}

struct sf_export_value *
sf_export_define(
    struct sf_export_scope *scope, struct sf_str name, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	const struct sf_entry *e = sf_table_find(&scope->metas, name);
	struct sf_export_value *value;
	struct sf_str meta, wrapped;
	struct sf_error why;

	if (e == NULL) {
		sf_fail(error, "tensor_values says nothing of '%.*s'",
		    SF_STR_ARG(name));
		return NULL;
	}
	meta = *(const struct sf_str *)e->ptr;
	wrapped = sf_part_of(meta, "meta", walk->arena); /* schema 1 */
	meta = wrapped.n != 0 ? wrapped : meta;
	value = sf_arena_calloc(walk->arena, 1, sizeof *value);
	value->is_tensor = true;
	value->strides = sf_part_of(meta, "strides", walk->arena);
	value->tensor.tid = scope->prefix.n == 0
	    ? e->name
	    : sf_str_of(sf_arena_printf(walk->arena, "%.*s%.*s",
		  SF_STR_ARG(scope->prefix), SF_STR_ARG(e->name)));
	value->tensor.dtype =
	    dtype_of(sf_part_of(meta, "dtype", walk->arena), walk->arena);
	if (!read_sizes(walk, sf_part_of(meta, "sizes", walk->arena),
		&value->tensor, &why)) {
		sf_fail(error, "tensor '%.*s': %s", SF_STR_ARG(name), why.text);
		return NULL;
	}
	value->open = why_open(walk, &value->tensor, name);
	return value;
}

struct sf_str
sf_export_input_name(const struct sf_export_scope *scope, struct sf_str input)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str tag, value, name;

	if (!sf_part_union(input, arena, &tag, &value))
		return SF_STR("");
	name = sf_part_name(value, "name", arena);
	return name.n != 0 ? name : sf_part_name(value, "as_name", arena);
}

void
sf_export_bind(struct sf_export_scope *scope, struct sf_str name,
    struct sf_export_value *value)
{
	sf_table_add(&scope->values, name)->ptr = value;
}

struct sf_export_value *
sf_export_named(
    struct sf_export_scope *scope, struct sf_str name, struct sf_error *error)
{
	struct sf_entry *e = sf_table_find(&scope->values, name);

	if (e == NULL || e->ptr == NULL) {
		sf_fail(error, "it reads '%.*s', which no node before it makes",
		    SF_STR_ARG(name));
		return NULL;
	}
	((struct sf_export_value *)e->ptr)->used = true;
	return e->ptr;
}

/* ---- numbers ---- */

static bool
named_number(struct sf_export_scope *scope, struct sf_str name,
    struct sf_export_size *out, struct sf_error *error)
{
	struct sf_entry *e = sf_table_find(&scope->values, name);
	const struct sf_export_value *bound = e != NULL ? e->ptr : NULL;

	if (bound != NULL && !bound->is_tensor) {
		*out = bound->number;
		return true;
	}
	e = sf_table_find(&scope->numbers, name);
	if (e != NULL)
		return sf_export_size(&scope->walk->symbols,
		    *(const struct sf_str *)e->ptr, out, error);
	*out = (struct sf_export_size){ .text = name };
	return true;
}

bool
sf_export_number(struct sf_export_scope *scope, struct sf_str text,
    struct sf_export_size *out, struct sf_error *error)
{
	struct sf_str tag, inside, name;

	if (sf_part_union(text, scope->walk->arena, &tag, &inside) &&
	    SF_KEY(tag, "as_name")) {
		if (!sf_part_string(inside, scope->walk->arena, &name))
			return sf_fail(error, "as_name is no name");
		return named_number(scope, name, out, error);
	}
	return sf_export_size(&scope->walk->symbols, text, out, error);
}
