/*
 * Qwen3-Next and Qwen3.5: layers of the gated delta rule, and gated attention
 * in one of several. The order of calls is that of transformers 5.18's
 * modeling_qwen3_next.py, modeling_qwen3_5.py and modeling_qwen3_5_moe.py.
 */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/delta.h"
#include "model/experts.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/rounds.h"
#include "model/sections.h"

#define LAYER     "model.layers.%d."
#define ATTENTION LAYER "self_attn."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_val *mask; /* NULL: none */
};

/* Each head's query, and a gate of what comes out of it. */
static struct sf_val *
queries(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val **gate)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *half[2];

	x = sf_linear(b, i, ATTENTION "q_proj", x, sf_mul_most(2, a->q_size),
	    a->qkv_bias);
	x = l->view(b, x, 4,
	    (int64_t[]){ x->shape[0], x->shape[1], a->heads,
		sf_mul_most(2, a->head_dim) });
	l->split(b, x, NULL, 2, half);
	*gate = l->reshape(
	    b, half[1], 3, (int64_t[]){ x->shape[0], x->shape[1], a->q_size });
	x = l->view(b, half[0], 4, half[0]->shape);
	return l->transpose(b, sf_norm(b, i, ATTENTION "q_norm", x), 1, 2);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v, *gate, *y;
	struct sf_fusion f;
	const char *around = sf_enter(b, i, LAYER "self_attn");

	q = queries(b, i, x, &gate);
	k = sf_linear(b, i, ATTENTION "k_proj", x, a->kv_size, a->qkv_bias);
	k = sf_norm(b, i, ATTENTION "k_norm", sf_view_heads(b, k));
	k = l->transpose(b, k, 1, 2);
	v = sf_linear(b, i, ATTENTION "v_proj", x, a->kv_size, a->qkv_bias);
	v = sf_split_heads(b, v);
	sf_rope_apply(b, at->rope, &q, &k);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	x = sf_attend(b, i, q, k, v, at->mask);
	f = sf_fuse_begin(b);
	y = l->unary(b, SF_CALL_SIGMOID, gate);
	y = l->binary(b, SF_CALL_MUL, x, y);
	sf_fuse_end(
	    b, f, "gpu.pointwise", (struct sf_val *[]){ x, gate }, 2, &y, 1);
	return sf_leave_with(b, around,
	    sf_linear(b, i, ATTENTION "o_proj", y, a->hidden, a->o_bias));
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *y;
	const char *around = sf_enter(b, i, "model.layers.%d");

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	y = a->ssm->kinds[i] == SF_LAYER_STATES
	    ? sf_delta_mix(b, i, LAYER "linear_attn", y)
	    : attention(b, at, y);
	x = l->binary(b, SF_CALL_ADD, x, y);
	y = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	y = a->routed[i] ? sf_experts(b, i, LAYER "mlp", y)
			 : sf_mlp(b, i, LAYER "mlp", y, a->inner);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_qwen_next_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_arena *outer;
	struct sf_val *table, *x, *positions, *grid = NULL;
	struct layer at = { .number = 0 };
	struct sf_rope r;
	const char *around = sf_enter_base(b), *outside;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embed_tokens", table, ids);
	positions = a->family->sections ? sf_sections_positions(b, &grid)
					: sf_position_ids(b);
	at.mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	outside = sf_enter(b, -1, "model.rotary_emb");
	r = a->family->sections ? sf_sections_angles(b, grid)
				: sf_rope_angles(b, positions);
	sf_leave(b, outside);
	at.rope = &r;
	outer = sf_rounds_begin(&b->graph);
	for (; at.number < a->layers; at.number++) {
		x = layer(b, &at, x);
		sf_rounds_next(&b->graph, outer, &x, 1);
	}
	sf_rounds_end(&b->graph, outer);
	x = sf_norm(b, -1, "model.norm", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}
