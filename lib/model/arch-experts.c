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

/* Qwen's: experts that are narrower than the MLP, in one layer of STEP. */
static void
read_fine(struct sf_arch *arch, const struct sf_config *config)
{
	int64_t step = sf_field_size_or(config, "decoder_sparse_step", NULL, 1);

	arch->experts =
	    sf_field_size(config, "num_experts", "num_local_experts");
	arch->top_k = sf_field_size(config, "num_experts_per_tok", NULL);
	arch->expert_inner =
	    sf_field_size(config, "moe_intermediate_size", NULL);
	if (arch->family->shared_expert)
		arch->shared_inner = sf_field_size(
		    config, "shared_expert_intermediate_size", NULL);
	arch->norm_top_k = arch->family->norms_top_k ||
	    sf_field_bool_or(config, "norm_topk_prob", false);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = (i + 1) % step == 0;
	read_dense_layers(arch, config);
}

/* Mixtral's: the MLP of every layer is one of several. */
static void
read_coarse(struct sf_arch *arch, const struct sf_config *config)
{
	arch->experts = sf_field_size(config, "num_local_experts", NULL);
	arch->top_k = sf_field_size(config, "num_experts_per_tok", NULL);
	arch->expert_inner = arch->inner;
	arch->norm_top_k = true;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = true;
}

void
sf_arch_read_experts(struct sf_arch *arch, const struct sf_config *config)
{
	switch (arch->family->router) {
	case SF_ROUTER_NONE:
		return;
	case SF_ROUTER_CAST:
		read_fine(arch, config);
		break;
	case SF_ROUTER_FLOAT:
	case SF_ROUTER_SIGMOID:
	case SF_ROUTER_LOGITS:
		read_coarse(arch, config);
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
