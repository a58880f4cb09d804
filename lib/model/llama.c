/*
 * The decoders that are built like Llama: Llama, Mistral, Qwen2, Qwen3. The
 * order of calls is that of transformers 5.18's modeling_llama.py,
 * modeling_mistral.py, modeling_qwen2.py and modeling_qwen3.py.
 */
#include "model/block.h"

#define LAYER "model.layers.%d."

static struct sf_val *
rms_norm(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = x->dtype;
	struct sf_val *scale;

	x = l->to_type(b, x, SF_DT_F32);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, x, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	x = l->binary(b, SF_CALL_MUL, x, scale);
	return l->binary(b, SF_CALL_MUL, weight, l->to_type(b, x, dtype));
}

/* ---- rotary position embedding ---- */

struct rotary {
	struct sf_val *cos, *sin;
};

/* The frequencies as a column for each sequence, in the two spellings. */
static struct sf_val *
frequencies(struct sf_build *b, struct sf_val *inv_freq)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item column[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_val *x = l->getitem(b, inv_freq, 3, column);
	int64_t shape[] = { 1, x->shape[1], 1 };

	if (!b->arch->family->recasts_rotary) {
		x = l->expand(b, x, 3, shape);
		return l->to_type(b, x, SF_DT_F32);
	}
	x = l->to_type(b, x, SF_DT_F32);
	x = l->expand(b, x, 3, shape);
	return l->to_device(b, x);
}

static struct rotary
rotary_embedding(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t pairs = b->arch->head_dim / 2;
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	struct sf_val *inv_freq = sf_val_new(&b->graph, SF_DT_F32, 1, &pairs);
	double scale = b->arch->rotary_scale;
	struct sf_val *x, *y;
	struct rotary r;

	inv_freq->name = "model.rotary_emb.inv_freq";
	inv_freq->fixed = true; /* a buffer */
	x = frequencies(b, inv_freq);
	y = l->getitem(b, positions, 3, row);
	y = l->to_type(b, y, SF_DT_F32);
	if (b->arch->family->recasts_rotary) {
		x = l->to_type(b, x, SF_DT_F32);
		y = l->to_type(b, y, SF_DT_F32);
	}
	x = l->transpose(b, l->matmul(b, x, y), 1, 2);
	x = l->cat(b, x, x, -1);
	r.cos = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_COS, x), scale);
	r.sin = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_SIN, x), scale);
	r.cos = l->to_type(b, r.cos, b->work.dtype);
	r.sin = l->to_type(b, r.sin, b->work.dtype);
	return r;
}

static struct sf_val *
rotate_half(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t half = x->shape[3] / 2;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(half) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(half) };
	struct sf_val *x1 = l->getitem(b, x, 4, low);
	struct sf_val *x2 = l->getitem(b, x, 4, high);

	return l->cat(b, l->unary(b, SF_CALL_NEG, x2), x1, -1);
}

static struct sf_val *
rotate(struct sf_build *b, struct sf_val *x, const struct rotary *r)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *straight = l->binary(b, SF_CALL_MUL, x, r->cos);
	struct sf_val *turned = rotate_half(b, x);

	turned = l->binary(b, SF_CALL_MUL, turned, r->sin);
	return l->binary(b, SF_CALL_ADD, straight, turned);
}

/* ---- a layer ---- */

struct layer {
	int64_t number;
	struct sf_val *q, *k, *v, *o, *q_bias, *k_bias, *v_bias, *o_bias;
	struct sf_val *gate, *up, *down, *gate_bias, *up_bias, *down_bias;
	struct sf_val *input_norm, *post_norm, *q_norm, *k_norm;
};

/* All parameters, in the order of the modules. */
static struct layer
layer_weights(struct sf_build *b, int64_t i)
{
	const struct sf_arch *a = b->arch;
	struct layer w = { .number = i };

	w.q = sf_weight(
	    b, i, LAYER "self_attn.q_proj.weight", a->q_size, a->hidden);
	w.k = sf_weight(
	    b, i, LAYER "self_attn.k_proj.weight", a->kv_size, a->hidden);
	w.v = sf_weight(
	    b, i, LAYER "self_attn.v_proj.weight", a->kv_size, a->hidden);
	w.o = sf_weight(
	    b, i, LAYER "self_attn.o_proj.weight", a->hidden, a->q_size);
	w.gate =
	    sf_weight(b, i, LAYER "mlp.gate_proj.weight", a->inner, a->hidden);
	w.up = sf_weight(b, i, LAYER "mlp.up_proj.weight", a->inner, a->hidden);
	w.down =
	    sf_weight(b, i, LAYER "mlp.down_proj.weight", a->hidden, a->inner);
	w.input_norm =
	    sf_weight(b, i, LAYER "input_layernorm.weight", a->hidden, 0);
	w.post_norm = sf_weight(
	    b, i, LAYER "post_attention_layernorm.weight", a->hidden, 0);
	return w;
}

static void
head_norms(struct sf_build *b, int64_t i, struct layer *w)
{
	int64_t size = b->arch->head_dim;

	if (!b->arch->qk_norm)
		return;
	w->q_norm = sf_weight(b, i, LAYER "self_attn.q_norm.weight", size, 0);
	w->k_norm = sf_weight(b, i, LAYER "self_attn.k_norm.weight", size, 0);
}

static void
layer_biases(struct sf_build *b, int64_t i, struct layer *w)
{
	const struct sf_arch *a = b->arch;

	if (a->qkv_bias) {
		w->q_bias = sf_weight(
		    b, i, LAYER "self_attn.q_proj.bias", a->q_size, 0);
		w->k_bias = sf_weight(
		    b, i, LAYER "self_attn.k_proj.bias", a->kv_size, 0);
		w->v_bias = sf_weight(
		    b, i, LAYER "self_attn.v_proj.bias", a->kv_size, 0);
	}
	if (a->o_bias)
		w->o_bias = sf_weight(
		    b, i, LAYER "self_attn.o_proj.bias", a->hidden, 0);
	if (a->mlp_bias) {
		w->gate_bias =
		    sf_weight(b, i, LAYER "mlp.gate_proj.bias", a->inner, 0);
		w->up_bias =
		    sf_weight(b, i, LAYER "mlp.up_proj.bias", a->inner, 0);
		w->down_bias =
		    sf_weight(b, i, LAYER "mlp.down_proj.bias", a->hidden, 0);
	}
}

/* Heads of q or k, normed one by one where the model does. */
static struct sf_val *
normed_heads(struct sf_build *b, struct sf_val *x, struct sf_val *norm)
{
	if (norm == NULL)
		return sf_split_heads(b, x);
	x = rms_norm(b, sf_view_heads(b, x), norm);
	return b->route->lower->transpose(b, x, 1, 2);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *w, struct sf_val *x,
    const struct rotary *r, struct sf_cache_layer *cache, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *q, *k, *v;
	struct rotary heads;

	q = normed_heads(b, l->linear(b, x, w->q, w->q_bias), w->q_norm);
	k = normed_heads(b, l->linear(b, x, w->k, w->k_bias), w->k_norm);
	v = sf_split_heads(b, l->linear(b, x, w->v, w->v_bias));
	heads.cos = l->unsqueeze(b, r->cos, 1);
	heads.sin = l->unsqueeze(b, r->sin, 1);
	q = rotate(b, q, &heads);
	k = rotate(b, k, &heads);
	if (cache != NULL)
		sf_cache_update(b, cache, &k, &v);
	x = sf_attend(b, w->number, q, k, v, mask);
	return l->linear(b, x, w->o, w->o_bias);
}

static struct sf_val *
mlp(struct sf_build *b, const struct layer *w, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *gate, *up;

	gate = sf_activate(b, l->linear(b, x, w->gate, w->gate_bias));
	up = l->linear(b, x, w->up, w->up_bias);
	x = l->binary(b, SF_CALL_MUL, gate, up);
	return l->linear(b, x, w->down, w->down_bias);
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *w, struct sf_val *x,
    const struct rotary *r, struct sf_cache_layer *cache, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;

	y = attention(b, w, rms_norm(b, x, w->input_norm), r, cache, mask);
	x = l->binary(b, SF_CALL_ADD, x, y);
	y = mlp(b, w, rms_norm(b, x, w->post_norm));
	return l->binary(b, SF_CALL_ADD, x, y);
}

/* ---- the model ---- */

static struct sf_cache_layer *
make_cache(struct sf_build *b)
{
	int64_t n = b->arch->layers;
	struct sf_cache_layer *cache;

	if (!sf_cache_used(b))
		return NULL;
	cache = sf_arena_calloc(b->graph.arena, (size_t)n, sizeof *cache);
	for (int64_t i = 0; i < n; i++)
		sf_cache_layer_init(b, &cache[i], sf_arch_window(b->arch, i));
	return cache;
}

struct masks {
	struct sf_val *full, *sliding;
};

/*
 * Mistral makes the one mask that it needs; Qwen makes one for full attention
 * and, when some layer slides, one for those.
 */
static struct masks
make_masks(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_arch *a = b->arch;
	int64_t cached = a->all_sliding ? a->window : 0;
	struct masks m = { NULL, NULL };

	if (!a->any_sliding || a->family->mixes_layers)
		m.full = sf_mask_causal(b, positions, 0, cached);
	if (a->any_sliding)
		m.sliding = sf_mask_causal(b, positions, a->window, a->window);
	return m;
}

struct sf_val *
sf_llama_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions;
	struct sf_cache_layer *cache;
	struct rotary r;
	struct masks m;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = l->embedding(b, table, ids);
	cache = make_cache(b);
	positions = sf_position_ids(b);
	m = make_masks(b, positions);
	r = rotary_embedding(b, positions);
	for (int64_t i = 0; i < a->layers; i++) {
		struct layer w = layer_weights(b, i);

		layer_biases(b, i, &w);
		head_norms(b, i, &w);
		x = layer(b, &w, x, &r, cache != NULL ? &cache[i] : NULL,
		    sf_arch_window(a, i) != 0 ? m.sliding : m.full);
	}
	x = rms_norm(b, x, sf_weight(b, -1, "model.norm.weight", a->hidden, 0));
	if (!a->tied)
		table = sf_weight(b, -1, "lm_head.weight", a->vocab, a->hidden);
	return sf_lm_head(b, x, table);
}
