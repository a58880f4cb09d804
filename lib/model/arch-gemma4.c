/* The configuration of Gemma 4. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/rotary.h"

/* Heads of a kind of layers: how many have keys, and how wide they are. */
static void
set_heads(struct sf_arch *arch, const struct sf_config *config, const char *key,
    const char *dim)
{
	if (arch->heads % arch->kv_heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, which does not divide the %lld of "
		    "'num_attention_heads'",
		    key, (long long)arch->kv_heads, (long long)arch->heads);
	if (arch->head_dim % 2 != 0 ||
	    !sf_mul(arch->heads, arch->head_dim, &arch->q_size))
		sf_config_die(config, sf_field_find(&config->root, dim),
		    "'%s' is %lld, expected an even number that is not too "
		    "large",
		    dim, (long long)arch->head_dim);
	arch->kv_size = arch->kv_heads * arch->head_dim;
	arch->rotary_dim = arch->head_dim;
}

/* layer_types, else all but each sixth have the window; the last has none. */
static void
read_layers(struct sf_arch *arch, const struct sf_config *config)
{
	arch->window = sf_field_size_or(config, "sliding_window", NULL, 512);
	if (arch->window == 1)
		sf_config_die(config,
		    sf_field_find(&config->root, "sliding_window"),
		    "'sliding_window' is 1, expected at least 2");
	if (!sf_arch_read_layer_types(arch, config))
		for (int64_t i = 0; i < arch->layers; i++)
			arch->sliding[i] = (i + 1) % 6 != 0;
	arch->sliding[arch->layers - 1] = false;
}

/* The layers that have no keys, of whose type one before them must be. */
static void
read_shared(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_kv_shared_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t n, first;

	arch->double_wide =
	    sf_field_bool_or(config, "use_double_wide_mlp", false);
	if (v == NULL || sf_field_means_none(v))
		return;
	n = sf_field_size(config, key, NULL);
	first = arch->layers - n;
	for (int64_t i = first; i < arch->layers; i++) {
		bool found = false;

		for (int64_t j = 0; j < first; j++)
			found = found || arch->sliding[j] == arch->sliding[i];
		if (first < 1 || !found)
			sf_config_die(config, v,
			    "'%s' is %lld, which leaves no layer with keys for "
			    "layer %lld",
			    key, (long long)n, (long long)i);
	}
	arch->shared_layers = n;
}

static void
read_experts(struct sf_arch *arch, const struct sf_config *config)
{
	if (!sf_field_bool_or(config, "enable_moe_block", false))
		return;
	arch->experts = sf_field_size(config, "num_experts", NULL);
	arch->top_k = sf_field_size(config, "top_k_experts", NULL);
	arch->expert_inner =
	    sf_field_size(config, "moe_intermediate_size", NULL);
	if (arch->top_k > arch->experts)
		sf_config_die(config,
		    sf_field_find(&config->root, "top_k_experts"),
		    "'top_k_experts' is %lld, expected at most the %lld "
		    "experts",
		    (long long)arch->top_k, (long long)arch->experts);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = true;
}

/* A table of embeddings for each layer, which is there by default. */
static void
read_layer_inputs(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "hidden_size_per_layer_input";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t all;

	if (v != NULL && sf_field_means_none(v))
		return;
	arch->layer_width = sf_field_size_or(config, key, NULL, 256);
	arch->layer_vocab = sf_field_size_or(
	    config, "vocab_size_per_layer_input", NULL, 262144);
	if (!sf_mul(arch->layers, arch->layer_width, &all))
		sf_config_die(config, v, "'%s' is %lld, which is too large",
		    key, (long long)arch->layer_width);
}

/* The layer that a member of per_layer_config is about, one without a window. */
static int64_t
layer_of(const struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *v)
{
	int64_t i = 0;

	if (v->key[0] == '\0' || v->key[strspn(v->key, "0123456789")] != '\0')
		i = arch->layers;
	for (const char *c = v->key; *c != '\0' && i < arch->layers; c++)
		i = 10 * i + (*c - '0');
	if (i >= arch->layers || arch->sliding[i])
		sf_config_die(config, v,
		    "'per_layer_config' has '%s', expected the number of a "
		    "layer of full attention",
		    v->key);
	return i;
}

/* A member of one layer's; the other layers' must say the same. */
static void
read_own(const struct sf_config *config, const struct sf_config_value *layer,
    const char *key, bool first, int64_t otherwise, int64_t *size)
{
	const struct sf_config_value *v = sf_field_find(layer, key);
	int64_t own = v != NULL ? sf_field_size_of(config, v, key) : otherwise;

	if (!first && own != *size)
		sf_config_die(config, v != NULL ? v : layer,
		    "'%s' is %lld and was %lld in a layer before it, expected "
		    "one size in all layers of full attention",
		    key, (long long)own, (long long)*size);
	*size = own;
}

/*
 * What transformers 5.18 writes in place of the global sizes: an object a layer
 * of full attention, by its number, of the fields that are its own.
 */
static void
read_per_layer(struct sf_arch *full, const struct sf_config *config,
    const struct sf_config_value *all, struct sf_arena *arena)
{
	bool *seen = sf_arena_alloc(arena, (size_t)full->layers);
	int64_t kv_heads = full->kv_heads, head_dim = full->head_dim;
	int64_t left = 0;

	for (int64_t i = 0; i < full->layers; i++) {
		left += !full->sliding[i];
		seen[i] = false;
	}
	if (all->type != SF_CONFIG_OBJECT || all->nitems != (size_t)left)
		sf_config_die(config, all,
		    "'per_layer_config': expected an object with a member for "
		    "each of the %lld layers of full attention",
		    (long long)left);
	for (size_t i = 0; i < all->nitems; i++) {
		const struct sf_config_value *own = &all->items[i];
		int64_t layer = layer_of(full, config, own);

		if (seen[layer])
			sf_config_die(config, own,
			    "'per_layer_config' has layer %lld twice",
			    (long long)layer);
		seen[layer] = true;
		if (own->type != SF_CONFIG_OBJECT)
			sf_config_die(config, own,
			    "'per_layer_config' has '%s', expected an object",
			    own->key);
		for (size_t j = 0; j < own->nitems; j++)
			if (strcmp(own->items[j].key, "head_dim") != 0 &&
			    strcmp(own->items[j].key, "num_key_value_heads") !=
				0)
				sf_config_die(config, &own->items[j],
				    "'per_layer_config' has '%s', expected "
				    "head_dim or num_key_value_heads",
				    own->items[j].key);
		read_own(
		    config, own, "head_dim", i == 0, head_dim, &full->head_dim);
		read_own(config, own, "num_key_value_heads", i == 0, kv_heads,
		    &full->kv_heads);
	}
}

/* The layers without a window. */
static void
read_full(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *heads = "num_global_key_value_heads";
	const struct sf_config_value *own =
	    sf_field_find(&config->root, "per_layer_config");
	struct sf_arch *full = sf_arena_alloc(arena, sizeof *full);

	*full = *arch;
	full->keys_are_values =
	    sf_field_bool_or(config, "attention_k_eq_v", false);
	if (own != NULL) {
		read_per_layer(full, config, own, arena);
		heads = "per_layer_config";
	} else {
		full->head_dim =
		    sf_field_size_or(config, "global_head_dim", NULL, 512);
		if (full->keys_are_values)
			full->kv_heads = sf_field_size_or(
			    config, heads, NULL, arch->kv_heads);
	}
	set_heads(full, config, heads,
	    own != NULL ? "per_layer_config" : "global_head_dim");
	full->rotary_scale =
	    sf_rotary_read_type(config, "full_attention", false);
	full->rotary_kind = "full_attention_";
	arch->full = full;
}

/* Text sees no token behind it, whatever images do. */
static void
check_direction(const struct sf_config *config)
{
	const char *key = "use_bidirectional_attention";
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v != NULL &&
	    (v->type != SF_CONFIG_STR || strcmp(v->text, "vision") != 0))
		sf_config_die(config, v, "'%s': expected vision or null", key);
}

void
sf_gemma4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->inner = sf_field_size(config, "intermediate_size", NULL);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->heads = sf_field_size(config, "num_attention_heads", NULL);
	arch->kv_heads = sf_field_size(config, "num_key_value_heads", NULL);
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, 256);
	set_heads(arch, config, "num_key_value_heads", "head_dim");
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, arch->family->act_field);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->qkv_bias = arch->o_bias =
	    sf_field_bool_or(config, "attention_bias", false);
	arch->softcap =
	    sf_field_number_or(config, "final_logit_softcapping", 0);
	arch->unscaled = true;
	arch->router_scale = 1 / sqrt((double)arch->hidden);
	arch->rotary_scale =
	    sf_rotary_read_type(config, "sliding_attention", false);
	arch->rotary_kind = "sliding_attention_";
	check_direction(config);
	read_layers(arch, config);
	read_shared(arch, config);
	read_experts(arch, config);
	read_layer_inputs(arch, config);
	read_full(arch, config, arena);
}
