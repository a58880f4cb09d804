/*
 * Llama 4: the order of calls is that of transformers 5.18's modeling_llama4.py.
 * All experts run on all tokens, of which those that are not a token's get zeros.
 */
#include "base/num.h"
#include "model/block.h"
#include "model/element.h"
#include "model/experts.h"
#include "model/fuse.h"
#include "model/lower-aten-more.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/routing.h"

#define LAYER "model.layers.%d."

struct layer {
	int64_t number;
	struct sf_val *angles;        /* complex numbers of length 1 */
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask;          /* NULL: none */
};

/* cos + i sin of what each pair is turned by: [1, tokens, pairs]. */
static struct sf_val *
make_angles(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t pairs = a->rotary_dim / 2;
	struct sf_item column[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *x, *y;

	x = l->getitem(b, sf_rope_frequencies(b, pairs), 3, column);
	x = l->to_type(b, x, SF_DT_F32);
	x = l->expand(b, x, 3, (int64_t[]){ 1, pairs, 1 });
	y = l->to_type(b, l->getitem(b, positions, 3, row), SF_DT_F32);
	x = l->matmul(b, l->to_device(b, x), y);
	x = l->transpose(b, x, 1, 2);
	x = sf_aten_polar(b, sf_aten_ones_like(b, x), x);
	x = l->number(b, SF_CALL_MUL, x, a->rotary_scale);
	return sf_fuse_1(b, f, "gpu.rotary_angles", positions, x);
}

static struct sf_val *
turn(struct sf_build *b, struct sf_val *x, struct sf_val *angles)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item heads[] = { SF_ALL, SF_ALL, SF_NEW, SF_ALL };
	int64_t *s = x->shape;

	angles = l->getitem(b, angles, 4, heads);
	x = sf_aten_as_real(b, l->binary(b, SF_CALL_MUL, x, angles));
	return l->reshape(b, x, 4, (int64_t[]){ s[0], s[1], s[2], 2 * s[3] });
}

static void
rotate(struct sf_build *b, const struct layer *at, struct sf_val **q,
    struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { *q, *k, at->angles };
	struct sf_val *angles = l->to_device(b, at->angles);
	struct sf_val *q_pairs = sf_rope_pairs(b, *q), *k_pairs;

	k_pairs = sf_rope_pairs(b, *k);
	q_pairs = turn(b, q_pairs, angles);
	k_pairs = turn(b, k_pairs, angles);
	*q = l->type_as(b, q_pairs, *q);
	*k = l->type_as(b, k_pairs, *k);
	sf_fuse_end(
	    b, f, "gpu.rotary", in, 3, (struct sf_val *[]){ *q, *k }, 2);
}

/* Queries grow with what is before them, in layers that do not rotate. */
static struct sf_val *
heat(struct sf_build *b, struct sf_val *q)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = b->work.tokens;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *x = l->to_type(b, sf_position_range(b), SF_DT_F32);

	x = l->number(b, SF_CALL_ADD, x, 1);
	x = l->number(b, SF_CALL_DIV, x, 1);
	x = sf_aten_each(b, "aten.floor", x);
	x = sf_aten_each(b, "aten.log1p", x);
	x = l->number(b, SF_CALL_MUL, x, 1);
	x = l->number(b, SF_CALL_ADD, x, 1);
	x = l->view(b, x, 4, (int64_t[]){ 1, n, 1, 1 });
	x = l->expand(b, x, 4, (int64_t[]){ b->work.batch, n, 1, 1 });
	x = l->to_type(b, l->binary(b, SF_CALL_MUL, q, x), q->dtype);
	return sf_fuse_1(b, f, "gpu.pointwise", q, x);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	const char *around = sf_enter(b, i, LAYER "self_attn"), *outside;
	struct sf_val *q, *k, *v;

	q = sf_view_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias));
	k = sf_view_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias));
	v = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.v_proj", x, a->kv_size, a->qkv_bias));
	if (!a->unrotated[i]) {
		rotate(b, at, &q, &k);
		if (a->qk_norms) {
			outside = sf_enter_part(b, "qk_norm");
			q = sf_norm_length(b, q);
			k = sf_norm_length(b, k);
			sf_leave(b, outside);
		}
	} else if (a->tunes_heat) {
		q = heat(b, q);
	}
	q = l->transpose(b, q, 1, 2);
	k = l->transpose(b, k, 1, 2);
	if (at->cache != NULL)
		sf_cache_update(b, at->cache, &k, &v);
	x = sf_attend(b, i, q, k, v, at->mask);
	x = sf_linear(b, i, LAYER "self_attn.o_proj", x, a->hidden, a->o_bias);
	sf_leave(b, around);
	return x;
}

/* ---- experts ---- */

static struct sf_val *
router(struct sf_build *b, int64_t i)
{
	return sf_weight(b, i, LAYER "feed_forward.router.weight",
	    b->arch->experts, b->arch->hidden);
}

/* Of all experts, the sigmoids of those that are a token's, and zeros. */
static struct sf_val *
route(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const char *around = sf_enter(b, i, LAYER "feed_forward.router");
	struct sf_val *best[2], *logits;

	logits = l->linear(b, x, router(b, i), NULL);
	l->topk(b, logits, a->top_k, best);
	x = sf_aten_full_like(b, logits);
	x = sf_aten_scatter_from(b, x, best[1], best[0]);
	x = l->unary(b, SF_CALL_SIGMOID, l->to_type(b, x, SF_DT_F32));
	x = l->to_type(b, x, logits->dtype);
	sf_leave(b, around);
	return x;
}

/* The weights of all experts of one name. */
static struct sf_val *
matrices(struct sf_build *b, int64_t i, const char *name, int64_t inputs,
    int64_t outputs)
{
	int64_t shape[] = { b->arch->experts, inputs, outputs };
	struct sf_val *w = sf_tensor_part(b, i, name, 3, shape);

	sf_store_weight(b, i, name, w, shape[0], outputs, inputs);
	return w;
}

static struct sf_val *
batched(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width)
{
	int64_t shape[] = { x->shape[0], x->shape[1], width };
	struct sf_val *w = matrices(b, i, name, x->shape[2], width);

	return sf_aten_2(
	    b, "aten.bmm", x, w, sf_val_new(&b->graph, x->dtype, 3, shape));
}

/* All of them on all tokens. */
static struct sf_val *
run_all(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = b->work.batch * b->work.tokens,
		all = sf_mul_most(a->experts, n);
	const char *around;
	struct sf_val *scores, *rows, *half[2], *y;

	scores = route(b, i, x);
	rows = sf_aten_repeat_rows(b, x, a->experts);
	scores = l->transpose(b, scores, 0, 1);
	scores = l->reshape(b, scores, 2, (int64_t[]){ all, 1 });
	rows = l->binary(b, SF_CALL_MUL, rows, scores);
	around = sf_enter(b, i, LAYER "feed_forward.experts");
	rows = l->view(b, rows, 3, (int64_t[]){ a->experts, n, a->hidden });
	rows = batched(b, i, LAYER "feed_forward.experts.gate_up_proj", rows,
	    sf_mul_most(2, a->expert_inner));
	l->split(b, rows, NULL, 2, half);
	rows = l->binary(b, SF_CALL_MUL, half[1],
	    sf_activate_part(b, "act_fn", a->activation, half[0]));
	rows = batched(
	    b, i, LAYER "feed_forward.experts.down_proj", rows, a->hidden);
	rows = l->view(b, rows, 2, (int64_t[]){ all, a->hidden });
	sf_leave(b, around);
	y = sf_mlp(
	    b, i, LAYER "feed_forward.shared_expert", x, a->expert_inner);
	rows = l->reshape(b, rows, 3, (int64_t[]){ a->experts, n, a->hidden });
	return l->accumulate(b, y, l->sum(b, rows, 0, false));
}

/* The product OP of rows with the experts of W; IN has W at place 2 or 1. */
static struct sf_val *
grouped(struct sf_build *b, int64_t i, const char *op, struct sf_val *const *in,
    int nin, int64_t rows, int64_t width)
{
	struct sf_val *out =
	    sf_val_new(&b->graph, in[0]->dtype, 2, (int64_t[]){ rows, width });
	struct sf_graph_node *made;

	made = sf_graph_add(&b->graph, op, in, nin, &out, 1);
	made->partial = nin > 2 ? 2 : 1;
	sf_experts_count_idle(b, in[made->partial]);
	made->unread = sf_routing_unread(b, i, in[made->partial]);
	sf_element_narrow(b, made);
	return out;
}

/* A token's own alone, which are given it times its score. */
static struct sf_val *
run_chosen(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t n = x->shape[0], rows = n * a->top_k;
	int64_t pair[] = { n, a->top_k };
	struct sf_val *chosen[2], *in[4] = { x }, *y, *shared;
	const char *around = sf_enter(b, i, LAYER "feed_forward.router");

	chosen[0] = sf_val_new(&b->graph, x->dtype, 2, pair);
	chosen[1] = sf_val_new(&b->graph, SF_DT_I64, 2, pair);
	in[1] = router(b, i);
	sf_graph_add(&b->graph, "gpu.router", in, 2, chosen, 2);
	b->graph.module = sf_block_name(b, i, LAYER "feed_forward.experts");
	in[1] = chosen[1];
	in[2] = matrices(b, i, LAYER "feed_forward.experts.gate_up_proj",
	    a->hidden, sf_mul_most(2, a->expert_inner));
	in[3] = chosen[0];
	y = grouped(b, i, "gpu.experts_up", in, 4, rows, a->expert_inner);
	in[0] = y;
	in[1] = matrices(b, i, LAYER "feed_forward.experts.down_proj",
	    a->expert_inner, a->hidden);
	y = grouped(b, i, "gpu.experts_down", in, 2, rows, a->hidden);
	sf_leave(b, around);
	shared = sf_mlp(
	    b, i, LAYER "feed_forward.shared_expert", x, a->expert_inner);
	in[0] = y;
	in[1] = shared;
	y = sf_val_new(&b->graph, x->dtype, 2, x->shape);
	sf_graph_add(&b->graph, "gpu.combine", in, 2, &y, 1);
	return y;
}

static struct sf_val *
experts(struct sf_build *b, int64_t i, struct sf_val *x)
{
	int64_t shape[] = { b->work.batch * b->work.tokens, b->arch->hidden };
	const char *around = sf_enter(b, i, LAYER "feed_forward");

	x = b->route->lower->reshape(b, x, 2, shape);
	x = sf_fuses(b) ? run_chosen(b, i, x) : run_all(b, i, x);
	sf_leave(b, around);
	return x;
}

/* ---- the model ---- */

static struct sf_val *
run_layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	const char *around = sf_enter(b, i, "model.layers.%d");
	struct sf_val *y;

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, at, y));
	y = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	y = a->run_all[i] ? experts(b, i, y)
			  : sf_mlp(b, i, LAYER "feed_forward", y, a->inner);
	x = l->binary(b, SF_CALL_ADD, x, l->view(b, y, 3, x->shape));
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_llama4_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions, *full, *chunked, *angles;
	const char *around = sf_enter_base(b), *outside;
	struct sf_cache_layer *cache;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embed_tokens", table, l->to_device(b, ids));
	cache = sf_cache_layers(b, b->arch->layers);
	positions = sf_position_ids(b);
	full = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	chunked = sf_mask_chunked(b, positions, a->window);
	outside = sf_enter(b, -1, "model.rotary_emb");
	angles = make_angles(b, positions);
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++) {
		struct layer at = { .number = i, .angles = angles };

		at.cache = cache != NULL ? &cache[i] : NULL;
		at.mask = a->sliding[i] ? chunked : full;
		x = run_layer(b, &at, x);
	}
	x = sf_norm(b, -1, "model.norm", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}
