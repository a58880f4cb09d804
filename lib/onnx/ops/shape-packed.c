/* Products with packed, quantised or scaled weights. */
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* [..., K] of input 0 becomes [..., N]; K is known, or -1. */
static bool
project(
    struct sf_infer *infer, int i, struct sf_onnx_dim k, struct sf_onnx_dim n)
{
	struct sf_onnx_dim both;

	return sf_dim_merge(infer, "the inner size and the first input", k,
		   sf_input_dim(infer, 0, -1), &both) &&
	    sf_set_last(infer, i, infer->inputs[0]->dtype, 0, n);
}

/* Attributes K and N say both sizes. */
bool
sf_rule_matmul_packed(struct sf_infer *infer)
{
	int64_t k, n;

	return sf_attr_need(infer, "K", &k) && sf_attr_need(infer, "N", &n) &&
	    project(infer, 0, sf_dim(k), sf_dim(n));
}

/* Two weights of K and N; the second output is the sum with the residual. */
bool
sf_rule_matmul_nbits_mlp(struct sf_infer *infer)
{
	sf_set_like(infer, 1, 0);
	return sf_rule_matmul_packed(infer);
}

/* q, k and v, then the sum with the residual. */
bool
sf_rule_matmul_nbits_qkv(struct sf_infer *infer)
{
	int64_t k, nq, nkv;

	if (!sf_attr_need(infer, "K", &k) || !sf_attr_need(infer, "Nq", &nq) ||
	    !sf_attr_need(infer, "Nkv", &nkv))
		return false;
	sf_set_like(infer, 3, 0);
	return project(infer, 0, sf_dim(k), sf_dim(nq)) &&
	    project(infer, 1, sf_dim(k), sf_dim(nkv)) &&
	    project(infer, 2, sf_dim(k), sf_dim(nkv));
}

/* B is [N, K / PER], PER values in each of its elements. */
static bool
weight_rows(struct sf_infer *infer, int64_t per)
{
	struct sf_onnx_dim k;

	return sf_infer_need_rank(infer, 1, "B", 2) &&
	    sf_dim_times(infer, sf_input_dim(infer, 1, 1), sf_dim(per), &k) &&
	    project(infer, 0, k, sf_input_dim(infer, 1, 0));
}

bool
sf_rule_matmul_fp4(struct sf_infer *infer)
{
	return weight_rows(infer, 2);
}

bool
sf_rule_matmul_fp8(struct sf_infer *infer)
{
	return weight_rows(infer, 1);
}

/* B is a blob; what it holds, [K, N], is the third input. */
bool
sf_rule_matmul_fpq4(struct sf_infer *infer)
{
	struct sf_ints sizes;
	struct sf_cell k, n;

	if (!sf_infer_ints(infer, 2, "B_shape", &sizes))
		return false;
	if (sizes.n >= 0 && sizes.n != 2)
		return sf_fail(infer->error,
		    "input 'B_shape' has %d integers, expected 2", sizes.n);
	k = sf_ints_get(&sizes, 0, -1);
	n = sf_ints_get(&sizes, 1, -1);
	if (!sf_ints_known(&sizes))
		sf_infer_unknown_list(infer, 0, &sizes);
	return project(infer, 0, k.known ? sf_dim(k.i) : SF_DIM_NONE,
	    n.known ? sf_dim(n.i) : SF_DIM_NONE);
}

/* Operands at inputs A and B, whose orders in memory are no sizes. */
static bool
ordered(struct sf_infer *infer, int a, int b, sf_infer_rule *rule)
{
	struct sf_value *operands[2] = { infer->inputs[a], infer->inputs[b] };
	struct sf_infer inner = *infer;

	inner.inputs = operands;
	inner.ninputs = 2;
	return rule(&inner);
}

bool
sf_rule_qordered_matmul(struct sf_infer *infer)
{
	return ordered(infer, 0, 2, sf_rule_matmul);
}

bool
sf_rule_gemm_float8(struct sf_infer *infer)
{
	enum sf_dtype dtype;

	if (!sf_infer_attr_dtype(infer, "dtype", SF_DT_F32, &dtype) ||
	    !ordered(infer, 0, 1, sf_rule_gemm))
		return false;
	infer->outputs[0].dtype = dtype;
	return true;
}

/* Sparse times dense, either transposed. */
bool
sf_rule_sparse_matmul(struct sf_infer *infer)
{
	if (!ordered(infer, 0, 1, sf_rule_fused_matmul))
		return false;
	infer->outputs[0].dtype = sf_infer_type(infer, 1);
	return true;
}

/* X [..., K] times W [K, router + 2 x inner]. */
bool
sf_rule_router_gate_up(struct sf_infer *infer)
{
	struct sf_onnx_dim columns = sf_input_dim(infer, 1, 1);
	struct sf_onnx_dim inner = SF_DIM_NONE;
	int64_t router;

	if (!sf_infer_need_rank(infer, 1, "W", 2) ||
	    !sf_attr_need(infer, "router_size", &router))
		return false;
	if (sf_dim_known(columns)) {
		if (columns.size < router || (columns.size - router) % 2 != 0)
			return sf_fail(infer->error,
			    "input 'W' has %lld columns, expected %lld for "
			    "the router and two halves",
			    (long long)columns.size, (long long)router);
		inner = sf_dim((columns.size - router) / 2);
	}
	return project(infer, 0, sf_input_dim(infer, 1, 0), sf_dim(router)) &&
	    project(infer, 1, sf_input_dim(infer, 1, 0), inner);
}

/* Logits [..., experts], or activations and weights [experts, width]. */
bool
sf_rule_moe_router(struct sf_infer *infer)
{
	bool projected = sf_infer_input(infer, 2) != NULL;
	struct sf_onnx_dim experts =
	    projected ? sf_input_dim(infer, 2, 0) : sf_input_dim(infer, 0, -1);
	struct sf_onnx_dim rows = SF_DIM_NONE;
	struct sf_shape x;

	if (!sf_dim_merge(infer, "the experts of the first input and the bias",
		experts, sf_input_dim(infer, 1, 0), &experts))
		return false;
	sf_infer_shape(infer, 0, &x);
	if (x.known && x.rank > 0 &&
	    !sf_shape_count(infer, &x, 0, x.rank - 1, &rows))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype, rows, experts);
	SF_SET_DIMS(infer, 1, SF_DT_F32, rows, experts);
	SF_SET_DIMS(infer, 2, SF_DT_F32, rows, experts);
	return true;
}

/* Rows of [vocabulary, bytes] unpacked to K elements each. */
bool
sf_rule_gather_packed(struct sf_infer *infer)
{
	enum sf_dtype dtype;
	struct sf_shape out;
	int64_t k;

	if (!sf_attr_need(infer, "K", &k) ||
	    !sf_infer_attr_dtype(infer, "output_dtype", SF_DT_BF16, &dtype))
		return false;
	sf_infer_shape(infer, 1, &out);
	if (out.known && !sf_shape_push(infer, &out, sf_dim(k)))
		return false;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* A table [words, M] and indices give [..., M]. */
bool
sf_rule_torch_embedding(struct sf_infer *infer)
{
	struct sf_shape out;

	if (!sf_infer_need_rank(infer, 0, "weight", 2))
		return false;
	sf_infer_shape(infer, 1, &out);
	if (out.known && !sf_shape_push(infer, &out, sf_input_dim(infer, 0, 1)))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Weights are [directions, K, 4 x hidden], transposed against LSTM's. */
bool
sf_rule_quantized_lstm(struct sf_infer *infer)
{
	struct sf_value w = *infer->inputs[1], r = *infer->inputs[2];
	struct sf_value *turned[] = { infer->inputs[0], &w, &r };
	struct sf_infer inner = *infer;
	int64_t sizes[3];

	if (!sf_infer_need_rank(infer, 1, "W", 3) ||
	    !sf_infer_need_rank(infer, 2, "R", 3))
		return false;
	if (r.rank_known) {
		sizes[0] = r.dims[0];
		sizes[1] = r.dims[2];
		sizes[2] = r.dims[1];
		r.dims = sizes;
		r.dim_names = NULL;
	}
	inner.inputs = turned;
	inner.ninputs = 3;
	return sf_rule_rnn(&inner);
}

/* Characters [words, letters] through a convolution of [N, 1, width, size]. */
bool
sf_rule_word_conv(struct sf_infer *infer)
{
	if (!sf_infer_need_rank(infer, 0, "Sequence", 2) ||
	    !sf_infer_need_rank(infer, 1, "W", 4))
		return false;
	SF_SET_DIMS(infer, 0, sf_infer_type(infer, 1),
	    sf_input_dim(infer, 0, 0), sf_input_dim(infer, 1, 0));
	return true;
}
