/*
 * GPT-NeoX: the order of calls is that of transformers 5.18's
 * modeling_gpt_neox.py.
 */
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"

#define LAYER "gpt_neox.layers.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_val *mask; /* NULL: none */
};

/* Each head has its query, its key and its value beside each other. */
static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	struct sf_cache_layer cache;
	struct sf_val *qkv[3];
	const char *around = sf_enter(b, i, LAYER "attention");

	x = sf_linear(b, i, LAYER "attention.query_key_value", x, 3 * a->q_size,
	    a->qkv_bias);
	x = l->view(b, x, 4,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->heads, 3 * a->head_dim });
	l->split(b, l->transpose(b, x, 1, 2), NULL, 3, qkv);
	sf_rope_apply(b, at->rope, &qkv[0], &qkv[1]);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &qkv[1], &qkv[2]);
	}
	x = sf_attend(b, i, qkv[0], qkv[1], qkv[2], at->mask);
	return sf_leave_with(b, around,
	    sf_linear(b, i, LAYER "attention.dense", x, a->hidden, a->o_bias));
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	struct sf_val *y, *z;
	const char *around = sf_enter(b, i, "gpt_neox.layers.%d");

	y = attention(b, at, sf_norm(b, i, LAYER "input_layernorm", x));
	if (b->arch->parallel == SF_PARALLEL_NONE)
		x = y = l->binary(b, SF_CALL_ADD, y, x);
	z = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	z = sf_mlp(b, i, LAYER "mlp", z, b->arch->inner);
	z = l->binary(b, SF_CALL_ADD, z, y);
	if (b->arch->parallel == SF_PARALLEL_NONE)
		return sf_leave_with(b, around, z);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, z, x));
}

struct sf_val *
sf_neox_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions;
	struct layer at = { .number = 0 };
	struct sf_rope r;
	const char *around = sf_enter_base(b), *outside;

	table =
	    sf_weight(b, -1, "gpt_neox.embed_in.weight", a->vocab, a->hidden);
	x = sf_embed(b, "gpt_neox.embed_in", table, ids);
	positions = sf_position_ids(b);
	at.mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	outside = sf_enter(b, -1, "gpt_neox.rotary_emb");
	r = sf_rope_angles(b, positions);
	sf_leave(b, outside);
	at.rope = &r;
	for (; at.number < a->layers; at.number++)
		x = layer(b, &at, x);
	x = sf_norm(b, -1, "gpt_neox.final_layer_norm", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

/* All heads have keys and values of their own. */
void
sf_neox_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_decoder_read(arch, config, arena);
	arch->kv_heads = arch->heads;
	arch->kv_size = arch->q_size;
	arch->o_bias = arch->qkv_bias;
	if (!sf_field_bool_or(config, "use_parallel_residual", true))
		arch->parallel = SF_PARALLEL_NONE;
}
