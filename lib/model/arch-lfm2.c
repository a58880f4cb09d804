/* The configuration of LFM2. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

/* Two thirds of it, times a number, rounded up to a multiple of another. */
static void
adjust_width(struct sf_arch *arch, const struct sf_config *config)
{
	const char *times = "block_ffn_dim_multiplier";
	int64_t of = sf_field_size_or(config, "block_multiple_of", NULL, 256);
	double width = (double)(int64_t)(2 * (double)arch->inner / 3);

	if (!sf_field_bool_or(config, "block_auto_adjust_ff_dim", true))
		return;
	if (!sf_field_is_null(config, times)) {
		width *= sf_field_number_or(config, times, 1);
		if (!(width >= 1 && width < 0x1p53 && of < 1LL << 53))
			sf_config_die(config, &config->root,
			    "'%s' and 'block_multiple_of' make no width of "
			    "an MLP",
			    times);
		arch->inner = ((int64_t)width + of - 1) / of * of;
		return;
	}
	if (width < 1)
		sf_config_die(config, &config->root,
		    "'intermediate_size' leaves no width of an MLP");
	arch->inner = (int64_t)width;
}

/* The layers behind the first ones have experts. */
static void
read_experts(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_dense_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t first = 2;

	if (v != NULL &&
	    (v->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(v->text, strlen(v->text), &first) || first < 0))
		sf_config_die(
		    config, v, "'%s': expected a whole number >= 0", key);
	arch->norm_top_k = sf_field_bool_or(config, "norm_topk_prob", true);
	arch->corrects = sf_field_bool_or(config, "use_expert_bias", true);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = i >= first;
}

void
sf_lfm2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_ssm *s = sf_arena_calloc(arena, 1, sizeof *s);

	sf_decoder_read(arch, config, arena);
	arch->ssm = s;
	if (sf_field_find(&config->root, "block_ff_dim") != NULL)
		arch->inner = sf_field_size(config, "block_ff_dim", NULL);
	else
		arch->inner = sf_field_size(config, "intermediate_size", NULL);
	arch->tied = sf_field_bool_or(config, "tie_embedding", arch->tied);
	arch->epsilon = sf_field_number_or(config, "norm_eps", 1e-5);
	s->kernel = sf_field_size_or(config, "conv_L_cache", NULL, 3);
	s->conv_bias = sf_field_bool_or(config, "conv_bias", false);
	s->plain = true;
	s->kinds =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof *s->kinds);
	for (int64_t i = 0; i < arch->layers; i++)
		s->kinds[i] = SF_LAYER_ATTENTION;
	if (!sf_arch_read_kind_names(arch, config, "layer_types", s->kinds))
		sf_arch_read_kind_numbers(
		    arch, config, "full_attn_idxs", s->kinds);
	if (arch->family->router == SF_ROUTER_NONE)
		adjust_width(arch, config);
	else
		read_experts(arch, config);
}
