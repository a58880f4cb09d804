/*
 * CLIP: its text tower, the projections of both, and both together. The order
 * of calls is that of transformers 5.18's modeling_clip.py.
 */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/tower.h"
#include "model/whole.h"

static struct sf_val *
embed(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item items[] = { SF_ALL, SF_TO(b->work.tokens) };
	struct sf_val *places, *table, *x;
	const char *around = sf_enter(b, -1, sf_tower_name(b, "embeddings"));
	const char *name;

	places =
	    sf_val_new(&b->graph, SF_DT_I64, 2, (int64_t[]){ 1, a->positions });
	places->name = sf_tower_name(b, "embeddings.position_ids");
	places->fixed = true;
	places = l->getitem(b, places, 2, items);
	name = sf_tower_name(b, "embeddings.token_embedding");
	table = sf_part(b, -1, name, "weight", a->vocab, a->hidden);
	x = sf_embed(b, name, table, ids);
	name = sf_tower_name(b, "embeddings.position_embedding");
	table = sf_part(b, -1, name, "weight", a->positions, a->hidden);
	return sf_leave_with(b, around,
	    l->binary(b, SF_CALL_ADD, x, sf_embed(b, name, table, places)));
}

/* What the model makes of the token that ends the text. */
static struct sf_val *
pool(struct sf_build *b, struct sf_val *x, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *rows = l->arange(b, b->work.batch), *at;

	at = l->to_type(b, ids, SF_DT_I32);
	/* As 2 it was wrong, and the highest number stands for it. */
	if (b->arch->end != 2) {
		at = l->number(b, SF_CALL_EQ, at, (double)b->arch->end);
		at = l->to_type(b, at, SF_DT_I32);
	}
	return l->index2(b, x, rows, l->argmax_last(b, at));
}

static struct sf_val *
project(struct sf_build *b, const char *name, struct sf_val *x)
{
	return sf_linear(b, -1, name, x, b->arch->projection, false);
}

struct sf_val *
sf_clip_text_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *mask;
	const char *around = sf_tower_enter(b);

	ids = l->view(b, ids, 2, ids->shape);
	x = embed(b, ids);
	mask = sf_mask_causal(b, NULL, SF_MASK_FULL, 0);
	for (int64_t i = 0; i < a->layers; i++)
		x = sf_tower_layer(b, i, &sf_tower_clip, x, mask);
	x = sf_tower_norm(b, -1, "final_layer_norm", x);
	x = pool(b, x, ids);
	sf_leave(b, around);
	return a->projection != 0 ? project(b, "text_projection", x) : x;
}

void
sf_clip_text_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const struct sf_config_value *end =
	    sf_field_find(&config->root, "eos_token_id");

	sf_tower_read(arch, config, arena, 512, 8);
	arch->vocab = sf_field_size_or(config, "vocab_size", NULL, 49408);
	arch->positions =
	    sf_field_size_or(config, "max_position_embeddings", NULL, 77);
	arch->end = 49407;
	if (end != NULL &&
	    (end->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(end->text, strlen(end->text), &arch->end)))
		sf_config_die(
		    config, end, "'eos_token_id': expected a whole number");
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "hidden_act");
}

/* ---- the two together ---- */

void
sf_clip_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole)
{
	int64_t size = sf_field_size_or(whole, "projection_dim", NULL, 512);

	text->projection = tower->projection = size;
	text->prefix = "text_model.";
	tower->prefix = "vision_model.";
	tower->image.chosen_layer = -1;
}

struct sf_val *
sf_clip_project(struct sf_build *b, struct sf_val *x)
{
	return project(b, "visual_projection", x);
}

/* x over its Euclidean norm. */
static struct sf_val *
normalise(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *n = l->number(b, SF_CALL_POW, x, 2);

	n = l->sum(b, n, x->rank - 1, true);
	n = l->number(b, SF_CALL_POW, n, 0.5);
	return l->binary(b, SF_CALL_DIV, x, n);
}

struct sf_val *
sf_clip_compare(struct sf_build *b, struct sf_val *image, struct sf_val *text)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x, *scale;

	image = normalise(b, image);
	text = normalise(b, text);
	image = l->to_device(b, l->transpose_matrix(b, image));
	x = l->matmul(b, text, image);
	scale = sf_tensor_part(b, -1, "logit_scale", 0, NULL);
	scale = l->to_device(b, l->unary(b, SF_CALL_EXP, scale));
	x = l->binary(b, SF_CALL_MUL, x, scale);
	return l->transpose_matrix(b, x);
}
