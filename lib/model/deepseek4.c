/*
 * DeepSeek-V4: the order of calls is that of transformers 5.18's
 * modeling_deepseek_v4.py.
 */
#include "model/block.h"
#include "model/compress.h"
#include "model/eager.h"
#include "model/experts.h"
#include "model/lower-aten-scan.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/rounds.h"
#include "model/streams.h"

#define LAYER     "model.layers.%d."
#define ATTENTION LAYER "self_attn."
#define MLP       LAYER "mlp."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	struct sf_rope plain, compressed;
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask, *positions, *ids;
};

/* ---- attention ---- */

/* Keys, which are the values too, with those of the cache. */
static struct sf_val *
append(struct sf_build *b, const struct layer *at, struct sf_val *kv)
{
	struct sf_val *same = kv;

	if (at->cache == NULL)
		return kv;
	if (b->arch->compression->kinds[at->number] == SF_COMPRESSED_NONE) {
		sf_cache_update(b, at->cache, &kv, &same);
		return kv;
	}
	sf_cache_update_one(b, at->cache, &kv);
	return kv;
}

/* A product for each group of heads, and one of what they give. */
static struct sf_val *
project_out(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_compression *k = a->compression;
	int64_t n = x->shape[0], t = x->shape[1];
	int64_t wide = a->q_size / k->groups, out = k->groups * k->group_rank;
	struct sf_val *w, *y;
	const char *around;

	x = l->reshape(b, x, 4, (int64_t[]){ n, t, k->groups, wide });
	around = sf_enter(b, i, ATTENTION "o_a_proj");
	w = sf_part(b, i, ATTENTION "o_a_proj", "weight", out, wide);
	sf_store_weight(b, i, ATTENTION "o_a_proj", w, 1, out, wide);
	w = l->view(b, w, 3, (int64_t[]){ k->groups, k->group_rank, wide });
	w = l->transpose(b, w, 1, 2);
	x = l->reshape(b, x, 3, (int64_t[]){ n * t, k->groups, wide });
	x = l->transpose(b, x, 0, 1);
	y = sf_val_new(&b->graph, x->dtype, 3,
	    (int64_t[]){ k->groups, n * t, k->group_rank });
	x = l->transpose(b, sf_aten_2(b, "aten.bmm", x, w, y), 0, 1);
	x = l->reshape(b, x, 4, (int64_t[]){ n, t, k->groups, k->group_rank });
	sf_leave(b, around);
	x = l->reshape(b, x, 3, (int64_t[]){ n, t, out });
	return sf_linear(b, i, ATTENTION "o_b_proj", x, a->hidden, false);
}

/* MASK, of the last tokens, with a BIAS of the entries before them. */
static struct sf_val *
mask_entries(
    struct sf_build *b, struct sf_val *mask, struct sf_val *bias, int64_t keys)
{
	struct sf_item seen = SF_TO(keys - mask->shape[3]);

	if (keys == mask->shape[3])
		return mask;
	if (bias == NULL)
		return sf_aten_pad(b, mask, 3, 0, keys - mask->shape[3]);
	if (bias->shape[3] > seen.at)
		bias = sf_aten_item(b, bias, 3, &seen);
	bias = b->route->lower->to_type(b, bias, mask->dtype);
	return b->route->lower->cat(b, mask, bias, -1);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	bool compressed = a->compression->kinds[i] != SF_COMPRESSED_NONE;
	struct sf_rope r = compressed ? at->compressed : at->plain;
	struct sf_compressor c = {
		.layer = i, .x = x, .positions = at->positions
	};
	struct sf_val *q, *kv, *bias = NULL, *mask = at->mask;
	const char *around = sf_enter(b, i, LAYER "self_attn");

	q = sf_linear(
	    b, i, ATTENTION "q_a_proj", x, a->compression->q_rank, false);
	q = c.latent = sf_norm(b, i, ATTENTION "q_a_norm", q);
	q = sf_linear(b, i, ATTENTION "q_b_proj", q, a->q_size, false);
	q = sf_norm_unweighted(b, "q_b_norm", sf_split_heads(b, q));
	q = sf_compress_rotate(b, &r, q);
	kv = sf_linear(b, i, ATTENTION "kv_proj", x, a->head_dim, false);
	kv = sf_split_heads(b, sf_norm(b, i, ATTENTION "kv_norm", kv));
	kv = append(b, at, sf_compress_rotate(b, &r, kv));
	if (compressed) {
		x = sf_compress(b, &c, &bias);
		kv = l->cat(b, kv, x, 2);
	}
	mask = mask_entries(b, mask, bias, kv->shape[2]);
	x = sf_eager_heads(b, i, q, kv, kv, mask);
	x = l->transpose(b, x, 1, 2);
	r.sin = l->unary(b, SF_CALL_NEG, r.sin);
	x = l->transpose(b, sf_compress_rotate(b, &r, x), 1, 2);
	return sf_leave_with(b, around, project_out(b, i, x));
}

/* ---- experts ---- */

static struct sf_routed
choose(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = x->shape[0] * x->shape[1], table[] = { a->vocab, a->top_k };
	struct sf_val *scores, *y, *best[2], *w;
	struct sf_routed c = { .in_place = false };
	const char *around;

	x = l->reshape(b, x, 2, (int64_t[]){ n, x->shape[2] });
	w = sf_part(b, at->number, MLP "gate", "weight", a->experts, a->hidden);
	scores = l->linear(b, x, w, NULL);
	around = sf_enter_part(b, "score_fn");
	scores = sf_aten_each(b, "aten.sqrt", sf_aten_softplus(b, scores));
	sf_leave(b, around);
	if (a->compression->hashed[at->number]) {
		y = sf_val_new(&b->graph, SF_DT_I64, 2, table);
		y->fixed = true; /* a buffer */
		c.ids = l->index(b, y, l->reshape(b, at->ids, 1, &n));
		c.ids = l->to_type(b, c.ids, SF_DT_I64);
	} else {
		y = sf_val_new(&b->graph, b->work.dtype, 1, &a->experts);
		y->fixed = true; /* a buffer */
		y = l->binary(b, SF_CALL_ADD, scores, y);
		l->topk(b, y, a->top_k, best);
		c.ids = best[1];
	}
	c.weights = l->gather(b, scores, c.ids);
	y = l->number(b, SF_CALL_ADD, l->sum(b, c.weights, 1, true), 1e-20);
	y = l->binary(b, SF_CALL_DIV, c.weights, y);
	c.weights = l->number(b, SF_CALL_MUL, y, 1);
	return c;
}

/* The expert of all tokens, whose gate and up are clamped. */
static struct sf_val *
shared(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	bool bias = a->mlp_bias;
	struct sf_val *gate, *up;
	const char *around = sf_enter(b, i, MLP "shared_experts");

	gate = sf_linear(
	    b, i, MLP "shared_experts.gate_proj", x, a->expert_inner, bias);
	gate = l->clamp(b, gate);
	up = sf_linear(
	    b, i, MLP "shared_experts.up_proj", x, a->expert_inner, bias);
	up = l->clamp(b, up);
	x = l->binary(b, SF_CALL_MUL, sf_activate(b, gate), up);
	return sf_leave_with(b, around,
	    sf_linear(
		b, i, MLP "shared_experts.down_proj", x, a->hidden, bias));
}

static struct sf_val *
experts(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *s = x->shape;
	struct sf_routed c;
	struct sf_val *y;
	const char *around = sf_enter(b, at->number, LAYER "mlp"), *gate;

	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	gate = sf_enter(b, at->number, MLP "gate");
	c = choose(b, at, x);
	sf_leave(b, gate);
	y = sf_experts_mix(b, at->number, MLP "experts", y, &c);
	y = l->view(b, y, 3, s);
	return sf_leave_with(
	    b, around, l->binary(b, SF_CALL_ADD, y, shared(b, at->number, x)));
}

/* ---- the model ---- */

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	int64_t i = at->number;
	struct sf_mixing m = sf_streams_mix(b, i, LAYER "attn_hc", x);
	struct sf_val *y;
	const char *around = sf_enter(b, i, "model.layers.%d");

	y = sf_norm(b, i, LAYER "input_layernorm", m.one);
	x = sf_streams_join(b, &m, attention(b, at, y), x);
	m = sf_streams_mix(b, i, LAYER "ffn_hc", x);
	y = sf_norm(b, i, LAYER "post_attention_layernorm", m.one);
	return sf_leave_with(
	    b, around, sf_streams_join(b, &m, experts(b, at, y), x));
}

static struct sf_cache_layer *
make_cache(struct sf_build *b)
{
	int64_t n = b->arch->layers;
	struct sf_cache_layer *cache;

	if (!sf_cache_used(b))
		return NULL;
	cache = sf_arena_calloc(b->graph.arena, (size_t)n, sizeof *cache);
	for (int64_t i = 0; i < n; i++)
		sf_cache_layer_init(b, &cache[i], b->arch->window);
	return cache;
}

struct sf_val *
sf_deepseek4_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer *cache;
	struct layer at = { .number = 0, .ids = ids };
	struct sf_arena *outer;
	struct sf_val *table, *x;
	const char *around = sf_enter_base(b);

	cache = make_cache(b);
	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embed_tokens", table, ids);
	at.positions = sf_position_ids(b);
	at.mask = sf_mask_causal(b, at.positions, a->window, a->window);
	x = sf_streams_open(b, x);
	at.plain =
	    sf_compress_angles(b, sf_compress_frequencies(b), at.positions);
	at.compressed =
	    sf_compress_angles(b, sf_compress_frequencies(b), at.positions);
	outer = sf_rounds_begin(&b->graph);
	for (; at.number < a->layers; at.number++) {
		at.cache = cache != NULL ? &cache[at.number] : NULL;
		x = layer(b, &at, x);
		sf_rounds_next(&b->graph, outer, &x, 1);
	}
	sf_rounds_end(&b->graph, outer);
	x = sf_norm(b, -1, "model.norm", sf_streams_close(b, x));
	sf_leave(b, around);
	return sf_logits(b, x, table);
}
