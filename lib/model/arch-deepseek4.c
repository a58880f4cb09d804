/* Configurations of DeepSeek-V4. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

static const struct {
	const char *name;
	int64_t ratio; /* as older files have it */
	enum sf_compressed kind;
} kinds[] = {
	{ "sliding_attention", 0, SF_COMPRESSED_NONE },
	{ "compressed_sparse_attention", 4, SF_COMPRESSED_SPARSE },
	{ "heavily_compressed_attention", 128, SF_COMPRESSED_HEAVY },
};

/* The kind that an item of layer_types or compress_ratios stands for. */
static enum sf_compressed
kind_of(const struct sf_config *config, const struct sf_config_value *v)
{
	int64_t ratio = -1;

	if (v->type == SF_CONFIG_NUMBER &&
	    !sf_int_parse(v->text, strlen(v->text), &ratio))
		ratio = -1;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (v->type == SF_CONFIG_STR
			? strcmp(v->text, kinds[i].name) == 0
			: ratio == kinds[i].ratio)
			return kinds[i].kind;
	sf_config_die(config, v,
	    "expected sliding_attention, compressed_sparse_attention or "
	    "heavily_compressed_attention, or 0, 4 or 128");
}

static void
read_kinds(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_compression *c)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layer_types");

	if (v == NULL)
		v = sf_field_find(&config->root, "compress_ratios");
	/* A list may go on with layers that predict tokens further on. */
	if (v != NULL &&
	    (v->type != SF_CONFIG_LIST || (int64_t)v->nitems < arch->layers))
		sf_config_die(config, v,
		    "'%s': expected a list with one for each of %lld layers",
		    v->key, (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++)
		c->kinds[i] = v != NULL    ? kind_of(config, &v->items[i])
		    : i >= 2 && i % 2 != 0 ? SF_COMPRESSED_SPARSE
					   : SF_COMPRESSED_HEAVY;
	for (int64_t i = 2; i < arch->layers && v == NULL; i++)
		c->kinds[i] =
		    i % 2 != 0 ? SF_COMPRESSED_SPARSE : SF_COMPRESSED_HEAVY;
}

static void
read_hashed(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_compression *c)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "mlp_layer_types");
	const struct sf_config_value *n =
	    sf_field_find(&config->root, "num_hash_layers");
	int64_t first = n == NULL ? 3
	    : sf_field_means_none(n)
	    ? 0
	    : sf_field_size(config, "num_hash_layers", NULL);

	if (v != NULL &&
	    (v->type != SF_CONFIG_LIST || (int64_t)v->nitems < arch->layers))
		sf_config_die(config, v,
		    "'mlp_layer_types': expected moe or hash_moe for each of "
		    "%lld layers",
		    (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++)
		c->hashed[i] = v == NULL ? i < first
					 : v->items[i].type == SF_CONFIG_STR &&
			strcmp(v->items[i].text, "hash_moe") == 0;
}

/* A rate, of compress_rates or an older field. */
static int64_t
read_rate(const struct sf_config *config, const char *kind, const char *older,
    int64_t otherwise)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "compress_rates");
	int64_t rate = sf_field_size_or(config, older, NULL, otherwise);
	const struct sf_config_value *item;

	if (v == NULL || sf_field_find(&config->root, older) != NULL)
		return rate;
	item = v->type == SF_CONFIG_OBJECT ? sf_field_find(v, kind) : NULL;
	if (item == NULL || item->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(item->text, strlen(item->text), &rate) || rate < 1)
		sf_config_die(config, v,
		    "'compress_rates': expected '%s', a whole number >= 1",
		    kind);
	return rate;
}

static void
read_experts(struct sf_arch *arch, const struct sf_config *config)
{
	const char *score =
	    sf_field_text(config, &config->root, "scoring_func");

	arch->experts = sf_field_size_or(config, "n_routed_experts", NULL, 256);
	arch->top_k = sf_field_size_or(config, "num_experts_per_tok", NULL, 6);
	arch->expert_inner =
	    sf_field_size_or(config, "moe_intermediate_size", NULL, 2048);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->routed[i] = true;
	if (score != NULL && strcmp(score, "sqrtsoftplus") != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "scoring_func"),
		    "'scoring_func' is '%s', expected sqrtsoftplus", score);
	if (arch->top_k > arch->experts)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_experts_per_tok"),
		    "'num_experts_per_tok' is %lld, expected at most the %lld "
		    "experts",
		    (long long)arch->top_k, (long long)arch->experts);
}

static void
read_heads(struct sf_arch *arch, const struct sf_config *config,
    struct sf_compression *c)
{
	const struct sf_config_value *part =
	    sf_field_find(&config->root, "partial_rotary_factor");
	int64_t all;

	arch->heads = sf_field_size_or(config, "num_attention_heads", NULL, 64);
	arch->kv_heads = 1;
	if (sf_field_size_or(config, "num_key_value_heads", NULL, 1) != 1)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_key_value_heads"),
		    "'num_key_value_heads' other than 1 is not supported");
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, 512);
	arch->kv_size = arch->head_dim;
	if (!sf_mul(arch->heads, arch->head_dim, &arch->q_size) ||
	    !sf_mul(c->index_heads, c->index_size, &all) ||
	    !sf_mul(c->groups, c->group_rank, &all))
		sf_config_die(
		    config, &config->root, "the heads are of more than 2^63-1");
	arch->rotary_dim = part != NULL
	    ? sf_int_nearest(
		  (double)arch->head_dim * sf_field_number(config, part))
	    : sf_field_size_or(
		  config, "qk_rope_head_dim", NULL, arch->head_dim / 8);
	if (arch->rotary_dim % 2 != 0 || arch->rotary_dim < 2 ||
	    arch->rotary_dim > arch->head_dim ||
	    arch->rotary_dim > c->index_size || arch->q_size % c->groups != 0)
		sf_config_die(config, &config->root,
		    "'qk_rope_head_dim' is %lld, expected an even number of "
		    "the sizes of heads, and heads in %lld groups",
		    (long long)arch->rotary_dim, (long long)c->groups);
}

void
sf_deepseek4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_compression *c = sf_arena_calloc(arena, 1, sizeof *c);
	size_t n;

	arch->compression = c;
	arch->hidden = sf_field_size_or(config, "hidden_size", NULL, 4096);
	arch->vocab = sf_field_size_or(config, "vocab_size", NULL, 129280);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	n = (size_t)arch->layers;
	sf_arch_read_activation(arch, config, "hidden_act");
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
	arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	sf_field_refuse(
	    config, "attention_bias", "is true, but the model has none");
	arch->rotary_scale = 1;
	arch->window = sf_field_size_or(config, "sliding_window", NULL, 128);
	if (arch->window == 1)
		sf_config_die(config,
		    sf_field_find(&config->root, "sliding_window"),
		    "'sliding_window' is 1, expected at least 2");
	c->kinds = sf_arena_calloc(arena, n, sizeof *c->kinds);
	c->hashed = sf_arena_calloc(arena, n, sizeof *c->hashed);
	c->sparse_rate = read_rate(
	    config, "compressed_sparse_attention", "compress_rate_csa", 4);
	c->heavy_rate = read_rate(
	    config, "heavily_compressed_attention", "compress_rate_hca", 128);
	c->q_rank = sf_field_size_or(config, "q_lora_rank", NULL, 1024);
	c->groups = sf_field_size_or(config, "o_groups", NULL, 8);
	c->group_rank = sf_field_size_or(config, "o_lora_rank", NULL, 1024);
	c->index_heads = sf_field_size_or(config, "index_n_heads", NULL, 64);
	c->index_size = sf_field_size_or(config, "index_head_dim", NULL, 128);
	c->index_top = sf_field_size_or(config, "index_topk", NULL, 512);
	c->streams = sf_field_size_or(config, "hc_mult", NULL, 4);
	c->balances = sf_arch_times_or(config, "hc_sinkhorn_iters", 20);
	read_heads(arch, config, c);
	read_kinds(arch, config, c);
	read_hashed(arch, config, c);
	read_experts(arch, config);
	memset(arch->sliding, 1, n * sizeof *arch->sliding);
}
