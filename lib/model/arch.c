/* From a config.json to an architecture. */
#include "model/arch.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/die.h"
#include "base/num.h"
#include "model/fields.h"
#include "model/rotary.h"

/* More layers than this are a mistake, not a model. */
enum {
	MAX_LAYERS = 10000
};

/* ---- what all models have ---- */

static void
read_activation(
    struct sf_arch *arch, const struct sf_config *config, const char *key)
{
	static const struct {
		const char *name;
		enum sf_activation activation;
	} known[] = {
		{ "silu", SF_ACT_SILU },
		{ "swish", SF_ACT_SILU },
		{ "gelu", SF_ACT_GELU },
		{ "gelu_new", SF_ACT_GELU_NEW },
		{ "gelu_pytorch_tanh", SF_ACT_GELU_TANH },
		{ "relu", SF_ACT_RELU },
	};
	const char *name = sf_field_text(config, &config->root, key);

	for (size_t i = 0; i < sizeof known / sizeof *known && name != NULL;
	     i++)
		if (strcmp(known[i].name, name) == 0) {
			arch->activation = known[i].activation;
			return;
		}
	if (name != NULL)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is '%s', expected silu, swish, gelu, gelu_new, "
		    "gelu_pytorch_tanh or relu",
		    key, name);
}

static void
read_layers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *other, struct sf_arena *arena)
{
	arch->layers = sf_field_size(config, key, other);
	if (arch->layers > MAX_LAYERS)
		sf_config_die(config, &config->root,
		    "'%s' is %lld, expected at most %d", key,
		    (long long)arch->layers, MAX_LAYERS);
	arch->sliding =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof(bool));
}

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

/* ---- layer types ---- */

static void
set_windows(struct sf_arch *arch, int64_t from)
{
	for (int64_t i = from; i < arch->layers; i++)
		arch->sliding[i] = true;
}

/* Sets the layers' kinds from 'layer_types'; false when it is absent. */
static bool
read_layer_types(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layer_types");

	if (v == NULL)
		return false;
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems != arch->layers)
		sf_config_die(config, v,
		    "'layer_types': expected a list with a name for each of "
		    "%lld layers",
		    (long long)arch->layers);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];
		const char *name =
		    item->type == SF_CONFIG_STR ? item->text : "";

		arch->sliding[i] = strcmp(name, "sliding_attention") == 0;
		if (arch->sliding[i] && arch->window == 0)
			sf_config_die(config, item,
			    "'layer_types' has sliding_attention, but no "
			    "sliding window is in use");
		if (!arch->sliding[i] && strcmp(name, "full_attention") != 0)
			sf_config_die(config, item,
			    "'layer_types' has '%s', expected full_attention "
			    "or sliding_attention",
			    name);
	}
	return true;
}

static void
sum_windows(struct sf_arch *arch)
{
	arch->all_sliding = true;
	for (int64_t i = 0; i < arch->layers; i++) {
		arch->any_sliding = arch->any_sliding || arch->sliding[i];
		arch->all_sliding = arch->all_sliding && arch->sliding[i];
	}
}

int64_t
sf_arch_window(const struct sf_arch *arch, int64_t layer)
{
	return arch->sliding[layer] ? arch->window : 0;
}

double
sf_arch_scale(const struct sf_arch *arch, int64_t layer)
{
	double scale = arch->unscaled ? 1 : 1 / sqrt((double)arch->head_dim);

	return arch->scales_layers ? scale / (double)(layer + 1) : scale;
}

static int64_t
read_window(const struct sf_config *config)
{
	const struct sf_config_value *v;
	int64_t window = sf_field_size_or(config, "sliding_window", NULL, 4096);

	v = sf_field_find(&config->root, "sliding_window");
	if (window < 2)
		sf_config_die(
		    config, v, "'sliding_window' is 1, expected at least 2");
	return window;
}

/* True when the member is there and is null. */
static bool
is_null(const struct sf_config *config, const char *key)
{
	for (size_t i = 0; i < config->root.nitems; i++)
		if (strcmp(config->root.items[i].key, key) == 0)
			return config->root.items[i].type == SF_CONFIG_NULL;
	return false;
}

/* ---- the families ---- */

static void
read_decoder(struct sf_arch *arch, const struct sf_config *config,
    int64_t head_dim, struct sf_arena *arena)
{
	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->inner = sf_field_size(config, "intermediate_size", NULL);
	read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	read_heads(arch, config, head_dim);
	read_activation(arch, config, "hidden_act");
	arch->rotary_scale = sf_rotary_read(config);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
}

static void
read_llama(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	read_decoder(arch, config, 0, arena);
	arch->qkv_bias = arch->o_bias =
	    sf_field_bool_or(config, "attention_bias", false);
	arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	sf_field_refuse(config, "sliding_window",
	    "is set, but llama has no sliding window");
	read_layer_types(arch, config);
}

/* Biases that the model has or lacks whatever its configuration says. */
static void
check_biases(const struct sf_config *config, const char *type, bool has)
{
	const char *key = "attention_bias";

	if (sf_field_bool_or(config, key, has) != has)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %s, but %s always has %s", key,
		    has ? "false" : "true", type,
		    has ? "biases of q, k and v" : "none");
	sf_field_refuse(config, "mlp_bias", "is true, but the model has none");
}

static void
need_kv_heads(const struct sf_config *config)
{
	if (sf_field_find(&config->root, "num_key_value_heads") == NULL)
		sf_field_missing(
		    config, "num_key_value_heads", "a whole number >= 1");
}

static void
read_mistral(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	need_kv_heads(config);
	read_decoder(arch, config, 0, arena);
	check_biases(config, "mistral", false);
	if (!is_null(config, "sliding_window"))
		arch->window = read_window(config);
	if (arch->window != 0)
		set_windows(arch, 0);
	sf_field_refuse(config, "layer_types",
	    "is set for mistral, whose "
	    "layers are all of one type");
}

/* Which layers of a Qwen have a window. */
static void
read_qwen_windows(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "max_window_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t from = 28;

	if (sf_field_bool_or(config, "use_sliding_window", false) &&
	    !is_null(config, "sliding_window"))
		arch->window = read_window(config);
	if (read_layer_types(arch, config) || arch->window == 0)
		return;
	/* It may be 0, which is no size. */
	if (v != NULL &&
	    (v->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(v->text, strlen(v->text), &from) || from < 0))
		sf_config_die(
		    config, v, "'%s': expected a whole number >= 0", key);
	set_windows(arch, from);
}

static void
read_qwen2(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	need_kv_heads(config);
	read_decoder(arch, config, 0, arena);
	check_biases(config, "qwen2", true);
	arch->qkv_bias = true;
	read_qwen_windows(arch, config);
}

static void
read_qwen3(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	need_kv_heads(config);
	read_decoder(arch, config, 128, arena);
	arch->qk_norm = true;
	arch->qkv_bias = arch->o_bias =
	    sf_field_bool_or(config, "attention_bias", false);
	sf_field_refuse(config, "mlp_bias", "is true, but the model has none");
	read_qwen_windows(arch, config);
}

static void
read_gpt2(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	int64_t wide, all;

	arch->hidden = sf_field_size(config, "n_embd", "hidden_size");
	arch->heads = sf_field_size(config, "n_head", "num_attention_heads");
	read_layers(arch, config, "n_layer", "num_hidden_layers", arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions =
	    sf_field_size(config, "n_positions", "max_position_embeddings");
	if (arch->hidden % arch->heads != 0)
		sf_config_die(config, &config->root,
		    "'n_head' is %lld, which does not divide the %lld of "
		    "'n_embd'",
		    (long long)arch->heads, (long long)arch->hidden);
	if (!sf_mul(arch->hidden, 4, &wide) || !sf_mul(arch->hidden, 3, &all))
		sf_config_die(config, &config->root,
		    "'n_embd' is %lld, which is too large",
		    (long long)arch->hidden);
	arch->inner = sf_field_size_or(config, "n_inner", NULL, wide);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	arch->activation = SF_ACT_GELU_NEW;
	read_activation(arch, config, "activation_function");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->unscaled = !sf_field_bool_or(config, "scale_attn_weights", true);
	arch->scales_layers =
	    sf_field_bool_or(config, "scale_attn_by_inverse_layer_idx", false);
	sf_field_refuse(
	    config, "sliding_window", "is set, but gpt2 has no sliding window");
	read_layer_types(arch, config);
}

static const struct sf_family families[] = {
	{ "gpt2", read_gpt2, sf_gpt2_run, false, false },
	{ "llama", read_llama, sf_llama_run, false, false },
	{ "mistral", read_mistral, sf_llama_run, false, false },
	{ "qwen2", read_qwen2, sf_llama_run, true, true },
	{ "qwen3", read_qwen3, sf_llama_run, true, true },
};

const char *
sf_arch_types(struct sf_arena *arena)
{
	const char *text = families[0].model_type;

	for (size_t i = 1; i < sizeof families / sizeof *families; i++)
		text = sf_arena_printf(
		    arena, "%s, %s", text, families[i].model_type);
	return text;
}

/* ---- checks of the whole ---- */

/* The class that the weights are for must be the causal language model. */
static void
check_classes(const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "architectures");

	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'architectures': expected a list");
	for (size_t i = 0; i < v->nitems; i++)
		if (v->items[i].type != SF_CONFIG_STR ||
		    (strstr(v->items[i].text, "ForCausalLM") == NULL &&
			strstr(v->items[i].text, "LMHeadModel") == NULL))
			sf_config_die(config, &v->items[i],
			    "'architectures' has '%s', expected a causal "
			    "language model",
			    v->items[i].type == SF_CONFIG_STR ? v->items[i].text
							      : "?");
}

static void
check_supported(const struct sf_config *config)
{
	static const char *const keys[] = {
#define SF_UNSUPPORTED(key) key,
#include "model/unsupported.def"
#undef SF_UNSUPPORTED
	};
	static const char *const kernels[] = { "attn_implementation",
		"_attn_implementation" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		sf_field_refuse(config, keys[i],
		    "changes what PyTorch runs in a way that is not supported");
	for (size_t i = 0; i < 2; i++) {
		const char *name =
		    sf_field_text(config, &config->root, kernels[i]);

		if (name != NULL && strcmp(name, "sdpa") != 0)
			sf_config_die(config,
			    sf_field_find(&config->root, kernels[i]),
			    "'%s' is '%s', expected sdpa", kernels[i], name);
	}
	if (!sf_field_bool_or(config, "is_causal", true))
		sf_config_die(config, sf_field_find(&config->root, "is_causal"),
		    "'is_causal' is false, expected a causal decoder");
}

void
sf_arch_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *type = sf_field_text(config, &config->root, "model_type");

	*arch = (struct sf_arch){ .activation = SF_ACT_SILU };
	if (type == NULL)
		sf_field_missing(config, "model_type", sf_arch_types(arena));
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (strcmp(families[i].model_type, type) == 0)
			arch->family = &families[i];
	if (arch->family == NULL)
		sf_config_die(config,
		    sf_field_find(&config->root, "model_type"),
		    "'model_type' is '%s', expected one of %s", type,
		    sf_arch_types(arena));
	check_classes(config);
	check_supported(config);
	arch->family->read(arch, config, arena);
	sum_windows(arch);
}
