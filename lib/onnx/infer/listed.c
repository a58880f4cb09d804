/* Reads the elements of sequences and optionals that a model takes. */
#include "onnx/infer/listed.h"

#include <string.h>

#include "onnx/infer/declared.h"
#include "onnx/infer/given.h"

bool
sf_onnx_holds_items(const struct sf_onnx_type *type)
{
	return (type->kind == SF_ONNX_TYPE_SEQUENCE ||
		   type->kind == SF_ONNX_TYPE_OPTIONAL) &&
	    (type->item == SF_ONNX_TYPE_TENSOR ||
		type->item == SF_ONNX_TYPE_NONE ||
		(type->kind == SF_ONNX_TYPE_OPTIONAL &&
		    type->item == SF_ONNX_TYPE_SEQUENCE));
}

/* An element has the type that is declared of all, and its rank and sizes. */
static bool
fits(const struct sf_onnx_type *all, struct sf_onnx_type *one)
{
	if (one->dtype == SF_DT_UNKNOWN)
		one->dtype = all->dtype;
	if (all->dtype != SF_DT_UNKNOWN && one->dtype != all->dtype)
		return false;
	if (!all->rank_known)
		return true;
	if (all->rank != one->rank)
		return false;
	for (int i = 0; i < one->rank; i++)
		if (all->dims[i].size != SF_DIM_UNKNOWN &&
		    all->dims[i].size != one->dims[i].size)
			return false;
	return true;
}

static bool
take_item(struct sf_onnx_info *info, struct sf_onnx_type *item,
    struct sf_str text, struct sf_arena *arena, struct sf_error *error)
{
	struct sf_value declared = { .name = info->name };

	if (!sf_onnx_given_shape(item, text, arena))
		return sf_fail(error,
		    "option '--shape': found '%.*s' for an element of input "
		    "'%.*s', expected 1x3[:TYPE] with sizes >= 0",
		    SF_STR_ARG(text), SF_STR_ARG(info->name));
	if (fits(&info->type, item))
		return true;
	sf_onnx_declare(&declared, &info->type, arena);
	return sf_fail(error,
	    "option '--shape': found '%.*s' for an element of input '%.*s', "
	    "which in the model is %s",
	    SF_STR_ARG(text), SF_STR_ARG(info->name),
	    sf_onnx_type_text(&declared, arena));
}

/* The words for nothing; false when TEXT is none that the input may have. */
static bool
is_nothing(struct sf_onnx_info *info, struct sf_str text)
{
	bool optional = info->type.kind == SF_ONNX_TYPE_OPTIONAL;

	info->left_out = optional && sf_str_is(text, "none");
	return info->left_out ||
	    (sf_str_is(text, "empty") &&
		(!optional || info->type.item == SF_ONNX_TYPE_SEQUENCE));
}

bool
sf_onnx_give_items(struct sf_onnx_info *info, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error)
{
	bool one = info->type.kind == SF_ONNX_TYPE_OPTIONAL &&
	    info->type.item != SF_ONNX_TYPE_SEQUENCE;
	int n = 1;

	info->listed = true;
	if (is_nothing(info, text))
		return true;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == ',';
	if (one && n != 1)
		return sf_fail(error,
		    "option '--shape': found %d shapes for input '%.*s', "
		    "which holds one tensor or none",
		    n, SF_STR_ARG(info->name));
	info->items = sf_arena_calloc(arena, (size_t)n, sizeof *info->items);
	info->nitems = n;
	for (int i = 0; i < n; i++)
		if (!take_item(info, &info->items[i], sf_str_cut(&text, ','),
			arena, error))
			return false;
	return true;
}
