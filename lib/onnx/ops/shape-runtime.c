/* ONNX Runtime's operators that move, mark and measure. */
#include "base/num.h"
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* ---- dropout ---- */

/* The mask has a bit an element, in words of 32. */
bool
sf_rule_bitmask_dropout(struct sf_infer *infer)
{
	int64_t n = sf_value_numel(infer->inputs[0]);

	sf_set_like(infer, 0, 0);
	sf_infer_set_vector(infer, 1, SF_DT_U32,
	    n >= 0 ? sf_dim(n / 32 + (n % 32 != 0)) : SF_DIM_NONE);
	return true;
}

/* ---- padding ---- */

/* The sum of the lengths that input 1 holds. */
static struct sf_onnx_dim
sum_of_lengths(struct sf_infer *infer)
{
	const struct sf_value *lengths = infer->inputs[1];
	int64_t sum = 0;

	if (!sf_value_has_ints(lengths)) {
		sf_infer_unknown_from(infer, 0, lengths);
		return SF_DIM_NONE;
	}
	for (int64_t i = 0; i < sf_value_numel(lengths); i++)
		if (!sf_add(sum, lengths->ints[i], &sum) || sum < 0)
			return SF_DIM_NONE;
	return sf_dim(sum);
}

/* [B, S, H] without padding: [tokens, H], and where each token was. */
bool
sf_rule_remove_padding(struct sf_infer *infer)
{
	enum sf_dtype dtype = sf_infer_type(infer, 1);
	struct sf_onnx_dim batch = sf_input_dim(infer, 0, 0), ends;

	if (!sf_infer_need_rank(infer, 0, "input", 3) ||
	    !sf_infer_need_rank(infer, 1, "sequence_token_count", 1) ||
	    !sf_dim_plus(infer, batch, sf_dim(1), &ends))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype, sum_of_lengths(infer),
	    sf_input_dim(infer, 0, 2));
	SF_SET_DIMS(infer, 1, dtype, batch, sf_input_dim(infer, 0, 1));
	sf_infer_set_vector(infer, 2, dtype, ends);
	sf_infer_set_vector(infer, 3, dtype, sf_dim(1));
	return true;
}

bool
sf_rule_restore_padding(struct sf_infer *infer)
{
	if (!sf_infer_need_rank(infer, 0, "input", 2) ||
	    !sf_infer_need_rank(infer, 1, "token_offset", 2))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 1, 0), sf_input_dim(infer, 1, 1),
	    sf_input_dim(infer, 0, 1));
	return true;
}

/* Pads may be [1, 2 x rank]. */
bool
sf_rule_ms_pad(struct sf_infer *infer)
{
	struct sf_value pads = *infer->inputs[1];
	struct sf_value *inputs[3] = { infer->inputs[0], &pads,
		sf_infer_input(infer, 2) };
	struct sf_infer inner = *infer;

	if (pads.rank_known && pads.rank == 2 && pads.dims[0] == 1) {
		pads.rank = 1;
		pads.dims++;
		pads.dim_names = NULL;
	}
	inner.inputs = inputs;
	inner.opset = 11;
	return sf_rule_pad(&inner);
}

/* A dimension of 1 where input 1 says. */
bool
sf_rule_expand_dims(struct sf_infer *infer)
{
	struct sf_shape x, out = { .known = true };
	struct sf_cell at;
	int axis = 0;

	sf_infer_shape(infer, 0, &x);
	if (!sf_infer_scalar(infer, 1, "axis", &at))
		return false;
	if (!x.known) {
		sf_infer_set_unknown(infer, 0, infer->inputs[0]->dtype);
		return true;
	}
	if (at.known && !sf_infer_axis(infer, "axis", at.i, x.rank + 1, &axis))
		return false;
	for (int i = 0; i <= x.rank; i++)
		if (!sf_shape_push(infer, &out,
			!at.known       ? SF_DIM_NONE
			    : i == axis ? sf_dim(1)
					: x.d[i > axis ? i - 1 : i]))
			return false;
	if (!at.known)
		sf_infer_unknown_from(infer, 0, infer->inputs[1]);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Without a step it is 1. */
bool
sf_rule_ms_range(struct sf_infer *infer)
{
	static const int64_t one = 1;
	static const double one_f = 1;
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_value step = { .kind = SF_ONNX_TYPE_TENSOR,
		.dtype = dtype,
		.rank_known = true,
		.ints = sf_dtype_in_ints(dtype) ? &one : NULL,
		.floats =
		    sf_reals_of(sf_dtype_in_floats(dtype) ? &one_f : NULL) };
	struct sf_value *inputs[3] = { infer->inputs[0], infer->inputs[1],
		&step };
	struct sf_infer inner = *infer;

	if (sf_infer_input(infer, 2) != NULL)
		return sf_rule_range(infer);
	inner.inputs = inputs;
	inner.ninputs = 3;
	return sf_rule_range(&inner);
}

/* ---- pieces of images and signals ---- */

/* Sizes H and W at input I into D[0] and D[1]. */
static bool
two_sizes(
    struct sf_infer *infer, int i, const char *what, struct sf_onnx_dim *d)
{
	struct sf_ints sizes;

	if (!sf_infer_ints(infer, i, what, &sizes))
		return false;
	if (sizes.n >= 0 && sizes.n != 2)
		return sf_fail(infer->error,
		    "input '%s' has %d integers, expected 2", what, sizes.n);
	for (int k = 0; k < 2; k++) {
		struct sf_cell cell = sf_ints_get(&sizes, k, 0);

		if (cell.known && cell.i < 1)
			return sf_fail(infer->error,
			    "input '%s' is %lld, expected at least 1", what,
			    (long long)cell.i);
		d[k] = cell.known ? sf_dim(cell.i) : SF_DIM_NONE;
	}
	if (!sf_ints_known(&sizes))
		sf_infer_unknown_list(infer, 0, &sizes);
	return true;
}

/* X [N, C, H, W], rois [R, 4], the image of each, a size: [R, C, h, w]. */
bool
sf_rule_crop_and_resize(struct sf_infer *infer)
{
	struct sf_onnx_dim size[2];

	if (!sf_infer_need_rank(infer, 0, "X", 4) ||
	    !sf_infer_need_rank(infer, 1, "rois", 2) ||
	    !two_sizes(infer, 3, "crop_size", size))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 1, 0), sf_input_dim(infer, 0, 1), size[0],
	    size[1]);
	return true;
}

/* Slices of attribute size along dim, as a last dimension. */
bool
sf_rule_unfold(struct sf_infer *infer)
{
	int64_t size, step;
	struct sf_shape out;
	int axis;

	sf_infer_shape(infer, 0, &out);
	if (!sf_attr_need(infer, "size", &size) ||
	    !sf_attr_size(infer, "step", 1, 1, &step))
		return false;
	if (!out.known) {
		sf_infer_set_unknown(infer, 0, infer->inputs[0]->dtype);
		return true;
	}
	if (!sf_infer_attr_axis(infer, "dim", -1, out.rank, &axis))
		return false;
	if (sf_dim_known(out.d[axis])) {
		if (out.d[axis].size < size)
			return sf_fail(infer->error,
			    "attribute 'size' is %lld, expected at most %lld",
			    (long long)size, (long long)out.d[axis].size);
		out.d[axis] = sf_dim((out.d[axis].size - size) / step + 1);
	} else {
		out.d[axis] = SF_DIM_NONE;
	}
	if (!sf_shape_push(infer, &out, sf_dim(size)))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* [..., n] real numbers are [..., n / 2 + 1, 2]. */
bool
sf_rule_rfft(struct sf_infer *infer)
{
	struct sf_shape out;
	struct sf_onnx_dim *last;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank < 1)
		return sf_fail(
		    infer->error, "input 'X' has rank 0, expected at least 1");
	if (out.known) {
		last = &out.d[out.rank - 1];
		*last = sf_dim_known(*last) ? sf_dim(last->size / 2 + 1)
					    : SF_DIM_NONE;
		if (!sf_shape_push(infer, &out, sf_dim(2)))
			return false;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* The way back, n even. */
bool
sf_rule_irfft(struct sf_infer *infer)
{
	struct sf_shape out;
	struct sf_onnx_dim *last;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank < 2)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 2", out.rank);
	if (out.known) {
		last = &out.d[--out.rank - 1];
		if (last->size == 0)
			return sf_fail(infer->error,
			    "input 'X' has no frequencies, expected at least "
			    "1");
		if (sf_dim_known(*last) &&
		    !sf_dim_times(
			infer, sf_dim(last->size - 1), sf_dim(2), last))
			return false;
		if (!sf_dim_known(*last))
			*last = SF_DIM_NONE;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Costs [M, N]: a path of pairs, as long as it turns out. */
bool
sf_rule_time_warping(struct sf_infer *infer)
{
	SF_SET_DIMS(infer, 0, SF_DT_I32, sf_dim(2), SF_DIM_NONE);
	sf_infer_unknown(infer, 0, "how long the path is the costs decide");
	return true;
}

/* A distance from each of M to each of K. */
bool
sf_rule_cdist(struct sf_infer *infer)
{
	struct sf_onnx_dim n;

	if (!sf_infer_need_rank(infer, 0, "A", 2) ||
	    !sf_infer_need_rank(infer, 1, "B", 2) ||
	    !sf_dim_merge(infer, "the columns of both inputs",
		sf_input_dim(infer, 0, 1), sf_input_dim(infer, 1, 1), &n))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 0, 0), sf_input_dim(infer, 1, 0));
	return true;
}

/* ---- elements ---- */

bool
sf_rule_is_all_finite(struct sf_infer *infer)
{
	sf_infer_set_scalar(infer, 0, SF_DT_B8);
	return true;
}

/* Complex numbers, the parts of each in the last dimension. */
bool
sf_rule_complex_mul(struct sf_infer *infer)
{
	struct sf_onnx_dim last = sf_input_dim(infer, 0, -1);

	if (sf_dim_known(last) && last.size != 2)
		return sf_fail(infer->error,
		    "the last dimension is %lld, expected 2",
		    (long long)last.size);
	return sf_rule_binary(infer);
}

/* A, its zero point, B, its zero point. */
bool
sf_rule_mul_integer(struct sf_infer *infer)
{
	struct sf_shape a, b, out;

	sf_infer_shape(infer, 0, &a);
	sf_infer_shape(infer, 2, &b);
	if (!sf_shape_broadcast(infer, &a, &b, &out))
		return false;
	sf_infer_set(infer, 0, SF_DT_I32, &out);
	return true;
}

bool
sf_rule_murmur_hash(struct sf_infer *infer)
{
	struct sf_shape shape;
	int64_t positive;

	if (!sf_infer_attr_int(infer, "positive", 1, &positive))
		return false;
	sf_infer_shape(infer, 0, &shape);
	sf_infer_set(infer, 0, positive != 0 ? SF_DT_U32 : SF_DT_I32, &shape);
	return true;
}

/* Both halves in one, or the second at input 1. */
bool
sf_rule_ms_swiglu(struct sf_infer *infer)
{
	struct sf_onnx_dim half;

	if (sf_infer_input(infer, 1) != NULL) {
		sf_set_like(infer, 0, 0);
		return true;
	}
	return sf_dim_divide(infer, "the last dimension",
		   sf_input_dim(infer, 0, -1), 2, "halves", &half) &&
	    sf_set_last(infer, 0, infer->inputs[0]->dtype, 0, half);
}

/* X [B, S, heads, stride], of which a slice is normalised and turned. */
bool
sf_rule_norm_rotary(struct sf_infer *infer)
{
	struct sf_onnx_dim batch = sf_input_dim(infer, 0, 0);
	struct sf_onnx_dim steps = sf_input_dim(infer, 0, 1);
	struct sf_onnx_dim heads = sf_input_dim(infer, 0, 2), both, all;
	struct sf_onnx_dim width = sf_input_dim(infer, 0, 3);
	int64_t slice, flat, f16;

	if (!sf_infer_need_rank(infer, 0, "X", 4) ||
	    !sf_attr_size(infer, "input_width", 0, 0, &slice) ||
	    !sf_infer_attr_int(infer, "flatten_batch", 0, &flat) ||
	    !sf_infer_attr_int(infer, "output_fp16", 0, &f16))
		return false;
	if (slice > 0)
		width = sf_dim(slice);
	if (!sf_dim_times(infer, heads, width, &all) ||
	    !sf_dim_times(infer, batch, steps, &both))
		return false;
	SF_SET_DIMS(infer, 0, f16 != 0 ? SF_DT_F16 : SF_DT_BF16,
	    flat != 0 ? sf_dim(1) : batch, flat != 0 ? both : steps, all);
	SF_SET_DIMS(infer, 1, SF_DT_F32, batch, steps, heads, width);
	return true;
}

/* ---- quantisation ---- */

/* To the type of attribute to, or to bytes. */
bool
sf_rule_dequantize_order(struct sf_infer *infer)
{
	enum sf_dtype dtype;
	struct sf_shape shape;

	if (!sf_infer_attr_dtype(infer, "to", SF_DT_F32, &dtype))
		return false;
	sf_infer_shape(infer, 0, &shape);
	sf_infer_set(infer, 0, dtype, &shape);
	return true;
}

bool
sf_rule_quantize_order(struct sf_infer *infer)
{
	struct sf_shape shape;

	sf_infer_shape(infer, 0, &shape);
	sf_infer_set(infer, 0, SF_DT_I8, &shape);
	return true;
}

/* Bytes of a layout of their own, then the sizes and the strides of X. */
bool
sf_rule_quantize_bfp(struct sf_infer *infer)
{
	struct sf_shape x;
	struct sf_cells cells;

	sf_infer_shape(infer, 0, &x);
	sf_infer_set_vector(infer, 0, SF_DT_U8, SF_DIM_NONE);
	sf_infer_unknown(infer, 0,
	    "how many bytes a block has the device that runs it decides");
	for (int i = 1; i < 3; i++)
		sf_infer_set_vector(infer, i, SF_DT_I64,
		    x.known ? sf_dim(x.rank) : SF_DIM_NONE);
	if (!x.known || infer->noutputs < 2 ||
	    !sf_cells_begin(&cells, infer, 1))
		return true;
	for (int i = 0; i < x.rank; i++)
		sf_cells_put(&cells, i,
		    (struct sf_cell){
			sf_dim_known(x.d[i]), x.d[i].size, 0, x.d[i].name });
	sf_cells_end(&cells);
	return true;
}

/* The sizes are input 1. */
bool
sf_rule_dequantize_bfp(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true };
	struct sf_ints sizes;
	enum sf_dtype dtype;

	if (!sf_infer_attr_dtype(infer, "dtype", SF_DT_F32, &dtype) ||
	    !sf_infer_ints(infer, 1, "shape", &sizes))
		return false;
	if (sizes.n < 0) {
		sf_infer_set_unknown(infer, 0, dtype);
		sf_infer_unknown_list(infer, 0, &sizes);
		return true;
	}
	for (int i = 0; i < sizes.n; i++) {
		struct sf_cell cell = sizes.v[i];

		if (cell.known && cell.i < 0)
			return sf_fail(infer->error,
			    "input 'shape' is %lld, expected at least 0",
			    (long long)cell.i);
		if (!sf_shape_push(infer, &out,
			cell.known ? sf_dim(cell.i)
				   : (struct sf_onnx_dim){
					 SF_DIM_UNKNOWN, cell.name }))
			return false;
	}
	sf_infer_unknown_list(infer, 0, &sizes);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* EmbedLayerNormalization of bytes, whose type is that of the scales. */
bool
sf_rule_q_embed_norm(struct sf_infer *infer)
{
	if (!sf_rule_embed_norm(infer))
		return false;
	infer->outputs[0].dtype = sf_infer_type(infer, 8);
	return true;
}

/* ---- tokens and strings ---- */

/* Tokens so far with those that were predicted behind them. */
bool
sf_rule_bifurcation(struct sf_infer *infer)
{
	sf_infer_set_vector(infer, 0, infer->inputs[0]->dtype, SF_DIM_NONE);
	sf_infer_unknown(
	    infer, 0, "how many predicted tokens are taken is in their values");
	sf_infer_set_scalar(infer, 1, infer->inputs[0]->dtype);
	return true;
}

bool
sf_rule_ngram_repeat(struct sf_infer *infer)
{
	sf_set_like(infer, 0, 1);
	return true;
}

/* An image as a file of it. */
bool
sf_rule_image_encoder(struct sf_infer *infer)
{
	if (!sf_infer_need_rank(infer, 0, "image", 3))
		return false;
	sf_infer_set_vector(infer, 0, SF_DT_U8, SF_DIM_NONE);
	sf_infer_unknown(infer, 0, "the size of an encoded image is not known");
	return true;
}

/* As many tokens as the longest string has. */
bool
sf_rule_tokenizer(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank != 1 && out.rank != 2)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected 1 or 2", out.rank);
	if (out.known && !sf_shape_push(infer, &out, SF_DIM_NONE))
		return false;
	sf_infer_set(infer, 0, SF_DT_STR, &out);
	sf_infer_unknown(infer, 0, "the number of tokens is not known");
	return true;
}
