/* Operators that make a tensor out of attributes, sizes or a shape. */
#include "onnx/ops/rules.h"

#include <math.h>

#include "base/num.h"
#include "onnx/infer/shape.h"

/* ---- Constant ---- */

static bool
constant_tensor(struct sf_infer *infer, const struct sf_onnx_tensor *tensor)
{
	struct sf_value *out = &infer->outputs[0];

	if (tensor == NULL)
		return sf_fail(infer->error, "the constant has no tensor");
	if (tensor->rank > SF_VALUE_MAX_RANK)
		return sf_fail(infer->error,
		    "the constant has rank %d, expected at most %d",
		    tensor->rank, SF_VALUE_MAX_RANK);
	sf_infer_set_shape(infer, 0, tensor->dtype, tensor->rank, tensor->dims);
	if (tensor->numel <= SF_VALUE_MAX_ELEMENTS) {
		out->ints = tensor->ints;
		out->floats = tensor->floats;
	}
	return true;
}

static void
constant_ints(struct sf_infer *infer, const int64_t *ints, size_t n)
{
	struct sf_cells cells;

	if (!sf_cells_begin(&cells, infer, 0))
		return;
	for (size_t i = 0; i < n; i++)
		sf_cells_put(&cells, (int64_t)i, sf_cell_int(ints[i]));
	sf_cells_end(&cells);
}

static void
constant_floats(struct sf_infer *infer, const double *floats, size_t n)
{
	struct sf_cells cells;

	if (!sf_cells_begin(&cells, infer, 0))
		return;
	for (size_t i = 0; i < n; i++)
		sf_cells_put(&cells, (int64_t)i, sf_cell_float(floats[i]));
	sf_cells_end(&cells);
}

static bool
constant_attr(struct sf_infer *infer, const struct sf_onnx_attr *attr)
{
	struct sf_onnx_dim n = sf_dim((int64_t)attr->n);

	switch (attr->type) {
	case SF_ONNX_ATTR_TENSOR:
	case SF_ONNX_ATTR_SPARSE_TENSOR:
		return constant_tensor(infer, attr->tensor);
	case SF_ONNX_ATTR_INT:
		sf_infer_set_scalar(infer, 0, SF_DT_I64);
		constant_ints(infer, &attr->i, 1);
		return true;
	case SF_ONNX_ATTR_FLOAT:
		sf_infer_set_scalar(infer, 0, SF_DT_F32);
		constant_floats(infer, &attr->f, 1);
		return true;
	case SF_ONNX_ATTR_INTS:
		sf_infer_set_vector(infer, 0, SF_DT_I64, n);
		constant_ints(infer, attr->ints, attr->n);
		return true;
	case SF_ONNX_ATTR_FLOATS:
		sf_infer_set_vector(infer, 0, SF_DT_F32, n);
		constant_floats(infer, attr->floats, attr->n);
		return true;
	case SF_ONNX_ATTR_STRING:
		sf_infer_set_scalar(infer, 0, SF_DT_STR);
		return true;
	case SF_ONNX_ATTR_STRINGS:
		sf_infer_set_vector(infer, 0, SF_DT_STR, n);
		return true;
	default:
		return sf_fail(infer->error,
		    "attribute '%.*s' has a type that is no constant",
		    SF_STR_ARG(attr->name));
	}
}

bool
sf_rule_constant(struct sf_infer *infer)
{
	static const char *const names[] = { "value", "sparse_value",
		"value_int", "value_ints", "value_float", "value_floats",
		"value_string", "value_strings" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const struct sf_onnx_attr *attr =
		    sf_infer_attr(infer, names[i]);

		if (attr != NULL)
			return constant_attr(infer, attr);
	}
	return sf_fail(infer->error, "attribute 'value' is missing");
}

/* ---- from a shape ---- */

/* The dimensions that the list gives; none may be negative. */
static bool
shape_from_list(struct sf_infer *infer, const char *what,
    const struct sf_ints *list, struct sf_shape *out)
{
	*out = (struct sf_shape){ .known = list->n >= 0 };
	for (int i = 0; i < list->n; i++) {
		struct sf_onnx_dim d = { SF_DIM_UNKNOWN, list->v[i].name };

		if (list->v[i].known)
			d = sf_dim(list->v[i].i);
		if (list->v[i].known && d.size < 0)
			return sf_fail(infer->error,
			    "%s is %lld in place %d, expected at least 0", what,
			    (long long)d.size, i);
		if (!sf_shape_push(infer, out, d))
			return false;
	}
	return true;
}

bool
sf_rule_constant_of_shape(struct sf_infer *infer)
{
	const struct sf_onnx_attr *value = sf_infer_attr(infer, "value");
	struct sf_cell cell = sf_cell_float(0);
	enum sf_dtype dtype = SF_DT_F32;
	struct sf_shape out;
	struct sf_ints dims;

	if (!sf_infer_ints(infer, 0, "input", &dims) ||
	    !shape_from_list(infer, "input 'input'", &dims, &out))
		return false;
	if (value != NULL && value->tensor != NULL) {
		dtype = value->tensor->dtype;
		cell.known = value->tensor->ints != NULL ||
		    value->tensor->floats.at != NULL;
		if (value->tensor->numel != 1)
			return sf_fail(infer->error,
			    "attribute 'value' has %lld elements, expected 1",
			    (long long)value->tensor->numel);
		if (value->tensor->ints != NULL)
			cell = sf_cell_int(value->tensor->ints[0]);
		else if (value->tensor->floats.at != NULL)
			cell = sf_cell_float(
			    sf_reals_get(value->tensor->floats, 0));
	}
	if (!sf_ints_known(&dims))
		sf_infer_unknown_list(infer, 0, &dims);
	sf_infer_set(infer, 0, dtype, &out);
	sf_infer_fill(infer, 0, cell);
	return true;
}

/* Attributes shape and dtype (RandomNormal, RandomUniform). */
bool
sf_rule_random(struct sf_infer *infer)
{
	enum sf_dtype dtype;
	struct sf_shape out;
	struct sf_ints dims;

	if (!sf_infer_attr_dtype(infer, "dtype", SF_DT_F32, &dtype) ||
	    !sf_infer_attr_list(infer, "shape", &dims))
		return false;
	if (!dims.given)
		return sf_fail(infer->error, "attribute 'shape' is missing");
	if (!shape_from_list(infer, "attribute 'shape'", &dims, &out))
		return false;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* The input's shape, and its type where attribute dtype gives no other. */
bool
sf_rule_random_like(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	enum sf_dtype dtype;
	struct sf_shape out;

	if (!sf_infer_attr_dtype(infer, "dtype", in->dtype, &dtype))
		return false;
	sf_shape_of(in, &out);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

bool
sf_rule_multinomial(struct sf_infer *infer)
{
	enum sf_dtype dtype;
	struct sf_shape out;
	int64_t n;

	if (!sf_infer_attr_dtype(infer, "dtype", SF_DT_I32, &dtype) ||
	    !sf_infer_attr_int(infer, "sample_size", 1, &n) ||
	    !sf_infer_need_rank(infer, 0, "input", 2))
		return false;
	if (n < 1)
		return sf_fail(infer->error,
		    "attribute 'sample_size' is %lld, expected at least 1",
		    (long long)n);
	sf_infer_shape(infer, 0, &out);
	if (!out.known)
		out = (struct sf_shape){ true, 2, { SF_DIM_NONE } };
	out.d[1] = sf_dim(n);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

bool
sf_rule_eye_like(struct sf_infer *infer)
{
	struct sf_shape out;
	struct sf_cells cells;
	int64_t k, at;

	if (!sf_infer_need_rank(infer, 0, "input", 2) ||
	    !sf_rule_random_like(infer) ||
	    !sf_infer_attr_int(infer, "k", 0, &k))
		return false;
	sf_infer_shape(infer, 0, &out);
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	for (at = 0; at < cells.n; at++) {
		int64_t row = at / out.d[1].size, column = at % out.d[1].size;
		bool one = column - row == k;

		sf_cells_put(&cells, at,
		    cells.ints != NULL ? sf_cell_int(one) : sf_cell_float(one));
	}
	sf_cells_end(&cells);
	return true;
}

/* ---- Range ---- */

/* max(ceil((limit - start) / delta), 0), without passing 2^63. */
static bool
count_ints(struct sf_infer *infer, int64_t start, int64_t limit, int64_t delta,
    int64_t *n)
{
	uint64_t distance, step;

	*n = 0;
	if (delta > 0 ? start >= limit : start <= limit)
		return true;
	if (delta > 0) {
		distance = (uint64_t)limit - (uint64_t)start;
		step = (uint64_t)delta;
	} else {
		distance = (uint64_t)start - (uint64_t)limit;
		step = 0 - (uint64_t)delta;
	}
	distance = distance / step + (distance % step != 0);
	if (distance > INT64_MAX)
		return sf_fail(infer->error,
		    "the range would have more than 2^63 - 1 elements");
	*n = (int64_t)distance;
	return true;
}

static bool
count_range(struct sf_infer *infer, const struct sf_cell *c, int64_t *n)
{
	double count;

	if (sf_dtype_in_ints(infer->inputs[0]->dtype)) {
		if (c[2].i == 0)
			return sf_fail(infer->error,
			    "input 'delta' is 0, expected any other number");
		return count_ints(infer, c[0].i, c[1].i, c[2].i, n);
	}
	if (c[2].f == 0)
		return sf_fail(infer->error,
		    "input 'delta' is 0, expected any other number");
	/* The distance is of their type, as in the runtimes. */
	count = ceil(
	    sf_dtype_round(infer->inputs[0]->dtype, c[1].f - c[0].f) / c[2].f);
	if (!(count < 0x1p63))
		return sf_fail(infer->error,
		    "the range would have more than 2^63 - 1 elements");
	*n = count > 0 ? (int64_t)count : 0;
	return true;
}

/* It fits, but a product on the way may not: modulo 2^64 it comes out right. */
static int64_t
range_at(const struct sf_cell *c, int64_t i)
{
	return (int64_t)((uint64_t)c[0].i + (uint64_t)i * (uint64_t)c[2].i);
}

bool
sf_rule_range(struct sf_infer *infer)
{
	static const char *const names[] = { "start", "limit", "delta" };
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_cell c[3];
	struct sf_cells cells;
	int64_t n;

	for (int i = 0; i < 3; i++) {
		if (!sf_infer_scalar(infer, i, names[i], &c[i]))
			return false;
		if (c[i].known)
			continue;
		sf_infer_set_vector(infer, 0, dtype, SF_DIM_NONE);
		sf_infer_unknown_from(infer, 0, infer->inputs[i]);
	}
	if (!c[0].known || !c[1].known || !c[2].known) {
		bool from_zero = c[0].known && c[0].i == 0 && c[0].f == 0;

		/* Range(0, N, 1) has N elements. */
		if (sf_dtype_in_ints(dtype) && from_zero && c[2].known &&
		    c[2].i == 1 && c[1].name.n != 0)
			sf_infer_set_vector(infer, 0, dtype,
			    (struct sf_onnx_dim){ SF_DIM_UNKNOWN, c[1].name });
		return true;
	}
	if (!count_range(infer, c, &n))
		return false;
	sf_infer_set_vector(infer, 0, dtype, sf_dim(n));
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < n; i++)
		sf_cells_put(&cells, i,
		    cells.ints != NULL
			? sf_cell_int(range_at(c, i))
			: sf_cell_float(c[0].f + (double)i * c[2].f));
	sf_cells_end(&cells);
	return true;
}

/* ---- Shape and Size ---- */

/* Attributes start and end, as of a slice; before opset 15 all of it. */
static bool
shape_range(struct sf_infer *infer, int rank, int *start, int *end)
{
	int64_t from, to;

	if (!sf_infer_attr_int(infer, "start", 0, &from) ||
	    !sf_infer_attr_int(infer, "end", rank, &to))
		return false;
	from = from < -rank ? 0 : from < 0 ? from + rank : from;
	to = to < -rank ? 0 : to < 0 ? to + rank : to;
	*start = (int)(from > rank ? rank : from);
	*end = (int)(to > rank ? rank : to);
	if (*end < *start)
		*end = *start;
	return true;
}

bool
sf_rule_shape(struct sf_infer *infer)
{
	struct sf_shape in;
	struct sf_cells cells;
	int start, end;

	sf_infer_shape(infer, 0, &in);
	if (!in.known) {
		sf_infer_set_vector(infer, 0, SF_DT_I64, SF_DIM_NONE);
		return true;
	}
	if (!shape_range(infer, in.rank, &start, &end))
		return false;
	sf_infer_set_vector(infer, 0, SF_DT_I64, sf_dim(end - start));
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	for (int i = start; i < end; i++) {
		struct sf_cell cell = { .known = sf_dim_known(in.d[i]),
			.i = in.d[i].size,
			.name = in.d[i].name };

		sf_cells_put(&cells, i - start, cell);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_size(struct sf_infer *infer)
{
	struct sf_onnx_dim n = SF_DIM_NONE;
	struct sf_shape in;
	struct sf_cells cells;

	sf_infer_shape(infer, 0, &in);
	if (in.known && !sf_shape_count(infer, &in, 0, in.rank, &n))
		return false;
	sf_infer_set_scalar(infer, 0, SF_DT_I64);
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	sf_cells_put(&cells, 0,
	    (struct sf_cell){
		.known = sf_dim_known(n), .i = n.size, .name = n.name });
	sf_cells_end(&cells);
	return true;
}

/* ---- signal processing ---- */

/* One input, the number of samples. */
bool
sf_rule_signal_window(struct sf_infer *infer)
{
	enum sf_dtype dtype;
	struct sf_cell n;

	if (!sf_infer_attr_dtype(infer, "output_datatype", SF_DT_F32, &dtype) ||
	    !sf_infer_scalar(infer, 0, "size", &n))
		return false;
	if (n.known && n.i < 0)
		return sf_fail(infer->error,
		    "input 'size' is %lld, expected at least 0",
		    (long long)n.i);
	if (!n.known)
		sf_infer_unknown_from(infer, 0, infer->inputs[0]);
	sf_infer_set_vector(
	    infer, 0, dtype, n.known ? sf_dim(n.i) : SF_DIM_NONE);
	return true;
}

bool
sf_rule_mel_weight_matrix(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true, .rank = 2 };
	struct sf_cell bins, length;
	enum sf_dtype dtype;

	if (!sf_infer_attr_dtype(infer, "output_datatype", SF_DT_F32, &dtype) ||
	    !sf_infer_scalar(infer, 0, "num_mel_bins", &bins) ||
	    !sf_infer_scalar(infer, 1, "dft_length", &length))
		return false;
	if ((bins.known && bins.i < 0) || (length.known && length.i < 0))
		return sf_fail(infer->error,
		    "inputs 'num_mel_bins' and 'dft_length' are %lld and %lld, "
		    "expected at least 0",
		    (long long)bins.i, (long long)length.i);
	out.d[0] = length.known ? sf_dim(length.i / 2 + 1) : SF_DIM_NONE;
	out.d[1] = bins.known ? sf_dim(bins.i) : SF_DIM_NONE;
	if (!bins.known || !length.known)
		sf_infer_unknown_from(
		    infer, 0, infer->inputs[bins.known ? 1 : 0]);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* The axis of DFT: an attribute in opset 17, an input since 20. */
static bool
dft_axis(struct sf_infer *infer, int rank, int *axis)
{
	struct sf_cell which = sf_cell_int(-2);
	int64_t number;

	if (infer->opset < 20) {
		if (!sf_infer_attr_int(infer, "axis", 1, &number))
			return false;
		which = sf_cell_int(number);
	} else if (sf_infer_input(infer, 2) != NULL &&
	    !sf_infer_scalar(infer, 2, "axis", &which)) {
		return false;
	}
	*axis = -1;
	return !which.known ||
	    sf_infer_axis(infer, "'axis'", which.i, rank, axis);
}

bool
sf_rule_dft(struct sf_infer *infer)
{
	struct sf_cell length = { 0 };
	struct sf_shape out;
	int64_t onesided, inverse;
	bool real_out;
	int axis;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_attr_int(infer, "onesided", 0, &onesided) ||
	    !sf_infer_attr_int(infer, "inverse", 0, &inverse) ||
	    !sf_infer_scalar(infer, 1, "dft_length", &length))
		return false;
	if (!out.known) {
		sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
		return true;
	}
	if (out.rank < 2)
		return sf_fail(infer->error,
		    "input 'input' has rank %d, expected at least 2", out.rank);
	if (!dft_axis(infer, out.rank, &axis))
		return false;
	if (length.known && length.i < 1)
		return sf_fail(infer->error,
		    "input 'dft_length' is %lld, expected at least 1",
		    (long long)length.i);
	real_out = onesided && inverse;
	for (int i = 0; i < out.rank - 1; i++) {
		struct sf_onnx_dim *d = &out.d[i];

		if (axis < 0) {
			*d = SF_DIM_NONE;
			continue;
		}
		if (i != axis)
			continue;
		if (sf_infer_input(infer, 1) != NULL)
			*d = length.known ? sf_dim(length.i) : SF_DIM_NONE;
		else if (real_out && sf_dim_known(*d))
			*d = sf_dim(d->size > 0 ? 2 * (d->size - 1) : 0);
		if (onesided && !inverse)
			*d = sf_dim_known(*d) ? sf_dim(d->size / 2 + 1)
					      : SF_DIM_NONE;
	}
	out.d[out.rank - 1] = sf_dim(real_out ? 1 : 2);
	if (sf_infer_input(infer, 1) != NULL && !length.known)
		sf_infer_unknown_from(infer, 0, infer->inputs[1]);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* [batch, frames, bins, 2] of signal [batch, length, 1 or 2]. */
bool
sf_rule_stft(struct sf_infer *infer)
{
	struct sf_shape signal, window, out = { .known = true, .rank = 4 };
	struct sf_onnx_dim frame = SF_DIM_NONE, length = SF_DIM_NONE;
	struct sf_cell step, frame_length;
	int64_t onesided;

	sf_infer_shape(infer, 0, &signal);
	sf_infer_shape(infer, 2, &window);
	if (!sf_infer_attr_int(infer, "onesided", 1, &onesided) ||
	    !sf_infer_scalar(infer, 1, "frame_step", &step) ||
	    !sf_infer_scalar(infer, 3, "frame_length", &frame_length))
		return false;
	if (signal.known && (signal.rank < 2 || signal.rank > 3))
		return sf_fail(infer->error,
		    "input 'signal' has rank %d, expected 3", signal.rank);
	if ((step.known && step.i < 1) ||
	    (frame_length.known && frame_length.i < 1))
		return sf_fail(infer->error,
		    "inputs 'frame_step' and 'frame_length' must be at least "
		    "1");
	if (signal.known)
		length = signal.d[1];
	if (frame_length.known)
		frame = sf_dim(frame_length.i);
	else if (window.known && window.rank == 1)
		frame = window.d[0];
	else if (sf_infer_input(infer, 2) == NULL &&
	    sf_infer_input(infer, 3) == NULL)
		frame = length;
	out.d[0] = signal.known ? signal.d[0] : SF_DIM_NONE;
	out.d[1] = out.d[2] = SF_DIM_NONE;
	if (sf_dim_known(length) && sf_dim_known(frame) && step.known) {
		if (frame.size > length.size)
			return sf_fail(infer->error,
			    "a frame of %lld in a signal of %lld, expected it "
			    "to fit",
			    (long long)frame.size, (long long)length.size);
		out.d[1] = sf_dim((length.size - frame.size) / step.i + 1);
	}
	if (sf_dim_known(frame))
		out.d[2] = sf_dim(onesided ? frame.size / 2 + 1 : frame.size);
	out.d[3] = sf_dim(2);
	if (!step.known)
		sf_infer_unknown_from(infer, 0, infer->inputs[1]);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}
