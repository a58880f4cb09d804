/* Encoders and the decoders that read them. */
#include "model/pair.h"

#include "base/die.h"
#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

int64_t
sf_pair_source(const struct sf_build *b)
{
	if (b->arch->pair.source != 0)
		return b->arch->pair.source;
	if (b->work.source != 0)
		return b->work.source;
	return b->work.context != 0 ? b->work.context : b->work.tokens;
}

/* Its parameters are the model's, and nothing of it runs. */
static void
count(struct sf_build *b, struct sf_val *(*encode)(struct sf_build *, void *),
    void *data)
{
	struct sf_build scratch = *b;

	scratch.graph = (struct sf_graph){ .arena = b->graph.arena,
		.source = b->graph.source };
	scratch.work.context = 0;
	scratch.work.tokens = scratch.work.source = 1;
	encode(&scratch, data);
	if (!sf_add(b->graph.param_elements, scratch.graph.param_elements,
		&b->graph.param_elements) ||
	    !sf_add(b->graph.param_bytes, scratch.graph.param_bytes,
		&b->graph.param_bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the parameters have more than 2^63-1 bytes",
		    b->graph.source);
}

struct sf_val *
sf_pair_encode(struct sf_build *b,
    struct sf_val *(*encode)(struct sf_build *b, void *data), void *data)
{
	int64_t tokens = b->work.tokens;
	struct sf_val *x;

	if (b->work.context != 0) {
		count(b, encode, data);
		return NULL;
	}
	b->work.tokens = sf_pair_source(b);
	x = encode(b, data);
	b->work.tokens = tokens;
	return x;
}

/* ---- modules ---- */

const char *
sf_pair_name(struct sf_build *b, const char *stack, const char *name)
{
	return sf_arena_printf(b->graph.arena, "%s%s%s",
	    b->arch->headless ? "" : "model.", stack, name);
}

const char *
sf_pair_enter(struct sf_build *b, const char *stack)
{
	/* What it is called without the dot. */
	return sf_enter_around(b, -1, sf_pair_name(b, stack, ""));
}

const char *
sf_pair_layer(struct sf_build *b, const char *stack, const char *name)
{
	return sf_pair_name(
	    b, stack, sf_arena_printf(b->graph.arena, "layers.%%d.%s", name));
}

struct sf_val *
sf_pair_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t hidden = b->arch->hidden;
	struct sf_val *w = sf_part(b, layer, name, "weight", hidden, 0);
	struct sf_val *c = sf_part(b, layer, name, "bias", hidden, 0);

	const char *around = sf_enter(b, layer, name);

	x = b->route->lower->layer_norm(b, x, w, c);
	return sf_leave_with(b, around, x);
}

/* ---- a configuration ---- */

static int64_t
read_heads(const struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t otherwise)
{
	int64_t heads = sf_field_size_or(config, key, NULL, otherwise);

	if (arch->hidden % heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, which does not divide the %lld of 'd_model'",
		    key, (long long)heads, (long long)arch->hidden);
	return heads;
}

void
sf_pair_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena, const struct sf_pair_sizes *without)
{
	struct sf_arch_pair *pair = &arch->pair;

	arch->hidden =
	    sf_field_size_or(config, "d_model", NULL, without->hidden);
	arch->inner =
	    sf_field_size_or(config, "encoder_ffn_dim", NULL, without->inner);
	pair->decoder_inner =
	    sf_field_size_or(config, "decoder_ffn_dim", NULL, without->inner);
	sf_arch_read_layers_or(
	    arch, config, "encoder_layers", without->layers, arena);
	pair->decoder_layers =
	    sf_arch_times_or(config, "decoder_layers", without->layers);
	arch->heads =
	    read_heads(arch, config, "encoder_attention_heads", without->heads);
	pair->decoder_heads =
	    read_heads(arch, config, "decoder_attention_heads", without->heads);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	arch->vocab =
	    sf_field_size_or(config, "vocab_size", NULL, without->vocab);
}

struct sf_arch
sf_pair_decoder(const struct sf_arch *both)
{
	struct sf_arch decoder = *both;

	decoder.heads = decoder.kv_heads = both->pair.decoder_heads;
	decoder.head_dim = both->hidden / decoder.heads;
	decoder.inner = both->pair.decoder_inner;
	decoder.layers = both->pair.decoder_layers;
	return decoder;
}
