/* BLOOM: the order of calls is that of transformers 5.18's modeling_bloom.py. */
#include "base/num.h"
#include "model/alibi.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/lower-aten-more.h"
#include "model/norm.h"

#define LAYER "transformer.h.%d."

/* Each head has its query, its key and its value beside each other. */
static void
split(struct sf_build *b, struct sf_val *x, struct sf_val *parts[3])
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;

	x = l->view(b, x, 5,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->heads, 3, a->head_dim });
	for (int i = 0; i < 3; i++)
		parts[i] = l->transpose(b, l->select_at(b, x, 3, i), 1, 2);
}

/* Heads of all sequences as one batch of matrices. */
static struct sf_val *
as_batch(struct sf_build *b, struct sf_val *x)
{
	return b->route->lower->reshape(b, x, 3,
	    (int64_t[]){ x->shape[0] * x->shape[1], x->shape[2], x->shape[3] });
}

/* Written out in Python: the biases are what the products are added to. */
static struct sf_val *
attend(struct sf_build *b, struct sf_val *parts[3], struct sf_val *biases,
    struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = b->work.batch, t = b->work.tokens, h = b->arch->heads;
	struct sf_val *q, *k, *v, *x;

	q = as_batch(b, parts[0]);
	k = l->transpose(b, as_batch(b, parts[1]), 1, 2);
	v = as_batch(b, parts[2]);
	x = sf_aten_baddbmm(b, biases, q, k);
	x = l->view(b, x, 4, (int64_t[]){ n, h, t, x->shape[2] });
	x = l->binary(b, SF_CALL_ADD, x, mask);
	x = l->to_type(b, l->softmax(b, x, SF_SOFTMAX_FLOAT), q->dtype);
	x = l->view(b, x, 3, (int64_t[]){ n * h, t, x->shape[3] });
	x = sf_aten_bmm(b, x, v);
	x = l->view(b, x, 4, (int64_t[]){ n, h, t, b->arch->head_dim });
	x = l->permute(b, x, 1, 2);
	return l->reshape(b, x, 3, (int64_t[]){ n, t, b->arch->hidden });
}

static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *residual, struct sf_val *biases, struct sf_val *mask)
{
	int64_t hidden = b->arch->hidden;
	struct sf_val *parts[3];
	struct sf_cache_layer cache;
	const char *around = sf_enter(b, layer, LAYER "self_attention");

	x = sf_linear(b, layer, LAYER "self_attention.query_key_value", x,
	    3 * hidden, true);
	split(b, x, parts);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &parts[1], &parts[2]);
	}
	x = sf_fuses(b)
	    ? sf_fuse_attention(b, layer, parts[0], parts[1], parts[2], NULL)
	    : attend(b, parts, biases, mask);
	x = sf_linear(b, layer, LAYER "self_attention.dense", x, hidden, true);
	x = b->route->lower->binary(b, SF_CALL_ADD, residual, x);
	return sf_leave_with(b, around, x);
}

/* BloomGelu, in the order in which Python evaluates it. */
static struct sf_val *
gelu(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *half, *y, *z;
	const char *around = sf_enter_part(b, "gelu_impl");

	half = l->number(b, SF_CALL_MUL, x, 0.5);
	y = l->number(b, SF_CALL_MUL, x, 0.79788456);
	z = l->number(b, SF_CALL_MUL, x, 0.044715);
	z = l->binary(b, SF_CALL_MUL, z, x);
	z = l->number(b, SF_CALL_ADD, z, 1);
	y = l->unary(b, SF_CALL_TANH, l->binary(b, SF_CALL_MUL, y, z));
	y = l->number(b, SF_CALL_ADD, y, 1);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_MUL, half, y));
}

static struct sf_val *
mlp(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *residual)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y;
	const char *around = sf_enter(b, layer, LAYER "mlp");

	y = sf_linear(
	    b, layer, LAYER "mlp.dense_h_to_4h", x, b->arch->inner, true);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, gelu(b, y));
	x = sf_linear(
	    b, layer, LAYER "mlp.dense_4h_to_h", x, b->arch->hidden, true);
	x = b->route->lower->binary(b, SF_CALL_ADD, residual, x);
	return sf_leave_with(b, around, x);
}

/* Either half is added to its input, or to what the norm makes of that. */
static struct sf_val *
block(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *biases, struct sf_val *mask)
{
	bool behind = b->arch->norms_behind;
	struct sf_val *y;
	const char *around = sf_enter(b, layer, "transformer.h.%d");

	y = sf_norm(b, layer, LAYER "input_layernorm", x);
	x = attention(b, layer, y, behind ? y : x, biases, mask);
	y = sf_norm(b, layer, LAYER "post_attention_layernorm", x);
	return sf_leave_with(b, around, mlp(b, layer, y, behind ? y : x));
}

struct sf_val *
sf_bloom_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *ones, *biases = NULL, *mask = NULL;
	const char *around = sf_enter_base(b);

	table = sf_weight(
	    b, -1, "transformer.word_embeddings.weight", a->vocab, a->hidden);
	x = sf_embed(b, "transformer.word_embeddings", table, ids);
	x = sf_norm(b, -1, "transformer.word_embeddings_layernorm", x);
	if (!sf_fuses(b)) {
		ones = sf_alibi_ones(b, SF_DT_F32);
		biases = sf_alibi_make(b, ones, SF_DT_F32);
		mask = sf_mask_padded(b, ones);
	}
	for (int64_t i = 0; i < a->layers; i++)
		x = block(b, i, x, biases, mask);
	x = sf_norm(b, -1, "transformer.ln_f", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

void
sf_bloom_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	arch->hidden = sf_field_size(config, "hidden_size", "n_embed");
	arch->heads = sf_field_size(config, "n_head", "num_attention_heads");
	sf_arch_read_layers(
	    arch, config, "n_layer", "num_hidden_layers", arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	sf_arch_own_heads(arch, config, sf_field_find(&config->root, "n_head"),
	    "n_head", "hidden_size");
	if (!sf_mul(arch->hidden, 4, &arch->inner))
		sf_config_die(config, &config->root,
		    "'hidden_size' is %lld, which is too large",
		    (long long)arch->hidden);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->norms_behind = sf_field_bool_or(
	    config, "apply_residual_connection_post_layernorm", false);
	if (sf_field_size_or(config, "pretraining_tp", NULL, 1) > 1)
		sf_field_refuse(config, "slow_but_exact",
		    "takes products apart in a way that is not supported");
	sf_arch_read_windows(arch, config);
}
