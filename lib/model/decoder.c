/*
 * Decoders, by the traits of their families. The order of calls is that of the
 * families' modeling_*.py in transformers 5.18.
 */
#include "model/block-index.h"
#include "model/block.h"
#include "model/eager.h"
#include "model/experts.h"
#include "model/fuse.h"
#include "model/lfm2.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/router-group.h"
#include "model/sections.h"
#include "model/ssm.h"

#define LAYER "model.layers.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask;          /* NULL: none */
	struct sf_val *positions;     /* [1, tokens] */
};

/* PREFIX with the family's NAME for a part of it, or OTHERWISE. */
static const char *
part_of(struct sf_build *b, const char *prefix, const char *name,
    const char *otherwise)
{
	return sf_arena_printf(
	    b->graph.arena, "%s%s", prefix, name != NULL ? name : otherwise);
}

static struct sf_val *
norm_q(struct sf_build *b, int64_t i, struct sf_val *q)
{
	return sf_norm(b, i,
	    part_of(b, LAYER "self_attn.", b->arch->family->q_norm, "q_norm"),
	    q);
}

static struct sf_val *
norm_k(struct sf_build *b, int64_t i, struct sf_val *k)
{
	return sf_norm(b, i,
	    part_of(b, LAYER "self_attn.", b->arch->family->k_norm, "k_norm"),
	    k);
}

/* Heads of q or k, normed as the family does. */
static struct sf_val *
normed_heads(struct sf_build *b, int64_t layer,
    struct sf_val *(*norm)(struct sf_build *, int64_t, struct sf_val *),
    struct sf_val *x)
{
	if (b->arch->family->qk_norm != SF_QK_NORM_HEADS)
		return sf_split_heads(b, x);
	x = norm(b, layer, sf_view_heads(b, x));
	return b->route->lower->transpose(b, x, 1, 2);
}

struct heads {
	struct sf_val *q, *k, *v;
};

/* A product each, split in heads, and norms of those of q and k. */
static struct heads
project_split(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	struct heads h;

	h.q = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias));
	h.k = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias));
	h.v = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.v_proj", x, a->kv_size, a->qkv_bias));
	h.q = norm_q(b, i, h.q);
	h.k = norm_k(b, i, h.k);
	return h;
}

/* A product each. */
static struct heads
project(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	bool all = a->family->qk_norm == SF_QK_NORM_ALL;
	bool first = all || a->family->projects_first;
	struct heads h;

	if (a->family->qk_norm == SF_QK_NORM_SPLIT)
		return project_split(b, i, x);
	h.q = sf_linear(
	    b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias);
	if (all)
		h.q = norm_q(b, i, h.q);
	if (!first)
		h.q = normed_heads(b, i, norm_q, h.q);
	h.k = sf_linear(
	    b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias);
	if (all)
		h.k = norm_k(b, i, h.k);
	if (!first)
		h.k = normed_heads(b, i, norm_k, h.k);
	h.v = sf_linear(
	    b, i, LAYER "self_attn.v_proj", x, a->kv_size, a->qkv_bias);
	if (first) {
		h.q = sf_split_heads(b, h.q);
		h.k = sf_split_heads(b, h.k);
	}
	h.v = sf_split_heads(b, h.v);
	return h;
}

/* A product each, as heads, and then all that is done with them. */
static struct heads
project_viewed(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct heads h;

	h.q = sf_view_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias));
	h.k = sf_view_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias));
	h.v = sf_view_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.v_proj", x, a->kv_size, a->qkv_bias));
	if (a->qk_norms) {
		h.q = norm_q(b, i, h.q);
		h.k = norm_k(b, i, h.k);
	}
	h.q = l->transpose(b, h.q, 1, 2);
	h.k = l->transpose(b, h.k, 1, 2);
	h.v = l->transpose(b, h.v, 1, 2);
	return h;
}

/* One product, and its parts. */
static struct heads
project_packed(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t v = a->q_size + a->kv_size;
	struct sf_item to_q[] = { SF_ALL, SF_ALL, SF_TO(a->q_size) };
	struct sf_item to_k[] = { SF_ALL, SF_ALL, SF_SPAN(a->q_size, v) };
	struct sf_item to_v[] = { SF_ALL, SF_ALL, SF_FROM(v) };
	struct heads h;

	x = sf_linear(
	    b, i, LAYER "self_attn.qkv_proj", x, v + a->kv_size, a->qkv_bias);
	h.q = l->getitem(b, x, 3, to_q);
	h.k = l->getitem(b, x, 3, to_k);
	h.v = l->getitem(b, x, 3, to_v);
	h.q = sf_split_heads(b, h.q);
	h.k = sf_split_heads(b, h.k);
	h.v = sf_split_heads(b, h.v);
	return h;
}

/* What heads give, each or each of its elements times the sigmoid of a gate. */
static struct sf_val *
gate_heads(struct sf_build *b, struct sf_val *x, struct sf_val *gates)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = b->work.batch, t = b->work.tokens;

	if (a->gate_size != a->heads)
		return l->binary(
		    b, SF_CALL_MUL, x, l->unary(b, SF_CALL_SIGMOID, gates));
	x = l->view(b, x, 4, (int64_t[]){ n, t, a->heads, a->head_dim });
	gates = l->unary(b, SF_CALL_SIGMOID, l->unsqueeze(b, gates, 3));
	x = l->binary(b, SF_CALL_MUL, x, gates);
	return l->view(b, x, 3, (int64_t[]){ n, t, a->q_size });
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *mask = at->mask, *gates = NULL;
	const char *around = sf_enter(b, i, LAYER "self_attn");
	struct heads h;

	h = a->family->packed_qkv    ? project_packed(b, i, x)
	    : a->family->views_first ? project_viewed(b, i, x)
				     : project(b, i, x);
	if (a->head_gates)
		gates = sf_linear(
		    b, i, LAYER "self_attn.g_proj", x, a->gate_size, false);
	if (!a->unrotated[i] && !a->no_rotary)
		sf_rope_apply(b, at->rope, &h.q, &h.k);
	if (a->family->qk_norm == SF_QK_NORM_TURNED) {
		h.q = norm_q(b, i, h.q);
		h.k = norm_k(b, i, h.k);
	}
	if (a->family->heats)
		h.q = sf_rope_heat(b, h.q, at->positions);
	if (at->cache != NULL)
		sf_cache_update(b, at->cache, &h.k, &h.v);
	if (a->indexed != NULL && a->indexed[i])
		mask = sf_block_index(b, i, x, at->rope, at->positions, mask);
	x = a->family->sinks ? sf_eager_attend(b, i, h.q, h.k, h.v, mask)
			     : sf_attend(b, i, h.q, h.k, h.v, mask);
	if (gates != NULL)
		x = gate_heads(b, x, gates);
	x = sf_linear(b, i,
	    part_of(b, LAYER "self_attn.", a->family->out, "o_proj"), x,
	    a->hidden, a->o_bias);
	sf_leave(b, around);
	return x;
}

/* Attention, or what a layer has in its place. */
static struct sf_val *
mix(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_ssm *s = b->arch->ssm;

	if (s != NULL && s->kinds[at->number] == SF_LAYER_STATES &&
	    s->heads != 0)
		return sf_mamba2_mix(b, at->number, LAYER "mamba", x);
	if (s != NULL && s->kinds[at->number] == SF_LAYER_STATES)
		return sf_lfm2_convolve(b, at->number, LAYER "conv", x);
	return attention(b, at, x);
}

/* The MLP, or what a layer has in its place. */
static struct sf_val *
mlp(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_family *f = b->arch->family;
	struct sf_val *y;

	if (!b->arch->routed[i] && f->late_shared)
		return sf_mlp_halves(
		    b, i, LAYER "shared_mlp", x, b->arch->shared_inner);
	if (!b->arch->routed[i])
		return sf_mlp(
		    b, i, part_of(b, LAYER, f->feed, "mlp"), x, b->arch->inner);
	if (f->router == SF_ROUTER_CORRECTED)
		return sf_experts_shared(b, i, LAYER "mlp", x);
	y = sf_experts(b, i, part_of(b, LAYER, f->mixture, "mlp"), x);
	if (!f->late_shared || b->arch->shared_inner == 0)
		return y;
	x = sf_mlp_halves(b, i, LAYER "shared_mlp", x, b->arch->shared_inner);
	return b->route->lower->binary(b, SF_CALL_ADD, y, x);
}

/* X and what attention or the MLP made of it. */
static struct sf_val *
add(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;

	if (b->arch->family->multiplies)
		y = l->number(b, SF_CALL_MUL, y, b->arch->residual_scale);
	return l->binary(b, SF_CALL_ADD, x, y);
}

/* Attention and MLP are given the same. */
static struct sf_val *
parallel_layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	struct sf_val *y, *z;

	z = sf_norm(b, at->number, LAYER "input_layernorm", x);
	y = attention(b, at, z);
	z = mlp(b, at->number, z);
	if (b->arch->parallel == SF_PARALLEL_LAST)
		return add(b, add(b, y, z), x);
	return add(b, add(b, x, y), z);
}

/* What the norms of a layer are called; NULL: there is none. */
struct norms {
	const char *before_attention, *behind_attention;
	const char *before_mlp, *behind_mlp;
};

static const struct norms norms_of[] = {
	[SF_PLACE_BEFORE] = { LAYER "input_layernorm", NULL,
	    LAYER "post_attention_layernorm", NULL },
	[SF_PLACE_AROUND] = { LAYER "input_layernorm",
	    LAYER "post_attention_layernorm", LAYER "pre_feedforward_layernorm",
	    LAYER "post_feedforward_layernorm" },
	[SF_PLACE_BEHIND] = { NULL, LAYER "post_attention_layernorm", NULL,
	    LAYER "post_feedforward_layernorm" },
	[SF_PLACE_GLM4] = { LAYER "input_layernorm",
	    LAYER "post_self_attn_layernorm", LAYER "post_attention_layernorm",
	    LAYER "post_mlp_layernorm" },
	[SF_PLACE_BAMBA] = { LAYER "input_layernorm", NULL,
	    LAYER "pre_ff_layernorm", NULL },
	[SF_PLACE_LFM2] = { LAYER "operator_norm", NULL, LAYER "ffn_norm",
	    NULL },
	[SF_PLACE_VAULT] = { LAYER "input_layernorm", NULL,
	    LAYER "pre_feedforward_layernorm", NULL },
	[SF_PLACE_CLOVA] = { LAYER "input_layernorm", LAYER "post_norm1",
	    LAYER "post_attention_layernorm", LAYER "post_norm2" },
};

static struct sf_val *
norm_if(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	return name != NULL ? sf_norm(b, layer, name, x) : x;
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	struct norms n = norms_of[b->arch->family->placement];
	int64_t i = at->number;
	struct sf_val *y;

	if (b->arch->parallel != SF_PARALLEL_NONE)
		return parallel_layer(b, at, x);
	if (b->arch->no_post_norms)
		n.behind_attention = n.behind_mlp = NULL;
	if (!b->arch->no_attention) {
		y = norm_if(b, i, n.before_attention, x);
		y = mix(b, at, y);
		y = norm_if(b, i, n.behind_attention, y);
		x = b->arch->family->adds_behind ? add(b, y, x) : add(b, x, y);
	}
	if (b->arch->no_mlp)
		return x;
	y = norm_if(b, i, n.before_mlp, x);
	y = mlp(b, i, y);
	y = norm_if(b, i, n.behind_mlp, y);
	return add(b, x, y);
}

/* ---- the model ---- */

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

/* Embeddings that their own module multiplies by a buffer. */
static struct sf_val *
embed_scaled(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const char *around = sf_enter(b, -1, "model.embed_tokens");
	struct sf_val *x = l->embedding(b, table, ids), *scale;

	scale = sf_val_new(&b->graph, b->work.dtype, 0, NULL);
	scale->name = "model.embed_tokens.embed_scale";
	scale->fixed = true; /* a buffer */
	scale = l->to_type(b, scale, b->work.dtype);
	x = l->binary(b, SF_CALL_MUL, x, scale);
	return sf_leave_with(b, around, x);
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	const struct sf_family *f = b->arch->family;
	struct sf_val *x;

	if (f->scaled_embeds)
		return embed_scaled(b, table, ids);
	x = sf_embed(b, "model.embed_tokens", table, ids);
	if (f->multiplies && !f->multiplies_late)
		x = b->route->lower->number(
		    b, SF_CALL_MUL, x, b->arch->embed_scale);
	return x;
}

/* What is made of the logits. */
static struct sf_val *
scale_logits(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_fusion f;
	struct sf_val *y;

	if (a->family->multiplies)
		return l->number(b,
		    a->family->multiplies_logits ? SF_CALL_MUL : SF_CALL_DIV, x,
		    a->logits_scale);
	if (a->logits_factor != 0)
		return l->number(b, SF_CALL_MUL, x, a->logits_factor);
	if (a->softcap == 0)
		return x;
	f = sf_fuse_begin(b);
	y = l->number(b, SF_CALL_DIV, x, a->softcap);
	y = l->unary(b, SF_CALL_TANH, y);
	y = l->number(b, SF_CALL_MUL, y, a->softcap);
	return sf_fuse_1(b, f, "gpu.pointwise", x, y);
}

/* The rotary embedding, or that of each type of layer. */
static struct sf_ropes
make_angles(struct sf_build *b, struct sf_val *positions)
{
	struct sf_ropes r;

	if (b->arch->no_rotary)
		return (struct sf_ropes){ { NULL, NULL }, { NULL, NULL } };
	if (b->arch->full != NULL)
		return sf_rope_types(b, positions);
	r.full = b->arch->family->sections ? sf_sections_angles(b, positions)
					   : sf_rope_angles(b, positions);
	r.sliding = r.full;
	return r;
}

/*
 * The parameters of MiMo's layers that predict further tokens. They stand in the
 * file, and nothing runs them when the next token alone is asked for.
 */
static void
count_more_heads(struct sf_build *b)
{
	static const char *const norms[] = { "input_layernorm.weight",
		"post_attention_layernorm.weight", "token_layernorm.weight",
		"hidden_layernorm.weight", "final_layernorm.weight" };
	const struct sf_arch *a = b->arch;
	const struct {
		const char *name;
		int64_t rows, columns;
		bool bias;
	} layers[] = {
		{ "self_attn.q_proj", a->q_size, a->hidden, a->qkv_bias },
		{ "self_attn.k_proj", a->kv_size, a->hidden, a->qkv_bias },
		{ "self_attn.v_proj", a->kv_size, a->hidden, a->qkv_bias },
		{ "self_attn.o_proj", a->hidden, a->q_size, a->o_bias },
		{ "mlp.gate_proj", a->inner, a->hidden, false },
		{ "mlp.up_proj", a->inner, a->hidden, false },
		{ "mlp.down_proj", a->hidden, a->inner, false },
		{ "input_proj", a->hidden, 2 * a->hidden, false },
	};

	for (int64_t i = 0; i < a->more_heads; i++) {
		for (size_t k = 0; k < sizeof norms / sizeof *norms; k++)
			sf_part(b, i, "model.mtp_layers.%d", norms[k],
			    a->hidden, 0);
		for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
			const char *name = sf_arena_printf(b->graph.arena,
			    "model.mtp_layers.%%d.%s", layers[k].name);

			sf_part(b, i, name, "weight", layers[k].rows,
			    layers[k].columns);
			if (layers[k].bias)
				sf_part(b, i, name, "bias", layers[k].rows, 0);
		}
	}
}

struct sf_val *
sf_decoder_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions, *grid = NULL;
	struct sf_cache_layer *cache = NULL;
	const char *around, *outside;
	struct sf_ropes r;
	struct masks m;

	around = sf_enter_base(b);
	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	if (a->family->cache_first)
		cache = sf_cache_layers(b, b->arch->layers);
	x = embed(b, table, ids);
	if (!a->family->cache_first)
		cache = sf_cache_layers(b, b->arch->layers);
	positions = a->family->sections ? sf_sections_positions(b, &grid)
					: sf_position_ids(b);
	m = make_masks(b, a->family->own_masks ? NULL : positions);
	if (a->family->multiplies_late)
		x = b->route->lower->number(b, SF_CALL_MUL, x, a->embed_scale);
	outside = sf_enter(
	    b, -1, part_of(b, "model.", a->family->angles, "rotary_emb"));
	r = make_angles(b, a->family->sections ? grid : positions);
	sf_leave(b, outside);
	if (a->family->first_norm)
		x = sf_norm(b, -1, "model.norm", x);
	for (int64_t i = 0; i < a->layers; i++) {
		bool sliding = sf_arch_window(a, i) != 0;
		struct layer at = { .number = i };

		at.rope = sliding ? &r.sliding : &r.full;
		at.cache = cache != NULL ? &cache[i] : NULL;
		at.mask = sliding ? m.sliding : m.full;
		at.positions = positions;
		b->arch = sf_arch_of_layer(a, i);
		outside = sf_enter(b, i, "model.layers.%d");
		x = layer(b, &at, x);
		sf_leave(b, outside);
	}
	b->arch = a;
	if (a->family->counts_heads)
		count_more_heads(b);
	x = sf_norm(
	    b, -1, part_of(b, "model.", a->family->last_norm, "norm"), x);
	sf_leave(b, around);
	if (a->headless)
		return x;
	if (!a->tied)
		table = sf_head_weight(b, a->hidden);
	return scale_logits(b, sf_lm_head(b, x, table));
}
