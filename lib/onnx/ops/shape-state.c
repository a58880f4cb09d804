/* Operators that hand a state from call to call: what is kept of the past. */
#include "base/num.h"
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* A group of conditions on one output of a state. */
static enum sf_dtype
type_or(const struct sf_infer *infer, int i, enum sf_dtype otherwise)
{
	return sf_infer_input(infer, i) != NULL ? sf_infer_type(infer, i)
						: otherwise;
}

/* ---- convolutions ---- */

/* The positions that a kernel of the weight's last size reaches back. */
static bool
reach(struct sf_infer *infer, struct sf_onnx_dim *out)
{
	struct sf_onnx_dim k = sf_input_dim(infer, 1, -1);
	int64_t dilation;

	*out = SF_DIM_NONE;
	if (!sf_attr_size(infer, "dilation", 1, 1, &dilation))
		return false;
	return !sf_dim_known(k) || k.size < 1 ||
	    sf_dim_times(infer, sf_dim(k.size - 1), sf_dim(dilation), out);
}

/* [WINDOW, ...] when states of so many positions are kept. */
static bool
in_window(struct sf_infer *infer, struct sf_shape *state)
{
	struct sf_shape inner = *state;
	int64_t window;

	if (!sf_attr_size(infer, "state_window", 0, 0, &window))
		return false;
	if (window == 0 || !state->known)
		return true;
	state->rank = 1;
	state->d[0] = sf_dim(window);
	for (int i = 0; i < inner.rank; i++)
		if (!sf_shape_push(infer, state, inner.d[i]))
			return false;
	return true;
}

/* [N, C, ..., L], or [N, L, ...] with channels last. */
bool
sf_rule_ms_causal_conv(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	int64_t last, state_last, length, slice, capacity;
	struct sf_shape x, state;
	struct sf_onnx_dim kept, channels;

	if (!sf_attr_size(infer, "channels_last", 0, 0, &last) ||
	    !sf_attr_size(infer, "state_channels_last", -1, -1, &state_last) ||
	    !sf_attr_size(infer, "state_length", 0, 0, &length) ||
	    !sf_attr_size(infer, "input_channels", 0, 0, &slice) ||
	    !sf_attr_size(infer, "state_update_capacity", 0, 0, &capacity) ||
	    !reach(infer, &kept))
		return false;
	sf_infer_shape(infer, 0, &x);
	if (x.known && x.rank < 3)
		return sf_fail(infer->error,
		    "input 'input' has rank %d, expected at least 3", x.rank);
	if (x.known && slice > 0 && last != 0)
		x.d[x.rank - 1] = sf_dim(slice);
	sf_infer_set(infer, 0, dtype, &x);
	if (length > 0)
		kept = sf_dim(length);
	state = x;
	channels = !x.known ? SF_DIM_NONE : last ? x.d[x.rank - 1] : x.d[1];
	if (x.known && last != 0)
		state.d[1] = kept;
	else if (x.known)
		state.d[x.rank - 1] = kept;
	if (x.known && x.rank == 3 && state_last >= 0) {
		state.d[state_last ? 1 : 2] = kept;
		state.d[state_last ? 2 : 1] = channels;
	}
	if (!in_window(infer, &state))
		return false;
	sf_infer_set(infer, 1, dtype, &state);
	SF_SET_DIMS(infer, 2, dtype, x.known ? x.d[0] : SF_DIM_NONE,
	    sf_dim(capacity), channels);
	return true;
}

/* Tokens [T, C] of several sequences, a state [B, C, kept] each. */
bool
sf_rule_varlen_conv(struct sf_infer *infer)
{
	int64_t capacity;

	if (!sf_infer_need_rank(infer, 0, "input", 2) ||
	    !sf_infer_need_rank(infer, 1, "weight", 3) ||
	    !sf_attr_size(infer, "state_update_capacity", 0, 0, &capacity))
		return false;
	sf_set_like(infer, 0, 0);
	sf_set_like(infer, 1, 4);
	SF_SET_DIMS(infer, 2, infer->inputs[0]->dtype,
	    sf_input_dim(infer, 4, 0), sf_dim(capacity),
	    sf_input_dim(infer, 0, 1));
	return true;
}

/* ---- linear attention ---- */

/* query, key and value [B, T, heads x size], past state, decay, beta. */
bool
sf_rule_ms_linear_attention(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape state = { .known = true, .rank = 4 };
	struct sf_onnx_dim width;
	int64_t nq, nkv;

	if (!sf_attr_need(infer, "q_num_heads", &nq) ||
	    !sf_attr_need(infer, "kv_num_heads", &nkv) ||
	    !sf_infer_need_rank(infer, 0, "query", 3))
		return false;
	state.d[0] = sf_input_dim(infer, 0, 0);
	state.d[1] = sf_dim(nkv);
	if (!sf_dim_divide(infer, "key", sf_input_dim(infer, 1, -1), nkv,
		"heads", &state.d[2]) ||
	    !sf_dim_divide(infer, "value", sf_input_dim(infer, 2, -1), nkv,
		"heads", &state.d[3]) ||
	    !sf_dim_times(
		infer, sf_dim(nq > nkv ? nq : nkv), state.d[3], &width))
		return false;
	SF_SET_DIMS(infer, 0, dtype, sf_input_dim(infer, 0, 0),
	    sf_input_dim(infer, 0, 1), width);
	if (!in_window(infer, &state))
		return false;
	sf_infer_set(infer, 1, type_or(infer, 3, dtype), &state);
	return true;
}

/* Heads and sizes of a gated delta net, from its inputs or from its state. */
struct delta {
	struct sf_onnx_dim hq, hk, hv, dk, dv;
};

static bool
read_delta(struct sf_infer *infer, const struct sf_shape *q, struct delta *d)
{
	struct sf_onnx_dim width = sf_input_dim(infer, 0, -1);
	int64_t rest, v;

	if (sf_infer_input(infer, 1) != NULL) {
		d->hq = sf_input_dim(infer, 0, -2);
		d->hk = sf_input_dim(infer, 1, -2);
		d->hv = sf_input_dim(infer, 2, -2);
		d->dk = sf_input_dim(infer, 0, -1);
		d->dv = sf_input_dim(infer, 2, -1);
		return true;
	}
	d->hv = sf_input_dim(infer, 6, 1);
	d->dv = sf_input_dim(infer, 6, 2);
	d->dk = sf_input_dim(infer, 6, 3);
	d->hq = d->hk = SF_DIM_NONE;
	if (!q->known || !sf_dim_known(width) || !sf_dim_known(d->hv) ||
	    !sf_dim_known(d->dv) || !sf_dim_known(d->dk) || d->dk.size < 1)
		return true;
	if (!sf_mul(d->hv.size, d->dv.size, &v))
		return sf_fail(infer->error, "the state passes 2^63 - 1");
	rest = width.size - v;
	if (rest < 0 || rest % 2 != 0 || rest / 2 % d->dk.size != 0)
		return sf_fail(infer->error,
		    "the packed query is %lld wide, expected heads of %lld "
		    "twice and %lld",
		    (long long)width.size, (long long)d->dk.size, (long long)v);
	d->hq = d->hk = sf_dim(rest / 2 / d->dk.size);
	return true;
}

static struct sf_onnx_dim
larger(struct sf_onnx_dim a, struct sf_onnx_dim b)
{
	if (!sf_dim_known(a) || !sf_dim_known(b))
		return sf_dim_same(a, b) ? a : SF_DIM_NONE;
	return a.size > b.size ? a : b;
}

/* The numbers that bring one state to the next, CAPACITY times. */
static bool
transitions(
    struct sf_infer *infer, const struct delta *d, struct sf_onnx_dim *out)
{
	struct sf_shape decay;
	struct sf_onnx_dim wide = d->hv, key, value;
	int64_t capacity;

	*out = SF_DIM_NONE;
	sf_infer_shape(infer, 4, &decay);
	if (!sf_attr_size(infer, "state_update_capacity", 0, 0, &capacity) ||
	    !sf_dim_times(infer, d->hk, d->dk, &key) ||
	    !sf_dim_times(infer, d->hv, d->dv, &value))
		return false;
	if (decay.known && decay.rank >= 3 &&
	    !sf_dim_times(infer, d->hv, d->dk, &wide))
		return false;
	if (sf_infer_input(infer, 4) != NULL && !decay.known)
		wide = SF_DIM_NONE;
	return !sf_dim_known(wide) || !sf_dim_known(key) ||
	    !sf_dim_known(value) ||
	    (sf_dim_plus(infer, wide, key, &key) &&
		sf_dim_plus(infer, key, value, &value) &&
		sf_dim_times(infer, sf_dim(capacity), value, out));
}

/* Tokens [T, heads, size], or [B, S, heads, size]; the state is V-major. */
bool
sf_rule_gated_delta_net(struct sf_infer *infer)
{
	bool packed = sf_infer_input(infer, 1) == NULL;
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	enum sf_dtype kept = type_or(infer, 6, SF_DT_F32);
	struct sf_onnx_dim batch = sf_input_dim(infer, 6, 0), ends, n;
	struct sf_shape y;
	struct delta d = { 0 };

	sf_infer_shape(infer, 0, &y);
	if (y.known && (y.rank < (packed ? 2 : 3) || y.rank > 4))
		return sf_fail(infer->error,
		    "input 'query' has rank %d, expected 3 or 4", y.rank);
	if (!read_delta(infer, &y, &d) || !transitions(infer, &d, &n))
		return false;
	ends = sf_input_dim(infer, 3, 0);
	if (sf_infer_input(infer, 6) == NULL && sf_dim_known(ends))
		batch = sf_dim(ends.size > 0 ? ends.size - 1 : 0);
	if (sf_infer_input(infer, 6) == NULL && y.known && y.rank == 4)
		batch = y.d[0];
	if (y.known) {
		y.rank -= packed ? 1 : 2;
		if (!sf_shape_push(infer, &y, larger(d.hq, d.hv)) ||
		    !sf_shape_push(infer, &y, d.dv))
			return false;
	}
	sf_infer_set(infer, 0, dtype, &y);
	SF_SET_DIMS(infer, 1, kept, batch, d.hv, d.dv, d.dk);
	SF_SET_DIMS(infer, 2, kept, batch, n);
	return true;
}

/* a, bias, scale, b: a decay like a and a rate like b. */
bool
sf_rule_linear_gate(struct sf_infer *infer)
{
	sf_set_like(infer, 0, 0);
	sf_set_like(infer, 1, 3);
	return true;
}

/* Projection [R, gate, convolved, step] of the state-space mixer. */
bool
sf_rule_mamba2_verify(struct sf_infer *infer)
{
	struct sf_onnx_dim rows = sf_input_dim(infer, 0, 0), inner;
	int64_t heads, size;

	if (!sf_infer_need_rank(infer, 0, "projection", 2) ||
	    !sf_attr_need(infer, "heads", &heads) ||
	    !sf_attr_size(infer, "head_dim", 1, 64, &size) ||
	    !sf_dim_times(infer, sf_dim(heads), sf_dim(size), &inner))
		return false;
	SF_SET_DIMS(infer, 0, infer->inputs[0]->dtype, rows, inner);
	sf_set_like(infer, 1, 1);
	sf_set_like(infer, 2, 2);
	SF_SET_DIMS(
	    infer, 3, infer->inputs[0]->dtype, rows, sf_input_dim(infer, 1, 1));
	SF_SET_DIMS(infer, 4, SF_DT_F32, rows, inner);
	return true;
}

/* The third input, a state, is written to. */
bool
sf_rule_state_replay(struct sf_infer *infer)
{
	sf_set_like(infer, 0, 2);
	return true;
}

/* Predictions [B, rows] against drafts; 16 words of control a sequence. */
bool
sf_rule_prefix_commit(struct sf_infer *infer)
{
	int64_t words = sf_value_numel(infer->inputs[3]);

	sf_infer_set_vector(
	    infer, 0, SF_DT_I32, words >= 0 ? sf_dim(words / 16) : SF_DIM_NONE);
	sf_set_like(infer, 1, 3);
	sf_set_like(infer, 2, 4);
	return true;
}

/* ---- hashes of n-grams ---- */

/* The hashes of a token, and the tokens that are kept of the past. */
static bool
read_ngrams(struct sf_infer *infer, struct sf_onnx_dim *hashes,
    struct sf_onnx_dim *kept)
{
	int64_t n, heads;

	if (!sf_attr_need(infer, "max_ngram_size", &n) ||
	    !sf_attr_need(infer, "n_head_per_ngram", &heads))
		return false;
	*kept = sf_dim(n - 1);
	return sf_dim_times(infer, *kept, sf_dim(heads), hashes);
}

/* Ids [B, S]. */
bool
sf_rule_ngram_hash(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim hashes, kept, batch = sf_input_dim(infer, 0, 0);

	if (!sf_infer_need_rank(infer, 0, "input_ids", 2) ||
	    !read_ngrams(infer, &hashes, &kept))
		return false;
	SF_SET_DIMS(infer, 0, dtype, batch, sf_input_dim(infer, 0, 1), hashes);
	SF_SET_DIMS(infer, 1, dtype, batch, kept);
	return true;
}

/* Ids [T] of as many sequences as there are ends, but one. */
bool
sf_rule_varlen_ngram_hash(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim hashes, kept, ends = sf_input_dim(infer, 3, 0);
	struct sf_onnx_dim batch = SF_DIM_NONE;
	int64_t capacity;

	if (!sf_infer_need_rank(infer, 0, "input_ids", 1) ||
	    !read_ngrams(infer, &hashes, &kept) ||
	    !sf_attr_size(infer, "state_update_capacity", 0, 0, &capacity))
		return false;
	if (sf_dim_known(ends))
		batch = sf_dim(ends.size > 0 ? ends.size - 1 : 0);
	SF_SET_DIMS(infer, 0, dtype, sf_input_dim(infer, 0, 0), hashes);
	SF_SET_DIMS(infer, 1, dtype, batch, kept);
	SF_SET_DIMS(infer, 2, sf_infer_type(infer, 3), batch, kept);
	SF_SET_DIMS(infer, 3, dtype, batch, sf_dim(capacity), kept);
	return true;
}

/* ---- streams beside each other ---- */

/* Key and query [B, S, streams, H], value [B, S, H]. */
bool
sf_rule_engram_gate(struct sf_infer *infer)
{
	sf_set_like(infer, 0, 1);
	sf_set_like(infer, 1, 1);
	return true;
}

/* The streams in [..., C, H], or in [..., C x H] by attribute num_branches. */
static bool
read_streams(struct sf_infer *infer, bool flat, struct sf_shape *outer,
    struct sf_onnx_dim *n, struct sf_onnx_dim *width)
{
	int64_t branches;

	if (!sf_attr_size(infer, "num_branches", flat ? 1 : 0, 0, &branches))
		return false;
	sf_infer_shape(infer, 0, outer);
	if (outer->known && outer->rank < (branches > 0 ? 1 : 2))
		return sf_fail(infer->error,
		    "input 'streams' has rank %d, expected at least %d",
		    outer->rank, branches > 0 ? 1 : 2);
	if (outer->known)
		outer->rank -= branches > 0 ? 1 : 2;
	*n = branches > 0 ? sf_dim(branches) : sf_input_dim(infer, 0, -2);
	*width = sf_input_dim(infer, 0, -1);
	return branches == 0 ||
	    sf_dim_divide(infer, "the width of the streams", *width, branches,
		"branches", width);
}

/* The streams become one. */
bool
sf_rule_hyper_pre(struct sf_infer *infer)
{
	struct sf_onnx_dim n, width;
	struct sf_shape out;

	if (!read_streams(infer, false, &out, &n, &width) ||
	    (out.known && !sf_shape_push(infer, &out, width)))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* One of the streams' width, a gate a stream, and the streams. */
bool
sf_rule_hyper_mix(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim n, width;
	struct sf_shape out, gates;

	if (!read_streams(infer, true, &out, &n, &width))
		return false;
	gates = out;
	if (out.known &&
	    (!sf_shape_push(infer, &out, width) ||
		!sf_shape_push(infer, &gates, n)))
		return false;
	sf_infer_set(infer, 0, dtype, &out);
	sf_infer_set(infer, 1, dtype, &gates);
	sf_set_like(infer, 2, 0);
	return true;
}
