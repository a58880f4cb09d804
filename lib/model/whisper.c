/*
 * Whisper: an encoder of audio, behind two convolutions, and the decoder that
 * reads it. The order of calls is that of transformers 5.18's
 * modeling_whisper.py.
 */
#include <math.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/pair.h"

#define ENCODER "encoder."
#define DECODER "decoder."

/* What numbers of f16 are kept within. */
static const double most = 65504 - 1000;

/* ---- attention ---- */

static struct sf_val *
heads_of(struct sf_build *b, struct sf_val *x)
{
	return b->route->lower->contiguous(b, sf_split_heads(b, x));
}

/* Queries are scaled here, and not in the attention. */
static struct sf_val *
queries(struct sf_build *b, int64_t i, const char *module, struct sf_val *x)
{
	double scale = pow((double)b->arch->head_dim, -0.5);
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y;

	y = sf_linear(b, i,
	    sf_arena_printf(b->graph.arena, "%s.q_proj", module), x,
	    b->arch->hidden, true);
	y = b->route->lower->number(b, SF_CALL_MUL, y, scale);
	return heads_of(b, sf_fuse_1(b, f, "gpu.linear", x, y));
}

/* Keys, which have no bias, and values. */
static void
keys_of(struct sf_build *b, int64_t i, const char *module, struct sf_val *x,
    struct sf_val *out[2])
{
	const char *names[] = { "k_proj", "v_proj" };

	for (int k = 0; k < 2; k++) {
		const char *name =
		    sf_arena_printf(b->graph.arena, "%s.%s", module, names[k]);

		out[k] = heads_of(
		    b, sf_linear(b, i, name, x, b->arch->hidden, k == 1));
	}
}

static struct sf_val *
attend(struct sf_build *b, int64_t i, const char *module,
    const struct sf_attention *a)
{
	struct sf_val *x = sf_attend_as(b, a);

	return sf_linear(b, i,
	    sf_arena_printf(b->graph.arena, "%s.out_proj", module), x,
	    b->arch->hidden, true);
}

static struct sf_val *
attention(struct sf_build *b, const char *stack, int64_t i, struct sf_val *x,
    struct sf_val *mask, bool decodes)
{
	const char *module = sf_pair_layer(b, stack, "self_attn");
	struct sf_attention a = { .mask = mask, .scale = 1 };
	struct sf_cache_layer cache;
	struct sf_val *kv[2];
	const char *around = sf_enter(b, i, module);

	a.q = queries(b, i, module, x);
	keys_of(b, i, module, x, kv);
	if (decodes && sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &kv[0], &kv[1]);
	}
	a.k = kv[0];
	a.v = kv[1];
	a.causal = decodes && mask == NULL && b->work.tokens > 1;
	return sf_leave_with(b, around, attend(b, i, module, &a));
}

/* Of the decoder over what the encoder gave; NULL: it is in the cache. */
static struct sf_val *
cross(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *source)
{
	const char *module = sf_pair_layer(b, DECODER, "encoder_attn");
	int64_t hidden = b->arch->hidden;
	struct sf_attention a = { .scale = 1 };
	struct sf_val *kv[2] = { NULL, NULL };
	const char *around = sf_enter(b, i, module);

	a.q = queries(b, i, module, x);
	if (source != NULL) {
		keys_of(b, i, module, source, kv);
	} else {
		sf_weight(b, i,
		    sf_arena_printf(b->graph.arena, "%s.k_proj.weight", module),
		    hidden, hidden);
		sf_weight(b, i,
		    sf_arena_printf(b->graph.arena, "%s.v_proj.weight", module),
		    hidden, hidden);
		sf_weight(b, i,
		    sf_arena_printf(b->graph.arena, "%s.v_proj.bias", module),
		    hidden, 0);
	}
	sf_cache_cross(b, sf_pair_source(b), &kv[0], &kv[1]);
	a.k = kv[0];
	a.v = kv[1];
	return sf_leave_with(b, around, attend(b, i, module, &a));
}

/* ---- layers ---- */

static struct sf_val *
feed_forward(struct sf_build *b, const char *stack, int64_t i, struct sf_val *x)
{
	struct sf_val *y;

	y = sf_pair_norm(b, i, sf_pair_layer(b, stack, "final_layer_norm"), x);
	y = sf_linear_activated(b, i, sf_pair_layer(b, stack, "fc1"), y,
	    b->arch->inner, true, "activation_fn", b->arch->activation);
	y = sf_linear(
	    b, i, sf_pair_layer(b, stack, "fc2"), y, b->arch->hidden, true);
	return b->route->lower->binary(b, SF_CALL_ADD, x, y);
}

static struct sf_val *
self_attention(struct sf_build *b, const char *stack, int64_t i,
    struct sf_val *x, struct sf_val *mask, bool decodes)
{
	struct sf_val *y;

	y = sf_pair_norm(
	    b, i, sf_pair_layer(b, stack, "self_attn_layer_norm"), x);
	y = attention(b, stack, i, y, mask, decodes);
	return b->route->lower->binary(b, SF_CALL_ADD, x, y);
}

/* ---- the two stacks ---- */

static struct sf_val *
filter(struct sf_build *b, const char *name, struct sf_val *x, int64_t stride)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { b->arch->hidden, x->shape[1], 3 };
	struct sf_val *w, *c;
	const char *around;

	name = sf_pair_name(b, ENCODER, name);
	w = sf_tensor_part(b, -1,
	    sf_arena_printf(b->graph.arena, "%s.weight", name), 3, shape);
	c = sf_part(b, -1, name, "bias", b->arch->hidden, 0);
	around = sf_enter(b, -1, name);
	x = l->convolution(b, x, w, c, stride, 1);
	sf_leave(b, around);
	return l->unary(b, SF_CALL_GELU, x);
}

static struct sf_val *
encode(struct sf_build *b, void *data)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { b->work.batch, a->pair.channels,
		sf_mul_most(2, a->pair.source) };
	struct sf_val *x, *table;
	const char *around = sf_pair_enter(b, ENCODER), *outside;
	const char *name;

	(void)data;
	b->work.tokens = a->pair.source;
	x = sf_val_new(&b->graph, b->work.dtype, 3, shape);
	x->name = "input_features";
	x = filter(b, "conv1", x, 1);
	x = filter(b, "conv2", x, 2);
	x = l->permute(b, x, 1, 2);
	name = sf_pair_name(b, ENCODER, "embed_positions");
	table = sf_part(b, -1, name, "weight", a->pair.source, a->hidden);
	table = sf_embed(b, name, table, l->arange(b, a->pair.source));
	x = l->binary(b, SF_CALL_ADD, x, table);
	for (int64_t i = 0; i < a->layers; i++) {
		outside = sf_enter(b, i, sf_pair_name(b, ENCODER, "layers.%d"));
		x = self_attention(b, ENCODER, i, x, NULL, false);
		x = feed_forward(b, ENCODER, i, x);
		if (b->work.dtype == SF_DT_F16)
			x = l->clamp_within(b, x, most);
		sf_leave(b, outside);
	}
	return sf_leave_with(b, around,
	    sf_pair_norm(b, -1, sf_pair_name(b, ENCODER, "layer_norm"), x));
}

/* The table of tokens, which may be the head's too, is left in *TABLE. */
static struct sf_val *
embed(struct sf_build *b, struct sf_val *ids, struct sf_val **table,
    struct sf_val **positions)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *places;
	const char *name = sf_pair_name(b, DECODER, "embed_tokens");
	const char *around;

	*table = sf_part(b, -1, name, "weight", a->vocab, a->hidden);
	x = sf_embed(b, name, *table, ids);
	*positions = l->unsqueeze(b, sf_position_range(b), 0);
	*positions = l->repeat_rows(b, *positions, b->work.batch);
	places = sf_part(b, -1, sf_pair_name(b, DECODER, "embed_positions"),
	    "weight", a->positions, a->hidden);
	around = sf_enter(b, -1, sf_pair_name(b, DECODER, "embed_positions"));
	places = l->index(b, places, *positions);
	sf_leave(b, around);
	places = l->to_device(b, places);
	return l->binary(b, SF_CALL_ADD, x, places);
}

static struct sf_val *
decode(struct sf_build *b, struct sf_val *ids, struct sf_val *source)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *positions, *mask, *x, *y;
	const char *around, *outside;

	around = sf_pair_enter(b, DECODER);
	x = embed(b, ids, &table, &positions);
	mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	for (int64_t i = 0; i < a->layers; i++) {
		outside = sf_enter(b, i, sf_pair_name(b, DECODER, "layers.%d"));
		x = self_attention(b, DECODER, i, x, mask, true);
		y = sf_pair_norm(b, i,
		    sf_pair_layer(b, DECODER, "encoder_attn_layer_norm"), x);
		y = cross(b, i, y, source);
		x = l->binary(b, SF_CALL_ADD, x, y);
		x = feed_forward(b, DECODER, i, x);
		sf_leave(b, outside);
	}
	x = sf_pair_norm(b, -1, sf_pair_name(b, DECODER, "layer_norm"), x);
	sf_leave(b, around);
	if (a->headless)
		return x;
	if (!a->tied)
		table =
		    sf_part(b, -1, "proj_out", "weight", a->vocab, a->hidden);
	around = sf_enter(b, -1, "proj_out");
	return sf_leave_with(b, around, l->linear(b, x, table, NULL));
}

struct sf_val *
sf_whisper_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *both = b->arch;
	struct sf_arch decoder = sf_pair_decoder(both);
	struct sf_val *source, *x;

	source = sf_pair_encode(b, encode, NULL);
	if (b->parts == SF_PART_TOWER)
		return source;
	b->arch = &decoder;
	x = decode(b, ids, source);
	b->arch = both;
	return x;
}

/* ---- its configuration ---- */

void
sf_whisper_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_arch_pair *pair = &arch->pair;

	sf_pair_read(arch, config, arena,
	    &(struct sf_pair_sizes){ .hidden = 384,
		.inner = 1536,
		.layers = 4,
		.heads = 6,
		.vocab = 51865 });
	arch->positions =
	    sf_field_size_or(config, "max_target_positions", NULL, 448);
	pair->source =
	    sf_field_size_or(config, "max_source_positions", NULL, 1500);
	pair->channels = sf_field_size_or(config, "num_mel_bins", NULL, 80);
	arch->activation = SF_ACT_GELU;
	sf_arch_read_activation(arch, config, "activation_function");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
}
