/* GPT-2: the order of calls is that of transformers 5.18's modeling_gpt2.py. */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"

#define LAYER "transformer.h.%d."

/* Conv1D, a linear layer whose weight is stored input by output. */
static struct sf_val *
conv1d(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t in = x->shape[2], batch = x->shape[0], tokens = x->shape[1];
	struct sf_val *w = sf_part(b, layer, name, "weight", in, width);
	struct sf_val *c = sf_part(b, layer, name, "bias", width, 0), *y;
	const char *around = sf_enter(b, layer, name);
	struct sf_fusion f = sf_fuse_begin(b);

	sf_store_weight(b, layer, name, w, 1, width, in);
	y = l->view(b, x, 2, (int64_t[]){ batch * tokens, in });
	y = l->addmm(b, c, y, w);
	y = l->view(b, y, 3, (int64_t[]){ batch, tokens, width });
	x = sf_fuse_1(b, f, "gpu.linear", x, y);
	sf_leave(b, around);
	return x;
}

static struct sf_val *
layer_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	struct sf_val *w =
	    sf_part(b, layer, name, "weight", b->arch->hidden, 0);
	struct sf_val *c = sf_part(b, layer, name, "bias", b->arch->hidden, 0);
	const char *around = sf_enter(b, layer, name);

	x = b->route->lower->layer_norm(b, x, w, c);
	sf_leave(b, around);
	return x;
}

static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_cache_layer *cache, struct sf_val *mask)
{
	const char *around = sf_enter(b, layer, LAYER "attn");
	int64_t hidden = b->arch->hidden;
	struct sf_val *qkv[3], *k, *v, *q;

	x = conv1d(b, layer, LAYER "attn.c_attn", x, 3 * hidden);
	b->route->lower->split(b, x, NULL, 3, qkv);
	k = sf_split_heads(b, qkv[1]);
	v = sf_split_heads(b, qkv[2]);
	q = sf_split_heads(b, qkv[0]);
	if (cache != NULL)
		sf_cache_update(b, cache, &k, &v);
	x = sf_attend(b, layer, q, k, v, mask);
	x = conv1d(b, layer, LAYER "attn.c_proj", x, hidden);
	sf_leave(b, around);
	return x;
}

static struct sf_val *
mlp(struct sf_build *b, int64_t layer, struct sf_val *x)
{
	const char *around = sf_enter(b, layer, LAYER "mlp");
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y;

	y = conv1d(b, layer, LAYER "mlp.c_fc", x, b->arch->inner);
	y = sf_activate(b, y);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	x = conv1d(b, layer, LAYER "mlp.c_proj", x, b->arch->hidden);
	sf_leave(b, around);
	return x;
}

static struct sf_val *
block(struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_cache_layer cache;
	bool cached = sf_cache_used(b);
	const char *around = sf_enter(b, layer, "transformer.h.%d");
	struct sf_val *y;

	if (cached)
		sf_cache_layer_init(b, &cache, 0);
	y = layer_norm(b, layer, LAYER "ln_1", x);
	y = attention(b, layer, y, cached ? &cache : NULL, mask);
	x = l->binary(b, SF_CALL_ADD, y, x);
	y = layer_norm(b, layer, LAYER "ln_2", x);
	x = l->binary(b, SF_CALL_ADD, x, mlp(b, layer, y));
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_gpt2_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *wte, *wpe, *x, *positions, *mask;
	const char *around = sf_enter_base(b);

	wte = sf_weight(b, -1, "transformer.wte.weight", a->vocab, a->hidden);
	wpe =
	    sf_weight(b, -1, "transformer.wpe.weight", a->positions, a->hidden);
	ids = l->view(b, ids, 2, ids->shape);
	x = sf_embed(b, "transformer.wte", wte, ids);
	positions = sf_position_ids(b);
	wpe = sf_embed(b, "transformer.wpe", wpe, positions);
	wpe = l->to_device(b, wpe);
	x = l->binary(b, SF_CALL_ADD, x, wpe);
	mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	for (int64_t i = 0; i < a->layers; i++)
		x = block(b, i, x, mask);
	x = layer_norm(b, -1, "transformer.ln_f", x);
	x = l->view(b, x, 3, x->shape);
	sf_leave(b, around);
	return sf_logits(b, x, wte);
}

/* ---- its configuration ---- */

void
sf_gpt2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	int64_t wide, all;

	arch->hidden = sf_field_size(config, "n_embd", "hidden_size");
	arch->heads = sf_field_size(config, "n_head", "num_attention_heads");
	sf_arch_read_layers(
	    arch, config, "n_layer", "num_hidden_layers", arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions =
	    sf_field_size(config, "n_positions", "max_position_embeddings");
	sf_arch_own_heads(arch, config, &config->root, "n_head", "n_embd");
	if (!sf_mul(arch->hidden, 4, &wide) || !sf_mul(arch->hidden, 3, &all))
		sf_config_die(config, &config->root,
		    "'n_embd' is %lld, which is too large",
		    (long long)arch->hidden);
	arch->inner = sf_field_size_or(config, "n_inner", NULL, wide);
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "activation_function");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->unscaled = !sf_field_bool_or(config, "scale_attn_weights", true);
	arch->scales_layers =
	    sf_field_bool_or(config, "scale_attn_by_inverse_layer_idx", false);
	sf_arch_read_windows(arch, config);
}
