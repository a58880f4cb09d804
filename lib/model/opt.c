/* OPT: the order of calls is that of transformers 5.18's modeling_opt.py. */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/norm.h"

#define LAYER "model.decoder.layers.%d."

enum {
	FIRST_PLACE = 2 /* rows of the table of places before the first */
};

/* Queries are scaled here, and not in the attention. */
static struct sf_val *
attention(
    struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v;
	const char *around = sf_enter(b, layer, LAYER "self_attn");

	q = sf_linear(
	    b, layer, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias);
	q = l->number(b, SF_CALL_MUL, q, a->query_scale);
	q = sf_split_heads(b, q);
	k = sf_linear(
	    b, layer, LAYER "self_attn.k_proj", x, a->q_size, a->qkv_bias);
	v = sf_linear(
	    b, layer, LAYER "self_attn.v_proj", x, a->q_size, a->qkv_bias);
	k = sf_split_heads(b, k);
	v = sf_split_heads(b, v);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	x = sf_attend(b, layer, q, k, v, mask);
	return sf_leave_with(b, around,
	    sf_linear(
		b, layer, LAYER "self_attn.out_proj", x, a->hidden, a->o_bias));
}

/* The MLP is run on tokens of all sequences as rows. */
static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t hidden = b->arch->hidden;
	bool before = !b->arch->norms_behind;
	struct sf_val *y = x;
	const char *around = sf_enter(b, i, "model.decoder.layers.%d");

	if (before)
		y = sf_norm(b, i, LAYER "self_attn_layer_norm", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, i, y, mask));
	if (!before)
		x = sf_norm(b, i, LAYER "self_attn_layer_norm", x);
	x = y = l->reshape(
	    b, x, 2, (int64_t[]){ b->work.batch * b->work.tokens, hidden });
	if (before)
		y = sf_norm(b, i, LAYER "final_layer_norm", x);
	y = sf_mlp(b, i, "model.decoder.layers.%d", y, b->arch->inner);
	x = l->binary(b, SF_CALL_ADD, x, y);
	x = l->view(
	    b, x, 3, (int64_t[]){ b->work.batch, b->work.tokens, hidden });
	return sf_leave_with(
	    b, around, before ? x : sf_norm(b, i, LAYER "final_layer_norm", x));
}

/* The places of tokens, counted in a mask of ones. */
static struct sf_val *
places(struct sf_build *b)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item items[] = { SF_ALL, SF_FROM(b->work.context) };
	struct sf_val *ones, *x;

	ones = l->ones(b, b->work.batch, b->work.context + b->work.tokens);
	x = l->binary(b, SF_CALL_MUL, l->cumsum(b, ones, 1), ones);
	x = l->to_type(b, l->number(b, SF_CALL_SUB, x, 1), SF_DT_I64);
	return l->getitem(b, x, 2, items);
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *x, struct sf_val *at)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table =
	    sf_weight(b, -1, "model.decoder.embed_positions.weight",
		a->positions + FIRST_PLACE, a->hidden);
	const char *around = sf_enter(b, -1, "model.decoder"), *outside;

	outside = sf_enter(b, -1, "model.decoder.embed_positions");
	at = l->number(b, SF_CALL_ADD, at, FIRST_PLACE);
	at = l->embedding(b, table, at);
	sf_leave(b, outside);
	if (a->embed_width != a->hidden)
		x = sf_linear(
		    b, -1, "model.decoder.project_in", x, a->hidden, false);
	return sf_leave_with(
	    b, around, l->binary(b, SF_CALL_ADD, x, l->to_device(b, at)));
}

struct sf_val *
sf_opt_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *at, *mask;
	const char *around = sf_enter_base(b), *outside;

	table = sf_weight(b, -1, "model.decoder.embed_tokens.weight", a->vocab,
	    a->embed_width);
	outside = sf_enter(b, -1, "model.decoder");
	x = l->view(b, ids, 2, ids->shape);
	x = sf_embed(b, "model.decoder.embed_tokens", table, x);
	at = places(b);
	mask = sf_mask_causal(b, NULL, SF_MASK_FULL, 0);
	x = embed(b, x, at);
	for (int64_t i = 0; i < a->layers; i++)
		x = layer(b, i, x, mask);
	if (a->last_norm)
		x = sf_norm(b, -1, "model.decoder.final_layer_norm", x);
	if (a->embed_width != a->hidden)
		x = sf_linear(b, -1, "model.decoder.project_out", x,
		    a->embed_width, false);
	sf_leave(b, outside);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

/* ---- its configuration ---- */

static void
read_norms(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "layer_norm_elementwise_affine";

	if (!sf_field_bool_or(config, key, true))
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is false, expected norms with weights", key);
	arch->norms_behind =
	    !sf_field_bool_or(config, "do_layer_norm_before", true);
	arch->last_norm = !arch->norms_behind &&
	    !sf_field_bool_or(config, "_remove_final_layer_norm", false);
}

void
sf_opt_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	int64_t rows;

	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->inner = sf_field_size(config, "ffn_dim", NULL);
	arch->heads = sf_field_size(config, "num_attention_heads", NULL);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions =
	    sf_field_size(config, "max_position_embeddings", NULL);
	arch->embed_width =
	    sf_field_size_or(config, "word_embed_proj_dim", NULL, arch->hidden);
	sf_arch_own_heads(
	    arch, config, &config->root, "num_attention_heads", "hidden_size");
	if (!sf_add(arch->positions, FIRST_PLACE, &rows))
		sf_config_die(config, &config->root,
		    "'max_position_embeddings' is %lld, which is too large",
		    (long long)arch->positions);
	arch->query_scale = sf_arch_scale(arch, 0);
	arch->unscaled = true;
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "activation_function");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->qkv_bias = sf_field_bool_or(config, "enable_bias", true);
	arch->o_bias = arch->mlp_bias = arch->qkv_bias;
	read_norms(arch, config);
	sf_arch_read_windows(arch, config);
}
