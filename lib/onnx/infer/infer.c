/* What shape rules are written with, and how one of them is run. */
#include "onnx/infer/infer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"

/* ---- attributes ---- */

/* The most elements of a list: more than a node needs, and counts stay int. */
enum {
	MAX_LIST = 1 << 24
};

const struct sf_onnx_attr *
sf_infer_attr(const struct sf_infer *infer, const char *name)
{
	for (int i = 0; i < infer->node->nattrs; i++)
		if (sf_str_is(infer->node->attrs[i].name, name))
			return &infer->node->attrs[i];
	return NULL;
}

static bool
wrong_type(struct sf_infer *infer, const char *name, const char *expected)
{
	return sf_fail(infer->error,
	    "attribute '%s' has another type, expected %s", name, expected);
}

bool
sf_infer_attr_int(
    struct sf_infer *infer, const char *name, int64_t otherwise, int64_t *out)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	*out = otherwise;
	if (attr == NULL)
		return true;
	if (attr->type != SF_ONNX_ATTR_INT)
		return wrong_type(infer, name, "an integer");
	*out = attr->i;
	return true;
}

bool
sf_infer_attr_ints(
    struct sf_infer *infer, const char *name, const int64_t **out, int *n)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	*out = NULL;
	*n = -1;
	if (attr == NULL)
		return true;
	/* An empty list may have been written without its type. */
	if (attr->type != SF_ONNX_ATTR_INTS)
		return wrong_type(infer, name, "integers");
	if (attr->n > MAX_LIST)
		return sf_fail(infer->error,
		    "attribute '%s' has %zu integers, expected at most %d",
		    name, attr->n, MAX_LIST);
	*out = attr->ints;
	*n = (int)attr->n;
	return true;
}

bool
sf_infer_attr_floats(
    struct sf_infer *infer, const char *name, const double **out, int *n)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	*out = NULL;
	*n = -1;
	if (attr == NULL)
		return true;
	if (attr->type != SF_ONNX_ATTR_FLOATS)
		return wrong_type(infer, name, "floating-point numbers");
	if (attr->n > MAX_LIST)
		return sf_fail(infer->error,
		    "attribute '%s' has %zu numbers, expected at most %d", name,
		    attr->n, MAX_LIST);
	*out = attr->floats;
	*n = (int)attr->n;
	return true;
}

bool
sf_infer_attr_str(struct sf_infer *infer, const char *name,
    const char *otherwise, struct sf_str *out)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	*out = sf_str_of(otherwise);
	if (attr == NULL)
		return true;
	if (attr->type != SF_ONNX_ATTR_STRING)
		return wrong_type(infer, name, "a string");
	*out = attr->s;
	return true;
}

/* ---- inputs and outputs ---- */

struct sf_value *
sf_infer_input(const struct sf_infer *infer, int i)
{
	return i < infer->ninputs ? infer->inputs[i] : NULL;
}

void
sf_infer_set_shape(struct sf_infer *infer, int i, enum sf_dtype dtype, int rank,
    const int64_t *dims)
{
	struct sf_value *value = &infer->outputs[i];
	int64_t *copy =
	    sf_arena_calloc(infer->arena, (size_t)rank, sizeof *copy);

	for (int axis = 0; axis < rank; axis++)
		copy[axis] = dims[axis];
	value->kind = SF_ONNX_TYPE_TENSOR;
	value->dtype = dtype;
	value->rank_known = true;
	value->rank = rank;
	value->dims = copy;
	value->dim_names = NULL;
}

void
sf_infer_like(struct sf_infer *infer, int i, const struct sf_value *value)
{
	struct sf_value *out;

	if (i >= infer->noutputs)
		return;
	out = &infer->outputs[i];
	out->kind = value->kind == SF_ONNX_TYPE_NONE ? SF_ONNX_TYPE_TENSOR
						     : value->kind;
	out->item = value->item;
	out->dtype = value->dtype;
	out->rank_known = value->rank_known;
	out->rank = value->rank;
	out->dims = value->dims;
	out->dim_names = value->dim_names;
	out->items = value->items;
	out->nitems = value->nitems;
}

void
sf_infer_unknown(struct sf_infer *infer, int i, const char *format, ...)
{
	struct sf_buf why = { 0 };
	va_list args;

	if (i >= infer->noutputs || infer->outputs[i].why != NULL)
		return;
	va_start(args, format);
	sf_buf_vprintf(&why, format, args);
	va_end(args);
	infer->outputs[i].why = sf_arena_strndup(infer->arena, why.p, why.n);
	sf_buf_release(&why);
}

static void
blame_contents(struct sf_infer *infer, int i, const struct sf_value *input)
{
	sf_infer_unknown(infer, i, "the contents of '%.*s' are not known",
	    SF_STR_ARG(input->name));
	for (int k = 0; k < infer->ninputs; k++)
		if (infer->inputs[k] == input)
			infer->outputs[i].blame = infer->inputs[k];
}

void
sf_infer_unknown_from(
    struct sf_infer *infer, int i, const struct sf_value *input)
{
	if (i >= infer->noutputs || infer->outputs[i].why != NULL)
		return;
	if (input == NULL)
		sf_infer_unknown(infer, i, "an input is missing");
	else if (input->why != NULL)
		infer->outputs[i].why = input->why;
	else if (sf_value_resolved(input))
		blame_contents(infer, i, input);
	else
		sf_infer_unknown(infer, i, "the shape of '%.*s' is not known",
		    SF_STR_ARG(input->name));
}

/* ---- values ---- */

int64_t
sf_value_numel(const struct sf_value *value)
{
	int64_t n;

	if (!value->rank_known)
		return SF_DIM_UNKNOWN;
	for (int i = 0; i < value->rank; i++)
		if (value->dims[i] < 0)
			return SF_DIM_UNKNOWN;
	if (!sf_mul_all(value->dims, (size_t)value->rank, &n))
		return SF_DIM_UNKNOWN;
	return n;
}

bool
sf_value_resolved(const struct sf_value *value)
{
	if (value->kind != SF_ONNX_TYPE_TENSOR || !value->rank_known ||
	    value->dtype == SF_DT_UNKNOWN)
		return false;
	for (int i = 0; i < value->rank; i++)
		if (value->dims[i] < 0)
			return false;
	return true;
}

bool
sf_value_has_ints(const struct sf_value *value)
{
	return value->ints != NULL && value->known == NULL;
}

/* ---- what a row says ---- */

enum sf_infer_read
sf_infer_reads(const struct sf_infer_entry *entry, int i)
{
	if (entry == NULL || entry->reads == NULL ||
	    (size_t)i >= strlen(entry->reads))
		return SF_READ_DATA;
	return (enum sf_infer_read)entry->reads[i];
}

bool
sf_infer_random(const struct sf_infer_entry *entry, int ninputs)
{
	return entry != NULL && entry->random != 0 &&
	    ninputs >= entry->random - 1;
}

/* ---- running a rule ---- */

static bool
check_count(struct sf_infer *infer, const char *what, int n, int min, int max)
{
	if (n < min)
		return sf_fail(infer->error, "%d %s%s, expected at least %d", n,
		    what, n == 1 ? "" : "s", min);
	if (max >= 0 && n > max)
		return sf_fail(
		    infer->error, "%d %ss, expected at most %d", n, what, max);
	return true;
}

/* The number of inputs up to the last that is there. */
static int
count_inputs(const struct sf_infer *infer)
{
	int n = infer->ninputs;

	while (n > 0 && infer->inputs[n - 1] == NULL)
		n--;
	return n;
}

static bool
check_size(struct sf_infer *infer, const struct sf_value *value)
{
	int64_t n;

	if (!sf_value_resolved(value) ||
	    sf_mul_all(value->dims, (size_t)value->rank, &n))
		return true;
	return sf_fail(infer->error,
	    "output '%.*s' would have more than 2^63 - 1 elements",
	    SF_STR_ARG(value->name));
}

static bool
is_complete(const struct sf_value *value)
{
	return sf_value_resolved(value) && value->known == NULL &&
	    (value->ints != NULL || value->floats.at != NULL);
}

/* An output inherits its reason from the first input that has one. */
static void
inherit_reason(struct sf_infer *infer, int i)
{
	struct sf_value *out = &infer->outputs[i];

	for (int k = 0; k < infer->ninputs; k++) {
		const struct sf_value *in = infer->inputs[k];

		if (in == NULL || in->why == NULL || is_complete(in))
			continue;
		if (sf_value_resolved(out) || !sf_value_resolved(in)) {
			out->why = in->why;
			return;
		}
	}
	if (sf_value_resolved(out) || out->kind == SF_ONNX_TYPE_SEQUENCE)
		return;
	for (int k = 0; k < infer->ninputs; k++)
		if (infer->inputs[k] != NULL &&
		    !sf_value_resolved(infer->inputs[k])) {
			sf_infer_unknown_from(infer, i, infer->inputs[k]);
			return;
		}
	sf_infer_unknown(infer, i, "%.*s does not tell it",
	    SF_STR_ARG(infer->node->op_type));
}

bool
sf_infer_run(struct sf_infer *infer, const struct sf_infer_entry *entry)
{
	infer->entry = entry;
	if (!check_count(infer, "input", count_inputs(infer), entry->min_inputs,
		entry->max_inputs) ||
	    !check_count(infer, "output", infer->noutputs, entry->min_outputs,
		entry->max_outputs))
		return false;
	for (int i = 0; i < entry->min_inputs; i++)
		if (infer->inputs[i] == NULL)
			return sf_fail(infer->error,
			    "input %d is left out, but it is required", i);
	if (!entry->rule(infer))
		return false;
	for (int i = 0; i < infer->noutputs; i++) {
		struct sf_value *out = &infer->outputs[i];

		if (!check_size(infer, out))
			return false;
		if (is_complete(out))
			out->why = NULL;
		else if (out->why == NULL)
			inherit_reason(infer, i);
	}
	return true;
}
