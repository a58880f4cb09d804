/*
 * Vision transformers over patches of an image: ViT and CLIP's. The order of
 * calls is that of transformers 5.18's modeling_vit.py and modeling_clip.py.
 */
#include <string.h>

#include "model/arch-part.h"
#include "model/fields.h"
#include "model/tower.h"

#define VIT_LAYER "layers.%d."

static const struct sf_tower_layer vit_layer = {
	.q = VIT_LAYER "attention.q_proj",
	.k = VIT_LAYER "attention.k_proj",
	.v = VIT_LAYER "attention.v_proj",
	.o = VIT_LAYER "attention.o_proj",
	.first_norm = VIT_LAYER "layernorm_before",
	.up = VIT_LAYER "mlp.fc1",
	.down = VIT_LAYER "mlp.fc2",
	.second_norm = VIT_LAYER "layernorm_after",
	.input_last = true,
};

static bool
is_vit(const struct sf_build *b)
{
	return b->arch->family->vision == SF_VISION_VIT;
}

/* ---- patches and their places ---- */

static struct sf_val *
patches(struct sf_build *b, struct sf_val *pixels)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t patch = a->image.patch;
	const char *name = sf_tower_name(b,
	    is_vit(b) ? "embeddings.patch_embeddings.projection"
		      : "embeddings.patch_embedding");
	struct sf_val *w, *c = NULL, *x = pixels;

	w = sf_tensor_part(b, -1,
	    sf_arena_printf(b->graph.arena, "%s.weight", name), 4,
	    (int64_t[]){ a->hidden, a->image.channels, patch, patch });
	if (is_vit(b))
		c = sf_part(b, -1, name, "bias", a->hidden, 0);
	else
		x = l->to_type(b, x, b->work.dtype);
	x = l->convolution(b, x, w, c, patch, 0);
	x = l->view(b, x, 3,
	    (int64_t[]){ b->work.batch, a->hidden, x->shape[2] * x->shape[3] });
	return l->transpose(b, x, 1, 2);
}

/* The token of the class, of which all images have the same. */
static struct sf_val *
class_token(struct sf_build *b)
{
	int64_t hidden = b->arch->hidden;
	int64_t shape[] = { 1, 1, hidden };
	struct sf_val *x;

	if (is_vit(b))
		x = sf_tensor_part(
		    b, -1, sf_tower_name(b, "embeddings.cls_token"), 3, shape);
	else
		x = sf_weight(b, -1,
		    sf_tower_name(b, "embeddings.class_embedding"), hidden, 0);
	shape[0] = b->work.batch;
	return b->route->lower->expand(b, x, 3, shape);
}

static struct sf_val *
places(struct sf_build *b)
{
	int64_t hidden = b->arch->hidden, n = b->arch->positions;
	struct sf_val *table, *ids;

	if (is_vit(b))
		return sf_tensor_part(b, -1,
		    sf_tower_name(b, "embeddings.position_embeddings"), 3,
		    (int64_t[]){ 1, n, hidden });
	ids = sf_val_new(&b->graph, SF_DT_I64, 2, (int64_t[]){ 1, n });
	ids->name = sf_tower_name(b, "embeddings.position_ids");
	ids->fixed = true;
	table =
	    sf_part(b, -1, sf_tower_name(b, "embeddings.position_embedding"),
		"weight", n, hidden);
	return b->route->lower->embedding(b, table, ids);
}

/* ---- the whole ---- */

/* ViT's behind its layers: the classes, or the pooler's first token. */
static struct sf_val *
classify(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;

	x = sf_tower_norm(b, -1, "layernorm", x);
	x = l->select(b, x, 1);
	if (!a->headless)
		return a->labels == 0
		    ? x
		    : sf_linear(b, -1, "classifier", x, a->labels, true);
	x = sf_linear(
	    b, -1, sf_tower_name(b, "pooler.dense"), x, a->image.pooled, true);
	return l->unary(b, SF_CALL_TANH, x);
}

struct sf_val *
sf_vit_run(struct sf_build *b, struct sf_val *pixels)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *mask = NULL, *chosen = NULL;

	b->work.tokens = a->positions;
	x = patches(b, pixels);
	x = l->cat(b, class_token(b), x, 1);
	x = l->binary(b, SF_CALL_ADD, x, places(b));
	if (is_vit(b))
		mask = sf_mask_bidirectional(b);
	else
		x = sf_tower_norm(b, -1, "pre_layrnorm", x);
	for (int64_t i = 0; i < a->layers; i++) {
		if (i == a->image.chosen_layer)
			chosen = x;
		x = sf_tower_layer(
		    b, i, is_vit(b) ? &vit_layer : &sf_tower_clip, x, mask);
	}
	if (is_vit(b))
		return classify(b, x);
	if (a->image.chosen_layer == a->layers)
		chosen = x;
	/* The last state is a result, too. */
	b->graph.last->effect = true;
	x = l->select(b, x, 1);
	x = sf_tower_norm(b, -1, "post_layernorm", x);
	return chosen != NULL ? chosen : x;
}

/* ---- its configuration ---- */

void
sf_vit_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	bool vit = arch->family->vision == SF_VISION_VIT;
	const char *act = sf_field_text(config, &config->root, "pooler_act");

	sf_tower_read(arch, config, arena, 768, 12);
	sf_tower_read_image(arch, config, vit ? 16 : 32);
	if (vit)
		arch->qkv_bias = sf_field_bool_or(config, "qkv_bias", true);
	else if (arch->image.height != arch->image.width)
		sf_config_die(config,
		    sf_field_find(&config->root, "image_size"),
		    "'image_size': expected a square");
	arch->positions = 1 +
	    (arch->image.height / arch->image.patch) *
		(arch->image.width / arch->image.patch);
	/*
	 * Published classifiers of ImageNet name its thousand, and may come
	 * without, which a note says.
	 */
	sf_arch_read_labels(arch, config, arch->image.height >= 224 ? 1000 : 2);
	arch->image.pooled =
	    sf_field_size_or(config, "pooler_output_size", NULL, arch->hidden);
	arch->image.chosen_layer = -1;
	if (vit && act != NULL && strcmp(act, "tanh") != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "pooler_act"),
		    "'pooler_act' is '%s', expected tanh", act);
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "hidden_act");
	arch->bidirectional = true;
}
