/* Configurations of layers with states. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

static void
read_common(struct sf_arch *arch, const struct sf_config *config,
    struct sf_ssm *s, bool float_residual)
{
	arch->ssm = s;
	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->epsilon = sf_field_number_or(config, "layer_norm_epsilon", 1e-5);
	s->kernel = sf_field_size_or(config, "conv_kernel", NULL, 4);
	s->bias = sf_field_bool_or(config, "use_bias", false);
	s->conv_bias = sf_field_bool_or(config, "use_conv_bias", true);
	s->float_residual =
	    sf_field_bool_or(config, "residual_in_fp32", float_residual);
}

/* Inputs, and what of the state is made of them, in each of the groups. */
static void
check_convolution(
    const struct sf_config *config, const char *key, const struct sf_ssm *s)
{
	int64_t all;

	if (!sf_mul(s->state, s->groups, &all) || !sf_mul(all, 2, &all) ||
	    !sf_add(all, s->inner, &all) || !sf_add(all, s->inner, &all) ||
	    !sf_add(all, s->heads, &all))
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is too large", key);
}

/* The rank of the time step, a sixteenth of the hidden size by itself. */
static int64_t
read_rank(const struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "time_step_rank";
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL ||
	    (v->type == SF_CONFIG_STR && strcmp(v->text, "auto") == 0))
		return arch->hidden / 16 + (arch->hidden % 16 != 0);
	return sf_field_size(config, key, NULL);
}

void
sf_mamba_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_ssm *s = sf_arena_calloc(arena, 1, sizeof *s);
	int64_t expand = sf_field_size_or(config, "expand", NULL, 2);

	read_common(arch, config, s, true);
	sf_arch_read_layers(
	    arch, config, "num_hidden_layers", "n_layer", arena);
	sf_arch_read_activation(arch, config, "hidden_act");
	s->activation = arch->activation;
	arch->tied =
	    sf_field_bool_or(config, "tie_word_embeddings", arch->family->tied);
	sf_field_refuse(config, "use_mambapy",
	    "changes what PyTorch runs in a way that is not supported");
	s->inner = sf_arch_product(config, "expand", expand, arch->hidden);
	s->state = sf_field_size_or(config, "state_size", NULL,
	    arch->family->mixer == SF_MIXER_MAMBA2 ? 128 : 16);
	if (arch->family->mixer != SF_MIXER_MAMBA2) {
		s->rank = read_rank(arch, config);
		sf_arch_product(config, "expand", s->inner, 2);
		check_convolution(config, "state_size",
		    &(struct sf_ssm){
			.state = s->state, .groups = 1, .heads = s->rank });
		return;
	}
	s->heads = sf_field_size_or(config, "num_heads", NULL, 128);
	s->head_dim = sf_field_size_or(config, "head_dim", NULL, 64);
	s->groups = sf_field_size_or(config, "n_groups", NULL, 8);
	s->chunk = sf_field_size_or(config, "chunk_size", NULL, 256);
	if (sf_arch_product(config, "num_heads", s->heads, s->head_dim) !=
		s->inner ||
	    s->heads % s->groups != 0)
		sf_config_die(config, sf_field_find(&config->root, "num_heads"),
		    "'num_heads' is %lld of %lld, expected %lld in all and a "
		    "multiple of the %lld of 'n_groups'",
		    (long long)s->heads, (long long)s->head_dim,
		    (long long)s->inner, (long long)s->groups);
	check_convolution(config, "state_size", s);
}

/* ---- Nemotron-H ---- */

static const struct {
	const char *name;
	char letter;
	enum sf_layer_kind kind;
} layer_names[] = {
	{ "linear_attention", 'M', SF_LAYER_STATES },
	{ "mamba", 'M', SF_LAYER_STATES },
	{ "full_attention", '*', SF_LAYER_ATTENTION },
	{ "attention", '*', SF_LAYER_ATTENTION },
	{ "mlp", '-', SF_LAYER_MLP },
	{ "moe", 'E', SF_LAYER_EXPERTS },
};

/* The kind that NAME, or a single LETTER, stands for. */
static enum sf_layer_kind
kind_of(const struct sf_config *config, const struct sf_config_value *v,
    const char *name, char letter)
{
	for (size_t i = 0; i < sizeof layer_names / sizeof *layer_names; i++)
		if (name != NULL ? strcmp(name, layer_names[i].name) == 0
				 : letter == layer_names[i].letter)
			return layer_names[i].kind;
	sf_config_die(config, v,
	    "'%s': expected layers of mamba, attention, mlp or moe, or M, *, - "
	    "or E",
	    v->key);
}

static void
read_kinds(struct sf_arch *arch, const struct sf_config *config,
    struct sf_ssm *s, struct sf_arena *arena)
{
	const char *pattern = NULL;
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layers_block_type");
	int64_t n;

	if (v == NULL)
		v = sf_field_find(&config->root, "layer_types");
	if (v == NULL) {
		v = sf_field_find(&config->root, "hybrid_override_pattern");
		pattern = sf_field_text(
		    config, &config->root, "hybrid_override_pattern");
	}
	if (v == NULL || (pattern == NULL && v->type != SF_CONFIG_LIST))
		sf_field_missing(
		    config, "layers_block_type", "a list of layers");
	n = pattern != NULL ? (int64_t)strlen(pattern) : (int64_t)v->nitems;
	sf_arch_set_layers(arch, config, v->key, n, arena);
	s->kinds = sf_arena_calloc(arena, (size_t)n, sizeof *s->kinds);
	for (int64_t i = 0; i < n; i++) {
		const struct sf_config_value *item =
		    pattern != NULL ? NULL : &v->items[i];

		if (item != NULL && item->type != SF_CONFIG_STR)
			sf_config_die(config, item, "expected a name");
		s->kinds[i] =
		    kind_of(config, v, item != NULL ? item->text : NULL,
			item != NULL ? '\0' : pattern[i]);
		arch->routed[i] = s->kinds[i] == SF_LAYER_EXPERTS;
	}
}

static void
read_heads(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_key_value_heads";

	arch->heads = sf_field_size_or(config, "num_attention_heads", NULL, 32);
	arch->kv_heads = sf_field_size_or(
	    config, key, NULL, sf_field_is_null(config, key) ? arch->heads : 8);
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, 128);
	if (arch->heads % arch->kv_heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, which does not divide the %lld of "
		    "'num_attention_heads'",
		    key, (long long)arch->kv_heads, (long long)arch->heads);
	arch->q_size = sf_arch_product(
	    config, "num_attention_heads", arch->heads, arch->head_dim);
	arch->kv_size = arch->kv_heads * arch->head_dim;
}

static void
read_experts(
    struct sf_arch *arch, const struct sf_config *config, struct sf_ssm *s)
{
	arch->experts = sf_field_size_or(config, "n_routed_experts", NULL, 8);
	arch->top_k = sf_field_size_or(config, "num_experts_per_tok", NULL, 2);
	arch->expert_inner =
	    sf_field_size_or(config, "moe_intermediate_size", NULL, 7688);
	s->shared = sf_field_size_or(
	    config, "moe_shared_expert_intermediate_size", NULL, 7688);
	s->latent = sf_field_size_or(config, "moe_latent_size", NULL, 0);
	arch->expert_width = s->latent;
	arch->norm_top_k = sf_field_bool_or(config, "norm_topk_prob", true);
	sf_arch_read_groups(arch, config, 1, 1);
}

void
sf_nemotron_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_ssm *s = sf_arena_calloc(arena, 1, sizeof *s);

	read_common(arch, config, s, false);
	s->group_norms = true;
	s->float_residual = false; /* the class has the field and no code */
	read_kinds(arch, config, s, arena);
	read_heads(arch, config);
	arch->inner =
	    sf_field_size_or(config, "intermediate_size", NULL, 21504);
	arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
	sf_arch_read_activation(arch, config, "mamba_hidden_act");
	s->activation = arch->activation;
	arch->activation = SF_ACT_RELU_SQUARED;
	sf_arch_read_activation(arch, config, "mlp_hidden_act");
	s->heads = sf_field_size_or(config, "mamba_num_heads", NULL, 128);
	s->head_dim = sf_field_size_or(config, "mamba_head_dim", NULL, 64);
	s->state = sf_field_size_or(config, "ssm_state_size", NULL, 128);
	s->groups = sf_field_size_or(config, "n_groups", NULL, 8);
	s->chunk = sf_field_size_or(config, "chunk_size", NULL, 128);
	s->inner =
	    sf_arch_product(config, "mamba_num_heads", s->heads, s->head_dim);
	if (s->heads % s->groups != 0)
		sf_config_die(config, sf_field_find(&config->root, "n_groups"),
		    "'n_groups' is %lld, which does not divide the %lld of "
		    "'mamba_num_heads'",
		    (long long)s->groups, (long long)s->heads);
	check_convolution(config, "ssm_state_size", s);
	if (sf_arch_has_experts(arch))
		read_experts(arch, config, s);
}
