/*
 * DeepSeek's decoders: the order of calls is that of transformers 5.18's
 * modeling_deepseek_v2.py, _v3.py, _v32.py and modeling_glm_moe_dsa.py.
 */
#include <math.h>

#include "base/num.h"
#include "model/block.h"
#include "model/fuse-latent.h"
#include "model/indexer.h"
#include "model/lower-aten-more.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/router-group.h"

#define LAYER     "model.layers.%d."
#define ATTENTION LAYER "self_attn."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_val *mask;    /* NULL: none */
	struct sf_val *indices; /* of the keys that are seen; NULL: of all */
};

/* ---- rotary embedding ---- */

/* Turns as complex numbers, in the place of cosines. */
static struct sf_rope
turns_of(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t pairs = b->arch->mla->rope / 2;
	struct sf_item column[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	struct sf_val *x = sf_val_new(&b->graph, SF_DT_F32, 1, &pairs), *y;

	x->name = "model.rotary_emb.inv_freq";
	x->fixed = true; /* a buffer */
	x = l->to_type(b, l->getitem(b, x, 3, column), SF_DT_F32);
	x = l->expand(b, x, 3, (int64_t[]){ 1, pairs, 1 });
	y = l->to_type(b, l->getitem(b, positions, 3, row), SF_DT_F32);
	x = l->transpose(b, l->matmul(b, l->to_device(b, x), y), 1, 2);
	x = sf_aten_polar(b, sf_aten_ones_like(b, x), x);
	return (struct sf_rope){
		.cos = l->number(b, SF_CALL_MUL, x, b->arch->rotary_scale),
	};
}

static struct sf_rope
complex_angles(struct sf_build *b, struct sf_val *positions)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_rope r = turns_of(b, positions);

	r.cos = sf_fuse_1(b, f, "gpu.rotary_angles", positions, r.cos);
	return r;
}

static struct sf_val *
turn(struct sf_build *b, struct sf_val *pairs, struct sf_val *turns,
    struct sf_val *like)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x = l->binary(b, SF_CALL_MUL, pairs, turns);

	x = l->reshape(b, sf_aten_as_real(b, x), 4, like->shape);
	return l->type_as(b, x, like);
}

static void
rotate_complex(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *turns = l->to_device(b, r->cos), *pq, *pk;

	pq = sf_rope_pairs(b, *q);
	pk = sf_rope_pairs(b, *k);
	turns = l->to_device(b, l->unsqueeze(b, turns, 1));
	*q = turn(b, pq, turns, *q);
	*k = turn(b, pk, turns, *k);
}

static void
rotate(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	struct sf_val *in[] = { *q, *k, r->cos, r->sin };
	struct sf_fusion f = sf_fuse_begin(b);

	if (b->arch->family->latent == SF_LATENT_COMPLEX)
		rotate_complex(b, r, q, k);
	else if (b->arch->mla->neighbours)
		sf_rope_neighbours(b, r, 1, q, k);
	else
		sf_rope_apply(b, r, q, k);
	sf_fuse_end(b, f, "gpu.rotary", in, r->sin != NULL ? 4 : 3,
	    (struct sf_val *[]){ *q, *k }, 2);
}

/* ---- attention ---- */

/* All tokens of the cache and those of the call. */
static struct sf_val *
append(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *held;
	int64_t none = 0;

	if (b->work.context == 0)
		held = sf_val_new(&b->graph, x->dtype, 1, &none);
	else
		held = sf_cache_given(b, x->dtype, 4,
		    (int64_t[]){ x->shape[0], x->shape[1], b->work.context,
			x->shape[3] });
	x = b->route->lower->cat(b, held, x, -2);
	sf_cache_keep(b, x);
	return x;
}

/* Queries, and the latent of their own where there is one. */
static struct sf_val *
queries(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val **latent)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_mla *m = a->mla;

	*latent = NULL;
	if (m->q_rank == 0) {
		x = sf_linear(b, i, ATTENTION "q_proj", x, a->q_size, false);
	} else {
		x = sf_linear(
		    b, i, ATTENTION "q_a_proj", x, m->q_rank, a->qkv_bias);
		x = *latent = sf_norm(b, i, ATTENTION "q_a_layernorm", x);
		x = sf_linear(b, i, ATTENTION "q_b_proj", x, a->q_size, false);
	}
	x = l->view(b, x, 4,
	    (int64_t[]){
		x->shape[0], x->shape[1], a->heads, m->pass + m->rope });
	return l->transpose(b, x, 1, 2);
}

/* The latent of keys and values, and the part of keys that is rotated. */
static void
compress(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val **kv,
    struct sf_val **rope)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_mla *m = b->arch->mla;
	int64_t sizes[] = { m->kv_rank, m->rope }, *s = x->shape;
	struct sf_val *parts[2];

	x = sf_linear(b, i, ATTENTION "kv_a_proj_with_mqa", x,
	    m->kv_rank + m->rope, b->arch->qkv_bias);
	l->split(b, x, sizes, 2, parts);
	x = sf_norm(b, i, ATTENTION "kv_a_layernorm", parts[0]);
	*kv = l->view(b, x, 4, (int64_t[]){ s[0], 1, s[1], m->kv_rank });
	*rope = l->view(b, parts[1], 4, (int64_t[]){ s[0], 1, s[1], m->rope });
}

/* Each head's keys and values, of the latent and the rotated part. */
static void
expand(struct sf_build *b, int64_t i, struct sf_val *kv, struct sf_val *rope,
    struct sf_val *out[2])
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_mla *m = a->mla;
	struct sf_item low = SF_TO(m->pass), high = SF_FROM(m->pass);
	int64_t both = sf_add_most(m->pass, m->value);
	int64_t sizes[] = { m->pass, m->value };
	int64_t shape[] = { kv->shape[0], a->heads, kv->shape[2],
		m->pass + m->rope };
	struct sf_val *x, *parts[2];

	x = sf_linear(b, i, ATTENTION "kv_b_proj", kv,
	    sf_mul_most(a->heads, both), false);
	x = l->view(b, x, 4, (int64_t[]){ shape[0], shape[2], a->heads, both });
	x = l->transpose(b, x, 1, 2);
	l->split(b, x, sizes, 2, parts);
	rope = l->expand(
	    b, rope, 4, (int64_t[]){ shape[0], a->heads, shape[2], m->rope });
	x = sf_aten_new_empty(b, x, 4, shape);
	x = sf_aten_copy_into(b, x, &low, parts[0]);
	out[0] = sf_aten_copy_into(b, x, &high, rope);
	out[1] = parts[1];
}

/* As PyTorch does it: keys and values of all tokens are made of the latents. */
static struct sf_val *
attend(struct sf_build *b, struct layer *at, struct sf_latent_parts *in,
    struct sf_val *input, struct sf_val *latent)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_mla *m = a->mla;
	int64_t i = at->number;
	struct sf_attention all = { .mask = at->mask,
		.scale = sf_arch_scale(a, i) };
	struct sf_val *heads[2], *x;

	if (sf_cache_used(b)) {
		in->kv = append(b, in->kv);
		in->rope = append(b, in->rope);
	}
	all.q = l->cat(b, in->q, in->q_rope, -1);
	expand(b, i, in->kv, in->rope, heads);
	all.k = heads[0];
	all.v = heads[1];
	if (m->index_heads != 0) {
		if (m->indexed[i])
			at->indices =
			    sf_indexer(b, i, input, latent, at->rope, at->mask);
		all.mask = sf_indexer_mask(b, at->indices, at->mask);
	}
	all.causal = all.mask == NULL && b->work.tokens > 1;
	x = l->transpose(b, l->attention(b, &all), 1, 2);
	x = l->contiguous(b, x);
	return l->reshape(b, x, 3,
	    (int64_t[]){ b->work.batch, b->work.tokens, a->heads * m->value });
}

/* As a serving engine does it. */
static struct sf_val *
attend_fused(struct sf_build *b, struct layer *at, struct sf_latent_parts *in,
    struct sf_val *input, struct sf_val *latent)
{
	const struct sf_mla *m = b->arch->mla;
	int64_t i = at->number;

	if (m->index_heads != 0) {
		if (m->indexed[i])
			at->indices =
			    sf_indexer(b, i, input, latent, at->rope, NULL);
		in->indices = at->indices;
	}
	return sf_fuse_latent(b, i, ATTENTION "kv_b_proj", in);
}

static struct sf_val *
attention(struct sf_build *b, struct layer *at, struct sf_val *input)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number, sizes[] = { a->mla->pass, a->mla->rope };
	struct sf_latent_parts in = { .indices = NULL };
	const char *around = sf_enter(b, i, LAYER "self_attn");
	struct sf_val *q[2], *latent, *x;

	l->split(b, queries(b, i, input, &latent), sizes, 2, q);
	compress(b, i, input, &in.kv, &in.rope);
	rotate(b, at->rope, &q[1], &in.rope);
	in.q = q[0];
	in.q_rope = q[1];
	x = sf_fuses(b) ? attend_fused(b, at, &in, input, latent)
			: attend(b, at, &in, input, latent);
	x = sf_linear(b, i, ATTENTION "o_proj", x, a->hidden, a->o_bias);
	sf_leave(b, around);
	return x;
}

/* ---- the model ---- */

static struct sf_val *
layer(struct sf_build *b, struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	const char *around = sf_enter(b, i, "model.layers.%d");
	struct sf_val *y;

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, at, y));
	y = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	y = b->arch->routed[i] ? sf_experts_shared(b, i, LAYER "mlp", y)
			       : sf_mlp(b, i, LAYER "mlp", y, b->arch->inner);
	x = l->binary(b, SF_CALL_ADD, x, y);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_mla_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions;
	struct layer at = { .number = 0 };
	const char *around = sf_enter_base(b), *outside;
	struct sf_rope r;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embed_tokens", table, ids);
	positions = sf_position_ids(b);
	at.mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	outside = sf_enter(b, -1, "model.rotary_emb");
	r = a->family->latent == SF_LATENT_COMPLEX
	    ? complex_angles(b, positions)
	    : sf_rope_angles(b, positions);
	sf_leave(b, outside);
	at.rope = &r;
	for (; at.number < a->layers; at.number++)
		x = layer(b, &at, x);
	x = sf_norm(b, -1, "model.norm", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}
