/*
 * Decoders, by the traits of their families. The order of calls is that of the
 * families' modeling_*.py in transformers 5.18.
 */
#include "model/block.h"
#include "model/experts.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"

#define LAYER "model.layers.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask;          /* NULL: none */
};

/* Heads of q or k, normed one by one where the family does. */
static struct sf_val *
normed_heads(
    struct sf_build *b, int64_t layer, const char *norm, struct sf_val *x)
{
	if (!b->arch->family->qk_norm)
		return sf_split_heads(b, x);
	x = sf_norm(b, layer, norm, sf_view_heads(b, x));
	return b->route->lower->transpose(b, x, 1, 2);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *q, *k, *v;

	q = sf_linear(
	    b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias);
	q = normed_heads(b, i, LAYER "self_attn.q_norm", q);
	k = sf_linear(
	    b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias);
	k = normed_heads(b, i, LAYER "self_attn.k_norm", k);
	v = sf_linear(
	    b, i, LAYER "self_attn.v_proj", x, a->kv_size, a->qkv_bias);
	v = sf_split_heads(b, v);
	sf_rope_apply(b, at->rope, &q, &k);
	if (at->cache != NULL)
		sf_cache_update(b, at->cache, &k, &v);
	x = sf_attend(b, i, q, k, v, at->mask);
	return sf_linear(
	    b, i, LAYER "self_attn.o_proj", x, a->hidden, a->o_bias);
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	struct sf_val *y;

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, at, y));
	y = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	if (b->arch->routed[i])
		y = sf_experts(b, i, LAYER "mlp", y);
	else
		y = sf_mlp(b, i, LAYER "mlp", y, b->arch->inner);
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

	if (!a->any_sliding || a->family->masks != SF_MASKS_ONE)
		m.full = sf_mask_causal(b, positions, SF_MASK_FULL, cached);
	if (a->any_sliding || a->family->masks == SF_MASKS_BOTH)
		m.sliding = sf_mask_causal(
		    b, positions, a->window, a->any_sliding ? a->window : 0);
	return m;
}

struct sf_val *
sf_decoder_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions;
	struct sf_cache_layer *cache = NULL;
	struct sf_rope r;
	struct masks m;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	if (a->family->cache_first)
		cache = make_cache(b);
	x = l->embedding(b, table, ids);
	if (!a->family->cache_first)
		cache = make_cache(b);
	positions = sf_position_ids(b);
	m = make_masks(b, positions);
	r = sf_rope_angles(b, positions);
	for (int64_t i = 0; i < a->layers; i++) {
		struct layer at = { .number = i, .rope = &r };

		at.cache = cache != NULL ? &cache[i] : NULL;
		at.mask = sf_arch_window(a, i) != 0 ? m.sliding : m.full;
		x = layer(b, &at, x);
	}
	x = sf_norm(b, -1, "model.norm", x);
	if (a->headless)
		return x;
	if (!a->tied)
		table = sf_head_weight(b);
	return sf_lm_head(b, x, table);
}
