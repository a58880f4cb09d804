/* The configuration of decoders, some of whose layers are Mamba 2's. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

/* The size of a head, which may be what the inner width leaves for each. */
static void
read_heads(const struct sf_config *config, struct sf_ssm *s)
{
	const char *key = "mamba_d_head";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	const char *heads = "mamba_n_heads";

	s->heads = sf_field_size_or(config, heads, NULL, 128);
	s->head_dim = s->inner / s->heads;
	if (v != NULL &&
	    !(v->type == SF_CONFIG_STR && strcmp(v->text, "auto") == 0))
		s->head_dim = sf_field_size_of(config, v, key);
	if (sf_arch_product(config, heads, s->heads, s->head_dim) != s->inner ||
	    s->heads % s->groups != 0)
		sf_config_die(config, sf_field_find(&config->root, heads),
		    "'%s' is %lld of %lld, expected %lld in all and a multiple "
		    "of the %lld of 'mamba_n_groups'",
		    heads, (long long)s->heads, (long long)s->head_dim,
		    (long long)s->inner, (long long)s->groups);
}

static void
read_mixer(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_ssm *s)
{
	int64_t expand = sf_field_size_or(config, "mamba_expand", NULL, 2), all;

	s->inner =
	    sf_arch_product(config, "mamba_expand", expand, arch->hidden);
	s->groups = sf_field_size_or(config, "mamba_n_groups", NULL, 1);
	s->state = sf_field_size_or(config, "mamba_d_state", NULL, 256);
	s->kernel = sf_field_size_or(config, "mamba_d_conv", NULL, 4);
	s->chunk = sf_field_size_or(config, "mamba_chunk_size", NULL, 256);
	s->conv_bias = sf_field_bool_or(config, "mamba_conv_bias", true);
	s->bias = sf_field_bool_or(config, "mamba_proj_bias", false);
	s->activation = arch->activation;
	read_heads(config, s);
	all = sf_arch_product(config, "mamba_d_state", s->state, s->groups);
	all = sf_arch_product(config, "mamba_d_state", all, 4);
	if (!sf_add(all, s->inner, &all) || !sf_add(all, s->inner, &all) ||
	    !sf_add(all, s->heads, &all))
		sf_config_die(config, &config->root,
		    "'mamba_d_state' and 'mamba_expand' are too large");
}

void
sf_hybrid_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_ssm *s = sf_arena_calloc(arena, 1, sizeof *s);
	const char *where =
	    sf_field_text(config, &config->root, "position_embedding_type");

	sf_decoder_read(arch, config, arena);
	arch->ssm = s;
	read_mixer(arch, config, s);
	s->kinds =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof *s->kinds);
	for (int64_t i = 0; i < arch->layers; i++)
		s->kinds[i] = SF_LAYER_STATES;
	if (!arch->family->late_shared) {
		sf_arch_read_kind_numbers(
		    arch, config, "attn_layer_indices", s->kinds);
		return;
	}
	if (!sf_arch_read_kind_names(arch, config, "layer_types", s->kinds))
		sf_arch_read_kind_names(
		    arch, config, "layers_block_type", s->kinds);
	arch->no_rotary = where == NULL || strcmp(where, "rope") != 0;
}
