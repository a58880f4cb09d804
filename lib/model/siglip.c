/*
 * SigLIP's two towers, of text and of images: the order of calls is that of
 * transformers 5.18's modeling_siglip.py and of PyTorch's MultiheadAttention.
 */
#include <math.h>
#include <string.h>

#include "model/arch-part.h"
#include "model/fields.h"
#include "model/tower.h"
#include "model/whole.h"

#define LAYER "encoder.layers.%d."

static const struct sf_tower_layer layer = {
	.q = LAYER "self_attn.q_proj",
	.k = LAYER "self_attn.k_proj",
	.v = LAYER "self_attn.v_proj",
	.o = LAYER "self_attn.out_proj",
	.first_norm = LAYER "layer_norm1",
	.up = LAYER "mlp.fc1",
	.down = LAYER "mlp.fc2",
	.second_norm = LAYER "layer_norm2",
};

/* The places of N tokens, all that there are or the first of them. */
static struct sf_val *
places(struct sf_build *b, int64_t n)
{
	struct sf_item items[] = { SF_ALL, SF_TO(n) };
	struct sf_val *x;

	x = sf_val_new(
	    &b->graph, SF_DT_I64, 2, (int64_t[]){ 1, b->arch->positions });
	x->name = sf_tower_name(b, "embeddings.position_ids");
	x->fixed = true;
	return b->arch->family->input == SF_INPUT_IMAGE
	    ? x
	    : b->route->lower->getitem(b, x, 2, items);
}

static struct sf_val *
look_up(struct sf_build *b, const char *name, int64_t rows, struct sf_val *ids)
{
	struct sf_val *table;

	name = sf_tower_name(b, name);
	table = sf_part(b, -1, name, "weight", rows, b->arch->hidden);
	return sf_embed(b, name, table, ids);
}

static struct sf_val *
run_layers(struct sf_build *b, struct sf_val *x, struct sf_val *mask)
{
	for (int64_t i = 0; i < b->arch->layers; i++)
		x = sf_tower_layer(b, i, &layer, x, mask);
	return x;
}

/* ---- text ---- */

struct sf_val *
sf_siglip_text_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *at, *x;
	const char *around = sf_tower_enter(b), *outside;

	ids = l->view(b, ids, 2, ids->shape);
	outside = sf_enter(b, -1, sf_tower_name(b, "embeddings"));
	at = places(b, b->work.tokens);
	x = look_up(b, "embeddings.token_embedding", a->vocab, ids);
	at = look_up(b, "embeddings.position_embedding", a->positions, at);
	x = l->binary(b, SF_CALL_ADD, x, at);
	sf_leave(b, outside);
	x = run_layers(b, x, sf_mask_bidirectional(b));
	x = sf_tower_norm(b, -1, "final_layer_norm", x);
	x = l->select_at(b, x, 1, -1);
	return sf_leave_with(b, around,
	    sf_linear(b, -1, sf_tower_name(b, "head"), x, a->projection, true));
}

void
sf_siglip_text_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_tower_read(arch, config, arena, 768, 12);
	arch->vocab = sf_field_size_or(config, "vocab_size", NULL, 32000);
	arch->positions =
	    sf_field_size_or(config, "max_position_embeddings", NULL, 64);
	arch->projection =
	    sf_field_size_or(config, "projection_size", NULL, arch->hidden);
	arch->bidirectional = true;
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "hidden_act");
}

/* ---- images ---- */

static struct sf_val *
embed(struct sf_build *b, struct sf_val *pixels)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t patch = a->image.patch;
	const char *name = sf_tower_name(b, "embeddings.patch_embedding");
	struct sf_val *w, *c, *x;
	const char *around = sf_enter(b, -1, sf_tower_name(b, "embeddings")),
		   *outside;

	w = sf_tensor_part(b, -1,
	    sf_arena_printf(b->graph.arena, "%s.weight", name), 4,
	    (int64_t[]){ a->hidden, a->image.channels, patch, patch });
	c = sf_part(b, -1, name, "bias", a->hidden, 0);
	x = l->to_type(b, pixels, b->work.dtype);
	outside = sf_enter(b, -1, name);
	x = l->convolution(b, x, w, c, patch, 0);
	sf_leave(b, outside);
	x = l->view(
	    b, x, 3, (int64_t[]){ b->work.batch, a->hidden, a->positions });
	x = l->transpose(b, x, 1, 2);
	return sf_leave_with(b, around,
	    l->binary(b, SF_CALL_ADD, x,
		look_up(b, "embeddings.position_embedding", a->positions,
		    places(b, a->positions))));
}

/*
 * Queries of the probe Q, keys and values of X, whose weights are one parameter:
 * _in_projection_packed.
 */
static void
project(struct sf_build *b, struct sf_val *q, struct sf_val *x,
    struct sf_val *parts[3])
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t width = b->arch->hidden, sizes[] = { width, 2 * width };
	const char *name = sf_tower_name(b, "head.attention.in_proj");
	struct sf_val *w, *c, *of_w[2], *of_c[2], *both;

	w = sf_weight(b, -1, sf_arena_printf(b->graph.arena, "%s_weight", name),
	    3 * width, width);
	l->split_rows(b, w, sizes, 2, of_w);
	c = sf_weight(b, -1, sf_arena_printf(b->graph.arena, "%s_bias", name),
	    3 * width, 0);
	l->split_rows(b, c, sizes, 2, of_c);
	parts[0] = l->linear(b, q, of_w[0], of_c[0]);
	both = l->linear(b, x, of_w[1], of_c[1]);
	both = l->view(b, both, 4,
	    (int64_t[]){ both->shape[0], both->shape[1], 2, width });
	both = l->unsqueeze(b, both, 0);
	both = l->transpose(b, both, 0, 3);
	both = l->squeeze(b, both, -2);
	both = l->contiguous(b, both);
	parts[1] = l->select_at(b, both, 0, 0);
	parts[2] = l->select_at(b, both, 0, 1);
}

/* [tokens, batch, hidden] to [batch * heads, tokens, size]. */
static struct sf_val *
split(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;

	x = l->view(b, x, 3,
	    (int64_t[]){ x->shape[0], x->shape[1] * a->heads, a->head_dim });
	return l->transpose(b, x, 0, 1);
}

/* Its weights are read by no module of their own. */
static struct sf_val *
project_out(struct sf_build *b, struct sf_val *x)
{
	const char *name = sf_tower_name(b, "head.attention.out_proj");
	int64_t hidden = b->arch->hidden;
	struct sf_val *w = sf_part(b, -1, name, "weight", hidden, hidden);

	return b->route->lower->linear(
	    b, x, w, sf_part(b, -1, name, "bias", hidden, 0));
}

/* MultiheadAttention of the probe to the patches X. */
static struct sf_val *
attend(struct sf_build *b, struct sf_val *probe, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = b->work.batch;
	struct sf_val *parts[3], *w;
	const char *around =
	    sf_enter(b, -1, sf_tower_name(b, "head.attention"));

	probe = l->transpose(b, probe, 0, 1);
	x = l->transpose(b, x, 0, 1);
	project(b, probe, x, parts);
	for (int i = 0; i < 3; i++)
		parts[i] = split(b, parts[i]);
	parts[0] =
	    l->number(b, SF_CALL_MUL, parts[0], sqrt(1 / (double)a->head_dim));
	w = l->bmm(b, parts[0], l->transpose(b, parts[1], 1, 2));
	w = l->softmax(b, w, SF_SOFTMAX_PLAIN);
	x = l->transpose(b, l->bmm(b, w, parts[2]), 0, 1);
	x = l->contiguous(b, x);
	x = l->view(b, x, 2, (int64_t[]){ n, a->hidden });
	x = project_out(b, x);
	x = l->view(b, x, 3, (int64_t[]){ 1, n, a->hidden });
	/* The mean of the heads' weights, which are a result, too. */
	w = l->view(b, w, 4, (int64_t[]){ n, a->heads, 1, w->shape[2] });
	l->mean_dim(b, w, 1);
	return sf_leave_with(b, around, l->transpose(b, x, 0, 1));
}

/* What the image is as a whole, to a token that asks. */
static struct sf_val *
pool(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { 1, 1, a->hidden };
	struct sf_val *probe, *y;
	const char *around = sf_enter(b, -1, sf_tower_name(b, "head")), *inside;

	probe = sf_tensor_part(b, -1, sf_tower_name(b, "head.probe"), 3, shape);
	x = attend(b, l->repeat_first(b, probe, b->work.batch), x);
	y = sf_tower_norm(b, -1, "head.layernorm", x);
	inside = sf_enter(b, -1, sf_tower_name(b, "head.mlp"));
	y = sf_linear(
	    b, -1, sf_tower_name(b, "head.mlp.fc1"), y, a->inner, true);
	y = sf_activate(b, y);
	y = sf_linear(
	    b, -1, sf_tower_name(b, "head.mlp.fc2"), y, a->hidden, true);
	sf_leave(b, inside);
	return sf_leave_with(
	    b, around, l->select(b, l->binary(b, SF_CALL_ADD, x, y), 1));
}

struct sf_val *
sf_siglip_vision_run(struct sf_build *b, struct sf_val *pixels)
{
	struct sf_val *x;
	const char *around = sf_tower_enter(b);

	b->work.tokens = b->arch->positions;
	x = run_layers(b, embed(b, pixels), NULL);
	x = sf_tower_norm(b, -1, "post_layernorm", x);
	return sf_leave_with(b, around, b->arch->image.pools ? pool(b, x) : x);
}

void
sf_siglip_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_arch_image *image = &arch->image;

	sf_tower_read(arch, config, arena, 768, 12);
	sf_tower_read_image(arch, config, 16);
	if (image->height != image->width)
		sf_config_die(config,
		    sf_field_find(&config->root, "image_size"),
		    "'image_size': expected a square");
	arch->positions =
	    (image->height / image->patch) * (image->width / image->patch);
	/* Python's ** -0.5, which rounds as no root does. */
	arch->attention_scale = pow((double)arch->head_dim, -0.5);
	image->pools = sf_field_bool_or(config, "vision_use_head", true);
	arch->bidirectional = true;
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "hidden_act");
}

/* ---- the two together ---- */

void
sf_siglip_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole)
{
	if (!tower->image.pools)
		sf_config_die(whole,
		    sf_field_find(&whole->root, "vision_config"),
		    "'vision_use_head' is false, expected a vector of the "
		    "image to compare");
	if (text->projection != tower->hidden)
		sf_config_die(whole, sf_field_find(&whole->root, "text_config"),
		    "texts are of %lld numbers and images of %lld, expected as "
		    "many",
		    (long long)text->projection, (long long)tower->hidden);
	text->prefix = "text_model.";
	tower->prefix = "vision_model.";
}

struct sf_val *
sf_siglip_compare(struct sf_build *b, struct sf_val *image, struct sf_val *text)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t one = 1;
	struct sf_val *x, *scale, *bias;

	image = l->binary(b, SF_CALL_DIV, image, l->length_last(b, image));
	text = l->binary(b, SF_CALL_DIV, text, l->length_last(b, text));
	image = l->to_device(b, l->transpose_matrix(b, image));
	x = l->matmul(b, text, image);
	scale = sf_tensor_part(b, -1, "logit_scale", 1, &one);
	scale = l->to_device(b, scale);
	bias = sf_tensor_part(b, -1, "logit_bias", 1, &one);
	bias = l->to_device(b, bias);
	x = l->binary(b, SF_CALL_MUL, x, l->unary(b, SF_CALL_EXP, scale));
	x = l->binary(b, SF_CALL_ADD, x, bias);
	return l->transpose_matrix(b, x);
}
