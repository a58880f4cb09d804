/* The configuration of a decoder, as its family's traits have it. */
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

	if (v == NULL && otherwise == 0 && arch->hidden % arch->heads != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_attention_heads"),
		    "'num_attention_heads' is %lld, which does not divide the "
		    "%lld of 'hidden_size', and there is no 'head_dim'",
		    (long long)arch->heads, (long long)arch->hidden);
	if (otherwise == 0)
		otherwise = arch->hidden / arch->heads;
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, otherwise);
	if (arch->head_dim % 2 != 0)
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
	arch->kv_heads = sf_field_size_or(config, key, NULL, arch->heads);
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

	if (f->qkv_bias_field != NULL)
		arch->qkv_bias = sf_field_bool_or(
		    config, f->qkv_bias_field, f->qkv_bias_default);
	else
		arch->qkv_bias =
		    read_bias(arch, config, f->qkv_bias, "attention_bias");
	if (f->o_bias == SF_BIAS_FIELD)
		arch->o_bias =
		    sf_field_bool_or(config, "attention_bias", false);
	if (f->mlp_bias == SF_BIAS_FIELD)
		arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	else
		sf_field_refuse(
		    config, "mlp_bias", "is true, but the model has none");
}

void
sf_decoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	if (arch->family->needs_kv_heads &&
	    sf_field_find(&config->root, "num_key_value_heads") == NULL)
		sf_field_missing(
		    config, "num_key_value_heads", "a whole number >= 1");
	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->inner = sf_field_size(config, "intermediate_size", NULL);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	read_heads(arch, config, arch->family->head_dim);
	sf_arch_read_activation(arch, config, "hidden_act");
	arch->rotary_scale = sf_rotary_read(config);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
	read_biases(arch, config);
	sf_arch_read_windows(arch, config);
	sf_arch_read_experts(arch, config);
}
