/*
 * Vision transformers over patches of an image: ViT, DeiT, DINOv2 and CLIP's. The
 * order of calls is that of transformers 5.18's modeling_vit.py,
 * modeling_deit.py, modeling_dinov2.py and modeling_clip.py.
 */
#include <string.h>

#include "base/num.h"
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

#define DINO_LAYER "encoder.layer.%d."

/* Of an MLP without a gate, up is by another name. */
static const struct sf_tower_layer dino_layer = {
	.q = DINO_LAYER "attention.q_proj",
	.k = DINO_LAYER "attention.k_proj",
	.v = DINO_LAYER "attention.v_proj",
	.o = DINO_LAYER "attention.o_proj",
	.first_norm = DINO_LAYER "norm1",
	.up = DINO_LAYER "mlp.fc1",
	.down = DINO_LAYER "mlp.fc2",
	.second_norm = DINO_LAYER "norm2",
	.first_scale = DINO_LAYER "layer_scale1.lambda1",
	.second_scale = DINO_LAYER "layer_scale2.lambda1",
	.input_last = true,
};

static const struct sf_tower_layer gated_dino_layer = {
	.q = DINO_LAYER "attention.q_proj",
	.k = DINO_LAYER "attention.k_proj",
	.v = DINO_LAYER "attention.v_proj",
	.o = DINO_LAYER "attention.o_proj",
	.first_norm = DINO_LAYER "norm1",
	.gate = DINO_LAYER "mlp.gate_proj",
	.act = "act_fn",
	.up = DINO_LAYER "mlp.up_proj",
	.down = DINO_LAYER "mlp.down_proj",
	.second_norm = DINO_LAYER "norm2",
	.first_scale = DINO_LAYER "layer_scale1.lambda1",
	.second_scale = DINO_LAYER "layer_scale2.lambda1",
	.input_last = true,
};

/* All but CLIP's have the names of ViT's embeddings. */
static bool
is_vit(const struct sf_build *b)
{
	return b->arch->family->vision != SF_VISION_CLIP;
}

static const struct sf_tower_layer *
layer_of(const struct sf_build *b)
{
	switch (b->arch->family->vision) {
	case SF_VISION_CLIP:
		return &sf_tower_clip;
	case SF_VISION_DINOV2:
		return b->arch->pair.gated ? &gated_dino_layer : &dino_layer;
	default:
		return &vit_layer;
	}
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
	const char *around;
	const char *outside = b->graph.module;

	w = sf_tensor_part(b, -1,
	    sf_arena_printf(b->graph.arena, "%s.weight", name), 4,
	    (int64_t[]){ a->hidden, a->image.channels, patch, patch });
	if (is_vit(b))
		c = sf_part(b, -1, name, "bias", a->hidden, 0);
	if (is_vit(b))
		outside = sf_enter_around(b, -1, name);
	if (!is_vit(b) || a->family->vision == SF_VISION_DINOV2)
		x = l->to_type(b, x, b->work.dtype);
	around = sf_enter(b, -1, name);
	x = l->convolution(b, x, w, c, patch, 0);
	sf_leave(b, around);
	x = l->view(b, x, 3,
	    (int64_t[]){ b->work.batch, a->hidden, x->shape[2] * x->shape[3] });
	return sf_leave_with(b, outside, l->transpose(b, x, 1, 2));
}

/* A token of which all images have the same: of the class, or another. */
static struct sf_val *
own_token(struct sf_build *b, const char *name)
{
	int64_t hidden = b->arch->hidden;
	int64_t shape[] = { 1, 1, hidden };
	struct sf_val *x;

	if (is_vit(b))
		x = sf_tensor_part(b, -1, sf_tower_name(b, name), 3, shape);
	else
		x = sf_weight(b, -1,
		    sf_tower_name(b, "embeddings.class_embedding"), hidden, 0);
	shape[0] = b->work.batch;
	return b->route->lower->expand(b, x, 3, shape);
}

/* Those tokens before the patches X. */
static struct sf_val *
join(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *parts[3];

	parts[0] = own_token(b, "embeddings.cls_token");
	if (b->arch->family->vision != SF_VISION_DEIT)
		return l->cat(b, parts[0], x, 1);
	parts[1] = own_token(b, "embeddings.distillation_token");
	parts[2] = x;
	return l->cat_all(b, parts, 3, 1);
}

static struct sf_val *
places(struct sf_build *b)
{
	int64_t hidden = b->arch->hidden, n = b->arch->positions;
	struct sf_val *table, *ids;
	const char *name;

	if (is_vit(b))
		return sf_tensor_part(b, -1,
		    sf_tower_name(b, "embeddings.position_embeddings"), 3,
		    (int64_t[]){ 1, n, hidden });
	ids = sf_val_new(&b->graph, SF_DT_I64, 2, (int64_t[]){ 1, n });
	ids->name = sf_tower_name(b, "embeddings.position_ids");
	ids->fixed = true;
	name = sf_tower_name(b, "embeddings.position_embedding");
	table = sf_part(b, -1, name, "weight", n, hidden);
	return sf_embed(b, name, table, ids);
}

/* ---- the whole ---- */

/* DINOv2's: the first token, and for classes the mean of the others, too. */
static struct sf_val *
classify_all(struct sf_build *b, struct sf_val *x, const char *around)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item others[] = { SF_ALL, SF_FROM(1) };
	struct sf_val *first = l->select(b, x, 1), *y;

	sf_leave(b, around);
	if (a->headless)
		return first;
	first = l->select(b, x, 1);
	y = l->mean_dim(b, l->getitem(b, x, 2, others), 1);
	y = l->cat(b, first, y, 1);
	return a->labels == 0
	    ? y
	    : sf_linear(b, -1, "classifier", y, a->labels, true);
}

/* ViT's behind its layers: the classes, or the pooler's first token. */
static struct sf_val *
classify(struct sf_build *b, struct sf_val *x, const char *around)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;

	x = sf_tower_norm(b, -1, "layernorm", x);
	if (a->family->vision == SF_VISION_DINOV2)
		return classify_all(b, x, around);
	sf_leave(b, around);
	if (a->headless)
		sf_enter(b, -1, sf_tower_name(b, "pooler"));
	x = l->select(b, x, 1);
	if (!a->headless)
		return a->labels == 0
		    ? x
		    : sf_linear(b, -1, "classifier", x, a->labels, true);
	x = sf_linear(
	    b, -1, sf_tower_name(b, "pooler.dense"), x, a->image.pooled, true);
	x = sf_activate_part(b, "activation", SF_ACT_TANH, x);
	return sf_leave_with(b, around, x);
}

struct sf_val *
sf_vit_run(struct sf_build *b, struct sf_val *pixels)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *mask = NULL, *chosen = NULL;
	const char *around = sf_tower_enter(b), *outside;

	b->work.tokens = a->positions;
	if (a->family->vision == SF_VISION_DINOV2 && a->image.masks)
		sf_weight(b, -1, sf_tower_name(b, "embeddings.mask_token"), 1,
		    a->hidden); /* for training */
	outside = sf_enter(b, -1, sf_tower_name(b, "embeddings"));
	x = join(b, patches(b, pixels));
	x = l->binary(b, SF_CALL_ADD, x, places(b));
	sf_leave(b, outside);
	if (is_vit(b))
		mask = sf_mask_bidirectional(b);
	else
		x = sf_tower_norm(b, -1, "pre_layrnorm", x);
	for (int64_t i = 0; i < a->layers; i++) {
		if (i == a->image.chosen_layer)
			chosen = x;
		x = sf_tower_layer(b, i, layer_of(b), x, mask);
	}
	if (is_vit(b))
		return classify(b, x, around);
	if (a->image.chosen_layer == a->layers)
		chosen = x;
	/* The last state is a result, too. */
	b->graph.last->effect = true;
	x = l->select(b, x, 1);
	x = sf_tower_norm(b, -1, "post_layernorm", x);
	return sf_leave_with(b, around, chosen != NULL ? chosen : x);
}

/* ---- its configuration ---- */

/* The width of DINOv2's MLP is so many times the hidden size, or 2/3 of it. */
static void
read_dino(struct sf_arch *arch, const struct sf_config *config)
{
	int64_t ratio = sf_field_size_or(config, "mlp_ratio", NULL, 4), wide;

	if (!sf_mul(arch->hidden, ratio, &wide) || wide > INT64_MAX / 2 - 8)
		sf_config_die(config, sf_field_find(&config->root, "mlp_ratio"),
		    "'mlp_ratio' is %lld, which makes the MLP too large",
		    (long long)ratio);
	arch->inner = wide;
	arch->image.masks = sf_field_bool_or(config, "use_mask_token", true);
	if (!sf_field_bool_or(config, "use_swiglu_ffn", false))
		return;
	arch->pair.gated = true;
	arch->activation = SF_ACT_SILU;
	arch->inner = ((int64_t)((double)wide * 2 / 3) + 7) / 8 * 8;
}

void
sf_vit_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	enum sf_vision vision = arch->family->vision;
	bool vit = vision != SF_VISION_CLIP;
	const char *act = sf_field_text(config, &config->root, "pooler_act");

	sf_tower_read(arch, config, arena, 768, 12);
	sf_tower_read_image(arch, config,
	    vision == SF_VISION_DINOV2 ? 14
		: vit                  ? 16
				       : 32);
	if (vit)
		arch->qkv_bias = sf_field_bool_or(config, "qkv_bias", true);
	if ((!vit || vision == SF_VISION_DINOV2) &&
	    arch->image.height != arch->image.width)
		sf_config_die(config,
		    sf_field_find(&config->root, "image_size"),
		    "'image_size': expected a square");
	arch->positions = (vision == SF_VISION_DEIT ? 2 : 1) +
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
	if (vision == SF_VISION_DINOV2)
		read_dino(arch, config);
}
