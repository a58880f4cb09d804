/* The configuration of Llama 4. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

/* The layers that have experts: those of a list, or one of several. */
static void
read_routed(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "moe_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t step =
	    sf_field_size_or(config, "interleave_moe_layer_step", NULL, 1);
	int64_t layer;

	arch->run_all =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof(bool));
	if (v == NULL) {
		for (int64_t i = step - 1; i < arch->layers; i += step)
			arch->run_all[i] = true;
		return;
	}
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'%s': expected a list", key);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];

		if (item->type != SF_CONFIG_NUMBER ||
		    !sf_int_parse(item->text, strlen(item->text), &layer) ||
		    layer < 0)
			sf_config_die(
			    config, item, "expected a whole number >= 0");
		if (layer < arch->layers)
			arch->run_all[layer] = true;
	}
}

/* layer_types, else chunks in the layers that rotate. */
static void
read_chunks(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layer_types");

	arch->chunks = true;
	arch->window =
	    sf_field_size_or(config, "attention_chunk_size", NULL, 8192);
	if (arch->window == 1)
		sf_config_die(config, &config->root,
		    "'attention_chunk_size' is 1, expected at least 2");
	if (v != NULL)
		sf_arch_check_names(arch, config, v);
	for (int64_t i = 0; i < arch->layers; i++) {
		const char *name =
		    v != NULL && v->items[i].type == SF_CONFIG_STR
		    ? v->items[i].text
		    : "";

		arch->sliding[i] = v != NULL
		    ? strcmp(name, "chunked_attention") == 0
		    : !arch->unrotated[i];
		if (v != NULL && !arch->sliding[i] &&
		    strcmp(name, "full_attention") != 0)
			sf_config_die(config, &v->items[i],
			    "'layer_types' has '%s', expected full_attention "
			    "or chunked_attention",
			    name);
	}
}

void
sf_llama4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_decoder_read(arch, config, arena);
	arch->inner =
	    sf_field_size_or(config, "intermediate_size_mlp", NULL, 16384);
	arch->expert_inner = sf_field_size(config, "intermediate_size", NULL);
	arch->experts = sf_field_size_or(config, "num_local_experts", NULL, 16);
	arch->top_k = sf_field_size_or(config, "num_experts_per_tok", NULL, 1);
	if (arch->top_k > arch->experts)
		sf_config_die(config, &config->root,
		    "'num_experts_per_tok' is %lld, expected at most the %lld "
		    "experts",
		    (long long)arch->top_k, (long long)arch->experts);
	arch->qk_norms = sf_field_bool_or(config, "use_qk_norm", true);
	arch->tunes_heat =
	    sf_field_bool_or(config, "attn_temperature_tuning", true);
	read_routed(arch, config, arena);
	read_chunks(arch, config);
}
