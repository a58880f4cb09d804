/* Configurations of attention through a latent. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/rotary.h"

/* A product of sizes, which must not be what overflows. */
static int64_t
product(const struct sf_config *config, int64_t heads, int64_t size)
{
	int64_t all;

	if (!sf_mul(heads, size, &all))
		sf_config_die(config,
		    sf_field_find(&config->root, "num_attention_heads"),
		    "'num_attention_heads' times the size of a head is more "
		    "than 2^63-1");
	return all;
}

/* Dies unless the text under KEY is what the family has. */
static void
expect(const struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *name)
{
	const char *text = sf_field_text(config, &config->root, key);

	if (text != NULL && strcmp(text, name) != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is '%s', but %s has %s", key, text,
		    arch->family->model_type, name);
}

/* What DeepSeek's own files say of the router beside its sizes. */
static void
check_router(struct sf_arch *arch, const struct sf_config *config)
{
	const char *method =
	    sf_field_text(config, &config->root, "topk_method");

	if (sf_field_size_or(config, "moe_layer_freq", NULL, 1) != 1)
		sf_config_die(config,
		    sf_field_find(&config->root, "moe_layer_freq"),
		    "'moe_layer_freq' other than 1 is not supported");
	if (arch->family->router == SF_ROUTER_CORRECTED) {
		expect(arch, config, "scoring_func", "sigmoid");
		expect(arch, config, "topk_method", "noaux_tc");
		return;
	}
	expect(arch, config, "scoring_func", "softmax");
	if (method == NULL || strcmp(method, "greedy") == 0) {
		arch->groups = arch->top_groups = 0;
		return;
	}
	expect(arch, config, "topk_method", "group_limited_greedy");
}

/* Of GLM's layers, F and S, or one of several, the first ones all. */
static void
read_pattern(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_mla *m)
{
	const char *pattern =
	    sf_field_text(config, &config->root, "index_topk_pattern");
	int64_t every = sf_field_size_or(config, "index_topk_freq", NULL, 1);
	int64_t offset =
	    sf_field_size_or(config, "index_skip_topk_offset", NULL, 2);

	if (pattern != NULL && (int64_t)strlen(pattern) != arch->layers)
		sf_config_die(config,
		    sf_field_find(&config->root, "index_topk_pattern"),
		    "'index_topk_pattern': expected F or S for each of %lld "
		    "layers",
		    (long long)arch->layers);
	for (int64_t i = 0; i < arch->layers; i++)
		m->indexed[i] = pattern != NULL
		    ? pattern[i] == 'F'
		    : i < offset || (i - offset + 1) % every == 0;
}

/* Which layers have an indexer of their own. */
static void
read_indexed(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_mla *m)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "indexer_types");

	if (arch->family->latent == SF_LATENT_INDEXED) {
		for (int64_t i = 0; i < arch->layers; i++)
			m->indexed[i] = true;
		return;
	}
	if (v == NULL) {
		read_pattern(arch, config, m);
	} else {
		if (v->type != SF_CONFIG_LIST ||
		    (int64_t)v->nitems != arch->layers)
			sf_config_die(config, v,
			    "'indexer_types': expected full or shared for each "
			    "of %lld layers",
			    (long long)arch->layers);
		for (size_t i = 0; i < v->nitems; i++)
			m->indexed[i] = v->items[i].type == SF_CONFIG_STR &&
			    strcmp(v->items[i].text, "full") == 0;
	}
	if (!m->indexed[0])
		sf_config_die(config, v != NULL ? v : &config->root,
		    "the first layer uses the indexer of one before it");
}

static void
read_indexer(const struct sf_arch *arch, const struct sf_config *config,
    struct sf_mla *m, struct sf_arena *arena)
{
	bool shared = arch->family->latent == SF_LATENT_SHARED;

	m->index_heads =
	    sf_field_size_or(config, "index_n_heads", NULL, shared ? 32 : 64);
	m->index_size = sf_field_size_or(config, "index_head_dim", NULL, 128);
	m->index_top = sf_field_size_or(config, "index_topk", NULL, 2048);
	if (m->index_size < m->rope)
		sf_config_die(config,
		    sf_field_find(&config->root, "index_head_dim"),
		    "'index_head_dim' is %lld, expected at least the %lld of "
		    "'qk_rope_head_dim'",
		    (long long)m->index_size, (long long)m->rope);
	product(config, m->index_heads, m->index_size);
	m->indexed = sf_arena_calloc(arena, (size_t)arch->layers, sizeof(bool));
	read_indexed(arch, config, m);
}

static void
read_latent(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_mla *m = sf_arena_calloc(arena, 1, sizeof *m);
	enum sf_latent kind = arch->family->latent;
	bool indexed = kind == SF_LATENT_INDEXED || kind == SF_LATENT_SHARED;
	bool glm = kind == SF_LATENT_SHARED || arch->family->glm_experts;

	arch->mla = m;
	if (indexed || !sf_field_is_null(config, "q_lora_rank"))
		m->q_rank = sf_field_size_or(config, "q_lora_rank", NULL,
		    !glm          ? 1536
			: indexed ? 2048
				  : 768);
	m->kv_rank = sf_field_size_or(config, "kv_lora_rank", NULL, 512);
	m->pass =
	    sf_field_size_or(config, "qk_nope_head_dim", NULL, glm ? 192 : 128);
	m->rope = sf_field_size_or(config, "qk_rope_head_dim", NULL, 64);
	m->value =
	    sf_field_size_or(config, "v_head_dim", NULL, glm ? 256 : 128);
	m->neighbours =
	    indexed || sf_field_bool_or(config, "rope_interleave", true);
	if (m->rope % 2 != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "qk_rope_head_dim"),
		    "'qk_rope_head_dim' is %lld, expected an even number",
		    (long long)m->rope);
	if (!sf_add(m->pass, m->rope, &arch->head_dim) ||
	    !sf_add(m->kv_rank, m->rope, &arch->kv_size))
		sf_config_die(config, &config->root,
		    "the sizes of a head are more than 2^63-1");
	arch->q_size = product(config, arch->heads, arch->head_dim);
	product(config, arch->heads, m->value);
	arch->rotary_dim = m->rope;
	if (indexed)
		read_indexer(arch, config, m, arena);
}

void
sf_mla_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const struct sf_family *f = arch->family;
	const char *key = "num_key_value_heads";

	arch->hidden = sf_field_size(config, "hidden_size", NULL);
	arch->inner = sf_field_size(config, "intermediate_size", NULL);
	sf_arch_read_layers(arch, config, "num_hidden_layers", NULL, arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->heads = sf_field_size(config, "num_attention_heads", NULL);
	arch->kv_heads = sf_field_size_or(config, key, NULL, arch->heads);
	if (arch->kv_heads != arch->heads)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, expected the %lld of 'num_attention_heads'",
		    key, (long long)arch->kv_heads, (long long)arch->heads);
	sf_arch_read_activation(arch, config, "hidden_act");
	arch->rotary_scale = sf_rotary_read(config, false);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
	arch->qkv_bias = sf_field_bool_or(config, "attention_bias", false);
	arch->o_bias = arch->qkv_bias;
	if (f->mlp_bias == SF_BIAS_FIELD)
		arch->mlp_bias = sf_field_bool_or(config, "mlp_bias", false);
	else
		sf_field_refuse(
		    config, "mlp_bias", "is true, but the model has none");
	sf_arch_read_experts(arch, config);
	check_router(arch, config);
	read_latent(arch, config, arena);
	arch->always_masks = arch->mla->index_heads != 0;
}
