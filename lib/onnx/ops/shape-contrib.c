/* Operators of ONNX Runtime's own domain, com.microsoft. */
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

/* a, its scale and zero point, b, its scale and zero point, ... */
bool
sf_rule_qlinear_binary(struct sf_infer *infer)
{
	struct sf_shape a, b, out;

	sf_infer_shape(infer, 0, &a);
	sf_infer_shape(infer, 3, &b);
	if (!sf_shape_broadcast(infer, &a, &b, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Tensor, scale and zero point by turns, from input 2 on. */
bool
sf_rule_qlinear_concat(struct sf_infer *infer)
{
	struct sf_infer inner = *infer;
	struct sf_value **tensors = sf_arena_calloc(
	    infer->arena, (size_t)infer->ninputs, sizeof(struct sf_value *));
	int n = 0;

	for (int i = 2; i < infer->ninputs; i += 3)
		tensors[n++] = infer->inputs[i];
	if (n == 0)
		return sf_fail(infer->error,
		    "%d inputs, expected at least one tensor", infer->ninputs);
	inner.inputs = tensors;
	inner.ninputs = n;
	inner.opset = 13;
	return sf_rule_concat(&inner);
}

/* Only the opset's semantics of Softmax differ, not the shape. */
bool
sf_rule_skip_norm(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_shape shape, mean;

	sf_shape_of(in, &shape);
	mean = shape;
	if (mean.rank > 0)
		mean.d[mean.rank - 1] = sf_dim(1);
	sf_infer_set(infer, 0, in->dtype, &shape);
	sf_infer_set(infer, 1, SF_DT_F32, &mean);
	sf_infer_set(infer, 2, SF_DT_F32, &mean);
	sf_infer_set(infer, 3, in->dtype, &shape);
	return true;
}

/* The inputs with these digits, where those between may be left out. */
static bool
need_inputs(struct sf_infer *infer, const char *digits)
{
	for (; *digits != '\0'; digits++)
		if (sf_infer_input(infer, *digits - '0') == NULL)
			return sf_fail(infer->error,
			    "input %c is left out, but it is required",
			    *digits);
	return true;
}

/* input_ids [B, S], segment_ids, word_embedding [vocabulary, H], ... */
bool
sf_rule_embed_norm(struct sf_infer *infer)
{
	struct sf_shape ids, words, out = { .known = true, .rank = 3 };
	enum sf_dtype dtype = sf_infer_type(infer, 2);

	if (!need_inputs(infer, "2356") ||
	    !sf_infer_need_rank(infer, 0, "input_ids", 2) ||
	    !sf_infer_need_rank(infer, 2, "word_embedding", 2))
		return false;
	sf_infer_shape(infer, 0, &ids);
	sf_infer_shape(infer, 2, &words);
	out.d[0] = ids.known ? ids.d[0] : SF_DIM_NONE;
	out.d[1] = ids.known ? ids.d[1] : SF_DIM_NONE;
	out.d[2] = words.known ? words.d[1] : SF_DIM_NONE;
	sf_infer_set(infer, 0, dtype, &out);
	sf_infer_set_vector(infer, 1, SF_DT_I32, out.d[0]);
	sf_infer_set(infer, 2, dtype, &out);
	return true;
}

/* A [..., K] times a packed B; attributes INNER and OUTER say K and N. */
static bool
packed_product(struct sf_infer *infer, const char *inner, const char *outer)
{
	struct sf_shape out;
	int64_t k, n;

	if (!sf_infer_attr_int(infer, inner, 0, &k) ||
	    !sf_infer_attr_int(infer, outer, 0, &n))
		return false;
	if (k < 1 || n < 1)
		return sf_fail(infer->error,
		    "attributes '%s' and '%s' are %lld and %lld, expected at "
		    "least 1",
		    inner, outer, (long long)k, (long long)n);
	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank < 1)
		return sf_fail(
		    infer->error, "input 'A' has rank 0, expected at least 1");
	if (out.known) {
		struct sf_onnx_dim both;

		if (!sf_dim_merge(infer, "the inner size and input 'A'",
			sf_dim(k), out.d[out.rank - 1], &both))
			return false;
		out.d[out.rank - 1] = sf_dim(n);
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_matmul_nbits(struct sf_infer *infer)
{
	return packed_product(infer, "K", "N");
}

/* Without transB, which is 1 unless given, it is the gradient's product. */
bool
sf_rule_matmul_bnb4(struct sf_infer *infer)
{
	int64_t transposed;

	if (!sf_infer_attr_int(infer, "transB", 1, &transposed))
		return false;
	return transposed != 0 ? packed_product(infer, "K", "N")
			       : packed_product(infer, "N", "K");
}

/* a with scale and zero point, b with both, C, then those of the output. */
bool
sf_rule_qgemm(struct sf_infer *infer)
{
	struct sf_infer inner = *infer;
	struct sf_value *operands[3] = { infer->inputs[0], infer->inputs[3],
		sf_infer_input(infer, 6) };

	inner.inputs = operands;
	inner.ninputs = operands[2] != NULL ? 3 : 2;
	inner.opset = 13;
	if (!sf_rule_gemm(&inner))
		return false;
	infer->outputs[0].dtype = sf_infer_input(infer, 8) != NULL
	    ? sf_infer_type(infer, 8)
	    : sf_infer_type(infer, 1);
	return true;
}

/* A condition, x with scale and zero point, y with both, those of the output. */
bool
sf_rule_qlinear_where(struct sf_infer *infer)
{
	struct sf_shape condition, x, y, out;

	sf_infer_shape(infer, 0, &condition);
	sf_infer_shape(infer, 1, &x);
	sf_infer_shape(infer, 4, &y);
	if (!sf_shape_broadcast(infer, &x, &y, &out) ||
	    !sf_shape_broadcast(infer, &condition, &out, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[1]->dtype, &out);
	return true;
}

/* The first input alone, its axes in an attribute. */
static bool
reduce_first(struct sf_infer *infer, enum sf_dtype dtype)
{
	struct sf_infer inner = *infer;

	inner.ninputs = 1;
	if (!sf_rule_reduce(&inner))
		return false;
	infer->outputs[0].dtype = dtype;
	return true;
}

bool
sf_rule_qlinear_reduce(struct sf_infer *infer)
{
	return reduce_first(infer, infer->inputs[0]->dtype);
}

bool
sf_rule_reduce_sum_integer(struct sf_infer *infer)
{
	return reduce_first(
	    infer, infer->inputs[0]->dtype == SF_DT_U8 ? SF_DT_U32 : SF_DT_I32);
}

/* Both, as its schema has it, are like q. */
bool
sf_rule_gemma_rotary(struct sf_infer *infer)
{
	sf_infer_like(infer, 0, infer->inputs[1]);
	sf_infer_like(infer, 1, infer->inputs[1]);
	return true;
}

/* What is normalised, and the sum that it was. */
bool
sf_rule_skip_group_norm(struct sf_infer *infer)
{
	sf_infer_like(infer, 0, infer->inputs[0]);
	sf_infer_like(infer, 1, infer->inputs[0]);
	return true;
}

/* The last size of DATA, whose bytes may hold several elements. */
static bool
unpack_last(struct sf_infer *infer, struct sf_shape *data)
{
	struct sf_onnx_dim *last = &data->d[data->rank - 1];
	int64_t bits;

	if (!sf_infer_attr_int(infer, "bits", 4, &bits))
		return false;
	if (infer->inputs[0]->dtype != SF_DT_U8 || !sf_dim_known(*last))
		return true;
	if (bits != 2 && bits != 4 && bits != 8)
		return sf_fail(infer->error,
		    "attribute 'bits' is %lld, expected 2, 4 or 8",
		    (long long)bits);
	if (!sf_mul(last->size, 8 / bits, &last->size))
		return sf_fail(infer->error,
		    "the elements of a row of 'data' pass 2^63 - 1");
	return true;
}

/* Rows of a table in blocks, of the type that its scales have. */
bool
sf_rule_gather_block(struct sf_infer *infer)
{
	struct sf_shape data, at, out = { .known = true };
	int axis;

	sf_infer_shape(infer, 0, &data);
	sf_infer_shape(infer, 1, &at);
	if (!data.known || !at.known) {
		sf_infer_set_unknown(infer, 0, sf_infer_type(infer, 2));
		return true;
	}
	if (data.rank < 1)
		return sf_fail(infer->error,
		    "input 'data' has rank 0, expected at least 1");
	if (!unpack_last(infer, &data) ||
	    !sf_infer_attr_axis(infer, "gather_axis", 0, data.rank, &axis))
		return false;
	for (int i = 0; i < data.rank; i++) {
		if (i != axis) {
			if (!sf_shape_push(infer, &out, data.d[i]))
				return false;
			continue;
		}
		for (int k = 0; k < at.rank; k++)
			if (!sf_shape_push(infer, &out, at.d[k]))
				return false;
	}
	sf_infer_set(infer, 0, sf_infer_type(infer, 2), &out);
	return true;
}

/* Integers times, scaled back: the type is that of the scale at input I. */
static bool
scaled_product(struct sf_infer *infer, int scale)
{
	if (!sf_rule_matmul(infer))
		return false;
	infer->outputs[0].dtype = sf_infer_type(infer, scale);
	return true;
}

bool
sf_rule_matmul_integer_to_float(struct sf_infer *infer)
{
	return scaled_product(infer, 2);
}

bool
sf_rule_dynamic_quantize_matmul(struct sf_infer *infer)
{
	return scaled_product(infer, 0);
}

/* Half the last dimension: a gate and what it lets through. */
bool
sf_rule_bias_split_gelu(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank > 0) {
		struct sf_onnx_dim *d = &out.d[out.rank - 1];

		*d = sf_dim_known(*d) ? sf_dim(d->size / 2) : SF_DIM_NONE;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- generation ---- */

/* The logits' size, where the node says it. */
static bool
vocabulary(struct sf_infer *infer, struct sf_onnx_dim *out)
{
	int64_t size;

	if (!sf_infer_attr_int(infer, "vocab_size", -1, &size))
		return false;
	*out = size > 0 ? sf_dim(size) : SF_DIM_NONE;
	return true;
}

/*
 * The scores of the sequences, [B, returned], and of all tokens in each step,
 * [max_length - S, B, beams, vocabulary], of the type of the penalties.
 */
static bool
set_scores(struct sf_infer *infer, const struct sf_shape *sequences,
    const struct sf_shape *ids)
{
	enum sf_dtype dtype = sf_infer_type(infer, 5);
	struct sf_shape scores = { .known = true,
		.rank = 2,
		.d = { sequences->d[0], sequences->d[1] } };
	struct sf_onnx_dim length = sequences->d[2];

	if (dtype == SF_DT_UNKNOWN)
		dtype = SF_DT_F32;
	sf_infer_set(infer, 1, dtype, &scores);
	scores.rank = 4;
	scores.d[1] = sequences->d[0];
	scores.d[0] = ids->known && ids->rank == 2 && sf_dim_known(length) &&
		sf_dim_known(ids->d[1]) && length.size >= ids->d[1].size
	    ? sf_dim(length.size - ids->d[1].size)
	    : SF_DIM_NONE;
	if (!sf_input_size(infer, 3, "num_beams", &scores.d[2]) ||
	    !vocabulary(infer, &scores.d[3]))
		return false;
	sf_infer_set(infer, 2, dtype, &scores);
	return true;
}

/* input_ids [B, S] and max_length: sequences [B, returned, max_length]. */
bool
sf_rule_beam_search(struct sf_infer *infer)
{
	struct sf_shape ids, out = { .known = true, .rank = 3 };

	if (!need_inputs(infer, "134") ||
	    !sf_input_size(infer, 4, "num_return_sequences", &out.d[1]) ||
	    !sf_input_size(infer, 1, "max_length", &out.d[2]))
		return false;
	sf_infer_shape(infer, 0, &ids);
	out.d[0] = ids.known && ids.rank > 0 ? ids.d[0] : SF_DIM_NONE;
	sf_infer_set(infer, 0, SF_DT_I32, &out);
	return infer->noutputs < 2 || set_scores(infer, &out, &ids);
}

/* One sequence each: [B, max_length]. */
bool
sf_rule_greedy_search(struct sf_infer *infer)
{
	struct sf_shape ids, out = { .known = true, .rank = 2 };

	if (!sf_input_size(infer, 1, "max_length", &out.d[1]))
		return false;
	sf_infer_shape(infer, 0, &ids);
	out.d[0] = ids.known && ids.rank > 0 ? ids.d[0] : SF_DIM_NONE;
	sf_infer_set(infer, 0, SF_DT_I32, &out);
	return true;
}
