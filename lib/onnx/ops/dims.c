/* Sizes of inputs, and what is made of them. */
#include "onnx/ops/dims.h"

#include "base/num.h"

struct sf_onnx_dim
sf_input_dim(const struct sf_infer *infer, int i, int axis)
{
	struct sf_shape shape;

	sf_infer_shape(infer, i, &shape);
	if (axis < 0)
		axis += shape.rank;
	return shape.known && axis >= 0 && axis < shape.rank ? shape.d[axis]
							     : SF_DIM_NONE;
}

void
sf_set_dims(struct sf_infer *infer, int i, enum sf_dtype dtype, int n,
    const struct sf_onnx_dim *dims)
{
	struct sf_shape out = { .known = true, .rank = n };

	for (int k = 0; k < n; k++)
		out.d[k] = dims[k];
	sf_infer_set(infer, i, dtype, &out);
}

void
sf_set_like(struct sf_infer *infer, int i, int from)
{
	struct sf_shape shape;

	sf_infer_shape(infer, from, &shape);
	sf_infer_set(infer, i, sf_infer_type(infer, from), &shape);
}

bool
sf_set_last(struct sf_infer *infer, int i, enum sf_dtype dtype, int from,
    struct sf_onnx_dim size)
{
	struct sf_shape out;

	sf_infer_shape(infer, from, &out);
	if (out.known && out.rank < 1)
		return sf_fail(infer->error,
		    "input %d has rank 0, expected at least 1", from);
	if (out.known)
		out.d[out.rank - 1] = size;
	sf_infer_set(infer, i, dtype, &out);
	return true;
}

bool
sf_attr_size(struct sf_infer *infer, const char *name, int64_t least,
    int64_t otherwise, int64_t *out)
{
	if (!sf_infer_attr_int(infer, name, otherwise, out))
		return false;
	if (sf_infer_attr(infer, name) != NULL && *out < least)
		return sf_fail(infer->error,
		    "attribute '%s' is %lld, expected at least %lld", name,
		    (long long)*out, (long long)least);
	return true;
}

bool
sf_attr_need(struct sf_infer *infer, const char *name, int64_t *out)
{
	if (sf_infer_attr(infer, name) == NULL)
		return sf_fail(infer->error, "attribute '%s' is missing", name);
	return sf_attr_size(infer, name, 1, 1, out);
}

bool
sf_dim_plus(struct sf_infer *infer, struct sf_onnx_dim a, struct sf_onnx_dim b,
    struct sf_onnx_dim *out)
{
	int64_t sum;

	*out = SF_DIM_NONE;
	if (a.size == 0 || b.size == 0)
		*out = a.size == 0 ? b : a;
	if (!sf_dim_known(a) || !sf_dim_known(b))
		return true;
	if (!sf_add(a.size, b.size, &sum))
		return sf_fail(infer->error,
		    "the past and the new positions pass 2^63 - 1");
	*out = sf_dim(sum);
	return true;
}

bool
sf_dim_times(struct sf_infer *infer, struct sf_onnx_dim a, struct sf_onnx_dim b,
    struct sf_onnx_dim *out)
{
	int64_t product;

	*out = SF_DIM_NONE;
	if (a.size == 1 || b.size == 1)
		*out = a.size == 1 ? b : a;
	if (!sf_dim_known(a) || !sf_dim_known(b))
		return true;
	if (!sf_mul(a.size, b.size, &product))
		return sf_fail(infer->error, "a size passes 2^63 - 1");
	*out = sf_dim(product);
	return true;
}

bool
sf_dim_divide(struct sf_infer *infer, const char *what, struct sf_onnx_dim d,
    int64_t n, const char *parts, struct sf_onnx_dim *out)
{
	*out = SF_DIM_NONE;
	if (n == 1)
		*out = d;
	if (!sf_dim_known(d) || n < 1)
		return true;
	if (d.size % n != 0)
		return sf_fail(infer->error,
		    "%s is %lld, expected a multiple of %lld %s", what,
		    (long long)d.size, (long long)n, parts);
	*out = sf_dim(d.size / n);
	return true;
}

bool
sf_input_size(
    struct sf_infer *infer, int i, const char *what, struct sf_onnx_dim *out)
{
	struct sf_cell cell;

	*out = SF_DIM_NONE;
	if (!sf_infer_scalar(infer, i, what, &cell))
		return false;
	if (cell.known && cell.i < 0)
		return sf_fail(infer->error,
		    "input '%s' is %lld, expected at least 0", what,
		    (long long)cell.i);
	if (cell.known)
		*out = sf_dim(cell.i);
	else if (cell.name.n != 0)
		*out = (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	else
		sf_infer_unknown_from(infer, 0, sf_infer_input(infer, i));
	return true;
}
