/* Attention in its many forms, ONNX's and ONNX Runtime's. */
#include "onnx/ops/rules.h"

#include "onnx/ops/dims.h"

/* A count of heads from attribute NAME; *OUT is -1 when it is absent. */
static bool
heads_attr(struct sf_infer *infer, const char *name, int64_t *out)
{
	return sf_attr_size(infer, name, 1, -1, out);
}

/* D over N heads, which must divide it; unknown when either is. */
static bool
divide(struct sf_infer *infer, const char *what, struct sf_onnx_dim d,
    int64_t n, struct sf_onnx_dim *out)
{
	return sf_dim_divide(infer, what, d, n, "heads", out);
}

/* One of query, key and value as [batch, heads, positions, head size]. */
struct heads {
	bool known, packed; /* packed: [batch, positions, heads x head size] */
	struct sf_onnx_dim batch, heads, length, size;
};

static bool
read_heads(struct sf_infer *infer, int input, const char *what, int64_t n,
    struct heads *out)
{
	struct sf_shape x;

	*out = (struct heads){ 0 };
	out->batch = out->heads = out->length = out->size = SF_DIM_NONE;
	sf_infer_shape(infer, input, &x);
	if (!x.known)
		return true;
	if (x.rank != 3 && x.rank != 4)
		return sf_fail(infer->error,
		    "input '%s' has rank %d, expected 3 or 4", what, x.rank);
	out->known = true;
	out->packed = x.rank == 3;
	out->batch = x.d[0];
	if (!out->packed) {
		out->heads = x.d[1];
		out->length = x.d[2];
		out->size = x.d[3];
		return true;
	}
	out->length = x.d[1];
	if (n > 0)
		out->heads = sf_dim(n);
	return divide(infer, what, x.d[2], n, &out->size);
}

static void
set_heads(struct sf_infer *infer, int i, enum sf_dtype dtype,
    struct sf_onnx_dim batch, struct sf_onnx_dim heads,
    struct sf_onnx_dim length, struct sf_onnx_dim size)
{
	struct sf_shape out = {
		.known = true, .rank = 4, .d = { batch, heads, length, size }
	};

	sf_infer_set(infer, i, dtype, &out);
}

/* The positions in the cache at input I, 0 when there is none. */
static struct sf_onnx_dim
past_length(const struct sf_infer *infer, int i)
{
	struct sf_shape past;

	if (sf_infer_input(infer, i) == NULL)
		return sf_dim(0);
	sf_infer_shape(infer, i, &past);
	return past.known && past.rank == 4 ? past.d[2] : SF_DIM_NONE;
}

/* Q, K, V, mask, past key and value: Y, present key and value, scores. */
bool
sf_rule_attention(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim total, width;
	struct heads q, k, v;
	int64_t nq, nkv;
	struct sf_shape y = { .known = true };

	if (!heads_attr(infer, "q_num_heads", &nq) ||
	    !heads_attr(infer, "kv_num_heads", &nkv) ||
	    !read_heads(infer, 0, "Q", nq, &q) ||
	    !read_heads(infer, 1, "K", nkv, &k) ||
	    !read_heads(infer, 2, "V", nkv, &v) ||
	    !sf_dim_plus(infer, past_length(infer, 4), k.length, &total) ||
	    !sf_dim_times(infer, q.heads, v.size, &width))
		return false;
	y.known = q.known;
	y.rank = !q.known ? 0 : q.packed ? 3 : 4;
	y.d[0] = q.batch;
	y.d[1] = q.packed ? q.length : q.heads;
	y.d[2] = q.packed ? width : q.length;
	y.d[3] = v.size;
	sf_infer_set(infer, 0, dtype, &y);
	if (infer->noutputs > 1)
		set_heads(infer, 1, sf_infer_type(infer, 1), k.batch, k.heads,
		    total, k.size);
	if (infer->noutputs > 2)
		set_heads(infer, 2, sf_infer_type(infer, 2), v.batch, v.heads,
		    total, v.size);
	if (infer->noutputs > 3)
		set_heads(infer, 3, dtype, q.batch, q.heads, q.length, total);
	return true;
}

/* Rank 4 throughout: [B, Hq, Lq, Dv]. */
bool
sf_rule_flex_attention(struct sf_infer *infer)
{
	struct heads q, v;

	if (!sf_infer_need_rank(infer, 0, "Q", 4) ||
	    !sf_infer_need_rank(infer, 2, "V", 4) ||
	    !read_heads(infer, 0, "Q", -1, &q) ||
	    !read_heads(infer, 2, "V", -1, &v))
		return false;
	set_heads(infer, 0, infer->inputs[0]->dtype, q.batch, q.heads, q.length,
	    v.size);
	return true;
}

/* Packed [B, T, heads x size]; the state is [B, Hkv, dk, dv]. */
bool
sf_rule_linear_attention(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	const struct sf_value *past = sf_infer_input(infer, 3);
	struct sf_shape y = { .known = true, .rank = 3 };
	struct heads q, k, v;
	int64_t nq, nkv;

	if (!heads_attr(infer, "q_num_heads", &nq) ||
	    !heads_attr(infer, "kv_num_heads", &nkv) ||
	    !sf_infer_need_rank(infer, 0, "query", 3) ||
	    !read_heads(infer, 0, "query", nq, &q) ||
	    !read_heads(infer, 1, "key", nkv, &k) ||
	    !read_heads(infer, 2, "value", nkv, &v) ||
	    !sf_dim_times(infer, sf_dim(nq), v.size, &y.d[2]))
		return false;
	if (nq < 1 || nkv < 1)
		return sf_fail(infer->error,
		    "attributes 'q_num_heads' and 'kv_num_heads' are missing");
	y.d[0] = q.batch;
	y.d[1] = q.length;
	sf_infer_set(infer, 0, dtype, &y);
	if (infer->noutputs > 1)
		set_heads(infer, 1, past != NULL ? past->dtype : dtype, q.batch,
		    sf_dim(nkv), k.size, v.size);
	return true;
}

/* ---- ONNX Runtime's ---- */

/* Widths of query, key and value that the weights [in, q + k + v] hold. */
static bool
projected_widths(
    struct sf_infer *infer, struct sf_onnx_dim *q, struct sf_onnx_dim *v)
{
	const int64_t *sizes;
	struct sf_shape w;
	int n;

	*q = *v = SF_DIM_NONE;
	if (!sf_infer_attr_ints(infer, "qkv_hidden_sizes", &sizes, &n))
		return false;
	if (n == 3) {
		if (sizes[0] < 1 || sizes[2] < 1)
			return sf_fail(infer->error,
			    "attribute 'qkv_hidden_sizes' must be above 0");
		*q = sf_dim(sizes[0]);
		*v = sf_dim(sizes[2]);
		return true;
	}
	sf_infer_shape(infer, 1, &w);
	if (!w.known || w.rank != 2 || !sf_dim_known(w.d[1]))
		return true;
	if (w.d[1].size % 3 != 0)
		return sf_fail(infer->error,
		    "input 'weights' has %lld columns, expected a multiple of "
		    "3",
		    (long long)w.d[1].size);
	*q = *v = sf_dim(w.d[1].size / 3);
	return true;
}

/* Input [B, S, in], weights, ..., PAST [2, B, heads, P, size]. */
static bool
projected(struct sf_infer *infer, int at_past, enum sf_dtype dtype)
{
	struct sf_onnx_dim q, v, size, total, past = sf_dim(0);
	struct sf_shape x, cache, present = { .known = true, .rank = 5 };
	struct sf_shape y = { .known = true, .rank = 3 };
	int64_t n;

	if (!sf_infer_need_rank(infer, 0, "input", 3) ||
	    !heads_attr(infer, "num_heads", &n) ||
	    !projected_widths(infer, &q, &v) ||
	    !divide(infer, "the width of the query", q, n, &size))
		return false;
	sf_infer_shape(infer, 0, &x);
	y.d[0] = x.known ? x.d[0] : SF_DIM_NONE;
	y.d[1] = x.known ? x.d[1] : SF_DIM_NONE;
	y.d[2] = v;
	sf_infer_set(infer, 0, dtype, &y);
	sf_infer_shape(infer, at_past, &cache);
	if (sf_infer_input(infer, at_past) != NULL)
		past =
		    cache.known && cache.rank == 5 ? cache.d[3] : SF_DIM_NONE;
	if (!sf_dim_plus(infer, past, y.d[1], &total))
		return false;
	present.d[0] = sf_dim(2);
	present.d[1] = y.d[0];
	present.d[2] = n > 0 ? sf_dim(n) : SF_DIM_NONE;
	present.d[3] = total;
	present.d[4] = size;
	sf_infer_set(infer, 1, dtype, &present);
	return true;
}

bool
sf_rule_ms_attention(struct sf_infer *infer)
{
	return projected(infer, 4, infer->inputs[0]->dtype);
}

/* Of integers, with scales, the first of which has the type of the output. */
bool
sf_rule_q_attention(struct sf_infer *infer)
{
	return projected(infer, 8, sf_infer_type(infer, 3));
}

/* One position: the past at input 4 is written to, or grows by one. */
bool
sf_rule_decoder_self(struct sf_infer *infer)
{
	int64_t shared;

	if (!sf_infer_attr_int(
		infer, "past_present_share_buffer", 0, &shared) ||
	    !projected(infer, 4, infer->inputs[0]->dtype))
		return false;
	if (shared != 0)
		sf_set_like(infer, 1, 4);
	return true;
}

/* Tokens without padding: [T, in] times weights gives [T, width of v]. */
bool
sf_rule_packed_attention(struct sf_infer *infer)
{
	struct sf_onnx_dim q, v;

	if (!sf_infer_need_rank(infer, 0, "input", 2) ||
	    !projected_widths(infer, &q, &v))
		return false;
	SF_SET_DIMS(
	    infer, 0, infer->inputs[0]->dtype, sf_input_dim(infer, 0, 0), v);
	return true;
}

/*
 * query [B, S, Hq] with key and value [B, L, H] or, from a cache, [B, heads,
 * L, size]; a packed query [B, S, heads, 3, size] has them all.
 */
bool
sf_rule_ms_multi_head(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape q, y = { .known = true, .rank = 3 };
	struct sf_onnx_dim total;
	struct heads k, v;
	int64_t n;

	if (!heads_attr(infer, "num_heads", &n))
		return false;
	sf_infer_shape(infer, 0, &q);
	if (!q.known || q.rank != 3 || sf_infer_input(infer, 2) == NULL) {
		sf_infer_set_unknown(infer, 0, dtype);
		for (int i = 1; i < infer->noutputs; i++)
			sf_infer_set_unknown(infer, i, dtype);
		sf_infer_unknown(infer, 0,
		    "a packed query of MultiHeadAttention is not followed");
		return true;
	}
	if (!read_heads(infer, 1, "key", n, &k) ||
	    !read_heads(infer, 2, "value", n, &v) ||
	    !sf_dim_plus(infer, past_length(infer, 6), k.length, &total) ||
	    !sf_dim_times(infer, v.heads, v.size, &y.d[2]))
		return false;
	y.d[0] = q.d[0];
	y.d[1] = q.d[1];
	sf_infer_set(infer, 0, dtype, &y);
	for (int i = 1; i < infer->noutputs && i < 3; i++)
		set_heads(infer, i, dtype, q.d[0],
		    n > 0 ? sf_dim(n) : SF_DIM_NONE, total,
		    i == 1 ? k.size : v.size);
	return true;
}

/* The cache holds what it held, or the total length when that is more. */
static struct sf_onnx_dim
grown_cache(struct sf_infer *infer, struct sf_onnx_dim past)
{
	struct sf_cell total = { 0 };

	if (sf_infer_input(infer, 6) != NULL &&
	    sf_value_numel(infer->inputs[6]) == 1)
		total = sf_cell_get(infer->inputs[6], 0);
	if (!total.known || !sf_dim_known(past))
		return SF_DIM_NONE;
	return sf_dim(total.i > past.size ? total.i : past.size);
}

/* query, key, value, past_key, past_value, seqlens_k, total_sequence_length */
bool
sf_rule_ms_group_query(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	bool packed = sf_infer_input(infer, 1) == NULL;
	struct sf_onnx_dim length = sf_dim(0), size = SF_DIM_NONE;
	struct sf_shape q, past, y;
	int64_t n, nkv;

	if (!heads_attr(infer, "num_heads", &n) ||
	    !heads_attr(infer, "kv_num_heads", &nkv) ||
	    !sf_infer_need_rank(infer, 0, "query", 3))
		return false;
	if (n < 1 || nkv < 1)
		return sf_fail(infer->error,
		    "attributes 'num_heads' and 'kv_num_heads' are missing");
	sf_infer_shape(infer, 0, &q);
	if (q.known &&
	    !divide(infer, "the query's width", q.d[2],
		packed ? n + 2 * nkv : n, &size))
		return false;
	y = q;
	if (q.known && packed && !sf_dim_times(infer, sf_dim(n), size, &y.d[2]))
		return false;
	sf_infer_set(infer, 0, dtype, &y);
	sf_infer_shape(infer, 3, &past);
	if (sf_infer_input(infer, 3) != NULL)
		length = past.known && past.rank == 4 ? past.d[2] : SF_DIM_NONE;
	for (int i = 1; i < infer->noutputs && i < 3; i++) {
		set_heads(infer, i, dtype, q.known ? q.d[0] : SF_DIM_NONE,
		    sf_dim(nkv), grown_cache(infer, length), size);
		sf_infer_unknown_from(infer, i, sf_infer_input(infer, 6));
	}
	return true;
}
