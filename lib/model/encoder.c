/*
 * Text encoders: BERT, RoBERTa, DistilBERT. The order of calls is that of
 * transformers 5.18's modeling_bert.py, modeling_roberta.py and
 * modeling_distilbert.py.
 */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"

/* The modules of an encoder, which differ by name alone. */
struct names {
	const char *q, *k, *v, *o, *attention_norm;
	const char *up, *down, *output_norm;
	const char *head, *head_norm, *projector, *spare_bias;
};

#define EMBEDDINGS "embeddings."
#define BERT_LAYER "encoder.layer.%d."
#define BERT_LAYERS                                                \
	.q = BERT_LAYER "attention.self.query",                    \
	.k = BERT_LAYER "attention.self.key",                      \
	.v = BERT_LAYER "attention.self.value",                    \
	.o = BERT_LAYER "attention.output.dense",                  \
	.attention_norm = BERT_LAYER "attention.output.LayerNorm", \
	.up = BERT_LAYER "intermediate.dense",                     \
	.down = BERT_LAYER "output.dense",                         \
	.output_norm = BERT_LAYER "output.LayerNorm"

static const struct names bert = { BERT_LAYERS,
	.head = "cls.predictions.transform.dense",
	.head_norm = "cls.predictions.transform.LayerNorm",
	.projector = "cls.predictions.decoder",
	.spare_bias = "cls.predictions.bias" };
static const struct names roberta = { BERT_LAYERS, .head = "lm_head.dense",
	.head_norm = "lm_head.layer_norm", .projector = "lm_head.decoder",
	.spare_bias = "lm_head.bias" };

#define DISTIL_LAYER "transformer.layer.%d."

static const struct names distilbert = {
	.q = DISTIL_LAYER "attention.q_lin",
	.k = DISTIL_LAYER "attention.k_lin",
	.v = DISTIL_LAYER "attention.v_lin",
	.o = DISTIL_LAYER "attention.out_lin",
	.attention_norm = DISTIL_LAYER "sa_layer_norm",
	.up = DISTIL_LAYER "ffn.lin1",
	.down = DISTIL_LAYER "ffn.lin2",
	.output_norm = DISTIL_LAYER "output_layer_norm",
	.head = "vocab_transform",
	.head_norm = "vocab_layer_norm",
	.projector = "vocab_projector",
};

static const struct names *
names_of(const struct sf_build *b)
{
	switch (b->arch->family->encoder) {
	case SF_ENCODER_ROBERTA:
		return &roberta;
	case SF_ENCODER_DISTILBERT:
		return &distilbert;
	default:
		return &bert;
	}
}

/* The name of a module of the encoder itself, which a head does not have. */
static const char *
inside(struct sf_build *b, const char *name)
{
	const char *base = b->arch->family->base;

	return b->arch->headless
	    ? name
	    : sf_arena_printf(b->graph.arena, "%s%s", base, name);
}

static struct sf_val *
norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t hidden = b->arch->hidden;
	struct sf_val *w = sf_part(b, layer, name, "weight", hidden, 0);
	struct sf_val *c = sf_part(b, layer, name, "bias", hidden, 0);

	return b->route->lower->layer_norm(b, x, w, c);
}

/* ---- embeddings ---- */

static struct sf_val *
buffer(struct sf_build *b, const char *name)
{
	int64_t shape[] = { 1, b->arch->positions };
	struct sf_val *x = sf_val_new(&b->graph, SF_DT_I64, 2, shape);

	x->name = inside(b, name);
	x->fixed = true;
	return x;
}

/* The first places of a buffer that has them all. */
static struct sf_val *
places(struct sf_build *b)
{
	struct sf_item items[] = { SF_ALL, SF_TO(b->work.tokens) };

	return b->route->lower->getitem(
	    b, buffer(b, EMBEDDINGS "position_ids"), 2, items);
}

/* Places counted from behind the number of the padding, by RoBERTa. */
static struct sf_val *
places_of(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	double pad = (double)b->arch->pad;
	struct sf_val *mask, *x;

	mask = l->to_type(b, l->number(b, SF_CALL_NE, ids, pad), SF_DT_I32);
	x = l->type_as(b, l->cumsum(b, mask, 1), mask);
	x = l->number(b, SF_CALL_ADD, x, 0);
	x = l->binary(b, SF_CALL_MUL, x, mask);
	x = l->to_type(b, x, SF_DT_I64);
	return l->number(b, SF_CALL_ADD, x, pad);
}

/* The types of the tokens, which are all the first. */
static struct sf_val *
token_types(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *types = buffer(b, EMBEDDINGS "token_type_ids");
	int64_t own[] = { positions->shape[0], b->arch->positions };

	if (b->arch->family->encoder == SF_ENCODER_ROBERTA)
		types = l->to_device(b, types);
	types = l->expand(b, types, 2, own);
	types = l->gather(b, types, positions);
	return l->expand(
	    b, types, 2, (int64_t[]){ b->work.batch, b->work.tokens });
}

static struct sf_val *
look_up(struct sf_build *b, const char *name, int64_t rows, struct sf_val *ids)
{
	struct sf_val *table =
	    sf_part(b, -1, inside(b, name), "weight", rows, b->arch->hidden);

	return b->route->lower->embedding(b, table, ids);
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *positions, *types = NULL;

	if (a->family->encoder == SF_ENCODER_DISTILBERT) {
		x = l->embedding(b, table, ids);
		positions = places(b);
	} else {
		positions = a->family->encoder == SF_ENCODER_ROBERTA
		    ? places_of(b, ids)
		    : places(b);
		types = token_types(b, positions);
		x = l->embedding(b, table, ids);
		types = look_up(
		    b, EMBEDDINGS "token_type_embeddings", a->types, types);
		x = l->binary(b, SF_CALL_ADD, x, types);
	}
	positions = look_up(
	    b, EMBEDDINGS "position_embeddings", a->positions, positions);
	x = l->binary(b, SF_CALL_ADD, x, positions);
	return norm(b, -1, inside(b, EMBEDDINGS "LayerNorm"), x);
}

/* ---- a layer ---- */

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct names *n = names_of(b);
	int64_t hidden = b->arch->hidden;
	struct sf_val *q, *k, *v, *y;
	struct sf_fusion f;

	q = sf_split_heads(
	    b, sf_linear(b, i, inside(b, n->q), x, hidden, true));
	k = sf_split_heads(
	    b, sf_linear(b, i, inside(b, n->k), x, hidden, true));
	v = sf_split_heads(
	    b, sf_linear(b, i, inside(b, n->v), x, hidden, true));
	y = sf_attend(b, i, q, k, v, mask);
	y = sf_linear(b, i, inside(b, n->o), y, hidden, true);
	x = norm(b, i, inside(b, n->attention_norm),
	    l->binary(b, SF_CALL_ADD, y, x));
	f = sf_fuse_begin(b);
	y = sf_linear(b, i, inside(b, n->up), x, b->arch->inner, true);
	y = sf_fuse_1(b, f, "gpu.mlp_up", x, sf_activate(b, y));
	y = sf_linear(b, i, inside(b, n->down), y, hidden, true);
	return norm(
	    b, i, inside(b, n->output_norm), l->binary(b, SF_CALL_ADD, y, x));
}

/* ---- what comes behind the layers ---- */

/* The masked language model's head: the logits of every token. */
static struct sf_val *
predict(struct sf_build *b, struct sf_val *x, struct sf_val *table)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct names *n = names_of(b);
	struct sf_val *bias;

	x = sf_linear(b, -1, n->head, x, a->hidden, true);
	/* RoBERTa's head does not look at the configuration. */
	x = a->family->encoder == SF_ENCODER_ROBERTA
	    ? l->unary(b, SF_CALL_GELU, x)
	    : sf_activate(b, x);
	x = norm(b, -1, n->head_norm, x);
	bias = sf_part(b, -1, n->projector, "bias", a->vocab, 0);
	if (!a->tied) {
		table =
		    sf_part(b, -1, n->projector, "weight", a->vocab, a->hidden);
		/* It is tied like the table, and nothing reads it else. */
		if (n->spare_bias != NULL)
			sf_weight(b, -1, n->spare_bias, a->vocab, 0);
	}
	return l->linear(b, x, table, bias);
}

/* What the model makes of the first token. */
static struct sf_val *
pool(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;

	x = l->select(b, x, 1);
	x = sf_linear(b, -1, "pooler.dense", x, b->arch->hidden, true);
	return l->unary(b, SF_CALL_TANH, x);
}

struct sf_val *
sf_encoder_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *mask;

	table = sf_part(b, -1, inside(b, EMBEDDINGS "word_embeddings"),
	    "weight", a->vocab, a->hidden);
	x = embed(b, table, ids);
	mask = sf_mask_bidirectional(b);
	for (int64_t i = 0; i < a->layers; i++)
		x = layer(b, i, x, mask);
	if (!a->headless)
		return predict(b, x, table);
	return a->family->encoder == SF_ENCODER_DISTILBERT ? x : pool(b, x);
}

/* ---- its configuration ---- */

void
sf_encoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	bool distil = arch->family->encoder == SF_ENCODER_DISTILBERT;
	const char *heads = distil ? "n_heads" : "num_attention_heads";
	const struct sf_config_value *pad;

	arch->hidden =
	    sf_field_size(config, distil ? "dim" : "hidden_size", NULL);
	arch->inner = sf_field_size(
	    config, distil ? "hidden_dim" : "intermediate_size", NULL);
	sf_arch_read_layers(arch, config,
	    distil ? "n_layers" : "num_hidden_layers", NULL, arena);
	arch->heads = sf_field_size(config, heads, NULL);
	if (arch->hidden % arch->heads != 0)
		sf_config_die(config, sf_field_find(&config->root, heads),
		    "'%s' is %lld, which does not divide the hidden size of "
		    "%lld",
		    heads, (long long)arch->heads, (long long)arch->hidden);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions =
	    sf_field_size(config, "max_position_embeddings", NULL);
	arch->types = sf_field_size_or(config, "type_vocab_size", NULL, 2);
	pad = sf_field_find(&config->root, "pad_token_id");
	arch->pad = 1;
	if (pad != NULL &&
	    (pad->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(pad->text, strlen(pad->text), &arch->pad)))
		sf_config_die(
		    config, pad, "'pad_token_id': expected a whole number");
	arch->activation = SF_ACT_GELU;
	sf_arch_read_activation(
	    arch, config, distil ? "activation" : "hidden_act");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->bidirectional = true;
	sf_arch_read_windows(arch, config);
}
