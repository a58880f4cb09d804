/*
 * T5: an encoder and a decoder whose attention knows how far tokens are from
 * each other. The order of calls is that of transformers 5.18's modeling_t5.py.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/pair.h"

/* One of the two stacks while it is built. */
struct stack {
	const char *name; /* "encoder" */
	bool decodes;
	struct sf_val *source; /* what the encoder gave; NULL: it ran before */
	int64_t keys;          /* of the source */
	struct sf_val *mask, *across;      /* NULL: none is made */
	struct sf_val *bias, *across_bias; /* of the first layer */
};

static const char *
module(struct sf_build *b, const struct stack *s, int part, const char *name)
{
	return sf_arena_printf(
	    b->graph.arena, "%s.block.%%d.layer.%d.%s", s->name, part, name);
}

/* x over the root of the mean of its squares, which is made in FP32. */
static struct sf_val *
norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *given = x, *w, *v;
	const char *around = sf_enter(b, layer, name);

	v = l->number(b, SF_CALL_POW, l->to_type(b, x, SF_DT_F32), 2);
	v = l->mean_last(b, v);
	v = l->number(b, SF_CALL_ADD, v, b->arch->epsilon);
	v = l->unary(b, SF_CALL_RSQRT, v);
	x = l->binary(b, SF_CALL_MUL, x, v);
	if (b->work.dtype != SF_DT_F32)
		x = l->to_type(b, x, b->work.dtype);
	w = sf_part(b, layer, name, "weight", b->arch->hidden, 0);
	x = l->binary(b, SF_CALL_MUL, w, x);
	return sf_leave_with(b, around, sf_fuse_1(b, f, "gpu.norm", given, x));
}

/* ---- how far tokens are from each other ---- */

/* Far distances by their logarithm, near ones by themselves. */
static struct sf_val *
bucket_of(struct sf_build *b, struct sf_val *far, int64_t buckets)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t exact = buckets / 2;
	double ratio = (double)b->arch->pair.distance / (double)exact;
	struct sf_val *near, *x;

	near = l->whole_number(b, SF_CALL_LT, far, (double)exact);
	x = l->to_type(b, far, SF_DT_F32);
	x = l->whole_number(b, SF_CALL_DIV, x, (double)exact);
	x = l->unary(b, SF_CALL_LOG, x);
	x = l->number(b, SF_CALL_DIV, x, log(ratio));
	x = l->whole_number(b, SF_CALL_MUL, x, (double)(buckets - exact));
	x = l->to_type(b, x, SF_DT_I64);
	x = l->whole_number(b, SF_CALL_ADD, x, (double)exact);
	return l->where(b, near, far, l->at_most(b, x, buckets - 1));
}

static struct sf_val *
buckets_of(struct sf_build *b, const struct stack *s, struct sf_val *distance)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t buckets = b->arch->pair.buckets;
	struct sf_val *sum;

	if (s->decodes) {
		distance = l->unary(b, SF_CALL_NEG, l->at_most(b, distance, 0));
		distance = bucket_of(b, distance, buckets);
		return l->whole_number(b, SF_CALL_ADD, distance, 0);
	}
	buckets /= 2;
	sum = l->whole_number(b, SF_CALL_GT, distance, 0);
	sum = l->to_type(b, sum, SF_DT_I64);
	sum = l->whole_number(b, SF_CALL_MUL, sum, (double)buckets);
	sum = l->whole_number(b, SF_CALL_ADD, sum, 0);
	distance = l->unary(b, SF_CALL_ABS, distance);
	return l->accumulate(b, sum, bucket_of(b, distance, buckets));
}

/* What is added to the scores: [1, heads, queries, keys]. */
static struct sf_val *
position_bias(struct sf_build *b, const struct stack *s, int64_t keys)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item column[] = { SF_ALL, SF_NEW },
		       row[] = { SF_NEW, SF_ALL };
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *q, *k, *table, *x;
	const char *name =
	    module(b, s, 0, "SelfAttention.relative_attention_bias");
	const char *around;

	q = l->whole_range(b, b->work.tokens);
	q = l->getitem(b, q, 2, column);
	q = l->whole_number(b, SF_CALL_ADD, q, (double)b->work.context);
	k = l->whole_range(b, keys);
	k = l->getitem(b, k, 2, row);
	x = buckets_of(b, s, l->binary(b, SF_CALL_SUB, k, q));
	table = sf_part(
	    b, 0, name, "weight", b->arch->pair.buckets, b->arch->heads);
	around = sf_enter(b, 0, name);
	x = l->embedding(b, table, x);
	sf_leave(b, around);
	x = l->unsqueeze(b, l->last_first(b, x), 0);
	return sf_fuse_1(b, f, "gpu.position_bias", table, x);
}

/* The bias where a token may look, and the smallest number elsewhere. */
static struct sf_val *
masked_bias(
    struct sf_build *b, struct sf_val *mask, struct sf_val *bias, bool causal)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item column[] = { SF_ALL, SF_NEW },
		       row[] = { SF_NEW, SF_ALL };
	int64_t shape[] = { 1, 1, bias->shape[2], bias->shape[3] };
	struct sf_val *q, *k;

	/* A kernel knows what it may look at. */
	if ((mask == NULL && !causal) || sf_fuses(b))
		return bias;
	if (mask == NULL) {
		q = l->getitem(b, l->arange(b, shape[2]), 2, column);
		k = l->getitem(b, l->arange(b, shape[3]), 2, row);
		mask = l->binary(b, SF_CALL_GE, q, k);
		mask = l->view(b, mask, 4, shape);
	}
	return l->where_else(b, mask, bias);
}

/* ---- a layer ---- */

static struct sf_val *
heads_of(struct sf_build *b, const struct stack *s, int64_t i, int part,
    const char *name, struct sf_val *x)
{
	return sf_split_heads(b,
	    sf_linear(
		b, i, module(b, s, part, name), x, b->arch->q_size, false));
}

static struct sf_val *
attend(struct sf_build *b, struct sf_val *q, struct sf_val *k, struct sf_val *v,
    struct sf_val *mask, bool causal)
{
	return sf_attend_as(b,
	    &(struct sf_attention){ .q = q,
		.k = k,
		.v = v,
		.mask = mask,
		.causal = causal,
		.scale = 1 });
}

static struct sf_val *
attention(struct sf_build *b, struct stack *s, int64_t i, struct sf_val *x)
{
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v, *mask;
	const char *around = sf_enter(b, i, module(b, s, 0, "SelfAttention"));

	q = heads_of(b, s, i, 0, "SelfAttention.q", x);
	k = heads_of(b, s, i, 0, "SelfAttention.k", x);
	v = heads_of(b, s, i, 0, "SelfAttention.v", x);
	if (s->decodes && sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	if (i == 0)
		s->bias = position_bias(
		    b, s, (s->decodes ? b->work.context : 0) + b->work.tokens);
	mask =
	    masked_bias(b, s->mask, s->bias, s->decodes && b->work.tokens > 1);
	x = attend(
	    b, q, k, v, mask, s->decodes && sf_fuses(b) && b->work.tokens > 1);
	return sf_leave_with(b, around,
	    sf_linear(b, i, module(b, s, 0, "SelfAttention.o"), x,
		b->arch->hidden, false));
}

/* Of the decoder over what the encoder gave. */
static struct sf_val *
cross(struct sf_build *b, struct stack *s, int64_t i, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { 1, a->heads, b->work.tokens, s->keys };
	struct sf_val *q, *k = NULL, *v = NULL, *mask;
	const char *around = sf_enter(b, i, module(b, s, 1, "EncDecAttention"));

	q = heads_of(b, s, i, 1, "EncDecAttention.q", x);
	if (s->source != NULL) {
		k = heads_of(b, s, i, 1, "EncDecAttention.k", s->source);
		v = heads_of(b, s, i, 1, "EncDecAttention.v", s->source);
	} else {
		sf_weight(b, i, module(b, s, 1, "EncDecAttention.k.weight"),
		    a->q_size, a->hidden);
		sf_weight(b, i, module(b, s, 1, "EncDecAttention.v.weight"),
		    a->q_size, a->hidden);
	}
	sf_cache_cross(b, s->keys, &k, &v);
	if (i == 0 && !sf_fuses(b))
		s->across_bias =
		    b->route->lower->zeros(b, b->work.dtype, 4, shape);
	mask = s->across_bias != NULL
	    ? masked_bias(b, s->across, s->across_bias, false)
	    : NULL;
	x = attend(b, q, k, v, mask, false);
	return sf_leave_with(b, around,
	    sf_linear(b, i, module(b, s, 1, "EncDecAttention.o"), x, a->hidden,
		false));
}

static struct sf_val *
feed_forward(struct sf_build *b, const struct stack *s, int64_t i, int part,
    struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	struct sf_fusion f;
	struct sf_val *gate, *y;
	const char *around =
	    sf_enter(b, i, module(b, s, part, "DenseReluDense"));

	if (!a->pair.gated) {
		x = sf_linear_activated(b, i,
		    module(b, s, part, "DenseReluDense.wi"), x, a->inner, false,
		    "act", a->activation);
	} else {
		f = sf_fuse_begin(b);
		gate =
		    sf_linear(b, i, module(b, s, part, "DenseReluDense.wi_0"),
			x, a->inner, false);
		gate = sf_activate(b, gate);
		y = sf_linear(b, i, module(b, s, part, "DenseReluDense.wi_1"),
		    x, a->inner, false);
		y = b->route->lower->binary(b, SF_CALL_MUL, gate, y);
		x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	}
	return sf_leave_with(b, around,
	    sf_linear(b, i, module(b, s, part, "DenseReluDense.wo"), x,
		a->hidden, false));
}

static struct sf_val *
layer(struct sf_build *b, struct stack *s, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int last = s->decodes ? 2 : 1;
	struct sf_val *y;
	const char *norms[] = { module(b, s, 0, "layer_norm"),
		module(b, s, 1, "layer_norm"), module(b, s, 2, "layer_norm") };
	const char *around = sf_enter_around(b, i, norms[0]);

	y = norm(b, i, norms[0], x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, s, i, y));
	if (s->decodes) {
		sf_enter_around(b, i, norms[1]);
		y = norm(b, i, norms[1], x);
		x = l->binary(b, SF_CALL_ADD, x, cross(b, s, i, y));
	}
	sf_enter_around(b, i, norms[last]);
	y = norm(b, i, norms[last], x);
	x = l->binary(b, SF_CALL_ADD, x, feed_forward(b, s, i, last, y));
	return sf_leave_with(b, around, x);
}

/* ---- the two stacks ---- */

static struct sf_val *
run_stack(struct sf_build *b, struct stack *s, int64_t layers,
    struct sf_val *table, struct sf_val *ids)
{
	struct sf_val *x;
	const char *around = sf_enter(b, -1, s->name);

	x = sf_embed(b,
	    sf_arena_printf(b->graph.arena, "%s.embed_tokens", s->name), table,
	    ids);
	if (s->decodes) {
		s->mask = sf_mask_causal(b, NULL, SF_MASK_FULL, 0);
		s->across = sf_mask_across(b, s->keys);
	} else {
		s->mask = sf_mask_bidirectional(b);
	}
	for (int64_t i = 0; i < layers; i++)
		x = layer(b, s, i, x);
	return sf_leave_with(b, around,
	    norm(b, -1,
		sf_arena_printf(b->graph.arena, "%s.final_layer_norm", s->name),
		x));
}

static struct sf_val *
tokens(struct sf_build *b, const char *name)
{
	struct sf_val *ids = sf_val_new(&b->graph, SF_DT_I64, 2,
	    (int64_t[]){ b->work.batch, b->work.tokens });

	ids->name = name;
	return ids;
}

static struct sf_val *
encode(struct sf_build *b, void *data)
{
	struct stack s = { .name = "encoder" };

	return run_stack(b, &s, b->arch->layers, data, tokens(b, "input_ids"));
}

struct sf_val *
sf_t5_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct stack s = { .name = "decoder", .decodes = true };
	struct sf_val *table =
	    sf_weight(b, -1, "shared.weight", a->vocab, a->hidden);
	struct sf_val *x;
	const char *around;

	s.source = sf_pair_encode(b, encode, table);
	if (a->pair.encoder_only)
		return s.source;
	s.keys = sf_pair_source(b);
	x = run_stack(b, &s, a->pair.decoder_layers, table, ids);
	if (a->headless)
		return x;
	if (a->pair.scales_output)
		x = l->number(b, SF_CALL_MUL, x, pow((double)a->hidden, -0.5));
	if (b->work.last_logits) {
		struct sf_item last[] = { SF_ALL, SF_LAST(1), SF_ALL };

		x = l->getitem(b, x, 3, last);
	}
	around = sf_enter(b, -1, "lm_head");
	return sf_leave_with(b, around, l->linear(b, x, table, NULL));
}

/* ---- its configuration ---- */

/* "relu", or "gated-" and the name of an activation. */
static void
read_feed_forward(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "feed_forward_proj";
	const char *name = sf_field_text(config, &config->root, key);
	struct sf_config_value item = { .type = SF_CONFIG_STR, .key = key };
	struct sf_config alone = *config;

	arch->activation = SF_ACT_RELU;
	if (name == NULL)
		return;
	arch->pair.gated = strncmp(name, "gated-", 6) == 0;
	item.line = sf_field_find(&config->root, key)->line;
	item.text = arch->pair.gated ? name + 6 : name;
	/* It is another one than that of this name. */
	if (strcmp(name, "gated-gelu") == 0)
		item.text = "gelu_new";
	alone.root.items = &item;
	alone.root.nitems = 1;
	sf_arch_read_activation(arch, &alone, key);
}

static bool
encodes_only(const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "architectures");

	return v != NULL && v->type == SF_CONFIG_LIST && v->nitems == 1 &&
	    v->items[0].type == SF_CONFIG_STR &&
	    strcmp(v->items[0].text, "T5EncoderModel") == 0;
}

void
sf_t5_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	arch->hidden = sf_field_size(config, "d_model", NULL);
	arch->inner = sf_field_size(config, "d_ff", NULL);
	arch->head_dim = sf_field_size(config, "d_kv", NULL);
	sf_arch_read_layers(arch, config, "num_layers", NULL, arena);
	arch->pair.decoder_layers =
	    sf_arch_times_or(config, "num_decoder_layers", arch->layers);
	arch->heads = sf_field_size(config, "num_heads", NULL);
	arch->kv_heads = arch->heads;
	if (!sf_mul(arch->heads, arch->head_dim, &arch->q_size))
		sf_config_die(config, &config->root,
		    "'num_heads' times 'd_kv' is more than 2^63-1");
	arch->kv_size = arch->q_size;
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->pair.buckets = sf_field_size_or(
	    config, "relative_attention_num_buckets", NULL, 32);
	arch->pair.distance = sf_field_size_or(
	    config, "relative_attention_max_distance", NULL, 128);
	if (arch->pair.buckets < 4 ||
	    arch->pair.distance <= arch->pair.buckets / 2)
		sf_config_die(config, &config->root,
		    "'relative_attention_num_buckets' is %lld, of distances up "
		    "to %lld, expected at least 4 and fewer than twice the "
		    "'relative_attention_max_distance'",
		    (long long)arch->pair.buckets,
		    (long long)arch->pair.distance);
	arch->epsilon = sf_field_number_or(config, "layer_norm_epsilon", 1e-6);
	read_feed_forward(arch, config);
	/* Always tied; the field says something else of this family. */
	arch->tied = true;
	arch->pair.scales_output =
	    sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->pair.encoder_only = encodes_only(config);
	arch->cacheless = arch->pair.encoder_only;
}
