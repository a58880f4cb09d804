/* From a config.json to an architecture. */
#include "model/arch.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/near.h"
#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/whole.h"

/* More layers than this are a mistake, not a model. */
enum {
	MAX_LAYERS = 10000
};

/* ---- what all models have ---- */

void
sf_arch_read_activation(
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
		{ "relu2", SF_ACT_RELU_SQUARED },
		{ "quick_gelu", SF_ACT_QUICK_GELU },
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
		    "gelu_pytorch_tanh, relu, relu2 or quick_gelu",
		    key, name);
}

static void
check_times(const struct sf_config *config, const char *key, int64_t times)
{
	if (times > MAX_LAYERS || times < 1)
		sf_config_die(config, &config->root,
		    "'%s' is %lld, expected at most %d", key, (long long)times,
		    MAX_LAYERS);
}

int64_t
sf_arch_times_or(
    const struct sf_config *config, const char *key, int64_t otherwise)
{
	int64_t times = sf_field_size_or(config, key, NULL, otherwise);

	check_times(config, key, times);
	return times;
}

void
sf_arch_set_layers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t layers, struct sf_arena *arena)
{
	arch->layers = layers;
	check_times(config, key, layers);
	arch->sliding = sf_arena_calloc(arena, (size_t)layers, sizeof(bool));
	arch->unrotated = sf_arena_calloc(arena, (size_t)layers, sizeof(bool));
	arch->routed = sf_arena_calloc(arena, (size_t)layers, sizeof(bool));
}

void
sf_arch_own_heads(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *at, const char *heads, const char *hidden)
{
	if (arch->hidden % arch->heads != 0)
		sf_config_die(config, at,
		    "'%s' is %lld, which does not divide the %lld of '%s'",
		    heads, (long long)arch->heads, (long long)arch->hidden,
		    hidden);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
}

int64_t
sf_arch_product(
    const struct sf_config *config, const char *key, int64_t x, int64_t y)
{
	int64_t all;

	if (!sf_mul(x, y, &all))
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is too large", key);
	return all;
}

void
sf_arch_check_names(const struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *v)
{
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems != arch->layers)
		sf_config_die(config, v,
		    "'%s': expected a list with a name for each of %lld layers",
		    v->key, (long long)arch->layers);
}

void
sf_arch_read_layers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *other, struct sf_arena *arena)
{
	sf_arch_set_layers(
	    arch, config, key, sf_field_size(config, key, other), arena);
}

void
sf_arch_read_layers_or(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t otherwise, struct sf_arena *arena)
{
	sf_arch_set_layers(arch, config, key,
	    sf_field_size_or(config, key, NULL, otherwise), arena);
}

double
sf_arch_scale(const struct sf_arch *arch, int64_t layer)
{
	double scale = arch->attention_scale != 0 ? arch->attention_scale
	    : arch->unscaled                      ? 1
			     : 1 / sqrt((double)arch->head_dim);

	return arch->scales_layers ? scale / (double)(layer + 1) : scale;
}

/* ---- checks of the whole ---- */

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* What the classes with a head end in, and what they are for a message. */
struct heads {
	const char *ends[3]; /* NULL: none */
	const char *what;
};

static struct heads
heads_of(const struct sf_family *family)
{
	if (family->encoder != SF_ENCODER_NONE)
		return (
		    struct heads){ { "ForMaskedLM", "ForSequenceClassification",
				       "ForTokenClassification" },
			"a masked language model, a classifier of sequences or "
			"tokens" };
	if (family->input == SF_INPUT_IMAGE)
		return (struct heads){ { "ForImageClassification" },
			"an image classifier" };
	if (family->input == SF_INPUT_PAIR || family->input == SF_INPUT_AUDIO)
		return (
		    struct heads){ { "ForConditionalGeneration", "MTModel" },
			"one with a language model's head" };
	return (struct heads){ { "ForCausalLM", "LMHeadModel" },
		"a causal language model" };
}

static enum sf_classifier_kind
classes_of(const char *name)
{
	if (ends_in(name, "ForSequenceClassification"))
		return SF_CLASSES_SEQUENCE;
	return ends_in(name, "ForTokenClassification") ? SF_CLASSES_TOKENS
						       : SF_CLASSES_NONE;
}

void
sf_arch_read_labels(
    struct sf_arch *arch, const struct sf_config *config, int64_t otherwise)
{
	const char *key = "num_labels";
	const struct sf_config_value *names =
	    sf_field_find(&config->root, "id2label");

	if (names != NULL && names->type == SF_CONFIG_OBJECT &&
	    names->nitems != 0) {
		arch->labels = (int64_t)names->nitems;
		return;
	}
	arch->labels = sf_field_size_or(config, key, NULL, otherwise);
	arch->labels_assumed = sf_field_find(&config->root, key) == NULL &&
	    (arch->classes != SF_CLASSES_NONE ||
		(arch->family->input == SF_INPUT_IMAGE && !arch->headless));
}

static bool
has_head(const struct heads *heads, const char *name)
{
	for (int i = 0; i < 3 && heads->ends[i] != NULL; i++)
		if (strstr(name, heads->ends[i]) != NULL)
			return true;
	return false;
}

/*
 * The class that the weights are for: the one with the family's head, or the
 * base model, which has none.
 */
static void
read_class(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "architectures");
	struct heads heads = heads_of(arch->family);

	arch->headless = arch->family->encoder != SF_ENCODER_NONE ||
	    arch->family->input == SF_INPUT_IMAGE;
	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'architectures': expected a list");
	for (size_t i = 0; i < v->nitems; i++) {
		const char *name =
		    v->items[i].type == SF_CONFIG_STR ? v->items[i].text : "?";
		bool head = has_head(&heads, name);

		arch->headless = !head;
		if (arch->family->encoder != SF_ENCODER_NONE)
			arch->classes = classes_of(name);
		if (!head &&
		    (!ends_in(name, "Model") || ends_in(name, "LMHeadModel") ||
			ends_in(name, "DoubleHeadsModel")))
			sf_config_die(config, &v->items[i],
			    "'architectures' has '%s', expected %s or the base "
			    "model",
			    name, heads.what);
	}
}

static void
check_supported(const struct sf_config *config, const struct sf_family *family)
{
	static const char *const keys[] = {
#define SF_UNSUPPORTED(key) key,
#include "model/unsupported.def"
#undef SF_UNSUPPORTED
	};
	static const char *const kernels[] = { "attn_implementation",
		"_attn_implementation" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!sf_family_understands(family, keys[i]))
			sf_field_refuse(config, keys[i],
			    "changes what PyTorch runs in a way that is not "
			    "supported");
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

/* Heads for tokens further on, whose layers are no part of a forward pass. */
static void
read_more_heads(struct sf_arch *arch, const struct sf_config *config)
{
	static const char *const keys[] = { "num_nextn_predict_layers",
		"num_mtp_layers", "mtp_num_hidden_layers" };
	const struct sf_config_value *v;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		v = sf_field_find(&config->root, keys[i]);
		if (v != NULL && !sf_field_means_none(v))
			arch->more_heads = sf_arch_times_or(config, keys[i], 1);
	}
}

/* The head is the whole model's, which says whether it is tied. */
static void
read_outer_head(struct sf_arch *arch, const struct sf_config *whole)
{
	const char *type = sf_field_text(whole, &whole->root, "model_type");

	arch->text_part = true;
	arch->whole = type != NULL ? sf_whole_find(type) : NULL;
	arch->tied = sf_field_bool_or(whole, "tie_word_embeddings", arch->tied);
}

void
sf_arch_read(
    struct sf_arch *arch, const struct sf_config *whole, struct sf_arena *arena)
{
	struct sf_config part;
	const struct sf_config *config = sf_whole_text(whole, &part, arena);
	const char *type = sf_field_text(config, &config->root, "model_type");
	struct sf_buf types = { 0 };

	*arch = (struct sf_arch){ .activation = SF_ACT_SILU };
	if (type == NULL)
		sf_field_missing(config, "model_type", sf_family_types(arena));
	arch->family = sf_family_find(type);
	if (arch->family == NULL) {
		sf_buf_printf(&types, "%s", sf_family_types(arena));
		sf_near_put_of(&types, sf_str_of(type));
		sf_config_die(config,
		    sf_field_find(&config->root, "model_type"),
		    "'model_type' is '%s', expected one of %.*s", type,
		    (int)types.n, types.p);
	}
	read_class(arch, config);
	check_supported(config, arch->family);
	if (config != whole)
		sf_quant_read_part(&arch->quant, whole, config);
	else
		sf_quant_read(&arch->quant, config);
	read_more_heads(arch, config);
	arch->family->read(arch, config, arena);
	sf_arch_sum_windows(arch);
	arch->head_bias = arch->head_bias || arch->family->head_bias;
	if (arch->family->head_bias_field != NULL)
		arch->head_bias = sf_field_bool_or(
		    config, arch->family->head_bias_field, false);
	if (config != whole)
		read_outer_head(arch, whole);
}
