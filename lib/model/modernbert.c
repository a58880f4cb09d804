/*
 * ModernBERT: an encoder most of whose layers see a window of tokens on either
 * side. The order of calls is that of transformers 5.18's
 * modeling_modernbert.py.
 */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/encoder.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/rope.h"
#include "model/rotary.h"

#define LAYER "layers.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_val *mask; /* NULL: none */
};

/* A layer norm whose bias may be left out; NAME is whole. */
static struct sf_val *
norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t width = x->shape[x->rank - 1];
	struct sf_val *w = sf_part(b, layer, name, "weight", width, 0);
	struct sf_val *c = NULL;
	const char *around = sf_enter(b, layer, name);

	if (b->arch->norm_bias)
		c = sf_part(b, layer, name, "bias", width, 0);
	return sf_leave_with(
	    b, around, b->route->lower->layer_norm(b, x, w, c));
}

static struct sf_val *
linear(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width, bool bias)
{
	return sf_linear(b, layer, sf_encoder_inside(b, name), x, width, bias);
}

/* In FP32, to which each use casts. */
static struct sf_val *
rotate(struct sf_build *b, struct sf_val *x, const struct sf_rope *r)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t half = x->shape[3] / 2;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(half) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(half) };
	struct sf_val *straight, *wide, *x1, *x2;

	straight = l->to_type(b, x, SF_DT_F32);
	straight = l->binary(b, SF_CALL_MUL, straight, r->cos);
	wide = l->to_type(b, x, SF_DT_F32);
	x1 = l->getitem(b, wide, 4, low);
	x2 = l->getitem(b, wide, 4, high);
	x1 = l->cat(b, l->unary(b, SF_CALL_NEG, x2), x1, -1);
	return l->binary(
	    b, SF_CALL_ADD, straight, l->binary(b, SF_CALL_MUL, x1, r->sin));
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_val *qkv[3];
	struct sf_val *in[] = { NULL, NULL, at->rope->cos, at->rope->sin };
	struct sf_rope heads;
	struct sf_fusion f;
	const char *around = sf_enter(b, i, sf_encoder_inside(b, LAYER "attn"));

	x = linear(b, i, LAYER "attn.Wqkv", x, 3 * a->hidden, a->qkv_bias);
	x = l->view(b, x, 5,
	    (int64_t[]){
		b->work.batch, b->work.tokens, 3, a->heads, a->head_dim });
	l->unbind_at(b, x, -3, 3, qkv);
	for (int k = 0; k < 3; k++)
		qkv[k] = l->transpose(b, qkv[k], 1, 2);
	in[0] = qkv[0];
	in[1] = qkv[1];
	f = sf_fuse_begin(b);
	heads.cos = l->unsqueeze(b, at->rope->cos, 1);
	heads.sin = l->unsqueeze(b, at->rope->sin, 1);
	qkv[0] = rotate(b, qkv[0], &heads);
	qkv[1] = rotate(b, qkv[1], &heads);
	qkv[0] = l->to_type(b, qkv[0], b->work.dtype);
	qkv[1] = l->to_type(b, qkv[1], b->work.dtype);
	sf_fuse_end(b, f, "gpu.rotary", in, 4, qkv, 2);
	x = sf_attend(b, i, qkv[0], qkv[1], qkv[2], at->mask);
	return sf_leave_with(b, around,
	    linear(b, i, LAYER "attn.Wo", x, a->hidden, a->qkv_bias));
}

static struct sf_val *
mlp(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *half[2], *y;
	const char *around = sf_enter(b, i, sf_encoder_inside(b, LAYER "mlp"));

	y = linear(
	    b, i, LAYER "mlp.Wi", x, sf_mul_most(2, a->inner), a->mlp_bias);
	l->split(b, y, NULL, 2, half);
	y = l->binary(b, SF_CALL_MUL, sf_activate(b, half[0]), half[1]);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	return sf_leave_with(
	    b, around, linear(b, i, LAYER "mlp.Wo", x, a->hidden, a->mlp_bias));
}

/* The embeddings are normed, so the first layer's input is not again. */
static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	struct sf_val *y = x;
	const char *around = sf_enter(b, i, sf_encoder_inside(b, "layers.%d"));

	if (i != 0)
		y = norm(b, i, sf_encoder_inside(b, LAYER "attn_norm"), x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, at, y));
	y = norm(b, i, sf_encoder_inside(b, LAYER "mlp_norm"), x);
	return sf_leave_with(
	    b, around, l->binary(b, SF_CALL_ADD, x, mlp(b, i, y)));
}

/* What stands before the classes and before the words. */
static struct sf_val *
head(struct sf_build *b, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	const char *around = sf_enter(b, -1, "head");

	x = sf_linear(b, -1, "head.dense", x, a->hidden, a->head_bias);
	return sf_leave_with(b, around,
	    norm(b, -1, "head.norm",
		sf_activate_part(b, "act", a->head_act, x)));
}

static struct sf_val *
finish(struct sf_build *b, struct sf_val *x, struct sf_val *table)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *bias = NULL;
	const char *around;

	if (a->classes == SF_CLASSES_SEQUENCE)
		x = l->select(b, x, 1);
	if (a->classes != SF_CLASSES_NONE)
		return sf_linear(
		    b, -1, "classifier", head(b, x), a->labels, true);
	if (a->headless)
		return x;
	x = head(b, x);
	if (!a->tied)
		table =
		    sf_part(b, -1, "decoder", "weight", a->vocab, a->hidden);
	if (a->decoder_bias)
		bias = sf_part(b, -1, "decoder", "bias", a->vocab, 0);
	around = sf_enter(b, -1, "decoder");
	return sf_leave_with(b, around, l->linear(b, x, table, bias));
}

struct sf_val *
sf_modern_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions, *full, *near;
	struct sf_ropes ropes;
	const char *around = sf_enter_base(b), *outside;
	const char *words = sf_encoder_inside(b, "embeddings.tok_embeddings");

	table = sf_part(b, -1, words, "weight", a->vocab, a->hidden);
	positions = l->unsqueeze(b, l->arange(b, b->work.tokens), 0);
	outside = sf_enter(b, -1, sf_encoder_inside(b, "embeddings"));
	x = sf_embed(b, words, table, ids);
	x = norm(b, -1, sf_encoder_inside(b, "embeddings.norm"), x);
	sf_leave(b, outside);
	full = sf_mask_bidirectional(b);
	near = sf_mask_near(b, a->window);
	outside = sf_enter(b, -1, sf_encoder_inside(b, "rotary_emb"));
	ropes = sf_rope_types(b, positions);
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++) {
		struct layer at = {
			.number = i,
			.rope = a->sliding[i] ? &ropes.sliding : &ropes.full,
			.mask = a->sliding[i] ? near : full,
		};

		x = layer(b, &at, x);
	}
	x = norm(b, -1, sf_encoder_inside(b, "final_norm"), x);
	sf_leave(b, around);
	return finish(b, x, table);
}

/* ---- its configuration ---- */

/* Which layers see all tokens: layer_types, else one of several. */
static void
read_layers(struct sf_arch *arch, const struct sf_config *config)
{
	int64_t every =
	    sf_field_size_or(config, "global_attn_every_n_layers", NULL, 3);

	arch->window =
	    sf_field_size_or(config, "local_attention", NULL, 128) / 2;
	if (arch->window == 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "local_attention"),
		    "'local_attention' is 1, expected a window of at least 2");
	if (sf_arch_read_layer_types(arch, config))
		return;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->sliding[i] = i % every != 0;
}

/* Of both types; an embedding may be said for each. */
static void
read_rotary(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_arch *full = sf_arena_alloc(arena, sizeof *full);

	arch->rotary_dim = arch->head_dim;
	if (arch->head_dim % 2 != 0)
		sf_config_die(config, &config->root,
		    "the heads are of %lld, expected an even number: rotary "
		    "embedding turns pairs",
		    (long long)arch->head_dim);
	arch->rotary_kind = "sliding_attention_";
	arch->rotary_scale =
	    sf_rotary_read_type(config, "sliding_attention", true);
	*full = *arch;
	full->rotary_kind = "full_attention_";
	full->rotary_scale =
	    sf_rotary_read_type(config, "full_attention", true);
	arch->full = full;
}

void
sf_modern_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *pooling =
	    sf_field_text(config, &config->root, "classifier_pooling");

	sf_encoder_read(arch, config, arena);
	arch->activation = arch->head_act = SF_ACT_GELU;
	sf_arch_read_activation(arch, config, "hidden_activation");
	arch->norm_bias = sf_field_bool_or(config, "norm_bias", false);
	arch->qkv_bias = sf_field_bool_or(config, "attention_bias", false);
	arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	arch->head_bias = sf_field_bool_or(config, "classifier_bias", false);
	arch->decoder_bias = sf_field_bool_or(config, "decoder_bias", true);
	read_layers(arch, config);
	read_rotary(arch, config, arena);
	if (arch->classes == SF_CLASSES_SEQUENCE && pooling != NULL &&
	    strcmp(pooling, "cls") != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "classifier_pooling"),
		    "'classifier_pooling' is '%s', expected cls", pooling);
	if (sf_field_text(config, &config->root, "classifier_activation") !=
	    NULL) {
		enum sf_activation own = arch->activation;

		sf_arch_read_activation(arch, config, "classifier_activation");
		arch->head_act = arch->activation;
		arch->activation = own;
	}
}
