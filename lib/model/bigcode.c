/*
 * GPT-BigCode, which is GPT-2 with linear layers and one head of keys and
 * values: the order of calls is that of transformers 5.18's
 * modeling_gpt_bigcode.py.
 */
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/norm.h"

#define LAYER "transformer.h.%d."

/* Queries, keys and values of one product. */
enum part {
	Q,
	K,
	V,
	PARTS
};

/* Queries of all heads, and a head of keys and of values for all of them. */
static void
split_one_head(struct sf_build *b, struct sf_val *x, struct sf_val **parts)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t sizes[] = { a->hidden, a->head_dim, a->head_dim };

	l->split(b, l->unsqueeze(b, x, 1), sizes, PARTS, parts);
	x = l->view(b, parts[Q], 4,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->heads, a->head_dim });
	parts[Q] = l->transpose(b, x, 1, 2);
}

/* Each head has its query, its key and its value beside each other. */
static void
split_heads(struct sf_build *b, struct sf_val *x, struct sf_val **parts)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = a->head_dim, sizes[] = { n, n, n };

	x = l->view(b, x, 4,
	    (int64_t[]){ b->work.batch, b->work.tokens, a->heads, 3 * n });
	l->split(b, l->transpose(b, x, 1, 2), sizes, PARTS, parts);
}

static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_cache_layer *cache, struct sf_val *mask)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *parts[PARTS];
	const char *around = sf_enter(b, layer, LAYER "attn");

	x = sf_linear(
	    b, layer, LAYER "attn.c_attn", x, a->hidden + 2 * a->kv_size, true);
	if (a->multi_query)
		split_one_head(b, x, parts);
	else
		split_heads(b, x, parts);
	if (cache != NULL)
		sf_cache_update(b, cache, &parts[K], &parts[V]);
	x = sf_attend(b, layer, parts[Q], parts[K], parts[V], mask);
	return sf_leave_with(b, around,
	    sf_linear(b, layer, LAYER "attn.c_proj", x, a->hidden, true));
}

static struct sf_val *
block(struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_cache_layer cache;
	bool cached = sf_cache_used(b);
	struct sf_val *y;
	const char *around = sf_enter(b, layer, "transformer.h.%d");

	if (cached)
		sf_cache_layer_init(b, &cache, 0);
	y = sf_norm(b, layer, LAYER "ln_1", x);
	y = attention(b, layer, y, cached ? &cache : NULL, mask);
	x = l->binary(b, SF_CALL_ADD, y, x);
	y = sf_norm(b, layer, LAYER "ln_2", x);
	y = sf_mlp(b, layer, LAYER "mlp", y, b->arch->inner);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_bigcode_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *wte, *wpe, *x, *positions, *mask;
	const char *around = sf_enter_base(b);

	wte = sf_weight(b, -1, "transformer.wte.weight", a->vocab, a->hidden);
	wpe =
	    sf_weight(b, -1, "transformer.wpe.weight", a->positions, a->hidden);
	x = sf_embed(b, "transformer.wte", wte, ids);
	positions = sf_position_ids(b);
	mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	wpe = l->to_device(b, sf_embed(b, "transformer.wpe", wpe, positions));
	x = l->binary(b, SF_CALL_ADD, x, wpe);
	for (int64_t i = 0; i < a->layers; i++)
		x = block(b, i, x, mask);
	x = sf_norm(b, -1, "transformer.ln_f", x);
	x = l->view(b, x, 3, x->shape);
	sf_leave(b, around);
	return sf_logits(b, x, wte);
}

/* The fields are GPT-2's; attention has no factor of a layer. */
void
sf_bigcode_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_gpt2_read(arch, config, arena);
	arch->scales_layers = false;
	arch->mlp_bias = true;
	arch->multi_query = sf_field_bool_or(config, "multi_query", true);
	if (arch->multi_query) {
		arch->kv_heads = 1;
		arch->kv_size = arch->head_dim;
	}
}
