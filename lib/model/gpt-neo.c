/*
 * GPT-Neo: the order of calls is that of transformers 5.18's modeling_gpt_neo.py.
 * Which tokens a layer sees stands in a buffer of it, whether they are those of
 * a window or all.
 */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/norm.h"

#include <string.h>

#define LAYER     "transformer.h.%d."
#define ATTENTION LAYER "attn.attention."

static struct sf_val *
heads_of(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;

	return sf_linear(b, layer, name, x, a->hidden, false);
}

static struct sf_val *
split(struct sf_build *b, struct sf_val *x)
{
	return b->route->lower->permute(b, sf_view_heads(b, x), 1, 2);
}

/* Scores that the layer's own mask leaves, and the smallest number elsewhere. */
static struct sf_val *
mask_scores(struct sf_build *b, int64_t layer, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = b->arch->positions, keys = x->shape[3];
	struct sf_item items[] = { SF_ALL, SF_ALL, SF_TO(keys), SF_TO(keys) };
	struct sf_val *mask;

	if (keys != x->shape[2])
		items[2] = (struct sf_item)SF_SPAN(keys - x->shape[2], keys);
	mask = sf_val_new(&b->graph, SF_DT_B8, 4, (int64_t[]){ 1, 1, n, n });
	mask->name = sf_block_name(b, layer, ATTENTION "bias");
	mask->fixed = true; /* a buffer */
	mask = l->getitem(b, mask, 4, items);
	return l->where(b, mask, x, l->constant(b, x->dtype));
}

static struct sf_val *
attention(
    struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v;
	const char *around = sf_enter(b, layer, LAYER "attn.attention");

	q = heads_of(b, layer, ATTENTION "q_proj", x);
	k = heads_of(b, layer, ATTENTION "k_proj", x);
	v = heads_of(b, layer, ATTENTION "v_proj", x);
	q = split(b, q);
	k = split(b, k);
	v = split(b, v);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	if (sf_fuses(b)) {
		x = sf_fuse_attend(b,
		    &(struct sf_attention){
			.q = q, .k = k, .v = v, .causal = true });
		return sf_leave_with(b, around,
		    sf_linear(
			b, layer, ATTENTION "out_proj", x, a->hidden, true));
	}
	q = l->to_type(b, q, SF_DT_F32);
	k = l->to_type(b, k, SF_DT_F32);
	x = l->matmul(b, q, l->transpose(b, k, 2, 3));
	x = l->binary(b, SF_CALL_ADD, mask_scores(b, layer, x), mask);
	x = l->to_type(b, l->softmax(b, x, SF_SOFTMAX_PLAIN), v->dtype);
	x = l->permute(b, l->matmul(b, x, v), 1, 2);
	x = l->contiguous(b, x);
	x = l->view(
	    b, x, 3, (int64_t[]){ b->work.batch, b->work.tokens, a->hidden });
	return sf_leave_with(b, around,
	    sf_linear(b, layer, ATTENTION "out_proj", x, a->hidden, true));
}

static struct sf_val *
block(struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around = sf_enter(b, layer, "transformer.h.%d");

	y = sf_norm(b, layer, LAYER "ln_1", x);
	y = attention(b, layer, y, mask);
	x = l->binary(b, SF_CALL_ADD, y, x);
	y = sf_norm(b, layer, LAYER "ln_2", x);
	y = sf_mlp(b, layer, LAYER "mlp", y, b->arch->inner);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_gpt_neo_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *wte, *wpe, *x, *positions, *mask;
	const char *around = sf_enter_base(b);

	sf_check_positions(b);
	wte = sf_weight(b, -1, "transformer.wte.weight", a->vocab, a->hidden);
	wpe =
	    sf_weight(b, -1, "transformer.wpe.weight", a->positions, a->hidden);
	x = sf_embed(b, "transformer.wte", wte, ids);
	positions = sf_position_ids(b);
	mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	x = l->binary(
	    b, SF_CALL_ADD, x, sf_embed(b, "transformer.wpe", wpe, positions));
	for (int64_t i = 0; i < a->layers; i++)
		x = block(b, i, x, mask);
	x = sf_norm(b, -1, "transformer.ln_f", x);
	x = l->view(b, x, 3, x->shape);
	sf_leave(b, around);
	return sf_logits(b, x, wte);
}

/* ---- its configuration ---- */

/* How many layers one item of attention_types says: names, so many times. */
static int64_t
count_layers(const struct sf_config *config, const struct sf_config_value *v)
{
	const struct sf_config_value *names = v->items;
	int64_t times, n;

	if (v->type != SF_CONFIG_LIST || v->nitems != 2 ||
	    names->type != SF_CONFIG_LIST ||
	    v->items[1].type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->items[1].text, strlen(v->items[1].text), &times) ||
	    times < 0 || !sf_mul(times, (int64_t)names->nitems, &n))
		sf_config_die(config, v,
		    "'attention_types': expected names and how often");
	for (size_t i = 0; i < names->nitems; i++)
		if (names->items[i].type != SF_CONFIG_STR ||
		    (strcmp(names->items[i].text, "global") != 0 &&
			strcmp(names->items[i].text, "local") != 0))
			sf_config_die(config, &names->items[i],
			    "'attention_types': expected global or local");
	return n;
}

static void
check_types(const struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "attention_types";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t n = v == NULL ? 24 : 0;

	if (v != NULL && v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'%s': expected a list", key);
	for (size_t i = 0; v != NULL && i < v->nitems; i++)
		if (!sf_add(n, count_layers(config, &v->items[i]), &n))
			sf_config_die(config, v, "'%s' is too long", key);
	if (n != arch->layers)
		sf_config_die(config, v != NULL ? v : &config->root,
		    "'%s' is for %lld layers, expected %lld", key, (long long)n,
		    (long long)arch->layers);
}

void
sf_gpt_neo_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	int64_t wide;

	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->heads = sf_field_size(config, "num_heads", "num_attention_heads");
	sf_arch_read_layers(
	    arch, config, "num_layers", "num_hidden_layers", arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions =
	    sf_field_size(config, "max_position_embeddings", NULL);
	sf_arch_own_heads(
	    arch, config, &config->root, "num_heads", "hidden_size");
	if (!sf_mul(arch->hidden, 4, &wide))
		sf_config_die(config, &config->root,
		    "'hidden_size' is %lld, which is too large",
		    (long long)arch->hidden);
	arch->inner = sf_field_size_or(config, "intermediate_size", NULL, wide);
	arch->mlp_bias = true;
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "activation_function");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	check_types(arch, config);
	sf_arch_read_windows(arch, config);
}
