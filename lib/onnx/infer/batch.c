/* Finds the dimension that is the batch, where only one can be. */
#include "onnx/infer/batch.h"

#include <string.h>

#include "onnx/infer/declared.h"

bool
sf_onnx_batch_has(const struct sf_onnx_info *input)
{
	return !sf_str_is(input->spec_kind, "PARAMETER") &&
	    !sf_str_is(input->spec_kind, "BUFFER") &&
	    !(input->type.rank_known && input->type.rank == 0);
}

static const char *
type_text(const struct sf_onnx_info *info, struct sf_arena *arena)
{
	struct sf_value value = { .name = info->name };

	sf_onnx_declare(&value, &info->type, arena);
	return sf_onnx_type_text(&value, arena);
}

/* A name like "batch_size", and not "batch_size*heads". */
static bool
says_batch(struct sf_str name)
{
	static const char batch[] = "batch";
	size_t at = 0;
	bool found = false;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i], lower = (char)(c | 0x20);

		if (c != '_' && c != '.' && (c < '0' || c > '9') &&
		    (lower < 'a' || lower > 'z'))
			return false;
		at = lower == batch[at] ? at + 1 : lower == batch[0];
		if (at == sizeof batch - 1) {
			found = true;
			at = 0;
		}
	}
	return found;
}

static bool
two_names(struct sf_error *error, struct sf_str a, struct sf_str b)
{
	return sf_fail(error,
	    "option '--batch': both '%.*s' and '%.*s' may be the batch; --dim "
	    "says which",
	    SF_STR_ARG(a), SF_STR_ARG(b));
}

/* The one name that says so; empty when none does. */
static bool
find_named(struct sf_onnx_info *const *inputs, size_t n, struct sf_str *name,
    struct sf_error *error)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < inputs[i]->type.rank; k++) {
			struct sf_str d = inputs[i]->type.dims[k].name;

			if (!says_batch(d) || sf_str_eq(d, *name))
				continue;
			if (name->n != 0)
				return two_names(error, *name, d);
			*name = d;
		}
	return true;
}

/* NAME is that of first dimensions alone. */
static bool
check_places(struct sf_onnx_info *const *inputs, size_t n, struct sf_str name,
    struct sf_error *error)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 1; k < inputs[i]->type.rank; k++)
			if (sf_str_eq(inputs[i]->type.dims[k].name, name))
				return sf_fail(error,
				    "option '--batch': '%.*s' is dimension %d "
				    "of input '%.*s', too, so it may not be "
				    "the batch; --dim or --shape says it",
				    SF_STR_ARG(name), k,
				    SF_STR_ARG(inputs[i]->name));
	return true;
}

/* A and B begin with the same, as far as that can be told. */
static bool
same_first(const struct sf_onnx_info *a, const struct sf_onnx_info *b)
{
	const struct sf_onnx_dim *x = &a->type.dims[0], *y = &b->type.dims[0];

	if (x->name.n != 0 && y->name.n != 0)
		return sf_str_eq(x->name, y->name);
	if (x->name.n != 0 || y->name.n != 0)
		return (x->name.n != 0 ? y : x)->size != SF_DIM_UNKNOWN;
	/* A vector of one number is mostly no batch of one. */
	return x->size == y->size &&
	    (x->size != 1 || (a->type.rank == 1) == (b->type.rank == 1));
}

static bool
find_first(struct sf_onnx_info *const *inputs, size_t n, struct sf_str *name,
    struct sf_arena *arena, struct sf_error *error)
{
	const struct sf_onnx_info *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct sf_onnx_info *input = inputs[i];

		if (!sf_onnx_batch_has(input))
			continue;
		if (input->type.kind != SF_ONNX_TYPE_TENSOR ||
		    !input->type.rank_known)
			return sf_fail(error,
			    "option '--batch': input '%.*s' is no tensor of a "
			    "known rank; --shape gives it one",
			    SF_STR_ARG(input->name));
		if (first == NULL)
			first = input;
		if (!same_first(first, input))
			return sf_fail(error,
			    "option '--batch': inputs '%.*s' %s and '%.*s' %s "
			    "do not begin with one batch; --shape says it",
			    SF_STR_ARG(first->name), type_text(first, arena),
			    SF_STR_ARG(input->name), type_text(input, arena));
		if (input->type.dims[0].name.n != 0)
			first = input;
	}
	if (first == NULL)
		return sf_fail(error,
		    "option '--batch': the model has no input with a "
		    "dimension");
	*name = first->type.dims[0].name;
	return name->n == 0 || check_places(inputs, n, *name, error);
}

bool
sf_onnx_batch_find(struct sf_onnx_info *const *inputs, size_t n,
    struct sf_str *name, struct sf_arena *arena, struct sf_error *error)
{
	*name = SF_STR("");
	return find_named(inputs, n, name, error) &&
	    (name->n != 0 || find_first(inputs, n, name, arena, error));
}
