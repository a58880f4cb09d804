/*
 * Configurations that say for each layer what its attention and its MLP are, as
 * NVIDIA's searches of architectures leave them: either may be another than in
 * the layers beside it, or none.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

/* An object of BLOCK; dies when it says what no layer here has. */
static const struct sf_config_value *
part_of(const struct sf_config *config, const struct sf_config_value *block,
    const char *key)
{
	static const char *const unknown[] = { "replace_with_linear",
		"num_sink_tokens", "window_length", "sparsify" };
	const struct sf_config_value *v = NULL, *field;

	if (block->type == SF_CONFIG_OBJECT)
		v = sf_field_find(block, key);
	if (v == NULL || v->type != SF_CONFIG_OBJECT)
		sf_config_die(config, block, "'%s': expected an object", key);
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		field = sf_field_find(v, unknown[i]);
		if (field != NULL && !sf_field_means_none(field))
			sf_config_die(config, field,
			    "'%s' changes what a layer runs in a way that is "
			    "not supported",
			    unknown[i]);
	}
	return v;
}

static bool
is_left_out(const struct sf_config *config, const struct sf_config_value *part)
{
	const struct sf_config_value *v = sf_field_find(part, "no_op");

	if (v != NULL && v->type != SF_CONFIG_BOOL)
		sf_config_die(config, v, "'no_op': expected true or false");
	return v != NULL && v->boolean;
}

/* How many heads share one of keys. */
static void
read_attention(struct sf_arch *a, const struct sf_config *config,
    const struct sf_config_value *part)
{
	const struct sf_config_value *v =
	    sf_field_find(part, "n_heads_in_group");
	int64_t n;

	a->no_attention = is_left_out(config, part);
	if (a->no_attention)
		return;
	if (v == NULL || v->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->text, strlen(v->text), &n) || n < 1 ||
	    a->heads % n != 0)
		sf_config_die(config, v != NULL ? v : part,
		    "'n_heads_in_group': expected what divides the %lld of "
		    "'num_attention_heads'",
		    (long long)a->heads);
	a->kv_heads = a->heads / n;
	a->kv_size = a->kv_heads * a->head_dim;
}

/* Two thirds of so many times the hidden size, rounded up to 256. */
static void
read_ffn(struct sf_arch *a, const struct sf_config *config,
    const struct sf_config_value *part)
{
	const struct sf_config_value *v = sf_field_find(part, "ffn_mult");
	double size;

	a->no_mlp = is_left_out(config, part);
	if (a->no_mlp)
		return;
	if (v == NULL)
		sf_config_die(config, part, "'ffn_mult' is missing");
	size = floor(2 * sf_field_number(config, v) * (double)a->hidden / 3);
	if (size < 1 || size > 1e15)
		sf_config_die(config, v,
		    "'ffn_mult' makes an MLP of %.0f, expected a size", size);
	a->inner = ((int64_t)size + 255) / 256 * 256;
}

void
sf_arch_read_blocks(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "block_configs";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	struct sf_arch *own;

	if (v == NULL || v->type != SF_CONFIG_LIST ||
	    (int64_t)v->nitems != arch->layers)
		sf_config_die(config, v != NULL ? v : &config->root,
		    "'%s': expected one for each of %lld layers", key,
		    (long long)arch->layers);
	own = sf_arena_calloc(arena, v->nitems, sizeof *own);
	for (size_t i = 0; i < v->nitems; i++) {
		own[i] = *arch;
		read_attention(&own[i], config,
		    part_of(config, &v->items[i], "attention"));
		read_ffn(&own[i], config, part_of(config, &v->items[i], "ffn"));
	}
	arch->own = own;
}
