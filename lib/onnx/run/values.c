/* Values of a trace, and those that no node makes. */
#include "onnx/run/values.h"

#include <string.h>

#include "base/num.h"
#include "onnx/infer/declared.h"
#include "onnx/infer/listed.h"
#include "onnx/run/stated.h"
#include "onnx/run/track.h"

struct sf_value *
sf_onnx_value_new(struct sf_onnx_run *run, struct sf_str tid)
{
	struct sf_onnx_value *value =
	    sf_arena_calloc(run->arena, 1, sizeof *value);

	value->v.name = tid;
	value->v.dtype = SF_DT_UNKNOWN;
	value->v.nitems = -1;
	value->elements = -1;
	value->item = -1;
	return &value->v;
}

/* The name in the trace for what the scope calls NAME. */
struct sf_str
sf_onnx_value_tid(
    struct sf_onnx_run *run, struct sf_onnx_scope *scope, struct sf_str name)
{
	struct sf_entry *renamed;

	if (scope == &run->root)
		return name;
	renamed = sf_table_find(&scope->renamed, name);
	if (renamed != NULL) {
		const struct sf_str *tid = renamed->ptr;

		return *tid;
	}
	return sf_onnx_tids_make(&run->tids, scope->prefix, name);
}

/* No shape has more elements or bits than can be counted. */
bool
sf_onnx_value_check(struct sf_onnx_run *run, const struct sf_value *value)
{
	int64_t n, bits;

	if (!sf_value_resolved(value))
		return true;
	if (sf_mul_all(value->dims, (size_t)value->rank, &n) &&
	    sf_mul(n, sf_dtype_bits(value->dtype), &bits))
		return true;
	return sf_fail(run->error, "'%.*s' is %s: its bits pass 2^63 - 1",
	    SF_STR_ARG(value->name), sf_onnx_type_text(value, run->arena));
}

const char *
sf_onnx_value_argument(
    struct sf_onnx_run *run, struct sf_str name, const char *value)
{
	return sf_choice_argument(name, value, run->arena);
}

static const char *
why_input_open(struct sf_onnx_run *run, const struct sf_value *v)
{
	struct sf_onnx_type type = { .kind = v->kind, .item = v->item };
	bool lists = sf_onnx_holds_items(&type);
	int i = 0;

	if (v->kind != SF_ONNX_TYPE_TENSOR && v->kind != SF_ONNX_TYPE_NONE)
		return sf_arena_printf(run->arena,
		    "input '%.*s' is no tensor but %s%s%s", SF_STR_ARG(v->name),
		    v->kind == SF_ONNX_TYPE_SEQUENCE       ? "a sequence"
			: v->kind == SF_ONNX_TYPE_OPTIONAL ? "optional"
			: v->kind == SF_ONNX_TYPE_MAP      ? "a map"
							   : "sparse",
		    lists ? ": --shape " : "",
		    lists ? sf_onnx_value_argument(run, v->name, "...") : "");
	if (!v->rank_known)
		return sf_arena_printf(run->arena,
		    "input '%.*s' has no shape: --shape %s",
		    SF_STR_ARG(v->name),
		    sf_onnx_value_argument(run, v->name, "..."));
	while (i < v->rank && v->dims[i] != SF_DIM_UNKNOWN)
		i++;
	if (i == v->rank)
		return sf_arena_printf(run->arena,
		    "input '%.*s' has no element type in the model",
		    SF_STR_ARG(v->name));
	if (v->dim_names == NULL || v->dim_names[i].n == 0)
		return sf_arena_printf(run->arena,
		    "dimension %d of input '%.*s' has no size: --shape %s", i,
		    SF_STR_ARG(v->name),
		    sf_onnx_value_argument(run, v->name, "..."));
	return sf_arena_printf(run->arena,
	    "dimension '%.*s' of input '%.*s' has no size: --dim %s",
	    SF_STR_ARG(v->dim_names[i]), SF_STR_ARG(v->name),
	    sf_onnx_value_argument(run, v->dim_names[i], "N"));
}

/* A tensor that the input named NAME holds. */
static struct sf_value *
new_item(struct sf_onnx_run *run, struct sf_str name,
    const struct sf_onnx_type *type)
{
	struct sf_value *item = sf_onnx_value_new(run, name);

	sf_onnx_declare(item, type, run->arena);
	sf_onnx_value_of(item)->input = true;
	return item;
}

/* VALUE becomes a sequence of the tensors that the user lists. */
static void
fill_sequence(struct sf_onnx_run *run, struct sf_value *value,
    const struct sf_onnx_info *info)
{
	struct sf_value **items =
	    sf_arena_calloc(run->arena, (size_t)info->nitems, sizeof *items);

	for (int i = 0; i < info->nitems; i++)
		items[i] = new_item(run,
		    sf_str_of(sf_arena_printf(
			run->arena, "%.*s[%d]", SF_STR_ARG(info->name), i)),
		    &info->items[i]);
	value->kind = SF_ONNX_TYPE_SEQUENCE;
	value->items = items;
	value->nitems = info->nitems;
}

/* VALUE holds what the user lists: tensors, one, a sequence of them, none. */
static void
fill(struct sf_onnx_run *run, struct sf_value *value,
    const struct sf_onnx_info *info)
{
	struct sf_value **one = sf_arena_calloc(run->arena, 1, sizeof *one);

	if (value->kind == SF_ONNX_TYPE_SEQUENCE) {
		fill_sequence(run, value, info);
		return;
	}
	value->items = one;
	value->nitems = !info->left_out;
	if (info->left_out)
		return;
	if (value->item == SF_ONNX_TYPE_SEQUENCE) {
		one[0] = sf_onnx_value_new(run, info->name);
		one[0]->dtype = value->dtype;
		sf_onnx_value_of(one[0])->input = true;
		fill_sequence(run, one[0], info);
		return;
	}
	one[0] = new_item(run, info->name, &info->items[0]);
	value->item = SF_ONNX_TYPE_TENSOR;
	value->dtype = one[0]->dtype;
	value->rank_known = true;
	value->rank = one[0]->rank;
	value->dims = one[0]->dims;
	value->dim_names = NULL;
}

static bool
check_items(struct sf_onnx_run *run, const struct sf_value *value)
{
	for (int i = 0; i < value->nitems && value->items != NULL; i++)
		if (!sf_onnx_value_check(run, value->items[i]) ||
		    !check_items(run, value->items[i]))
			return false;
	return true;
}

static bool
add_input(struct sf_onnx_run *run, const struct sf_onnx_info *info)
{
	enum sf_onnx_role role = sf_onnx_params_input(run->params, info->name);
	struct sf_value *value = sf_onnx_value_new(run, info->name);

	sf_onnx_declare(value, &info->type, run->arena);
	if (info->listed)
		fill(run, value, info);
	if (!info->listed && !sf_value_resolved(value))
		value->why = why_input_open(run, value);
	sf_table_add(&run->root.values, info->name)->ptr = value;
	value->ints = info->ints;
	value->floats = info->floats;
	sf_onnx_value_of(value)->input = true;
	value->constant =
	    role == SF_ONNX_ROLE_PARAMETER || role == SF_ONNX_ROLE_BUFFER;
	if (role == SF_ONNX_ROLE_PARAMETER)
		sf_onnx_track_leaf(run, value, SF_ONNX_LEAF_SURE, NULL);
	if (!value->constant && run->first_input == NULL)
		run->first_input = value;
	return sf_onnx_value_check(run, value) && check_items(run, value);
}

static bool
add_init(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_tensor *tensor)
{
	struct sf_value *value =
	    sf_onnx_value_new(run, sf_onnx_value_tid(run, scope, tensor->name));

	value->kind = SF_ONNX_TYPE_TENSOR;
	value->dtype = tensor->dtype;
	value->rank_known = true;
	value->rank = tensor->rank;
	value->dims = tensor->dims;
	value->ints = tensor->ints;
	value->floats = tensor->floats;
	value->constant = true;
	sf_table_add(&scope->values, tensor->name)->ptr = value;
	sf_onnx_track_leaf(run, value,
	    sf_onnx_params_initializer(run->params, value->name),
	    scope != &run->root ? tensor : NULL);
	return sf_onnx_stated_shape(run, value, NULL) &&
	    sf_onnx_value_check(run, value);
}

bool
sf_onnx_values_inits(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_graph *graph)
{
	for (int i = 0; i < graph->ninits; i++)
		if (!add_init(run, scope, &graph->inits[i]))
			return false;
	return true;
}

/* A name that nothing makes: a weight that was left out of the file. */
static bool
make_left_out(
    struct sf_onnx_run *run, struct sf_str name, struct sf_value **value)
{
	enum sf_onnx_role role = sf_onnx_params_undefined(run->params, name);
	const struct sf_onnx_info *info =
	    sf_onnx_scope_declared(&run->root, name);

	if (role == SF_ONNX_ROLE_NONE)
		return sf_fail(run->error,
		    "its input '%.*s' comes from nowhere: no node, input or "
		    "initializer has that name",
		    SF_STR_ARG(name));
	*value = sf_onnx_value_new(run, name);
	if (info != NULL)
		sf_onnx_declare(*value, &info->type, run->arena);
	if (!sf_value_resolved(*value))
		(*value)->why = sf_arena_printf(run->arena,
		    "constant '%.*s' was left out of the file, and its shape; "
		    "--shape %s gives it",
		    SF_STR_ARG(name),
		    sf_onnx_value_argument(run, name, "...:TYPE"));
	if (!sf_onnx_stated_shape(run, *value, NULL))
		return false;
	(*value)->constant = true;
	if (role == SF_ONNX_ROLE_PARAMETER)
		sf_onnx_track_leaf(run, *value, SF_ONNX_LEAF_SURE, NULL);
	sf_table_add(&run->root.values, name)->ptr = *value;
	return sf_onnx_value_check(run, *value);
}

/* It stays when what it was found in is taken back. */
static bool
find_left_out(
    struct sf_onnx_run *run, struct sf_str name, struct sf_value **value)
{
	struct sf_arena *arena = run->arena;
	struct sf_onnx_value *leaves = run->leaves;
	bool ok;

	run->arena = run->base;
	run->leaves = run->left_out;
	ok = make_left_out(run, name, value);
	run->left_out = run->leaves;
	run->leaves = leaves;
	run->arena = arena;
	return ok;
}

static bool
sees_root(const struct sf_onnx_run *run, const struct sf_onnx_scope *scope)
{
	while (scope->outer != NULL)
		scope = scope->outer;
	return scope == &run->root;
}

static bool
find_value(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    struct sf_str name, struct sf_value **value)
{
	if (sf_onnx_scope_find(scope, name, value))
		return true;
	if (sees_root(run, scope))
		return find_left_out(run, name, value);
	return sf_fail(run->error,
	    "its input '%.*s' comes from nowhere: no node or input of the "
	    "function has that name",
	    SF_STR_ARG(name));
}

bool
sf_onnx_values_find(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_str *names, size_t n, struct sf_value ***values)
{
	*values = sf_arena_calloc(run->arena, n, sizeof **values);
	for (size_t i = 0; i < n; i++)
		if (names[i].n != 0 &&
		    !find_value(run, scope, names[i], &(*values)[i]))
			return false;
	return true;
}

/* Inputs that have an initializer are that. */
bool
sf_onnx_values_inputs(
    struct sf_onnx_run *run, const struct sf_onnx_graph *graph)
{
	for (int i = 0; i < graph->ninputs; i++)
		if (sf_table_find(&run->root.values, graph->inputs[i].name) ==
			NULL &&
		    !add_input(run, &graph->inputs[i]))
			return false;
	return true;
}

static const char *
why_open(const struct sf_value *value)
{
	return value->why != NULL ? value->why : "its shape is not known";
}

bool
sf_onnx_value_maps(const struct sf_value *value)
{
	return value->kind == SF_ONNX_TYPE_SEQUENCE &&
	    value->item == SF_ONNX_TYPE_MAP;
}

const char *
sf_onnx_value_open(const struct sf_value *value)
{
	if (value->kind == SF_ONNX_TYPE_OPTIONAL && value->nitems == 0)
		return NULL;
	if (value->kind == SF_ONNX_TYPE_OPTIONAL && value->nitems == 1 &&
	    value->items != NULL)
		return sf_onnx_value_open(value->items[0]);
	if (sf_onnx_value_maps(value))
		return sf_value_numel(value) >= 0 ? NULL : why_open(value);
	if (value->kind != SF_ONNX_TYPE_SEQUENCE) {
		if (value->kind == SF_ONNX_TYPE_MAP ||
		    !sf_value_resolved(value))
			return why_open(value);
		return NULL;
	}
	if (value->nitems > SF_ONNX_MAX_ITEMS)
		return "it is a sequence of more than 64 tensors";
	if (value->nitems < 0)
		return why_open(value);
	for (int i = 0; i < value->nitems; i++)
		if (sf_onnx_value_open(value->items[i]) != NULL)
			return sf_onnx_value_open(value->items[i]);
	return NULL;
}
