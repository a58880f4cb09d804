/* Attention over a cache, over packed sequences, over selected positions. */
#include "base/num.h"
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* Input I has the shape that output O keeps. */
static void
keep(struct sf_infer *infer, int o, int i)
{
	if (sf_infer_input(infer, i) != NULL)
		sf_set_like(infer, o, i);
}

/* ---- packed sequences ---- */

/* [tokens, heads x size], or [tokens, heads, 3, size] with all three in it. */
bool
sf_rule_packed_multi_head(struct sf_infer *infer)
{
	struct sf_onnx_dim width = sf_input_dim(infer, 2, -1);
	bool packed = sf_infer_input(infer, 2) == NULL;

	if (!sf_infer_need_rank(infer, 0, "query", packed ? 4 : 2))
		return false;
	if (packed &&
	    !sf_dim_times(infer, sf_input_dim(infer, 0, 1),
		sf_input_dim(infer, 0, 3), &width))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 0, 0), width);
	return true;
}

/* The width of the heads' results: that of a query that is no more. */
static bool
query_width(struct sf_infer *infer, int64_t n, int64_t nkv, int64_t v_size,
    struct sf_onnx_dim *out)
{
	struct sf_onnx_dim size, width = sf_input_dim(infer, 0, -1);
	int64_t parts = n;

	if (sf_infer_input(infer, 1) == NULL &&
	    (!sf_mul(nkv, 2, &parts) || !sf_add(parts, n, &parts)))
		return sf_fail(infer->error, "the heads pass 2^63 - 1");
	if (!sf_dim_divide(
		infer, "the query's width", width, parts, "heads", &size))
		return false;
	return sf_dim_times(
	    infer, sf_dim(n), v_size > 0 ? sf_dim(v_size) : size, out);
}

/* Both numbers of heads, which must be there. */
static bool
read_heads(struct sf_infer *infer, int64_t *n, int64_t *nkv)
{
	return sf_attr_need(infer, "num_heads", n) &&
	    sf_attr_need(infer, "kv_num_heads", nkv);
}

/* Tokens [T, width] over blocks of a cache, which are written to. */
bool
sf_rule_paged_attention(struct sf_infer *infer)
{
	struct sf_onnx_dim width;
	int64_t n, nkv, v_size;

	if (!sf_infer_need_rank(infer, 0, "query", 2) ||
	    !read_heads(infer, &n, &nkv) ||
	    !sf_attr_size(infer, "v_head_size", 0, 0, &v_size) ||
	    !query_width(infer, n, nkv, v_size, &width))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 0, 0), width);
	keep(infer, 1, 3);
	keep(infer, 2, 4);
	return true;
}

/* ---- selected positions ---- */

/* [B, S, width] over a cache that is written to. */
static bool
over_cache(struct sf_infer *infer, enum sf_dtype dtype)
{
	struct sf_onnx_dim width;
	int64_t n, nkv;

	if (!sf_infer_need_rank(infer, 0, "query", 3) ||
	    !read_heads(infer, &n, &nkv) ||
	    !query_width(infer, n, nkv, 0, &width))
		return false;
	SF_SET_DIMS(infer, 0, dtype, sf_input_dim(infer, 0, 0),
	    sf_input_dim(infer, 0, 1), width);
	keep(infer, 1, 3);
	keep(infer, 2, 4);
	return true;
}

bool
sf_rule_sparse_attention(struct sf_infer *infer)
{
	return over_cache(infer, infer->inputs[0]->dtype);
}

/* The same; the last output says whether the selection was valid. */
bool
sf_rule_dynamic_sparse(struct sf_infer *infer)
{
	int64_t bf16;

	if (!sf_infer_attr_int(infer, "output_bf16", 0, &bf16))
		return false;
	sf_infer_set_vector(infer, 3, SF_DT_I32, sf_dim(1));
	return over_cache(
	    infer, bf16 != 0 ? SF_DT_BF16 : infer->inputs[0]->dtype);
}

/* How many positions an indexer may select for a query. */
static bool
selected(struct sf_infer *infer, int64_t *out)
{
	int64_t budget, ratio;
	struct sf_str policy;

	if (!sf_infer_attr_str(infer, "policy_mode", "", &policy) ||
	    !sf_attr_need(infer, "compress_ratio", &ratio))
		return false;
	if (sf_str_is(policy, "csa"))
		return sf_attr_need(infer, "index_topk", out);
	if (!sf_str_is(policy, "qsa"))
		return sf_fail(infer->error,
		    "attribute 'policy_mode' is '%.*s', expected qsa or csa",
		    SF_STR_ARG(policy));
	if (!sf_attr_need(infer, "token_budget", &budget))
		return false;
	if (!sf_add(budget, ratio - 1, out))
		return sf_fail(
		    infer->error, "the selected positions pass 2^63 - 1");
	return true;
}

/* query [B, S, ...]; the cache of keys grows unless its length is given. */
bool
sf_rule_sparse_indexer(struct sf_infer *infer)
{
	struct sf_onnx_dim batch = sf_input_dim(infer, 0, 0);
	struct sf_onnx_dim steps = sf_input_dim(infer, 0, 1);
	struct sf_onnx_dim length = sf_input_dim(infer, 7, 1);
	bool fixed = sf_infer_input(infer, 12) != NULL;
	bool raw = sf_infer_attr(infer, "token_budget") != NULL;
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	int64_t n;

	if (!sf_infer_need_rank(infer, 0, "query", 3) || !selected(infer, &n))
		return false;
	SF_SET_DIMS(infer, 0, SF_DT_I32, batch, steps, sf_dim(n));
	if (!fixed && raw && !sf_dim_plus(infer, length, steps, &length))
		return false;
	if (!fixed && !raw)
		length = SF_DIM_NONE;
	SF_SET_DIMS(infer, 1, dtype, batch, length, sf_input_dim(infer, 2, 0));
	SF_SET_DIMS(infer, 2, dtype, sf_dim(2), batch, SF_DIM_NONE,
	    sf_input_dim(infer, 8, -1));
	return true;
}

/* query [T, ...] of several requests, whose states keep their sizes. */
bool
sf_rule_packed_indexer(struct sf_infer *infer)
{
	struct sf_onnx_dim tokens = sf_input_dim(infer, 0, 0);
	struct sf_onnx_dim batch = sf_input_dim(infer, 12, 0);
	int64_t n, widest, capacity;

	if (!sf_infer_need_rank(infer, 0, "query", 2) || !selected(infer, &n) ||
	    !sf_attr_size(infer, "max_output_entries", 0, 0, &widest) ||
	    !sf_attr_size(infer, "state_update_capacity", 0, 0, &capacity))
		return false;
	SF_SET_DIMS(
	    infer, 0, SF_DT_I32, tokens, sf_dim(widest > 0 ? widest : n));
	sf_infer_set_vector(infer, 1, SF_DT_I32, tokens);
	for (int i = 0; i < 4; i++)
		keep(infer, 2 + i, 12 + i);
	SF_SET_DIMS(infer, 6, infer->inputs[0]->dtype, batch, sf_dim(capacity),
	    sf_input_dim(infer, 12, 2));
	sf_infer_set_vector(infer, 7, SF_DT_I32, tokens);
	sf_infer_set_vector(infer, 8, SF_DT_I32, batch);
	return true;
}

/* A row of selections for each that the third input maps. */
bool
sf_rule_indexer_merge(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim rows = sf_input_dim(infer, 2, 0);
	int64_t n;

	if (!sf_attr_need(infer, "max_output_entries", &n))
		return false;
	SF_SET_DIMS(infer, 0, dtype, rows, sf_dim(n));
	sf_infer_set_vector(infer, 1, dtype, rows);
	sf_infer_set_vector(infer, 2, dtype, rows);
	return true;
}

/* ---- one step of a decoder ---- */

/* The keys of a cache of another sequence, or of the past and a new one. */
static bool
decoder_keys(struct sf_infer *infer, const struct sf_shape *value, bool shared,
    struct sf_onnx_dim *out)
{
	struct sf_onnx_dim past = sf_dim(0);

	if (sf_infer_input(infer, 5) != NULL)
		past = sf_input_dim(infer, 5, 2);
	*out = value->known && value->rank == 4 ? value->d[2] : past;
	return (value->known && value->rank == 4) || shared ||
	    sf_dim_plus(infer, past, sf_dim(1), out);
}

/*
 * One position a sequence: query [B, 1, width], with key and value [B, 1, ...]
 * and a past, or with a cache [B, heads, L, size] of another sequence.
 */
bool
sf_rule_decoder_multi_head(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim width = sf_input_dim(infer, 2, -1), total, size;
	struct sf_onnx_dim heads, batch = sf_input_dim(infer, 0, 0);
	struct sf_shape value;
	int64_t n, shared;

	sf_infer_shape(infer, 2, &value);
	if (!sf_infer_need_rank(infer, 0, "query", 3) ||
	    !sf_attr_need(infer, "num_heads", &n) ||
	    !sf_infer_attr_int(infer, "past_present_share_buffer", 0, &shared))
		return false;
	heads = sf_dim(n);
	if (sf_infer_input(infer, 2) == NULL &&
	    !sf_dim_divide(infer, "the packed query",
		sf_input_dim(infer, 0, -1), 3, "parts", &width))
		return false;
	if (value.known && value.rank == 4 &&
	    !sf_dim_times(infer, heads, width, &width))
		return false;
	SF_SET_DIMS(infer, 0, dtype, batch, sf_input_dim(infer, 0, 1), width);
	if (!sf_dim_divide(infer, "the value", width, n, "heads", &size) ||
	    !decoder_keys(infer, &value, shared != 0, &total))
		return false;
	SF_SET_DIMS(infer, 1, dtype, batch, heads, total,
	    sf_infer_input(infer, 5) != NULL ? sf_input_dim(infer, 5, 3)
					     : size);
	SF_SET_DIMS(infer, 2, dtype, batch, heads, total, size);
	if (sf_infer_input(infer, 3) != NULL)
		total = sf_input_dim(infer, 3, 1);
	SF_SET_DIMS(infer, 3, dtype, batch, heads, sf_dim(1), total);
	return true;
}

/* Input I is true, is false, or is not known. */
static struct sf_cell
flag(const struct sf_infer *infer, int i)
{
	const struct sf_value *value = sf_infer_input(infer, i);

	return value != NULL && sf_value_numel(value) == 1
	    ? sf_cell_get(value, 0)
	    : (struct sf_cell){ 0 };
}

/*
 * The keys that there are in the end: those of a cache of another sequence, a
 * cache and the new ones, or the new ones alone, which three inputs say.
 */
static bool
kept_keys(struct sf_infer *infer, struct sf_onnx_dim *out)
{
	struct sf_cell other = flag(infer, 8), past = flag(infer, 9);
	struct sf_cell layer = flag(infer, 10);

	*out = SF_DIM_NONE;
	for (int i = 8; i <= 10; i++)
		if (!flag(infer, i).known) {
			for (int o = 1; o < infer->noutputs; o++)
				sf_infer_unknown_from(
				    infer, o, sf_infer_input(infer, i));
			return true;
		}
	if (past.i == 0 || layer.i == 0)
		*out = sf_input_dim(infer, other.i ? 1 : 0, 0);
	else if (other.i != 0)
		*out = sf_input_dim(infer, 6, 2);
	else
		return sf_dim_plus(infer, sf_input_dim(infer, 6, 2),
		    sf_input_dim(infer, 0, 0), out);
	return true;
}

/* query [S, B, H], key [T, B, H], weights, caches [B, heads, L, size]. */
bool
sf_rule_decoder_attention(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim size, length;
	int64_t n;

	if (!sf_infer_need_rank(infer, 0, "query", 3) ||
	    !sf_infer_need_rank(infer, 1, "key", 3) ||
	    !sf_attr_need(infer, "num_heads", &n) ||
	    !sf_dim_divide(infer, "the query's width",
		sf_input_dim(infer, 0, 2), n, "heads", &size) ||
	    !kept_keys(infer, &length))
		return false;
	sf_set_like(infer, 0, 0);
	for (int i = 1; i < 3; i++)
		SF_SET_DIMS(infer, i, dtype, sf_input_dim(infer, 0, 1),
		    sf_dim(n), length, size);
	return true;
}

/* ---- quantised, and what is added to scores ---- */

/* input, five scales, then weights of q, k and v one by one. */
bool
sf_rule_qordered_attention(struct sf_infer *infer)
{
	if (!sf_infer_need_rank(infer, 0, "input", 3) ||
	    !sf_infer_need_rank(infer, 7, "V_weight", 2))
		return false;
	return sf_set_last(
	    infer, 0, infer->inputs[0]->dtype, 0, sf_input_dim(infer, 7, 1));
}

/* A table [buckets, heads], and how many queries and keys there are. */
bool
sf_rule_relative_bias(struct sf_infer *infer)
{
	struct sf_onnx_dim q, k;

	if (!sf_infer_need_rank(infer, 0, "bias_table", 2) ||
	    !sf_input_size(infer, 1, "query_length", &q) ||
	    !sf_input_size(infer, 2, "key_length", &k))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype, sf_dim(1),
	    sf_input_dim(infer, 0, 1), q, k);
	return true;
}

/* query [B, S, width], or [tokens, width] with the place of each in [B, S]. */
bool
sf_rule_gated_bias(struct sf_infer *infer)
{
	bool packed = sf_infer_input(infer, 6) != NULL;
	struct sf_onnx_dim steps = sf_input_dim(infer, packed ? 6 : 0, 1);
	int64_t n;

	if (!sf_attr_need(infer, "num_heads", &n) ||
	    !sf_infer_need_rank(infer, 0, "query_layer", packed ? 2 : 3))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype,
	    sf_input_dim(infer, packed ? 6 : 0, 0), sf_dim(n), steps, steps);
	return true;
}
