/*
 * Gemma 4: the order of calls is that of transformers 5.18's modeling_gemma4.py.
 * Layers without a window have heads of another size, and may have fewer of
 * keys, which may be the values, too; the last layers may have none and take
 * those of a layer before them.
 */
#include "base/num.h"
#include "model/block.h"
#include "model/experts.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/router.h"

#define LAYER "model.layers.%d."

struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask;          /* NULL: none */
	struct sf_val *input;         /* of its own, from the ids; NULL: none */
	/*
	 * Keys and values of the last layer of its type that has any, and on the
	 * route gpu those of the context.
	 */
	struct sf_val **shared;
};

/* The first layer that has no keys of its own. */
static int64_t
first_shared(const struct sf_arch *a)
{
	return a->layers - a->shared_layers;
}

static struct sf_val *
project(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width)
{
	x = sf_linear(b, i, name, x, width, b->arch->qkv_bias);
	return sf_view_heads(b, x);
}

/* Heads that are not yet before the tokens, normed, rotated, and put there. */
static struct sf_val *
turn(struct sf_build *b, const struct layer *at, const char *norm,
    struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_rope heads;
	struct sf_val *in[] = { NULL, at->rope->cos, at->rope->sin };
	struct sf_fusion f;

	in[0] = x = sf_norm(b, at->number, norm, x);
	f = sf_fuse_begin(b);
	heads.cos = l->unsqueeze(b, at->rope->cos, 2);
	heads.sin = l->unsqueeze(b, at->rope->sin, 2);
	x = sf_rope_rotate(b, x, &heads);
	sf_fuse_end(b, f, "gpu.rotary", in, 3, &x, 1);
	return l->transpose(b, x, 1, 2);
}

/* The keys and values of a layer; those that it shares are kept for others. */
static void
keys_and_values(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *k, *v;

	if (i >= first_shared(a)) {
		at->shared[0] = l->to_device(b, at->shared[0]);
		at->shared[1] = l->to_device(b, at->shared[1]);
		return;
	}
	k = v = project(b, i, LAYER "self_attn.k_proj", x, a->kv_size);
	if (!a->keys_are_values)
		v = project(b, i, LAYER "self_attn.v_proj", x, a->kv_size);
	k = turn(b, at, LAYER "self_attn.k_norm", k);
	v = l->transpose(b, sf_norm_bare(b, "v_norm", v), 1, 2);
	if (at->cache != NULL)
		sf_cache_update(b, at->cache, &k, &v);
	at->shared[0] = k;
	at->shared[1] = v;
	at->shared[2] = b->past_keys;
	at->shared[3] = b->past_values;
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *q;
	const char *around = sf_enter(b, i, LAYER "self_attn");

	q = project(b, i, LAYER "self_attn.q_proj", x, a->q_size);
	q = turn(b, at, LAYER "self_attn.q_norm", q);
	keys_and_values(b, at, x);
	b->past_keys = at->shared[2];
	b->past_values = at->shared[3];
	x = sf_attend(b, i, q, at->shared[0], at->shared[1], at->mask);
	return sf_leave_with(b, around,
	    sf_linear(b, i, LAYER "self_attn.o_proj", x, a->hidden, a->o_bias));
}

/* A softmax over all experts, whose weights are scaled for each. */
static struct sf_routed
route(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *w, *best[2];
	const char *outside;
	struct sf_routed c = { .in_place = false };
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *given = x;
	const char *around = sf_enter(b, i, LAYER "router");

	x = sf_norm_bare(b, "norm", x);
	w = sf_weight(b, i, LAYER "router.scale", a->hidden, 0);
	x = l->binary(b, SF_CALL_MUL, x, w);
	x = l->number(b, SF_CALL_MUL, x, a->router_scale);
	w = sf_weight(b, i, LAYER "router.proj.weight", a->experts, a->hidden);
	outside = sf_enter_part(b, "proj");
	x = l->linear(b, x, w, NULL);
	sf_leave(b, outside);
	x = l->softmax(b, x, SF_SOFTMAX_FLOAT);
	l->topk(b, x, a->top_k, best);
	x = l->divide(b, best[0], l->sum(b, best[0], 1, true));
	w = sf_weight(b, i, LAYER "router.per_expert_scale", a->experts, 0);
	c.weights = l->binary(b, SF_CALL_MUL, x, l->index(b, w, best[1]));
	c.ids = best[1];
	sf_fuse_end(b, f, "gpu.router", &given, 1,
	    (struct sf_val *[]){ c.weights, c.ids }, 2);
	sf_leave(b, around);
	return c;
}

/* What experts make of X, beside what the MLP made, Y. */
static struct sf_val *
add_experts(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *s = x->shape;
	struct sf_routed c;
	struct sf_val *rows;

	y = sf_norm(b, i, LAYER "post_feedforward_layernorm_1", y);
	rows = l->reshape(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	c = route(b, i, rows);
	rows = sf_norm(b, i, LAYER "pre_feedforward_layernorm_2", rows);
	rows = sf_experts_mix(b, i, LAYER "experts", rows, &c);
	rows = l->reshape(b, rows, 3, s);
	rows = sf_norm(b, i, LAYER "post_feedforward_layernorm_2", rows);
	return l->binary(b, SF_CALL_ADD, y, rows);
}

/* A layer's own part of the embeddings, gated by what it has. */
static struct sf_val *
project_input(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { x, at->input }, *y;

	y = sf_linear(
	    b, i, LAYER "per_layer_input_gate", x, a->layer_width, false);
	y = l->binary(b, SF_CALL_MUL, sf_activate(b, y), at->input);
	sf_fuse_end(b, f, "gpu.mlp_up", in, 2, &y, 1);
	y = sf_linear(b, i, LAYER "per_layer_projection", y, a->hidden, false);
	return sf_norm(b, i, LAYER "post_per_layer_input_norm", y);
}

/* X and Y, times a number that the layer has. */
static struct sf_val *
add_scaled(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { x, y }, *scalar;
	int64_t one = 1;

	x = l->binary(b, SF_CALL_ADD, x, y);
	scalar = sf_val_new(&b->graph, b->work.dtype, 1, &one);
	scalar->name = sf_block_name(b, i, LAYER "layer_scalar");
	scalar->fixed = true; /* a buffer */
	x = l->scale_in_place(b, x, scalar);
	sf_fuse_end(b, f, "gpu.pointwise", in, 2, &x, 1);
	return x;
}

static struct sf_val *
run_layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	bool wide = a->double_wide && i >= first_shared(a);
	struct sf_val *y;
	const char *around = sf_enter(b, i, "model.layers.%d");

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	y = attention(b, at, y);
	y = sf_norm(b, i, LAYER "post_attention_layernorm", y);
	x = l->binary(b, SF_CALL_ADD, x, y);
	y = sf_norm(b, i, LAYER "pre_feedforward_layernorm", x);
	y = sf_mlp(
	    b, i, LAYER "mlp", y, wide ? sf_mul_most(2, a->inner) : a->inner);
	if (a->routed[i])
		y = add_experts(b, i, x, y);
	y = sf_norm(b, i, LAYER "post_feedforward_layernorm", y);
	if (at->input != NULL) {
		x = l->binary(b, SF_CALL_ADD, x, y);
		y = project_input(b, at, x);
	}
	return sf_leave_with(b, around, add_scaled(b, i, x, y));
}

/* ---- the model ---- */

/* Rows of a table, times a buffer. */
static struct sf_val *
embed(struct sf_build *b, const char *name, struct sf_val *ids,
    struct sf_val *table)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x, *scale;
	const char *around = sf_enter(b, -1, name);

	x = l->embedding(b, table, ids);
	scale = sf_val_new(&b->graph, b->work.dtype, 0, NULL);
	scale->name = sf_arena_printf(b->graph.arena, "%s.embed_scale", name);
	scale->fixed = true; /* a buffer */
	return sf_leave_with(b, around,
	    l->binary(b, SF_CALL_MUL, x, l->to_type(b, scale, b->work.dtype)));
}

/* What each layer is given of the ids: [batch, tokens, layers, width]. */
static struct sf_val *
layer_inputs(struct sf_build *b, struct sf_val *ids, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t wide = a->layers * a->layer_width;
	int64_t shape[] = { b->work.batch, b->work.tokens, a->layers,
		a->layer_width };
	struct sf_val *table, *y, *in[2];
	struct sf_fusion f;

	table = sf_weight(
	    b, -1, "model.embed_tokens_per_layer.weight", a->layer_vocab, wide);
	y = embed(b, "model.embed_tokens_per_layer", ids, table);
	y = l->reshape(b, y, 4, shape);
	x = sf_linear(
	    b, -1, "model.per_layer_model_projection", x, wide, false);
	x = l->number(b, SF_CALL_MUL, x, a->router_scale);
	x = l->reshape(b, x, 4, shape);
	x = sf_norm(b, -1, "model.per_layer_projection_norm", x);
	in[0] = x;
	in[1] = y;
	f = sf_fuse_begin(b);
	x = l->binary(b, SF_CALL_ADD, x, y);
	x = l->number(b, SF_CALL_MUL, x, 0.7071067811865476);
	sf_fuse_end(b, f, "gpu.pointwise", in, 2, &x, 1);
	return x;
}

static struct sf_val *
run_layers(struct sf_build *b, struct sf_val *x, struct sf_val *inputs,
    struct sf_cache_layer *cache)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *positions = sf_position_ids(b), *shared[2][4];
	struct sf_val *full, *sliding;
	const char *around;
	struct sf_ropes r;

	full = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	sliding = sf_mask_causal(
	    b, positions, a->window, a->any_sliding ? a->window : 0);
	around = sf_enter(b, -1, "model.rotary_emb");
	r = sf_rope_types(b, positions);
	sf_leave(b, around);
	for (int64_t i = 0; i < a->layers; i++) {
		bool slides = a->sliding[i];
		struct layer at = { .number = i };

		at.rope = slides ? &r.sliding : &r.full;
		at.mask = slides ? sliding : full;
		at.shared = shared[slides];
		if (cache != NULL && i < first_shared(a))
			at.cache = &cache[i];
		if (inputs != NULL)
			at.input = l->select_at(b, inputs, 2, i);
		b->arch = sf_arch_of_layer(a, i);
		x = run_layer(b, &at, x);
		b->arch = a;
	}
	return x;
}

struct sf_val *
sf_gemma4_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *y, *inputs = NULL;
	struct sf_fusion f;
	const char *around = sf_enter_base(b);

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = embed(b, "model.embed_tokens", ids, table);
	if (a->layer_width != 0)
		inputs = layer_inputs(b, ids, x);
	x = run_layers(b, x, inputs, sf_cache_layers(b, first_shared(b->arch)));
	x = sf_norm(b, -1, "model.norm", x);
	sf_leave(b, around);
	if (a->headless)
		return x;
	if (!a->tied)
		table = sf_head_weight(b, a->hidden);
	x = sf_lm_head(b, x, table);
	if (a->softcap == 0)
		return x;
	f = sf_fuse_begin(b);
	y = l->number(b, SF_CALL_DIV, x, a->softcap);
	y = l->unary(b, SF_CALL_TANH, y);
	y = l->number(b, SF_CALL_MUL, y, a->softcap);
	return sf_fuse_1(b, f, "gpu.pointwise", x, y);
}
