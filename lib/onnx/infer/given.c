/* Reads what the user says of a value: its shape, and what an input holds. */
#include "onnx/infer/given.h"

#include <math.h>

#include "base/num.h"
#include "onnx/infer/declared.h"
#include "onnx/infer/shape.h"

bool
sf_onnx_given_shape(
    struct sf_onnx_type *type, struct sf_str text, struct sf_arena *arena)
{
	bool typed = sf_str_chr(text, ':') != NULL;
	struct sf_str sizes = sf_str_cut(&text, ':');

	type->kind = SF_ONNX_TYPE_TENSOR;
	type->dtype = sf_dtype_parse(sf_str_trim(text));
	if (typed && type->dtype == SF_DT_UNKNOWN)
		return false;
	type->rank_known = true;
	type->dims =
	    sf_arena_calloc(arena, SF_VALUE_MAX_RANK, sizeof *type->dims);
	while (sizes.n != 0) {
		bool last = sf_str_chr(sizes, 'x') == NULL;
		struct sf_str size = sf_str_cut(&sizes, 'x');
		int64_t *out = &type->dims[type->rank].size;

		if (type->rank == SF_VALUE_MAX_RANK ||
		    !sf_int_parse(size.p, size.n, out) || *out < 0 ||
		    (sizes.n == 0 && !last))
			return false;
		type->rank++;
	}
	return true;
}

int64_t
sf_onnx_given_count(struct sf_str text)
{
	int64_t n = text.n != 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == ',';
	return n;
}

/* Takes the first element off TEXT. */
static struct sf_str
take_element(struct sf_str *text)
{
	const char *comma = sf_str_chr(*text, ',');
	struct sf_str element = *text;

	if (comma == NULL) {
		*text = (struct sf_str){ text->p + text->n, 0 };
		return element;
	}
	element.n = (size_t)(comma - text->p);
	text->n -= element.n + 1;
	text->p += element.n + 1;
	return element;
}

static bool
parse_int(enum sf_dtype dtype, struct sf_str text, int64_t *out)
{
	if (dtype == SF_DT_B8 && sf_str_is(text, "true"))
		*out = 1;
	else if (dtype == SF_DT_B8 && sf_str_is(text, "false"))
		*out = 0;
	else if (!sf_int_parse(text.p, text.n, out))
		return false;
	return sf_dtype_holds(dtype, *out);
}

static bool
parse_float(enum sf_dtype dtype, struct sf_str text, double *out)
{
	if (!sf_double_parse(text.p, text.n, out))
		return false;
	*out = sf_dtype_round(dtype, *out);
	return isfinite(*out);
}

static bool
check_input(const struct sf_onnx_info *info, const struct sf_value *value,
    struct sf_str text, struct sf_arena *arena, struct sf_error *error)
{
	int64_t n = sf_value_numel(value), found = sf_onnx_given_count(text);

	if (!sf_value_resolved(value))
		return sf_fail(error,
		    "option '--value': the type of input '%.*s' is %s, "
		    "expected one without unknown sizes; --shape or --dim "
		    "gives them",
		    SF_STR_ARG(info->name), sf_onnx_type_text(value, arena));
	if (n > SF_VALUE_MAX_ELEMENTS)
		return sf_fail(error,
		    "option '--value': input '%.*s' has %lld elements, "
		    "expected at most %d",
		    SF_STR_ARG(info->name), (long long)n,
		    SF_VALUE_MAX_ELEMENTS);
	if (!sf_dtype_in_ints(value->dtype) &&
	    !sf_dtype_in_floats(value->dtype))
		return sf_fail(error,
		    "option '--value': input '%.*s' is of type %s, expected "
		    "integers, truth values or floating-point numbers",
		    SF_STR_ARG(info->name), sf_dtype_name(value->dtype));
	if (found != n)
		return sf_fail(error,
		    "option '--value': found %lld element%s for input '%.*s', "
		    "expected %lld as it is %s",
		    (long long)found, found == 1 ? "" : "s",
		    SF_STR_ARG(info->name), (long long)n,
		    sf_onnx_type_text(value, arena));
	return true;
}

bool
sf_onnx_give(struct sf_onnx_info *info, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_value value = { .name = info->name };
	int64_t *ints = NULL;
	double *floats = NULL;
	size_t n;

	sf_onnx_declare(&value, &info->type, arena);
	if (!check_input(info, &value, text, arena, error))
		return false;
	n = (size_t)sf_value_numel(&value);
	if (sf_dtype_in_ints(value.dtype))
		ints = sf_arena_calloc(arena, n + 1, sizeof *ints);
	else
		floats = sf_arena_calloc(arena, n + 1, sizeof *floats);
	for (size_t i = 0; i < n; i++) {
		struct sf_str element = take_element(&text);

		if (ints != NULL
			? parse_int(value.dtype, element, &ints[i])
			: parse_float(value.dtype, element, &floats[i]))
			continue;
		return sf_fail(error,
		    "option '--value': element %zu of input '%.*s' is '%.*s', "
		    "no %s",
		    i, SF_STR_ARG(info->name), SF_STR_ARG(element),
		    sf_dtype_name(value.dtype));
	}
	info->ints = ints;
	info->floats = sf_reals_of(floats);
	return true;
}
