/*
 * Configurations of decoders some of whose layers have experts, and some a window
 * or an indexer of blocks: Step's and MiniMax's.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/rotary.h"

/* A list of 0 and 1 for each layer; false when there is none. */
static bool
read_flags(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *object, const char *key, bool *flags)
{
	const struct sf_config_value *v = sf_field_find(object, key);

	if (v == NULL)
		return false;
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems != arch->layers)
		sf_config_die(config, v,
		    "'%s': expected a list with 0 or 1 for each of %lld layers",
		    key, (long long)arch->layers);
	for (size_t i = 0; i < v->nitems; i++) {
		if (v->items[i].type != SF_CONFIG_NUMBER)
			sf_config_die(
			    config, &v->items[i], "'%s': expected 0 or 1", key);
		flags[i] = !sf_field_means_none(&v->items[i]);
	}
	return true;
}

/* Names for each layer, one of which sets a flag; false when there are none. */
static bool
read_names(struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *off, const char *on, bool *flags)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL)
		return false;
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems < arch->layers)
		sf_config_die(config, v,
		    "'%s': expected a list with a name for each of %lld layers",
		    key, (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++) {
		const struct sf_config_value *item = &v->items[i];
		const char *name =
		    item->type == SF_CONFIG_STR ? item->text : "";

		flags[i] = strcmp(name, on) == 0;
		if (!flags[i] && strcmp(name, off) != 0)
			sf_config_die(config, item,
			    "'%s' has '%s', expected %s or %s", key, name, off,
			    on);
	}
	return true;
}

static void
read_experts(struct sf_arch *arch, const struct sf_config *config,
    const char *width, const char *shared)
{
	arch->norm_top_k = true;
	arch->top_k = sf_field_size(config, "num_experts_per_tok", "moe_top_k");
	arch->expert_inner = sf_field_size(config, width, NULL);
	arch->shared_inner = sf_field_size(config, shared, NULL);
	if (arch->top_k > arch->experts)
		sf_config_die(config, &config->root,
		    "a token goes to %lld experts, expected at most the %lld",
		    (long long)arch->top_k, (long long)arch->experts);
}

/* ---- MiniMax M3 ---- */

/* A size by the name that transformers has, or within the file's own object. */
static int64_t
index_size(const struct sf_config *config, const struct sf_config_value *own,
    const char *key, const char *old, int64_t otherwise)
{
	const struct sf_config_value *v =
	    own != NULL ? sf_field_find(own, old) : NULL;
	int64_t n;

	if (v == NULL)
		v = sf_field_find(&config->root, key);
	if (v == NULL)
		return otherwise;
	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->text, strlen(v->text), &n) || n < 0 ||
	    n > INT32_MAX)
		sf_config_die(config, v, "'%s': expected a size", v->key);
	return n;
}

static void
check_index(const struct sf_arch *arch, const struct sf_config *config)
{
	if (arch->index_heads < 1 || arch->heads % arch->index_heads != 0 ||
	    arch->index_block < 1 || arch->index_top < 1 ||
	    arch->index_size < arch->rotary_dim)
		sf_config_die(config, &config->root,
		    "the indexer has %lld heads of %lld, blocks of %lld keys "
		    "and %lld of them for a query: expected sizes, heads that "
		    "divide the %lld, and no less than the %lld that rotate",
		    (long long)arch->index_heads, (long long)arch->index_size,
		    (long long)arch->index_block, (long long)arch->index_top,
		    (long long)arch->heads, (long long)arch->rotary_dim);
}

static void
read_index(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const struct sf_config_value *own =
	    sf_field_find(&config->root, "sparse_attention_config");

	if (own != NULL && own->type != SF_CONFIG_OBJECT)
		sf_config_die(
		    config, own, "'%s': expected an object", own->key);
	arch->indexed =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof(bool));
	if (!read_names(arch, config, "layer_types", "full_attention",
		"minimax_m3_sparse", arch->indexed) &&
	    own != NULL)
		read_flags(
		    arch, config, own, "sparse_attention_freq", arch->indexed);
	arch->index_heads = index_size(
	    config, own, "index_n_heads", "sparse_num_index_heads", 4);
	arch->index_size =
	    index_size(config, own, "index_head_dim", "sparse_index_dim", 128);
	arch->index_block = index_size(
	    config, own, "index_block_size", "sparse_block_size", 128);
	arch->index_top = index_size(
	    config, own, "index_topk_blocks", "sparse_topk_blocks", 16);
	arch->index_local = index_size(
	    config, own, "index_local_blocks", "sparse_local_block", 1);
	check_index(arch, config);
}

void
sf_minimax_m3_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_decoder_read(arch, config, arena);
	arch->experts =
	    sf_field_size(config, "num_local_experts", "num_experts");
	read_experts(
	    arch, config, "intermediate_size", "shared_intermediate_size");
	arch->inner =
	    sf_field_size_or(config, "dense_intermediate_size", NULL, 12288);
	arch->router_scale =
	    sf_field_number_or(config, "routed_scaling_factor", 2);
	if (!read_names(arch, config, "mlp_layer_types", "dense", "sparse",
		arch->routed) &&
	    !read_flags(
		arch, config, &config->root, "moe_layer_freq", arch->routed))
		for (int64_t i = 0; i < arch->layers; i++)
			arch->routed[i] = true;
	read_index(arch, config, arena);
}

/* ---- Step 3.5 and 3.7 ---- */

/* A number of one layer in a list of them, or for all. */
static double
number_of(const struct sf_arch *arch, const struct sf_config *config,
    const char *key, bool sliding)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL)
		return 1;
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems < arch->layers)
		sf_config_die(config, v,
		    "'%s': expected a list with a number for each of %lld "
		    "layers",
		    key, (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++)
		if (arch->sliding[i] == sliding) {
			if (v->items[i].type != SF_CONFIG_NUMBER)
				sf_config_die(config, &v->items[i],
				    "'%s': expected a number", key);
			return sf_field_number(config, &v->items[i]);
		}
	return 1;
}

/* What of a head layers of a type rotate. */
static void
set_rotary(struct sf_arch *arch, const struct sf_config *config, bool sliding)
{
	const char *type = sliding ? "sliding_attention" : "full_attention";
	const struct sf_config_value *all =
	    sf_field_find(&config->root, "rope_parameters");
	const struct sf_config_value *v =
	    all != NULL ? sf_field_find(all, type) : NULL;
	double part =
	    number_of(arch, config, "partial_rotary_factors", sliding);

	if (v != NULL)
		v = sf_field_find(v, "partial_rotary_factor");
	if (v != NULL)
		part = sf_field_number(config, v);
	arch->rotary_dim = sf_int_nearest((double)arch->head_dim * part);
	if (arch->rotary_dim % 2 != 0 || arch->rotary_dim == 0 ||
	    arch->rotary_dim > arch->head_dim)
		sf_config_die(config, v != NULL ? v : &config->root,
		    "the rotary factor of %s leaves %lld of the %lld of a "
		    "head to rotate, expected an even number of them",
		    type, (long long)arch->rotary_dim,
		    (long long)arch->head_dim);
}

/* Layers with a window may have more heads. */
static void
read_sliding_heads(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_sliding_attention_heads";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	const struct sf_config_value *other =
	    sf_field_find(&config->root, "attention_other_setting");
	int64_t n = arch->heads;

	if (v == NULL && other != NULL && other->type == SF_CONFIG_OBJECT)
		v = sf_field_find(other, "num_attention_heads");
	if (v != NULL &&
	    (v->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(v->text, strlen(v->text), &n) || n < 1 ||
		n % arch->kv_heads != 0 ||
		!sf_mul(n, arch->head_dim, &arch->q_size)))
		sf_config_die(config, v,
		    "'%s': expected a multiple of the %lld of "
		    "'num_key_value_heads'",
		    v->key, (long long)arch->kv_heads);
	arch->heads = n;
}

static void
set_gates(struct sf_arch *arch, const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "gating");

	arch->head_gates = true;
	arch->gate_size = arch->heads;
	if (v != NULL && (v->type != SF_CONFIG_BOOL || !v->boolean) &&
	    (v->type != SF_CONFIG_STR || strcmp(v->text, "per-head") != 0))
		sf_config_die(config, v, "'gating': expected true or per-head");
}

/* The layers that have experts: by name, by number, or all but the first. */
static void
read_routed(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "moe_layers_enum";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t first =
	    sf_field_size_or(config, "first_k_dense_replace", NULL, 3);
	const char *p;

	if (read_names(arch, config, "mlp_layer_types", "dense", "sparse",
		arch->routed))
		return;
	if (v == NULL) {
		for (int64_t i = first; i < arch->layers; i++)
			arch->routed[i] = true;
		return;
	}
	if (v->type != SF_CONFIG_STR)
		sf_config_die(config, v, "'%s': expected numbers", key);
	for (p = v->text; *p != '\0'; p += *p == ',') {
		size_t n = strcspn(p, ",");
		int64_t layer;

		if (!sf_int_parse(p, n, &layer) || layer < 0)
			sf_config_die(config, v, "'%s': expected numbers", key);
		if (layer < arch->layers)
			arch->routed[layer] = true;
		p += n;
	}
}

void
sf_step_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *scalar = "query_pre_attn_scalar";
	struct sf_arch *full;

	sf_decoder_read(arch, config, arena);
	arch->attention_scale = 1 /
	    sqrt(sf_field_number_or(config, scalar, (double)arch->head_dim));
	arch->router_scale =
	    sf_field_number_or(config, "moe_router_scaling_factor", 1);
	read_routed(arch, config);
	if (sf_arch_has_experts(arch)) {
		arch->experts = sf_field_size_or(config, "n_routed_experts",
		    sf_field_find(&config->root, "moe_num_experts") != NULL
			? "moe_num_experts"
			: "num_experts",
		    288);
		read_experts(arch, config, "moe_intermediate_size",
		    sf_field_find(&config->root, "share_expert_dims") != NULL
			? "share_expert_dims"
			: "share_expert_dim");
	}
	full = sf_arena_alloc(arena, sizeof *full);
	*full = *arch;
	full->rotary_scale =
	    sf_rotary_read_type(config, "full_attention", true);
	full->rotary_kind = "full_attention_";
	set_rotary(full, config, false);
	set_gates(full, config);
	arch->full = full;
	read_sliding_heads(arch, config);
	set_rotary(arch, config, true);
	set_gates(arch, config);
}
