/*
 * BART and its kin: an encoder of tokens and the decoder that reads it. The
 * order of calls is that of transformers 5.18's modeling_bart.py, _mbart.py,
 * _marian.py and _pegasus.py.
 */
#include <math.h>

#include "model/arch-part.h"
#include "model/fields.h"
#include "model/lower-aten.h"
#include "model/pair.h"

#define ENCODER "encoder."
#define DECODER "decoder."

/* Learned places begin with those of two tokens that are none. */
enum {
	FIRST_PLACE = 2
};

static struct sf_val *
linear(struct sf_build *b, int64_t i, const char *module, const char *name,
    struct sf_val *x, int64_t width)
{
	return sf_linear(b, i,
	    sf_arena_printf(b->graph.arena, "%s.%s", module, name), x, width,
	    true);
}

/* ---- attention ---- */

static void
keys_of(struct sf_build *b, int64_t i, const char *module, struct sf_val *x,
    struct sf_val *kv[2])
{
	int64_t hidden = b->arch->hidden;

	kv[0] = linear(b, i, module, "k_proj", x, hidden);
	kv[1] = linear(b, i, module, "v_proj", x, hidden);
	kv[0] = sf_split_heads(b, kv[0]);
	kv[1] = sf_split_heads(b, kv[1]);
}

static struct sf_val *
attend(
    struct sf_build *b, int64_t i, const char *module, struct sf_attention *a)
{
	a->scale = pow((double)b->arch->head_dim, -0.5);
	return linear(
	    b, i, module, "out_proj", sf_attend_as(b, a), b->arch->hidden);
}

static struct sf_val *
attention(struct sf_build *b, const char *stack, int64_t i, struct sf_val *x,
    struct sf_val *mask, bool decodes)
{
	const char *module = sf_pair_layer(b, stack, "self_attn");
	struct sf_attention a = { .mask = mask };
	struct sf_cache_layer cache;
	struct sf_val *kv[2];
	const char *around = sf_enter(b, i, module);

	a.q = sf_split_heads(
	    b, linear(b, i, module, "q_proj", x, b->arch->hidden));
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

/* What makes keys and values that a cache holds is counted and not run. */
static void
count_keys(struct sf_build *b, int64_t i, const char *module)
{
	static const char *const names[] = { "k_proj", "v_proj" };
	int64_t hidden = b->arch->hidden;

	for (int k = 0; k < 2; k++) {
		const char *name =
		    sf_arena_printf(b->graph.arena, "%s.%s", module, names[k]);

		sf_part(b, i, name, "weight", hidden, hidden);
		sf_part(b, i, name, "bias", hidden, 0);
	}
}

/* Of the decoder over what the encoder gave; NULL: it is in the cache. */
static struct sf_val *
cross(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *source,
    struct sf_val *mask)
{
	const char *module = sf_pair_layer(b, DECODER, "encoder_attn");
	struct sf_attention a = { .mask = mask };
	struct sf_val *kv[2] = { NULL, NULL };
	const char *around = sf_enter(b, i, module);

	a.q = sf_split_heads(
	    b, linear(b, i, module, "q_proj", x, b->arch->hidden));
	if (source != NULL)
		keys_of(b, i, module, source, kv);
	else
		count_keys(b, i, module);
	sf_cache_cross(b, sf_pair_source(b), &kv[0], &kv[1]);
	a.k = kv[0];
	a.v = kv[1];
	return sf_leave_with(b, around, attend(b, i, module, &a));
}

/* ---- layers ---- */

/* A layer's norm NAME, when it stands where the family has it. */
static struct sf_val *
norm_if(struct sf_build *b, bool here, const char *stack, int64_t i,
    const char *name, struct sf_val *x)
{
	return here ? sf_pair_norm(b, i, sf_pair_layer(b, stack, name), x) : x;
}

/* What a layer is given beside its input. */
struct layer {
	const char *stack;
	int64_t number;
	struct sf_val *mask, *source, *across;
	bool decodes;
};

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	bool first = b->arch->family->norms_first;
	const char *s = at->stack, *name = "self_attn_layer_norm";
	int64_t i = at->number;
	struct sf_val *y;
	const char *around = sf_enter(b, i, sf_pair_name(b, s, "layers.%d"));

	y = norm_if(b, first, s, i, name, x);
	y = attention(b, s, i, y, at->mask, at->decodes);
	x = l->binary(b, SF_CALL_ADD, x, y);
	x = norm_if(b, !first, s, i, name, x);
	if (at->decodes) {
		name = "encoder_attn_layer_norm";
		y = norm_if(b, first, s, i, name, x);
		y = cross(b, i, y, at->source, at->across);
		x = l->binary(b, SF_CALL_ADD, x, y);
		x = norm_if(b, !first, s, i, name, x);
	}
	name = "final_layer_norm";
	y = norm_if(b, first, s, i, name, x);
	y = sf_linear(
	    b, i, sf_pair_layer(b, s, "fc1"), y, b->arch->inner, true);
	y = sf_activate(b, y);
	y = sf_linear(
	    b, i, sf_pair_layer(b, s, "fc2"), y, b->arch->hidden, true);
	x = l->binary(b, SF_CALL_ADD, x, y);
	return sf_leave_with(b, around, norm_if(b, !first, s, i, name, x));
}

/* ---- the two stacks ---- */

static const char *
enter_places(struct sf_build *b, const char *stack)
{
	return sf_enter(b, -1, sf_pair_name(b, stack, "embed_positions"));
}

/* The table of a stack's places. */
static struct sf_val *
table_of(struct sf_build *b, const char *stack)
{
	const struct sf_arch *a = b->arch;
	int64_t first = a->family->sines ? 0 : FIRST_PLACE;

	return sf_part(b, -1, sf_pair_name(b, stack, "embed_positions"),
	    "weight", a->positions + first, a->hidden);
}

/* X and its places, and the norm of both where there is one. */
static struct sf_val *
place(
    struct sf_build *b, const char *stack, struct sf_val *x, struct sf_val *at)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_family *f = b->arch->family;
	struct sf_val *table = table_of(b, stack);
	const char *around = enter_places(b, stack);

	if (!f->sines)
		at = l->number(b, SF_CALL_ADD, at, FIRST_PLACE);
	at = l->embedding(b, table, at);
	sf_leave(b, around);
	if (!f->sines)
		at = l->to_device(b, at);
	x = l->binary(b, SF_CALL_ADD, x, at);
	return f->norms_embeds
	    ? sf_pair_norm(
		  b, -1, sf_pair_name(b, stack, "layernorm_embedding"), x)
	    : x;
}

static struct sf_val *
embed(struct sf_build *b, const char *stack, struct sf_val *table,
    struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const char *around =
	    sf_enter(b, -1, sf_pair_name(b, stack, "embed_tokens"));
	struct sf_val *x = l->embedding(b, table, ids);

	if (b->arch->family->sines)
		sf_leave(b, around);
	x = l->number(b, SF_CALL_MUL, x, b->arch->embed_scale);
	return sf_leave_with(b, around, x);
}

static struct sf_val *
encode(struct sf_build *b, void *table)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { b->work.batch, b->work.tokens };
	struct layer at = { .stack = ENCODER };
	struct sf_val *x, *places;
	const char *around = sf_pair_enter(b, ENCODER), *outside;

	x = sf_val_new(&b->graph, SF_DT_I64, 2, shape);
	x->name = "input_ids";
	x = embed(b, ENCODER, table, x);
	if (!a->family->sines)
		l->select_at(b, x, 2, a->hidden - 1);
	outside = enter_places(b, ENCODER);
	places = l->whole_range(b, b->work.tokens);
	if (!a->family->sines)
		places = l->expand(b, places, 2, shape);
	sf_leave(b, outside);
	x = place(b, ENCODER, x, places);
	at.mask = sf_mask_bidirectional(b);
	for (at.number = 0; at.number < a->layers; at.number++)
		x = layer(b, &at, x);
	if (a->family->norms_first)
		x = sf_pair_norm(
		    b, -1, sf_pair_name(b, ENCODER, "layer_norm"), x);
	return sf_leave_with(b, around, x);
}

/*
 * The mask of the decoder's own tokens, of a mask of ones. Where values are known
 * they are looked at, and there is none; with meta tensors, which have no values,
 * PyTorch stops there.
 */
static struct sf_val *
mask_of(struct sf_build *b)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *ones;

	if (b->route->fuses || b->route->pruned)
		return sf_mask_causal(b, NULL, SF_MASK_FULL, 0);
	ones = l->ones(b, b->work.batch, b->work.context + b->work.tokens);
	if (b->route->tracing)
		return sf_mask_padded(b, ones);
	sf_aten_1(b, "aten.all", l->to_type(b, ones, SF_DT_B8),
	    sf_val_new(&b->graph, SF_DT_B8, 0, NULL));
	return NULL;
}

static struct sf_val *
decode(struct sf_build *b, struct sf_val *table, struct sf_val *ids,
    struct sf_val *source)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct layer at = {
		.stack = DECODER, .source = source, .decodes = true
	};
	struct sf_val *x, *places;
	const char *around = sf_pair_enter(b, DECODER), *outside;

	x = embed(b, DECODER, table, ids);
	places = sf_position_range(b);
	at.mask = mask_of(b);
	at.across = sf_mask_across(b, sf_pair_source(b));
	outside = enter_places(b, DECODER);
	if (!a->family->sines)
		places = l->unsqueeze(b, places, 0);
	sf_leave(b, outside);
	x = place(b, DECODER, x, places);
	for (at.number = 0; at.number < a->layers; at.number++)
		x = layer(b, &at, x);
	if (a->family->norms_first)
		x = sf_pair_norm(
		    b, -1, sf_pair_name(b, DECODER, "layer_norm"), x);
	return sf_leave_with(b, around, x);
}

/* The logits, and a buffer that is added to them. */
static struct sf_val *
head(struct sf_build *b, struct sf_val *table, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { 1, table->shape[0] };
	struct sf_val *bias;
	const char *around;

	if (b->work.last_logits) {
		struct sf_item last[] = { SF_ALL, SF_LAST(1), SF_ALL };

		x = l->getitem(b, x, 3, last);
	}
	if (!a->tied)
		table =
		    sf_part(b, -1, "lm_head", "weight", shape[1], a->hidden);
	around = sf_enter(b, -1, "lm_head");
	x = l->linear(b, x, table, NULL);
	sf_leave(b, around);
	bias = sf_val_new(&b->graph, b->work.dtype, 2, shape);
	bias->name = "final_logits_bias";
	bias->fixed = true; /* a buffer */
	if (a->family->moves_bias)
		bias = l->to_device(b, bias);
	return l->binary(b, SF_CALL_ADD, x, bias);
}

/* A table of tokens by its name. */
static struct sf_val *
table_named(struct sf_build *b, const char *name, int64_t vocabulary)
{
	return sf_part(b, -1, sf_pair_name(b, "", name), "weight", vocabulary,
	    b->arch->hidden);
}

struct sf_val *
sf_bart_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *both = b->arch;
	struct sf_arch decoder = sf_pair_decoder(both);
	bool shared = both->pair.vocab == 0, own = !both->tied || !shared;
	struct sf_val *table = NULL, *source, *x;

	/* Where nothing is tied the shared one is there, and is not read. */
	if (shared)
		table = table_named(b, "shared", both->vocab);
	if (own)
		table = table_named(b, ENCODER "embed_tokens", both->vocab);
	source = sf_pair_encode(b, encode, table);
	if (own)
		table = table_named(b, DECODER "embed_tokens",
		    shared ? both->vocab : both->pair.vocab);
	b->arch = &decoder;
	x = decode(b, table, ids, source);
	if (!both->headless)
		x = head(b, table, x);
	b->arch = both;
	return x;
}

/* ---- its configuration ---- */

void
sf_bart_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_arch_pair *pair = &arch->pair;

	sf_pair_read(arch, config, arena,
	    &(struct sf_pair_sizes){ .hidden = 1024,
		.inner = 4096,
		.layers = 12,
		.heads = 16,
		.vocab = 50265 });
	if (arch->family->own_tables &&
	    !sf_field_bool_or(config, "share_encoder_decoder_embeddings", true))
		pair->vocab = sf_field_size_or(
		    config, "decoder_vocab_size", NULL, arch->vocab);
	arch->positions =
	    sf_field_size_or(config, "max_position_embeddings", NULL, 1024);
	if (arch->positions > INT64_MAX - FIRST_PLACE)
		sf_config_die(config, &config->root,
		    "'max_position_embeddings' is %lld, more than there are "
		    "numbers for",
		    (long long)arch->positions);
	arch->activation = SF_ACT_GELU;
	sf_arch_read_activation(arch, config, "activation_function");
	arch->embed_scale = sf_field_bool_or(config, "scale_embedding", false)
	    ? sqrt((double)arch->hidden)
	    : 1;
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
}
