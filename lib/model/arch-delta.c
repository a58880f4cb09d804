/* Configurations of layers with the gated delta rule. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

/* Layers by name; else one of several attends. */
static void
read_kinds(const struct sf_arch *arch, const struct sf_config *config,
    enum sf_layer_kind *kinds)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layer_types");
	int64_t every =
	    sf_field_size_or(config, "full_attention_interval", NULL, 4);

	if (v != NULL)
		sf_arch_check_names(arch, config, v);
	for (int64_t i = 0; i < arch->layers; i++) {
		const char *name = v == NULL            ? ""
		    : v->items[i].type == SF_CONFIG_STR ? v->items[i].text
							: "";
		bool attends = v != NULL ? strcmp(name, "full_attention") == 0
					 : (i + 1) % every == 0;

		kinds[i] = attends ? SF_LAYER_ATTENTION : SF_LAYER_STATES;
		if (v != NULL && !attends &&
		    strcmp(name, "linear_attention") != 0)
			sf_config_die(config, &v->items[i],
			    "'layer_types' has '%s', expected linear_attention "
			    "or full_attention",
			    name);
	}
}

static void
check_sizes(const struct sf_config *config, const struct sf_delta *d)
{
	const char *key = "linear_num_value_heads";
	int64_t keys, values, all;

	if (d->value_heads % d->key_heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, expected a multiple of the %lld of "
		    "'linear_num_key_heads'",
		    key, (long long)d->value_heads, (long long)d->key_heads);
	if (!sf_mul(d->key_heads, d->key, &keys) ||
	    !sf_mul(d->value_heads, d->value, &values) ||
	    !sf_add(keys, values, &all) || !sf_mul(all, 2, &all))
		sf_config_die(config, &config->root,
		    "the heads of linear attention are too large");
}

void
sf_qwen_next_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_delta *d = sf_arena_calloc(arena, 1, sizeof *d);
	struct sf_ssm *s = sf_arena_calloc(arena, 1, sizeof *s);

	sf_decoder_read(arch, config, arena);
	/* Whatever fields of others say, all layers of Qwen3.5 have experts. */
	for (int64_t i = 0; i < arch->layers && arch->family->norms_top_k; i++)
		arch->routed[i] = true;
	arch->delta = d;
	arch->ssm = s;
	d->key_heads =
	    sf_field_size_or(config, "linear_num_key_heads", NULL, 16);
	d->value_heads =
	    sf_field_size_or(config, "linear_num_value_heads", NULL, 32);
	d->key = sf_field_size_or(config, "linear_key_head_dim", NULL, 128);
	d->value = sf_field_size_or(config, "linear_value_head_dim", NULL, 128);
	d->packed = arch->family->packed_qkv;
	check_sizes(config, d);
	s->kernel = sf_field_size_or(config, "linear_conv_kernel_dim", NULL, 4);
	s->activation = arch->activation;
	s->kinds =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof *s->kinds);
	read_kinds(arch, config, s->kinds);
	if (!sf_field_bool_or(config, "attn_output_gate", true))
		sf_config_die(config,
		    sf_field_find(&config->root, "attn_output_gate"),
		    "'attn_output_gate' is false, but %s has the gate",
		    arch->family->model_type);
}
