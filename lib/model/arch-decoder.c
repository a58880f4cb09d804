/* The configuration of a decoder, as its family's traits have it. */
#include <math.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/rotary.h"

/* heads times head_dim, which must not be what overflows. */
static int64_t
head_product(
    const struct sf_config *config, const char *key, int64_t heads, int64_t dim)
{
	int64_t size;

	if (!sf_mul(heads, dim, &size))
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' times 'head_dim' is more than 2^63-1", key);
	return size;
}

/* Sets head_dim; without OTHERWISE it is hidden_size over heads. */
static void
read_head_dim(
    struct sf_arch *arch, const struct sf_config *config, int64_t otherwise)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "head_dim");

	if (v == NULL && otherwise == 0 && arch->hidden % arch->heads != 0 &&
	    !arch->family->rounds_heads)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_attention_heads"),
		    "'num_attention_heads' is %lld, which does not divide the "
		    "%lld of 'hidden_size', and there is no 'head_dim'",
		    (long long)arch->heads, (long long)arch->hidden);
	if (otherwise == 0 || sf_field_is_null(config, "head_dim"))
		otherwise = arch->hidden / arch->heads;
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, otherwise);
	if (arch->family->whole_heads &&
	    (arch->head_dim != arch->hidden / arch->heads ||
		arch->hidden % arch->heads != 0))
		sf_config_die(config, v,
		    "'head_dim' is %lld, but %s has the %lld of 'hidden_size' "
		    "over 'num_attention_heads'",
		    (long long)arch->head_dim, arch->family->model_type,
		    (long long)(arch->hidden / arch->heads));
	if (arch->head_dim % 2 != 0 && !arch->family->partial_rotary)
		sf_config_die(config, v != NULL ? v : &config->root,
		    "'head_dim' is %lld, expected an even number: rotary "
		    "embedding turns pairs",
		    (long long)arch->head_dim);
}

static void
read_heads(
    struct sf_arch *arch, const struct sf_config *config, int64_t head_dim)
{
	const char *key = "num_key_value_heads";

	arch->heads = sf_field_size(config, "num_attention_heads", NULL);
	arch->kv_heads = sf_field_size_or(
	    config, key, arch->family->kv_heads_field, arch->heads);
	if (arch->heads % arch->kv_heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, which does not divide the %lld of "
		    "'num_attention_heads'",
		    key, (long long)arch->kv_heads, (long long)arch->heads);
	read_head_dim(arch, config, head_dim);
	arch->q_size = head_product(
	    config, "num_attention_heads", arch->heads, arch->head_dim);
	/* It is no larger. */
	arch->kv_size = arch->kv_heads * arch->head_dim;
}

/* A bias that the family has, lacks, or has when the field says so. */
static bool
read_bias(const struct sf_arch *arch, const struct sf_config *config,
    enum sf_bias bias, const char *key)
{
	bool has = bias == SF_BIAS_ALWAYS;

	if (bias == SF_BIAS_FIELD)
		return sf_field_bool_or(config, key, false);
	if (sf_field_bool_or(config, key, has) != has)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %s, but %s always has %s", key,
		    has ? "false" : "true", arch->family->model_type,
		    has ? "biases of q, k and v" : "none");
	return has;
}

static void
read_biases(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_family *f = arch->family;

	if (f->all_bias_field != NULL) {
		arch->qkv_bias = sf_field_bool_or(
		    config, f->all_bias_field, f->all_bias_default);
		arch->o_bias = arch->mlp_bias = arch->qkv_bias;
		return;
	}
	if (f->qkv_bias_field != NULL)
		arch->qkv_bias = sf_field_bool_or(
		    config, f->qkv_bias_field, f->qkv_bias_default);
	else
		arch->qkv_bias =
		    read_bias(arch, config, f->qkv_bias, "attention_bias");
	if (f->o_bias == SF_BIAS_FIELD)
		arch->o_bias = sf_field_bool_or(config,
		    f->o_bias_field != NULL ? f->o_bias_field
					    : "attention_bias",
		    f->o_bias_default);
	else
		arch->o_bias = f->o_bias == SF_BIAS_ALWAYS;
	arch->mlp_bias = f->mlp_bias == SF_BIAS_ALWAYS;
	if (f->mlp_bias == SF_BIAS_FIELD)
		arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	else if (!arch->mlp_bias)
		sf_field_refuse(
		    config, "mlp_bias", "is true, but the model has none");
}

/* Which layers do not rotate: 0 in the list, or one of several. */
static void
read_unrotated(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "no_rope_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t every =
	    sf_field_size_or(config, "no_rope_layer_interval", NULL, 4);

	if (v != NULL &&
	    (v->type != SF_CONFIG_LIST || (int64_t)v->nitems != arch->layers))
		sf_config_die(config, v,
		    "'%s': expected a list with 0 or 1 for each of %lld layers",
		    key, (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++) {
		const struct sf_config_value *item =
		    v != NULL ? &v->items[i] : NULL;

		if (item != NULL && item->type != SF_CONFIG_NUMBER)
			sf_config_die(
			    config, item, "'%s': expected 0 or 1", key);
		arch->unrotated[i] = item != NULL ? sf_field_means_none(item)
						  : (i + 1) % every == 0;
	}
}

/* How much of a head is rotated where no factor says it. */
static double
rotary_part(const struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_family *f = arch->family;
	double part = f->rotary_part != 0 ? f->rotary_part : 1;

	if (f->rotary_size_field == NULL)
		return part;
	return sf_field_number_or(config, f->rotary_size_field,
		   part * (double)arch->head_dim) /
	    (double)arch->head_dim;
}

static void
read_rotary(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_family *f = arch->family;

	arch->rotary_asks = sf_rotary_asks(config);
	if (f->typed_rotary)
		arch->rotary_scale =
		    sf_rotary_read_type(config, "sliding_attention", false);
	else
		arch->rotary_scale = sf_rotary_read(config, f->partial_rotary);
	arch->rotary_kind = f->typed_rotary ? "sliding_attention_" : "";
	arch->rotary_dim = arch->head_dim;
	if (f->partial_rotary && !f->typed_rotary)
		arch->rotary_dim = sf_int_nearest((double)arch->head_dim *
		    sf_rotary_part(config,
			f->rotary_field != NULL ? f->rotary_field
						: "partial_rotary_factor",
			rotary_part(arch, config)));
	if (f->rounds_heads)
		arch->rotary_dim =
		    sf_add_most(arch->rotary_dim, arch->rotary_dim % 2);
	/* Where types of layers have parts of their own, they are read later. */
	if (!(f->partial_rotary && f->typed_rotary) &&
	    (arch->rotary_dim % 2 != 0 || arch->rotary_dim > arch->head_dim ||
		arch->rotary_dim == 0))
		sf_config_die(config, &config->root,
		    "'partial_rotary_factor' leaves %lld of the %lld of a head "
		    "to rotate, expected an even number of them",
		    (long long)arch->rotary_dim, (long long)arch->head_dim);
	if (f->skips_rotary)
		read_unrotated(arch, config);
	if (f->sections)
		sf_rotary_read_sections(config, arch->sections);
	if (f->heats)
		sf_rotary_read_heat(config, &arch->heat, &arch->heat_tokens);
}

static void
read_scales(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_family *f = arch->family;
	const struct sf_config_value *v;

	if (f->multiplies) {
		arch->embed_scale =
		    sf_field_number_or(config, "embedding_multiplier", 1);
		arch->residual_scale =
		    sf_field_number_or(config, "residual_multiplier", 1);
		arch->logits_scale =
		    sf_field_number_or(config, "logits_scaling", 1);
		arch->attention_scale = sf_field_number_or(config,
		    "attention_multiplier", f->multiplies_logits ? 0 : 1);
	}
	if (sf_family_understands(f, "logit_scale"))
		arch->logits_factor =
		    sf_field_number_or(config, "logit_scale", 0.0625);
	if (sf_family_understands(f, "query_pre_attn_scalar"))
		arch->attention_scale = 1 /
		    sqrt(sf_field_number_or(
			config, "query_pre_attn_scalar", 256));
	if (!sf_family_understands(f, "final_logit_softcapping") ||
	    sf_field_is_null(config, "final_logit_softcapping"))
		return;
	v = sf_field_find(&config->root, "final_logit_softcapping");
	arch->softcap = v != NULL ? sf_field_number(config, v) : f->softcap;
}

/* The layers without a window, whose rotary embedding is another. */
static void
read_full(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_arch *full = sf_arena_alloc(arena, sizeof *full);

	*full = *arch;
	full->rotary_scale =
	    sf_rotary_read_type(config, "full_attention", true);
	full->rotary_kind = "full_attention_";
	arch->full = full;
}

void
sf_decoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const struct sf_family *f = arch->family;

	if (f->needs_kv_heads &&
	    sf_field_find(&config->root, "num_key_value_heads") == NULL)
		sf_field_missing(
		    config, "num_key_value_heads", "a whole number >= 1");
	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	if (f->inner != 0)
		arch->inner = sf_field_size_or(
		    config, "intermediate_size", NULL, f->inner);
	else if (!f->blocks)
		arch->inner = sf_field_size(config, "intermediate_size", NULL);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	read_heads(arch, config, arch->family->head_dim);
	arch->activation = f->act;
	if (!f->ignores_act)
		sf_arch_read_activation(arch, config,
		    f->act_field != NULL ? f->act_field : "hidden_act");
	read_rotary(arch, config);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", f->tied);
	read_biases(arch, config);
	arch->qk_norms = sf_field_bool_or(config, "use_qk_norm", false);
	arch->no_post_norms = sf_family_understands(f, "use_post_norm") &&
	    !sf_field_bool_or(config, "use_post_norm", true);
	if (f->parallel_field == NULL ||
	    sf_field_bool_or(config, f->parallel_field, false))
		arch->parallel = f->parallel;
	read_scales(arch, config);
	sf_arch_read_windows(arch, config);
	sf_arch_read_experts(arch, config);
	if (f->typed_rotary)
		read_full(arch, config, arena);
	if (f->blocks)
		sf_arch_read_blocks(arch, config, arena);
}
