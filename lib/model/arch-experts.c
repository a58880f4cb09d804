/* The experts of a configuration. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

static int64_t
whole(const struct sf_config *config, const struct sf_config_value *v)
{
	int64_t x;

	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->text, strlen(v->text), &x) || x < 0)
		sf_config_die(config, v, "expected a whole number >= 0");
	return x;
}

/* A size that may be 0; OTHER is a second name, or NULL. */
static int64_t
size_or_none(const struct sf_config *config, const char *key, const char *other,
    int64_t otherwise)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL && other != NULL)
		v = sf_field_find(&config->root, other);
	return v != NULL ? whole(config, v) : otherwise;
}

/* Layers that have a plain MLP: those of a list, by their numbers. */
static void
read_dense_layers(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "mlp_only_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'%s': expected a list", key);
	for (size_t i = 0; i < v->nitems; i++) {
		int64_t layer = whole(config, &v->items[i]);

		if (layer < arch->layers)
			arch->routed[layer] = false;
	}
}

static void
check_top_k(const struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_experts_per_tok";

	if (arch->top_k > arch->experts)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, expected at most the %lld experts", key,
		    (long long)arch->top_k, (long long)arch->experts);
}

/*
 * Qwen's: experts that are narrower than the MLP, in one layer of STEP. OLMoE's
 * are as wide, in every layer.
 */
static void
read_fine(struct sf_arch *arch, const struct sf_config *config)
{
	bool fine =
	    sf_family_understands(arch->family, "moe_intermediate_size");
	int64_t step = !fine
	    ? 1
	    : sf_field_size_or(config, "decoder_sparse_step", NULL, 1);

	arch->experts =
	    sf_field_size(config, "num_experts", "num_local_experts");
	arch->top_k = sf_field_size(config, "num_experts_per_tok", NULL);
	arch->expert_inner = fine
	    ? sf_field_size(config, "moe_intermediate_size", NULL)
	    : arch->inner;
	if (arch->family->shared_expert)
		arch->shared_inner = sf_field_size(
		    config, "shared_expert_intermediate_size", NULL);
	arch->norm_top_k = arch->family->norms_top_k ||
	    sf_field_bool_or(
		config, "norm_topk_prob", arch->family->norms_by_default);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = (i + 1) % step == 0;
	if (fine)
		read_dense_layers(arch, config);
}

/* Granite's shared expert, which a hybrid always has. */
static int64_t
read_shared(const struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "shared_intermediate_size";
	int64_t size = arch->family->mixer == SF_MIXER_MAMBA2
	    ? sf_field_size_or(config, key, NULL, 1024)
	    : size_or_none(config, key, NULL, 0);

	if (size > INT64_MAX / 2)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, more than there are numbers for two", key,
		    (long long)size);
	return size;
}

/* Mixtral's: the MLP of every layer is one of several. */
static void
read_coarse(struct sf_arch *arch, const struct sf_config *config)
{
	if (arch->family->late_shared &&
	    sf_family_understands(arch->family, "shared_intermediate_size"))
		arch->shared_inner = read_shared(arch, config);
	if (arch->family->mixer == SF_MIXER_MAMBA2 &&
	    size_or_none(config, "num_local_experts", NULL, 8) == 0)
		return;
	arch->experts = sf_field_size(config, "num_local_experts", NULL);
	arch->top_k = sf_field_size(config, "num_experts_per_tok", NULL);
	arch->expert_inner = arch->inner;
	arch->norm_top_k = true;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = true;
}

/* Which layers have experts, by name. */
static void
read_sparse_layers(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *v)
{
	sf_arch_check_names(arch, config, v);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];
		const char *name =
		    item->type == SF_CONFIG_STR ? item->text : "";

		arch->routed[i] = strcmp(name, "sparse") == 0;
		if (!arch->routed[i] && strcmp(name, "dense") != 0)
			sf_config_die(config, item,
			    "'%s' has '%s', expected dense or sparse", v->key,
			    name);
	}
}

void
sf_arch_read_groups(struct sf_arch *arch, const struct sf_config *config,
    int64_t groups, int64_t chosen)
{
	bool sigmoid = arch->family->router == SF_ROUTER_CORRECTED;

	arch->groups = sf_field_size_or(config, "n_group", NULL, groups);
	arch->top_groups = sf_field_size_or(config, "topk_group", NULL, chosen);
	if (arch->experts % arch->groups != 0 ||
	    arch->top_groups > arch->groups ||
	    arch->top_k > arch->experts / arch->groups * arch->top_groups ||
	    (sigmoid && arch->experts / arch->groups < 2))
		sf_config_die(config, sf_field_find(&config->root, "n_group"),
		    "'n_group' is %lld of %lld experts, 'topk_group' %lld: "
		    "expected equal groups of at least 2 experts, and enough "
		    "for %lld experts",
		    (long long)arch->groups, (long long)arch->experts,
		    (long long)arch->top_groups, (long long)arch->top_k);
}

/* DeepSeek's: fine experts behind the first layers, some of them shared. */
static void
read_grouped(struct sf_arch *arch, const struct sf_config *config)
{
	bool sigmoid = arch->family->router == SF_ROUTER_CORRECTED;
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "mlp_layer_types");
	const char *key = "first_k_dense_replace";
	const struct sf_config_value *first = sf_field_find(&config->root, key);
	int64_t shared = sf_field_size_or(
	    config, "n_shared_experts", "num_shared_experts", sigmoid ? 1 : 2);

	arch->experts =
	    sf_field_size(config, "n_routed_experts", "num_experts");
	arch->top_k = sf_field_size(config, "num_experts_per_tok", NULL);
	arch->expert_inner =
	    sf_field_size(config, "moe_intermediate_size", NULL);
	if (!sf_mul(arch->expert_inner, shared, &arch->shared_inner))
		sf_config_die(config, &config->root,
		    "'moe_intermediate_size' times 'n_shared_experts' is more "
		    "than 2^63-1");
	arch->norm_top_k = sigmoid &&
	    sf_field_bool_or(
		config, "norm_topk_prob", !arch->family->leaves_sums);
	if (sigmoid && arch->family->latent != SF_LATENT_SHARED &&
	    !arch->family->glm_experts)
		sf_arch_read_groups(arch, config, 8, 4);
	else
		sf_arch_read_groups(arch, config, 1, 1);
	if (v != NULL && sf_family_understands(arch->family, v->key)) {
		read_sparse_layers(arch, config, v);
		return;
	}
	for (int64_t i = first != NULL       ? whole(config, first)
		 : arch->family->all_routed  ? 0
		 : arch->family->glm_experts ? 1
		 : sigmoid                   ? 3
					     : 0;
	     i < arch->layers; i++)
		arch->routed[i] = true;
}

/*
 * ERNIE's: in one layer of an interval, from a first to a last one, with experts
 * beside them that all tokens go to.
 */
static void
read_span(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "moe_layer_end_index";
	const struct sf_config_value *end = sf_field_find(&config->root, key);
	int64_t every = sf_field_size_or(config, "moe_layer_interval", NULL, 1);
	int64_t from = size_or_none(config, "moe_layer_start_index", NULL, 1);
	int64_t to = end == NULL || strcmp(end->text, "-1") == 0
	    ? arch->layers - 1
	    : whole(config, end);
	int64_t shared =
	    size_or_none(config, "moe_num_shared_experts", NULL, 2);

	arch->experts = sf_field_size(config, "moe_num_experts", "num_experts");
	arch->top_k = sf_field_size(config, "moe_k", "num_experts_per_tok");
	arch->expert_inner =
	    sf_field_size(config, "moe_intermediate_size", NULL);
	if (!sf_mul(arch->expert_inner, shared, &arch->shared_inner))
		sf_config_die(config, &config->root,
		    "'moe_intermediate_size' times 'moe_num_shared_experts' is "
		    "more than 2^63-1");
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = (i + 1) % every == 0 && i >= from && i <= to;
}

void
sf_arch_read_experts(struct sf_arch *arch, const struct sf_config *config)
{
	if (arch->family->scaled_experts)
		return; /* by who reads the rest of it */
	switch (arch->family->router) {
	case SF_ROUTER_NONE:
	case SF_ROUTER_HASHED:
		return;
	case SF_ROUTER_GROUPS:
	case SF_ROUTER_CORRECTED:
		read_grouped(arch, config);
		break;
	case SF_ROUTER_CAST:
	case SF_ROUTER_BIASED:
		read_fine(arch, config);
		break;
	case SF_ROUTER_CLAMPED:
		read_span(arch, config);
		break;
	case SF_ROUTER_FLOAT:
	case SF_ROUTER_SIGMOID:
	case SF_ROUTER_LOGITS:
	case SF_ROUTER_CHOSEN:
		read_coarse(arch, config);
		break;
	case SF_ROUTER_SPARSE:
		read_coarse(arch, config);
		if (arch->top_k != 2)
			sf_config_die(config,
			    sf_field_find(&config->root, "num_experts_per_tok"),
			    "'num_experts_per_tok' is %lld, but the router of "
			    "%s always chooses 2",
			    (long long)arch->top_k, arch->family->model_type);
		break;
	}
	check_top_k(arch, config);
}

bool
sf_arch_has_experts(const struct sf_arch *arch)
{
	for (int64_t i = 0; i < arch->layers; i++)
		if (arch->routed[i])
			return true;
	return false;
}
