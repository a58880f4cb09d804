/* Operators with a schema: what they read, take and make. */
#include <math.h>

#include "export/part.h"
#include "export/walk.h"
#include "rules/rule.h"
#include "torch/args.h"
#include "torch/dtype.h"

/* ---- lists of values ---- */

static void
push(struct sf_export_walk *walk, struct sf_export_value *value)
{
	sf_buf_put(&walk->list, &value, sizeof value);
}

struct sf_export_value **
sf_export_listed(struct sf_export_walk *walk, int *n)
{
	size_t size = sizeof(struct sf_export_value *);
	struct sf_export_value **copy;

	*n = (int)(walk->list.n / size);
	copy = sf_arena_calloc(walk->arena, (size_t)*n + 1, size);
	if (*n != 0)
		memcpy(copy, walk->list.p, walk->list.n);
	walk->list.n = 0;
	return copy;
}

/* {"name": N}, or N alone in the oldest schemas. */
static bool
push_tensor(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str name;
	struct sf_export_value *value;

	if (!sf_part_string(text, arena, &name))
		name = sf_part_name(text, "name", arena);
	if (name.n == 0)
		return sf_fail(error, "a tensor that has no name");
	value = sf_export_named(scope, name, error);
	if (value == NULL)
		return false;
	if (!value->is_tensor)
		return sf_fail(error, "'%.*s' is no tensor", SF_STR_ARG(name));
	push(scope->walk, value);
	return true;
}

typedef bool push_element(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error);

static bool
push_optional(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_str tag, value;

	if (!sf_part_union(text, scope->walk->arena, &tag, &value))
		return sf_fail(error, "an argument that is of no kind");
	if (!SF_KEY(tag, "as_none"))
		return push_tensor(
		    scope, SF_KEY(tag, "as_tensor") ? value : text, error);
	push(scope->walk, NULL);
	return true;
}

static bool
push_all(struct sf_export_scope *scope, struct sf_str array, push_element *one,
    struct sf_error *error)
{
	struct sf_parts parts = sf_parts_of_array(array);
	struct sf_str element;

	while (sf_parts_element(&parts, &element))
		if (!one(scope, element, error))
			return false;
	return true;
}

static bool
push_tensors(
    struct sf_export_scope *scope, struct sf_str array, struct sf_error *error)
{
	return push_all(scope, array, push_tensor, error);
}

bool
sf_export_values(struct sf_export_scope *scope, struct sf_str tag,
    struct sf_str value, struct sf_error *error)
{
	if (SF_KEY(tag, "as_tensor"))
		return push_tensor(scope, value, error);
	if (SF_KEY(tag, "as_tensors"))
		return push_tensors(scope, value, error);
	if (SF_KEY(tag, "as_nested_tensors"))
		return push_all(scope, value, push_tensors, error);
	if (SF_KEY(tag, "as_optional_tensor"))
		return push_optional(scope, value, error);
	if (SF_KEY(tag, "as_optional_tensors"))
		return push_all(scope, value, push_optional, error);
	return true;
}

/* ---- attributes ---- */

/*
 * Literals as they are; numbers that JSON has no word for as Python prints
 * them.
 */
static void
put_literal(
    struct sf_export_scope *scope, struct sf_jsonw *w, struct sf_str text)
{
	struct sf_parts parts = sf_parts_of_array(text);
	struct sf_str element, string;
	int64_t whole;
	double real;
	bool truth;

	if (parts.open) {
		sf_jsonw_open(w, '[');
		while (sf_parts_element(&parts, &element))
			put_literal(scope, w, element);
		sf_jsonw_close(w, ']');
	} else if (sf_part_int(text, &whole))
		sf_jsonw_int(w, whole);
	else if (sf_part_bool(text, &truth))
		sf_jsonw_bool(w, truth);
	else if (sf_part_double(text, &real) && isfinite(real))
		sf_jsonw_double(w, real);
	else if (sf_part_string(text, scope->walk->arena, &string))
		sf_jsonw_str(w, string);
	else
		sf_jsonw_null(w);
}

/* JSON has no word for what is not finite. */
static void
put_real(struct sf_jsonw *w, double real)
{
	if (isfinite(real))
		sf_jsonw_double(w, real);
	else
		sf_jsonw_cstr(w,
		    isnan(real)    ? "nan"
			: real > 0 ? "inf"
				   : "-inf");
}

static void
put_float(struct sf_export_scope *scope, struct sf_jsonw *w, struct sf_str text)
{
	struct sf_parts parts = sf_parts_of_array(text);
	struct sf_str element;
	double real;

	if (parts.open) {
		sf_jsonw_open(w, '[');
		while (sf_parts_element(&parts, &element))
			put_float(scope, w, element);
		sf_jsonw_close(w, ']');
	} else if (!sf_part_double(text, &real))
		sf_jsonw_null(w);
	else
		put_real(w, real);
}

static void
put_number(struct sf_jsonw *w, const struct sf_size_value *v)
{
	if (v->is == SF_SIZE_IS_REAL)
		put_real(w, v->real);
	else if (v->is == SF_SIZE_IS_TRUTH)
		sf_jsonw_bool(w, v->num != 0);
	else if (v->den == 1)
		sf_jsonw_int(w, v->num);
	else
		sf_jsonw_double(w, (double)v->num / (double)v->den);
}

/* The key is written with the first value: what is open is left out. */
static bool
put_numbers(struct sf_export_scope *scope, struct sf_str key,
    struct sf_str text, struct sf_error *error)
{
	struct sf_jsonw *w = &scope->walk->attrs;
	struct sf_parts parts = sf_parts_of_array(text);
	struct sf_export_size number;
	struct sf_str element;
	size_t undo = w->buf.n;
	bool comma = w->comma;

	sf_jsonw_name(w, key);
	if (!parts.open) {
		if (!sf_export_number(scope, text, &number, error))
			return false;
		if (number.value.is != SF_SIZE_IS_OPEN) {
			put_number(w, &number.value);
			return true;
		}
		w->buf.n = undo;
		w->comma = comma;
		return true;
	}
	sf_jsonw_open(w, '[');
	while (sf_parts_element(&parts, &element)) {
		if (!sf_export_number(scope, element, &number, error))
			return false;
		if (number.value.is == SF_SIZE_IS_OPEN) {
			w->buf.n = undo;
			w->comma = comma;
			return true;
		}
		put_number(w, &number.value);
	}
	sf_jsonw_close(w, ']');
	return true;
}

static bool
is_literal(struct sf_str tag)
{
	static const char *const tags[] = { "as_int", "as_ints", "as_bool",
		"as_bools", "as_string", "as_strings", "as_int_lists" };

	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (sf_str_is(tag, tags[i]))
			return true;
	return false;
}

static bool
is_float(struct sf_str tag)
{
	return SF_KEY(tag, "as_float") || SF_KEY(tag, "as_floats") ||
	    SF_KEY(tag, "as_float_lists");
}

static bool
is_symbolic(struct sf_str tag)
{
	return sf_str_starts(tag, "as_sym_");
}

static bool
is_tensors(struct sf_str tag)
{
	return SF_KEY(tag, "as_tensor") || SF_KEY(tag, "as_tensors") ||
	    SF_KEY(tag, "as_nested_tensors") ||
	    SF_KEY(tag, "as_optional_tensor") ||
	    SF_KEY(tag, "as_optional_tensors");
}

/* Devices, layouts and memory formats are no words of the stream. */
static bool
put_attr(struct sf_export_scope *scope, struct sf_str key, struct sf_str tag,
    struct sf_str value, struct sf_error *error)
{
	struct sf_jsonw *w = &scope->walk->attrs;
	enum sf_dtype dtype;
	int64_t number;

	if (is_symbolic(tag))
		return put_numbers(scope, key, value, error);
	if (SF_KEY(tag, "as_scalar_type")) {
		dtype = sf_part_int(value, &number)
		    ? sf_torch_dtype_of_export(number)
		    : SF_DT_UNKNOWN;
		if (dtype == SF_DT_UNKNOWN)
			return true;
		sf_jsonw_name(w, key);
		sf_jsonw_cstr(w, sf_dtype_name(dtype));
	} else if (is_literal(tag) || SF_KEY(tag, "as_tensors")) {
		sf_jsonw_name(w, key);
		put_literal(scope, w, value);
	} else if (is_float(tag)) {
		sf_jsonw_name(w, key);
		put_float(scope, w, value);
	}
	return true;
}

/* ---- arguments ---- */

/* Of optional tensors, those that stand before KEY and were left out. */
static void
push_omitted(
    struct sf_export_walk *walk, struct sf_str *optional, struct sf_str key)
{
	struct sf_str rest = *optional, name;
	int skipped = 0;

	while (rest.n != 0) {
		name = sf_str_cut(&rest, ' ');
		if (sf_str_eq(name, key)) {
			for (; skipped > 0; skipped--)
				push(walk, NULL);
			*optional = rest;
			return;
		}
		skipped++;
	}
}

static bool
take_argument(struct sf_export_scope *scope, struct sf_str input,
    struct sf_str *optional, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_str key = sf_part_name(input, "name", walk->arena);
	struct sf_str tag, value;
	struct sf_error why;
	size_t before;

	if (!sf_part_union(sf_part_of(input, "arg", walk->arena), walk->arena,
		&tag, &value))
		return sf_fail(
		    error, "argument '%.*s' is of no kind", SF_STR_ARG(key));
	if (is_tensors(tag) || SF_KEY(tag, "as_none"))
		push_omitted(walk, optional, key);
	before = walk->list.n;
	if (SF_KEY(tag, "as_none") && !sf_torch_is_number(key))
		push(walk, NULL);
	if (!sf_export_values(scope, tag, value, &why) ||
	    (walk->list.n == before && key.n != 0 &&
		!put_attr(scope, key, tag, value, &why)))
		return sf_fail(
		    error, "argument '%.*s': %s", SF_STR_ARG(key), why.text);
	return true;
}

static struct sf_str
attrs_text(struct sf_export_walk *walk)
{
	struct sf_jsonw *w = &walk->attrs;

	sf_jsonw_close(w, '}');
	if (w->buf.n <= 2)
		return SF_STR("");
	return (struct sf_str){
		sf_arena_strndup(walk->arena, w->buf.p, w->buf.n), w->buf.n
	};
}

static bool
take_arguments(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_str *attrs, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_parts parts = sf_parts_of_array(node->inputs);
	struct sf_str optional = SF_STR(""), input;

	if (sf_str_is(node->target.ns, "aten"))
		optional = sf_torch_optional_tensors(node->target.op);
	walk->list.n = 0;
	walk->attrs.buf.n = 0;
	walk->attrs.comma = false;
	sf_jsonw_open(&walk->attrs, '{');
	if (node->target.overload.n != 0) {
		sf_jsonw_name(&walk->attrs, SF_STR("overload"));
		sf_jsonw_str(&walk->attrs, node->target.overload);
	}
	while (sf_parts_element(&parts, &input))
		if (!take_argument(scope, input, &optional, error))
			return false;
	*attrs = attrs_text(walk);
	return true;
}

/* ---- results ---- */

static bool
define_number(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_str tag, inside, name;
	struct sf_export_value *value;

	if (!sf_part_union(text, scope->walk->arena, &tag, &inside) ||
	    !SF_KEY(tag, "as_name") ||
	    !sf_part_string(inside, scope->walk->arena, &name))
		return true;
	value = sf_arena_calloc(scope->walk->arena, 1, sizeof *value);
	if (!sf_export_number(scope, text, &value->number, error))
		return false;
	sf_export_bind(scope, name, value);
	return true;
}

static bool
define_tensor(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_str name = sf_part_name(text, "name", scope->walk->arena);
	struct sf_export_value *value;

	if (name.n == 0)
		return sf_fail(error, "a result that has no name");
	value = sf_export_define(scope, name, error);
	if (value == NULL)
		return false;
	sf_export_bind(scope, name, value);
	push(scope->walk, value);
	return true;
}

static bool
define_optional(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_str tag, value;

	if (!sf_part_union(text, scope->walk->arena, &tag, &value))
		return sf_fail(error, "a result that is of no kind");
	if (!SF_KEY(tag, "as_none"))
		return define_tensor(
		    scope, SF_KEY(tag, "as_tensor") ? value : text, error);
	push(scope->walk, NULL);
	return true;
}

static bool
define_result(
    struct sf_export_scope *scope, struct sf_str text, struct sf_error *error)
{
	struct sf_str tag, value;

	if (!sf_part_union(text, scope->walk->arena, &tag, &value))
		return sf_fail(error, "a result that is of no kind");
	if (SF_KEY(tag, "as_tensors"))
		return push_all(scope, value, define_tensor, error);
	if (SF_KEY(tag, "as_optional_tensors"))
		return push_all(scope, value, define_optional, error);
	if (SF_KEY(tag, "as_sym_ints") || SF_KEY(tag, "as_sym_bools") ||
	    SF_KEY(tag, "as_sym_floats"))
		return push_all(scope, value, define_number, error);
	if (is_symbolic(tag))
		return define_number(scope, value, error);
	if (SF_KEY(tag, "as_tensor") || SF_KEY(tag, "as_none"))
		return define_optional(scope, text, error);
	if (SF_KEY(tag, "as_optional_tensor"))
		return define_optional(scope, value, error);
	return true;
}

bool
sf_export_results(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error)
{
	scope->walk->list.n = 0;
	return push_all(scope, node->outputs, define_result, error);
}

/* ---- the operator ---- */

/* What PyTorch hands on as it is when nothing would change. */
static bool
is_unchanged(struct sf_str name, const struct sf_export_value *in,
    const struct sf_export_value *out)
{
	return (sf_str_is(name, "aten.to") ||
		   sf_str_is(name, "aten.contiguous")) &&
	    in->tensor.dtype == out->tensor.dtype &&
	    sf_str_eq(in->strides, out->strides);
}

/* A view of a parameter is one. */
static void
mark_views(struct sf_export_walk *walk, struct sf_str name,
    struct sf_export_value *const *inputs, int ninputs,
    struct sf_export_value *const *outputs, int noutputs)
{
	const struct sf_rule *rule;

	if (ninputs == 0 || inputs[0] == NULL || !inputs[0]->tensor.param)
		return;
	rule = sf_rulebook_find(walk->rules, name);
	for (int i = 0; i < noutputs; i++)
		if (outputs[i] != NULL &&
		    ((rule != NULL && rule->aliases) ||
			is_unchanged(name, inputs[0], outputs[i])))
			outputs[i]->tensor.param = true;
}

/*
 * One in place that returns nothing makes what it writes: its self. No schema
 * says so, but the underscore does.
 */
static int
count_written(struct sf_export_scope *scope, const struct sf_export_node *node,
    int ninputs)
{
	struct sf_parts parts = sf_parts_of_array(node->inputs);
	struct sf_str op = node->target.op, first, tag, value;
	struct sf_error error;
	int n;

	if (op.n < 2 || op.p[op.n - 1] != '_' || ninputs == 0 ||
	    !sf_parts_element(&parts, &first) ||
	    !sf_part_union(sf_part_of(first, "arg", scope->walk->arena),
		scope->walk->arena, &tag, &value))
		return 0;
	if (!sf_export_values(scope, tag, value, &error))
		return 0;
	n = (int)(scope->walk->list.n / sizeof(struct sf_export_value *));
	scope->walk->list.n = 0;
	return n <= ninputs ? n : 0;
}

static bool
check_assertion(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error)
{
	struct sf_parts parts = sf_parts_of_array(node->inputs);
	struct sf_export_walk *walk = scope->walk;
	struct sf_str first, tag, value;
	struct sf_export_size got;

	if (!sf_str_is(node->target.op, "_assert_scalar") ||
	    !sf_parts_element(&parts, &first) ||
	    !sf_part_union(sf_part_of(first, "arg", walk->arena), walk->arena,
		&tag, &value) ||
	    !is_symbolic(tag))
		return true;
	if (!sf_export_number(scope, value, &got, error))
		return false;
	if (got.value.is != SF_SIZE_IS_TRUTH || got.value.num != 0)
		return true;
	walk->symbols.blame = walk->symbols.ngiven != 0;
	return sf_fail(error, "%.*s does not hold, which the program asserts",
	    SF_STR_ARG(got.text.n != 0 ? got.text : SF_STR("it")));
}

bool
sf_export_call(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_str name = sf_torch_target_name(&node->target, walk->arena);
	struct sf_export_value **inputs, **outputs;
	struct sf_str attrs;
	int ninputs, noutputs;

	if (!take_arguments(scope, node, &attrs, error) ||
	    !check_assertion(scope, node, error))
		return false;
	inputs = sf_export_listed(walk, &ninputs);
	/* An optional tensor is worth a place only where another follows. */
	while (ninputs != 0 && inputs[ninputs - 1] == NULL)
		ninputs--;
	if (!sf_export_results(scope, node, error))
		return false;
	outputs = sf_export_listed(walk, &noutputs);
	if (noutputs == 0 && sf_str_is(node->target.ns, "aten")) {
		noutputs = count_written(scope, node, ninputs);
		outputs = inputs;
	} else
		mark_views(walk, name, inputs, ninputs, outputs, noutputs);
	sf_export_add(walk, name, sf_export_node_name(scope, node), inputs,
	    ninputs, outputs, noutputs, attrs, NULL);
	return true;
}
