/*
 * Text encoders: BERT, RoBERTa, DistilBERT, ALBERT. The order of calls is that
 * of transformers 5.18's modeling_bert.py, modeling_roberta.py,
 * modeling_distilbert.py and modeling_albert.py.
 */
#include "model/encoder.h"

#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"

/* The modules of an encoder, which differ by name alone. */
struct names {
	const char *q, *k, *v, *o, *attention_norm;
	const char *up, *down, *output_norm;
	const char *act;
	const char *head, *head_norm, *projector, *spare_bias;
	const char *head_act; /* NULL: GELU, which is no module */
	const char *pooler;   /* NULL: pooler.dense */
	const char *pool_act;
};

#define EMBEDDINGS "embeddings."
#define BERT_LAYER "encoder.layer.%d."
#define BERT_LAYERS                                                          \
	.q = BERT_LAYER "attention.self.query",                              \
	.k = BERT_LAYER "attention.self.key",                                \
	.v = BERT_LAYER "attention.self.value",                              \
	.o = BERT_LAYER "attention.output.dense",                            \
	.attention_norm = BERT_LAYER "attention.output.LayerNorm",           \
	.up = BERT_LAYER "intermediate.dense", .act = "intermediate_act_fn", \
	.down = BERT_LAYER "output.dense",                                   \
	.output_norm = BERT_LAYER "output.LayerNorm"

static const struct names bert = { BERT_LAYERS, .head_act = "transform_act_fn",
	.head = "cls.predictions.transform.dense",
	.head_norm = "cls.predictions.transform.LayerNorm",
	.projector = "cls.predictions.decoder",
	.spare_bias = "cls.predictions.bias" };
static const struct names electra = { BERT_LAYERS, .head_act = "activation",
	.head = "generator_predictions.dense",
	.head_norm = "generator_predictions.LayerNorm",
	.projector = "generator_lm_head" };
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
	.act = "activation",
	.head_act = "activation",
	.down = DISTIL_LAYER "ffn.lin2",
	.output_norm = DISTIL_LAYER "output_layer_norm",
	.head = "vocab_transform",
	.head_norm = "vocab_layer_norm",
	.projector = "vocab_projector",
};

/* Layers of one group have the parameters of that. */
#define ALBERT_LAYER "encoder.albert_layer_groups.*.albert_layers.%d."

static const struct names albert = {
	.q = ALBERT_LAYER "attention.query",
	.k = ALBERT_LAYER "attention.key",
	.v = ALBERT_LAYER "attention.value",
	.o = ALBERT_LAYER "attention.dense",
	.attention_norm = ALBERT_LAYER "attention.LayerNorm",
	.up = ALBERT_LAYER "ffn",
	.act = "activation",
	.head_act = "activation",
	.down = ALBERT_LAYER "ffn_output",
	.output_norm = ALBERT_LAYER "full_layer_layer_norm",
	.head = "predictions.dense",
	.head_norm = "predictions.LayerNorm",
	.projector = "predictions.decoder",
	.spare_bias = "predictions.bias",
	.pooler = "pooler",
	.pool_act = "pooler_activation",
};

#define MPNET_LAYER "encoder.layer.%d."

static const struct names mpnet = {
	.attention_norm = MPNET_LAYER "attention.LayerNorm",
	.up = MPNET_LAYER "intermediate.dense",
	.act = "intermediate_act_fn",
	.down = MPNET_LAYER "output.dense",
	.output_norm = MPNET_LAYER "output.LayerNorm",
	.head = "lm_head.dense",
	.head_norm = "lm_head.layer_norm",
	.projector = "lm_head.decoder",
	.spare_bias = "lm_head.bias",
};

static const struct names nomic = {
	.head_act = "transform_act_fn",
	.head = "cls.predictions.transform.dense",
	.head_norm = "cls.predictions.transform.layer_norm",
	.projector = "cls.predictions.decoder",
	.spare_bias = "cls.predictions.bias",
};

static const struct names *
names_of(const struct sf_build *b)
{
	switch (b->arch->family->encoder) {
	case SF_ENCODER_ALBERT:
		return &albert;
	case SF_ENCODER_MPNET:
		return &mpnet;
	case SF_ENCODER_NOMIC:
		return &nomic;
	case SF_ENCODER_ROBERTA:
		return &roberta;
	case SF_ENCODER_DISTILBERT:
		return &distilbert;
	case SF_ENCODER_ELECTRA:
		return &electra;
	default:
		return &bert;
	}
}

const char *
sf_encoder_inside(struct sf_build *b, const char *name)
{
	const char *base = b->arch->family->base;

	return b->arch->headless
	    ? name
	    : sf_arena_printf(b->graph.arena, "%s%s", base, name);
}

struct sf_val *
sf_encoder_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t hidden = x->shape[x->rank - 1];
	struct sf_val *w = sf_part(b, layer, name, "weight", hidden, 0);
	struct sf_val *c = sf_part(b, layer, name, "bias", hidden, 0);
	const char *around = sf_enter(b, layer, name);

	return sf_leave_with(
	    b, around, b->route->lower->layer_norm(b, x, w, c));
}

/* ---- embeddings ---- */

static struct sf_val *
buffer(struct sf_build *b, const char *name)
{
	int64_t shape[] = { 1, b->arch->positions };
	struct sf_val *x = sf_val_new(&b->graph, SF_DT_I64, 2, shape);

	x->name = sf_encoder_inside(b, name);
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

struct sf_val *
sf_encoder_count_places(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	double pad = (double)b->arch->pad;
	struct sf_val *mask, *x;

	mask = l->to_type(b, l->number(b, SF_CALL_NE, ids, pad), SF_DT_I32);
	x = l->type_as(b, l->cumsum(b, mask, 1), mask);
	/* What a cache holds, of which MPNet has none. */
	if (b->arch->family->encoder == SF_ENCODER_ROBERTA)
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

struct sf_val *
sf_encoder_look_up(
    struct sf_build *b, const char *name, int64_t rows, struct sf_val *ids)
{
	struct sf_val *table;

	name = sf_encoder_inside(b, name);
	table = sf_part(b, -1, name, "weight", rows, b->arch->embed_width);
	return sf_embed(b, name, table, ids);
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *positions, *types = NULL;
	const char *around =
	    sf_enter(b, -1, sf_encoder_inside(b, "embeddings"));
	const char *words = sf_encoder_inside(b, EMBEDDINGS "word_embeddings");

	if (a->family->encoder == SF_ENCODER_DISTILBERT) {
		x = sf_embed(b, words, table, ids);
		positions = places(b);
	} else {
		positions = a->family->encoder == SF_ENCODER_ROBERTA
		    ? sf_encoder_count_places(b, ids)
		    : places(b);
		types = token_types(b, positions);
		x = sf_embed(b, words, table, ids);
		types = sf_encoder_look_up(
		    b, EMBEDDINGS "token_type_embeddings", a->types, types);
		x = l->binary(b, SF_CALL_ADD, x, types);
	}
	positions = sf_encoder_look_up(
	    b, EMBEDDINGS "position_embeddings", a->positions, positions);
	x = l->binary(b, SF_CALL_ADD, x, positions);
	return sf_leave_with(b, around,
	    sf_encoder_norm(
		b, -1, sf_encoder_inside(b, EMBEDDINGS "LayerNorm"), x));
}

/* ---- a layer ---- */

/* The module NAME of a layer, of ALBERT with the number of its group. */
static const char *
module_of(struct sf_build *b, int64_t layer, const char *name)
{
	const char *at = strchr(name, '*');

	if (at != NULL)
		name = sf_arena_printf(b->graph.arena, "%.*s%lld%s",
		    (int)(at - name), name,
		    (long long)(layer / b->arch->top_groups), at + 1);
	return sf_encoder_inside(b, name);
}

/* The number that stands in it behind that of the group. */
static int64_t
number_of(struct sf_build *b, int64_t layer)
{
	return b->arch->family->encoder == SF_ENCODER_ALBERT
	    ? layer % b->arch->top_groups
	    : layer;
}

struct sf_val *
sf_encoder_layer_rest(
    struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct names *n = names_of(b);
	bool shares = b->arch->family->encoder == SF_ENCODER_ALBERT;
	int64_t at = number_of(b, i);
	struct sf_fusion f;
	const char *around;

	around = sf_enter_around(b, at, module_of(b, i, n->attention_norm));
	x = sf_encoder_norm(b, at, module_of(b, i, n->attention_norm),
	    shares ? l->binary(b, SF_CALL_ADD, x, y)
		   : l->binary(b, SF_CALL_ADD, y, x));
	sf_enter_around(b, at, module_of(b, i, n->up));
	f = sf_fuse_begin(b);
	y = sf_linear(b, at, module_of(b, i, n->up), x, b->arch->inner, true);
	y = sf_activate_part(b, n->act, b->arch->activation, y);
	y = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	y = sf_linear(
	    b, at, module_of(b, i, n->down), y, b->arch->hidden, true);
	sf_enter_around(b, at, module_of(b, i, n->output_norm));
	x = sf_encoder_norm(b, at, module_of(b, i, n->output_norm),
	    l->binary(b, SF_CALL_ADD, y, x));
	return sf_leave_with(b, around, x);
}

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *mask)
{
	const struct names *n = names_of(b);
	int64_t hidden = b->arch->hidden, at = number_of(b, i);
	struct sf_val *q, *k, *v, *y;
	const char *around = sf_enter_around(b, at, module_of(b, i, n->q));

	q = sf_split_heads(
	    b, sf_linear(b, at, module_of(b, i, n->q), x, hidden, true));
	k = sf_split_heads(
	    b, sf_linear(b, at, module_of(b, i, n->k), x, hidden, true));
	v = sf_split_heads(
	    b, sf_linear(b, at, module_of(b, i, n->v), x, hidden, true));
	y = sf_attend(b, i, q, k, v, mask);
	y = sf_linear(b, at, module_of(b, i, n->o), y, hidden, true);
	sf_leave(b, around);
	return sf_encoder_layer_rest(b, i, x, y);
}

/*
 * ALBERT's layers, whose parameters are those of a few: which are met again, and
 * are counted once.
 */
static struct sf_val *
shared_layers(struct sf_build *b, struct sf_val *x, struct sf_val *mask)
{
	const struct sf_arch *a = b->arch;
	struct sf_graph *g = &b->graph;
	int64_t before = -1, group, elements, bytes;

	for (int64_t i = 0; i < a->layers; i++) {
		/* As Python rounds it. */
		group = (int64_t)((double)i /
		    ((double)a->layers / (double)a->groups));
		elements = g->param_elements;
		bytes = g->param_bytes;
		for (int64_t k = 0; k < a->top_groups; k++)
			x = layer(b, group * a->top_groups + k, x, mask);
		if (group == before) {
			g->param_elements = elements;
			g->param_bytes = bytes;
		}
		before = group;
	}
	return x;
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
	const char *around;

	around = sf_enter_around(b, -1, n->head);
	x = sf_linear(b, -1, n->head, x, a->embed_width, true);
	/* Heads that do not look at the configuration. */
	if (n->head_act == NULL)
		x = l->unary(b, SF_CALL_GELU, x);
	else
		x = sf_activate_part(b, n->head_act,
		    a->family->encoder == SF_ENCODER_ELECTRA ? SF_ACT_GELU
							     : a->activation,
		    x);
	x = sf_encoder_norm(b, -1, n->head_norm, x);
	bias = sf_part(b, -1, n->projector, "bias", a->vocab, 0);
	if (!a->tied) {
		table = sf_part(
		    b, -1, n->projector, "weight", a->vocab, a->embed_width);
		/* It is tied like the table, and nothing reads it else. */
		if (n->spare_bias != NULL)
			sf_weight(b, -1, n->spare_bias, a->vocab, 0);
	}
	sf_enter(b, -1, n->projector);
	return sf_leave_with(b, around, l->linear(b, x, table, bias));
}

/* What the model makes of the first token. */
static struct sf_val *
pool(struct sf_build *b, struct sf_val *x)
{
	const struct names *n = names_of(b);
	const char *name = sf_encoder_inside(
	    b, n->pooler != NULL ? n->pooler : "pooler.dense");
	const char *around = sf_enter_around(b, -1, name);

	x = b->route->lower->select(b, x, 1);
	x = sf_linear(b, -1, name, x, b->arch->hidden, true);
	x = sf_activate_part(b,
	    n->pool_act != NULL ? n->pool_act : "activation", SF_ACT_TANH, x);
	return sf_leave_with(b, around, x);
}

/* The classes of a sequence, by its first token. */
static struct sf_val *
classify(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_encoder encoder = b->arch->family->encoder;
	bool distil = encoder == SF_ENCODER_DISTILBERT;
	int64_t labels = b->arch->labels;
	const char *around = b->graph.module;

	if (encoder == SF_ENCODER_BERT || encoder == SF_ENCODER_ALBERT ||
	    encoder == SF_ENCODER_NOMIC)
		return sf_linear(b, -1, "classifier", pool(b, x), labels, true);
	if (!distil)
		around = sf_enter(b, -1, "classifier");
	x = l->select(b, x, 1);
	x = sf_linear(b, -1, distil ? "pre_classifier" : "classifier.dense", x,
	    b->arch->hidden, true);
	if (encoder == SF_ENCODER_ELECTRA)
		x = sf_activate_part(b, "activation", SF_ACT_GELU, x);
	else
		x = l->unary(b, distil ? SF_CALL_RELU : SF_CALL_TANH, x);
	x = sf_linear(b, -1, distil ? "classifier" : "classifier.out_proj", x,
	    labels, true);
	return sf_leave_with(b, around, x);
}

struct sf_val *
sf_encoder_finish(struct sf_build *b, struct sf_val *x, struct sf_val *table)
{
	enum sf_encoder encoder = b->arch->family->encoder;

	switch (b->arch->classes) {
	case SF_CLASSES_SEQUENCE:
		return classify(b, x);
	case SF_CLASSES_TOKENS:
		return sf_linear(b, -1, "classifier", x, b->arch->labels, true);
	case SF_CLASSES_NONE:
		break;
	}
	if (!b->arch->headless)
		return predict(b, x, table);
	return encoder == SF_ENCODER_DISTILBERT ||
		encoder == SF_ENCODER_ELECTRA || encoder == SF_ENCODER_NOMIC
	    ? x
	    : pool(b, x);
}

struct sf_val *
sf_encoder_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	bool shares = a->family->encoder == SF_ENCODER_ALBERT;
	struct sf_val *table, *x, *mask;
	const char *around;

	table =
	    sf_part(b, -1, sf_encoder_inside(b, EMBEDDINGS "word_embeddings"),
		"weight", a->vocab, a->embed_width);
	around = sf_enter_base(b);
	x = embed(b, table, ids);
	/* Electra's, which may be narrower than the layers. */
	if (a->embed_width != a->hidden && !shares)
		x = sf_linear(b, -1, sf_encoder_inside(b, "embeddings_project"),
		    x, a->hidden, true);
	mask = sf_mask_bidirectional(b);
	if (shares)
		x = sf_linear(b, -1,
		    sf_encoder_inside(b, "encoder.embedding_hidden_mapping_in"),
		    x, a->hidden, true);
	for (int64_t i = 0; i < a->layers && !shares; i++)
		x = layer(b, i, x, mask);
	if (shares)
		x = shared_layers(b, x, mask);
	sf_leave(b, around);
	return sf_encoder_finish(b, x, table);
}

/* ---- its configuration ---- */

/* Groups of layers that are alike, and how many each has of its own. */
static void
read_groups(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_hidden_groups";
	int64_t product;

	arch->groups = sf_field_size_or(config, key, NULL, 1);
	arch->top_groups = sf_field_size_or(config, "inner_group_num", NULL, 1);
	if (arch->groups > arch->layers)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, expected at most the %lld layers", key,
		    (long long)arch->groups, (long long)arch->layers);
	if (!sf_mul(arch->layers, arch->top_groups, &product) ||
	    product > 10000)
		sf_config_die(config,
		    sf_field_find(&config->root, "inner_group_num"),
		    "'inner_group_num' is %lld, which makes too many layers",
		    (long long)arch->top_groups);
}

void
sf_encoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	bool distil = arch->family->encoder == SF_ENCODER_DISTILBERT;
	/* Nomic's own files have GPT-2's names. */
	bool nomic_names = arch->family->encoder == SF_ENCODER_NOMIC;
	const char *heads = distil ? "n_heads" : "num_attention_heads";
	const struct sf_config_value *pad;

	arch->hidden = sf_field_size(config, distil ? "dim" : "hidden_size",
	    nomic_names ? "n_embd" : NULL);
	arch->inner =
	    sf_field_size(config, distil ? "hidden_dim" : "intermediate_size",
		nomic_names ? "n_inner" : NULL);
	sf_arch_read_layers(arch, config,
	    distil ? "n_layers" : "num_hidden_layers",
	    nomic_names ? "n_layer" : NULL, arena);
	arch->heads =
	    sf_field_size(config, heads, nomic_names ? "n_head" : NULL);
	if (arch->hidden % arch->heads != 0)
		sf_config_die(config, sf_field_find(&config->root, heads),
		    "'%s' is %lld, which does not divide the hidden size of "
		    "%lld",
		    heads, (long long)arch->heads, (long long)arch->hidden);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	arch->embed_width = arch->hidden;
	if (arch->family->encoder == SF_ENCODER_ELECTRA ||
	    arch->family->encoder == SF_ENCODER_ALBERT)
		arch->embed_width =
		    sf_field_size_or(config, "embedding_size", NULL, 128);
	if (arch->family->encoder == SF_ENCODER_ALBERT)
		read_groups(arch, config);
	sf_arch_read_labels(arch, config, 2);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	arch->positions = sf_field_size(config, "max_position_embeddings",
	    nomic_names ? "n_positions" : NULL);
	arch->types = sf_field_size_or(config, "type_vocab_size", NULL, 2);
	pad = sf_field_find(&config->root, "pad_token_id");
	arch->pad = 1;
	if (pad != NULL &&
	    (pad->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(pad->text, strlen(pad->text), &arch->pad)))
		sf_config_die(
		    config, pad, "'pad_token_id': expected a whole number");
	if (arch->family->encoder == SF_ENCODER_MPNET)
		arch->pad = 1;
	arch->activation = arch->family->encoder == SF_ENCODER_ALBERT
	    ? SF_ACT_GELU_NEW
	    : SF_ACT_GELU;
	sf_arch_read_activation(
	    arch, config, distil ? "activation" : "hidden_act");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->bidirectional = true;
	sf_arch_read_windows(arch, config);
}
