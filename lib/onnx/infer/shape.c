/* Shapes as shape rules put them together, and attributes they read. */
#include "onnx/infer/shape.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"

/* ---- element types ---- */

/* The highest number of TensorProto.DataType, for messages. */
enum {
	LAST_ONNX_TYPE = 26
};

bool
sf_dtype_in_ints(enum sf_dtype dtype)
{
	int64_t zero = 0;

	return sf_dtype_holds(dtype, zero);
}

bool
sf_dtype_in_floats(enum sf_dtype dtype)
{
	return dtype == SF_DT_F32 || dtype == SF_DT_F64 || dtype == SF_DT_F16 ||
	    dtype == SF_DT_BF16;
}

bool
sf_dtype_holds(enum sf_dtype dtype, int64_t x)
{
	switch (dtype) {
	case SF_DT_B8:
		return x == 0 || x == 1;
	case SF_DT_I8:
		return x >= INT8_MIN && x <= INT8_MAX;
	case SF_DT_I16:
		return x >= INT16_MIN && x <= INT16_MAX;
	case SF_DT_I32:
		return x >= INT32_MIN && x <= INT32_MAX;
	case SF_DT_I64:
		return true;
	case SF_DT_U8:
		return x >= 0 && x <= UINT8_MAX;
	case SF_DT_U16:
		return x >= 0 && x <= UINT16_MAX;
	case SF_DT_U32:
		return x >= 0 && x <= UINT32_MAX;
	case SF_DT_U64: /* those above 2^63 - 1 are not followed */
		return x >= 0;
	case SF_DT_U4:
		return x >= 0 && x <= 15;
	case SF_DT_I4:
		return x >= -8 && x <= 7;
	case SF_DT_U2:
		return x >= 0 && x <= 3;
	case SF_DT_I2:
		return x >= -2 && x <= 1;
	default:
		return false;
	}
}

/* To BITS significant bits, none of them below 2^LOWEST. */
static double
round_to(double x, int bits, int lowest, double max)
{
	int exponent;
	double unit;

	if (x == 0 || !isfinite(x))
		return x;
	frexp(x, &exponent);
	exponent -= bits;
	unit = ldexp(1, exponent < lowest ? lowest : exponent);
	x = nearbyint(x / unit) * unit;
	return fabs(x) > max ? copysign(INFINITY, x) : x;
}

double
sf_dtype_round(enum sf_dtype dtype, double x)
{
	switch (dtype) {
	case SF_DT_F32:
		/* To even, and to infinity, as IEEE 754 has it. */
		return (float)x;
	case SF_DT_F16:
		return round_to(x, 11, -24, 65504);
	case SF_DT_BF16:
		return round_to(x, 8, -133, 0x1.FEp127);
	default:
		return x;
	}
}

bool
sf_infer_attr_dtype(struct sf_infer *infer, const char *name,
    enum sf_dtype otherwise, enum sf_dtype *out)
{
	int64_t number;

	*out = otherwise;
	if (sf_infer_attr(infer, name) == NULL)
		return true;
	if (!sf_infer_attr_int(infer, name, 0, &number))
		return false;
	*out = sf_onnx_dtype(number);
	if (*out == SF_DT_UNKNOWN)
		return sf_fail(infer->error,
		    "attribute '%s' is %lld, expected an element type (1 to "
		    "%d)",
		    name, (long long)number, LAST_ONNX_TYPE);
	return true;
}

bool
sf_infer_attr_float(
    struct sf_infer *infer, const char *name, double otherwise, double *out)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	*out = otherwise;
	if (attr == NULL)
		return true;
	if (attr->type != SF_ONNX_ATTR_FLOAT)
		return sf_fail(infer->error,
		    "attribute '%s' has another type, expected a number", name);
	*out = attr->f;
	return true;
}

/* ---- shapes ---- */

bool
sf_dim_same(struct sf_onnx_dim a, struct sf_onnx_dim b)
{
	if (sf_dim_known(a) || sf_dim_known(b))
		return a.size == b.size;
	return a.name.n != 0 && sf_str_eq(a.name, b.name);
}

void
sf_shape_of(const struct sf_value *value, struct sf_shape *shape)
{
	shape->known = value != NULL && value->rank_known;
	shape->rank = shape->known ? value->rank : 0;
	for (int i = 0; i < shape->rank; i++) {
		shape->d[i] = sf_dim(value->dims[i]);
		if (value->dim_names != NULL)
			shape->d[i].name = value->dim_names[i];
	}
}

bool
sf_shape_push(
    struct sf_infer *infer, struct sf_shape *shape, struct sf_onnx_dim dim)
{
	if (shape->rank == SF_VALUE_MAX_RANK)
		return sf_fail(infer->error,
		    "the output's rank would be above %d", SF_VALUE_MAX_RANK);
	shape->d[shape->rank++] = dim;
	return true;
}

bool
sf_shape_count(struct sf_infer *infer, const struct sf_shape *shape, int from,
    int to, struct sf_onnx_dim *out)
{
	struct sf_onnx_dim count = sf_dim(1);
	int64_t sizes[SF_VALUE_MAX_RANK] = { 1 };

	for (int i = from; i < to; i++) {
		sizes[i - from] = shape->d[i].size;
		if (sf_dim_known(shape->d[i]))
			continue;
		/* N times ones is N. */
		if (!sf_dim_known(count)) {
			*out = SF_DIM_NONE;
			return true;
		}
		count = shape->d[i];
		sizes[i - from] = 1;
	}
	if (!sf_mul_all(sizes, (size_t)(to - from), &sizes[0]))
		return sf_fail(infer->error,
		    "the sizes of an input multiply to more than 2^63 - 1");
	if (sf_dim_known(count) || sizes[0] == 0)
		count = sf_dim(to > from ? sizes[0] : 1);
	else if (sizes[0] != 1)
		count = SF_DIM_NONE;
	*out = count;
	return true;
}

void
sf_infer_set(struct sf_infer *infer, int i, enum sf_dtype dtype,
    const struct sf_shape *shape)
{
	int64_t dims[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_str *names = NULL;
	bool named = false;

	if (i >= infer->noutputs)
		return;
	if (!shape->known) {
		sf_infer_set_unknown(infer, i, dtype);
		return;
	}
	for (int k = 0; k < shape->rank; k++) {
		dims[k] = sf_dim_known(shape->d[k]) ? shape->d[k].size
						    : SF_DIM_UNKNOWN;
		named = named || shape->d[k].name.n != 0;
	}
	sf_infer_set_shape(infer, i, dtype, shape->rank, dims);
	if (!named)
		return;
	names =
	    sf_arena_calloc(infer->arena, (size_t)shape->rank, sizeof *names);
	for (int k = 0; k < shape->rank; k++)
		names[k] = shape->d[k].name;
	infer->outputs[i].dim_names = names;
}

void
sf_infer_set_scalar(struct sf_infer *infer, int i, enum sf_dtype dtype)
{
	struct sf_shape shape = { .known = true, .rank = 0 };

	sf_infer_set(infer, i, dtype, &shape);
}

void
sf_infer_set_vector(
    struct sf_infer *infer, int i, enum sf_dtype dtype, struct sf_onnx_dim size)
{
	struct sf_shape shape = { .known = true, .rank = 1, .d = { size } };

	sf_infer_set(infer, i, dtype, &shape);
}

void
sf_infer_set_unknown(struct sf_infer *infer, int i, enum sf_dtype dtype)
{
	if (i >= infer->noutputs)
		return;
	infer->outputs[i].kind = SF_ONNX_TYPE_TENSOR;
	infer->outputs[i].dtype = dtype;
	infer->outputs[i].rank_known = false;
}

enum sf_dtype
sf_infer_type(const struct sf_infer *infer, int i)
{
	const struct sf_value *value = sf_infer_input(infer, i);

	return value == NULL ? SF_DT_UNKNOWN : value->dtype;
}

void
sf_infer_shape(const struct sf_infer *infer, int i, struct sf_shape *shape)
{
	sf_shape_of(sf_infer_input(infer, i), shape);
}

static bool
broadcast_dim(struct sf_infer *infer, struct sf_onnx_dim a,
    struct sf_onnx_dim b, int axis, struct sf_onnx_dim *out)
{
	if (a.size == 1 || sf_dim_same(a, b))
		*out = b;
	else if (b.size == 1)
		*out = a;
	else if (!sf_dim_known(a) && !sf_dim_known(b))
		*out = SF_DIM_NONE;
	else if (!sf_dim_known(a))
		*out = sf_dim(b.size); /* the other is 1 or the same */
	else if (!sf_dim_known(b))
		*out = sf_dim(a.size);
	else
		return sf_fail(infer->error,
		    "the inputs do not broadcast: %lld and %lld in dimension "
		    "%d "
		    "from the last",
		    (long long)a.size, (long long)b.size, axis);
	return true;
}

bool
sf_shape_broadcast(struct sf_infer *infer, const struct sf_shape *a,
    const struct sf_shape *b, struct sf_shape *out)
{
	struct sf_shape result = { .known = a->known && b->known };

	result.rank = !result.known ? 0 : a->rank > b->rank ? a->rank : b->rank;
	for (int k = 1; k <= result.rank; k++) {
		struct sf_onnx_dim *d = &result.d[result.rank - k];

		if (k > a->rank)
			*d = b->d[b->rank - k];
		else if (k > b->rank)
			*d = a->d[a->rank - k];
		else if (!broadcast_dim(
			     infer, a->d[a->rank - k], b->d[b->rank - k], k, d))
			return false;
	}
	*out = result;
	return true;
}

bool
sf_infer_need_rank(struct sf_infer *infer, int i, const char *what, int rank)
{
	const struct sf_value *value = sf_infer_input(infer, i);

	if (value == NULL || !value->rank_known || value->rank == rank)
		return true;
	return sf_fail(infer->error, "input '%s' has rank %d, expected %d",
	    what, value->rank, rank);
}

bool
sf_dim_merge(struct sf_infer *infer, const char *what, struct sf_onnx_dim a,
    struct sf_onnx_dim b, struct sf_onnx_dim *out)
{
	if (sf_dim_known(a) && sf_dim_known(b) && a.size != b.size)
		return sf_fail(infer->error,
		    "%s: sizes %lld and %lld, expected "
		    "one size",
		    what, (long long)a.size, (long long)b.size);
	*out = sf_dim_known(b) || (!sf_dim_known(a) && a.name.n == 0) ? b : a;
	return true;
}

bool
sf_infer_axis(
    struct sf_infer *infer, const char *what, int64_t axis, int rank, int *out)
{
	if (axis < -rank || axis >= rank)
		return sf_fail(infer->error,
		    "%s is %lld, expected %d to %d for rank %d", what,
		    (long long)axis, -rank, rank - 1, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return true;
}

bool
sf_infer_attr_axis(struct sf_infer *infer, const char *name, int64_t otherwise,
    int rank, int *out)
{
	int64_t axis;
	char what[64];

	snprintf(what, sizeof what, "attribute '%s'", name);
	return sf_infer_attr_int(infer, name, otherwise, &axis) &&
	    sf_infer_axis(infer, what, axis, rank, out);
}
