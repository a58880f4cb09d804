/*
 * Nomic's BERT, whose tokens are rotated and whose MLP has a gate: the order of
 * calls is that of transformers 5.18's modeling_nomic_bert.py.
 */
#include <string.h>

#include "model/arch-part.h"
#include "model/block.h"
#include "model/encoder.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/rope.h"
#include "model/rotary.h"

#define LAYER "layers.%d."

static struct sf_val *
heads_of(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	name = sf_encoder_inside(b, name);
	return sf_split_heads(
	    b, sf_linear(b, layer, name, x, b->arch->q_size, false));
}

static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    const struct sf_rope *rope, struct sf_val *mask)
{
	struct sf_val *q, *k, *v;
	const char *around =
	    sf_enter(b, layer, sf_encoder_inside(b, LAYER "self_attn"));

	q = heads_of(b, layer, LAYER "self_attn.q_proj", x);
	k = heads_of(b, layer, LAYER "self_attn.k_proj", x);
	v = heads_of(b, layer, LAYER "self_attn.v_proj", x);
	sf_rope_apply(b, rope, &q, &k);
	x = sf_attend(b, layer, q, k, v, mask);
	return sf_leave_with(b, around,
	    sf_linear(b, layer, sf_encoder_inside(b, LAYER "self_attn.o_proj"),
		x, b->arch->hidden, false));
}

/* Norms are behind what is added. */
static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x,
    const struct sf_rope *rope, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around = sf_enter(b, i, sf_encoder_inside(b, "layers.%d"));

	y = attention(b, i, x, rope, mask);
	x = sf_encoder_norm(b, i,
	    sf_encoder_inside(b, LAYER "post_attention_layernorm"),
	    l->binary(b, SF_CALL_ADD, x, y));
	y = sf_mlp(b, i, sf_encoder_inside(b, LAYER "mlp"), x, b->arch->inner);
	return sf_leave_with(b, around,
	    sf_encoder_norm(b, i,
		sf_encoder_inside(b, LAYER "post_mlp_layernorm"),
		l->binary(b, SF_CALL_ADD, x, y)));
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x, *types;
	const char *around =
	    sf_enter(b, -1, sf_encoder_inside(b, "embeddings"));

	x = sf_embed(
	    b, sf_encoder_inside(b, "embeddings.word_embeddings"), table, ids);
	types = l->zeros(b, SF_DT_I64, 2, ids->shape);
	types = sf_encoder_look_up(
	    b, "embeddings.token_type_embeddings", b->arch->types, types);
	return sf_leave_with(b, around,
	    sf_encoder_norm(b, -1, sf_encoder_inside(b, "embeddings.LayerNorm"),
		l->binary(b, SF_CALL_ADD, x, types)));
}

struct sf_val *
sf_nomic_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item row[] = { SF_NEW, SF_ALL };
	struct sf_val *table, *x, *positions, *mask;
	struct sf_rope rope;
	const char *around = sf_enter_base(b), *outside;

	table =
	    sf_part(b, -1, sf_encoder_inside(b, "embeddings.word_embeddings"),
		"weight", a->vocab, a->hidden);
	positions = l->whole_range(b, b->work.tokens);
	positions = l->getitem(b, positions, 2, row);
	x = embed(b, table, ids);
	mask = sf_mask_bidirectional(b);
	outside = sf_enter(b, -1, sf_encoder_inside(b, "rotary_emb"));
	rope = sf_rope_angles(b, positions);
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++)
		x = layer(b, i, x, &rope, mask);
	sf_leave(b, around);
	return sf_encoder_finish(b, x, table);
}

/* What Nomic's own files say besides, and transformers' class has fixed. */
static void
check_own(const struct sf_config *config)
{
	static const char *const off[] = { "qkv_proj_bias", "mlp_fc1_bias",
		"mlp_fc2_bias", "prenorm", "use_rms_norm", "parallel_block",
		"rotary_emb_interleaved", "rotary_scaling_factor", "causal" };
	const char *key = "activation_function";
	const char *act = sf_field_text(config, &config->root, key);

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sf_field_refuse(config, off[i],
		    "is set, which the class of transformers has not");
	if (act != NULL && strcmp(act, "swiglu") != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is '%s', expected swiglu", key, act);
	if (sf_field_number_or(config, "rotary_emb_fraction", 1) != 1)
		sf_config_die(config,
		    sf_field_find(&config->root, "rotary_emb_fraction"),
		    "'rotary_emb_fraction' other than 1 is not supported");
}

void
sf_nomic_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_encoder_read(arch, config, arena);
	check_own(config);
	arch->activation = SF_ACT_SILU;
	sf_arch_read_activation(arch, config, "hidden_act");
	arch->rotary_dim = arch->head_dim;
	if (arch->head_dim % 2 != 0)
		sf_config_die(config, &config->root,
		    "the heads are of %lld, expected an even number: rotary "
		    "embedding turns pairs",
		    (long long)arch->head_dim);
	if (sf_field_size_or(config, "head_dim", NULL, arch->head_dim) !=
	    arch->head_dim)
		sf_config_die(config, sf_field_find(&config->root, "head_dim"),
		    "'head_dim' is not the %lld of 'hidden_size' over "
		    "'num_attention_heads'",
		    (long long)arch->head_dim);
	arch->rotary_asks = sf_rotary_asks(config);
	arch->rotary_scale = sf_rotary_read(config, false);
}
