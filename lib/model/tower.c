/* Parts of towers. */
#include "model/tower.h"

#include "base/die.h"
#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/fuse.h"

#define CLIP_LAYER "encoder.layers.%d."

const struct sf_tower_layer sf_tower_clip = {
	.q = CLIP_LAYER "self_attn.q_proj",
	.k = CLIP_LAYER "self_attn.k_proj",
	.v = CLIP_LAYER "self_attn.v_proj",
	.o = CLIP_LAYER "self_attn.out_proj",
	.first_norm = CLIP_LAYER "layer_norm1",
	.up = CLIP_LAYER "mlp.fc1",
	.down = CLIP_LAYER "mlp.fc2",
	.second_norm = CLIP_LAYER "layer_norm2",
	.projects_first = true,
};

const char *
sf_tower_name(struct sf_build *b, const char *name)
{
	const char *prefix = b->arch->prefix;

	if (prefix == NULL)
		prefix = b->arch->family->base;
	return prefix == NULL
	    ? name
	    : sf_arena_printf(b->graph.arena, "%s%s", prefix, name);
}

const char *
sf_tower_enter(struct sf_build *b)
{
	const char *prefix = b->arch->prefix;

	if (prefix == NULL && b->arch->family->base == NULL)
		return b->graph.module; /* it is the model */
	if (prefix == NULL)
		return sf_enter_base(b);
	return sf_enter(b, -1,
	    sf_arena_printf(
		b->graph.arena, "%.*s", (int)strlen(prefix) - 1, prefix));
}

struct sf_val *
sf_tower_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t width = x->shape[x->rank - 1];
	struct sf_val *w, *c;
	const char *around;

	name = sf_tower_name(b, name);
	around = sf_enter(b, layer, name);
	w = sf_part(b, layer, name, "weight", width, 0);
	c = sf_part(b, layer, name, "bias", width, 0);
	return sf_leave_with(
	    b, around, b->route->lower->layer_norm(b, x, w, c));
}

static struct sf_val *
linear(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width, bool bias)
{
	return sf_linear(b, i, sf_tower_name(b, name), x, width, bias);
}

static struct sf_val *
attention(struct sf_build *b, int64_t i, const struct sf_tower_layer *n,
    struct sf_val *x, struct sf_val *mask)
{
	const char *names[3] = { n->q, n->k, n->v };
	int64_t width = b->arch->q_size;
	struct sf_val *y[3];
	const char *around = sf_enter_around(b, i, sf_tower_name(b, n->q));

	for (int k = 0; k < 3; k++) {
		y[k] = linear(b, i, names[k], x, width, b->arch->qkv_bias);
		if (!n->projects_first)
			y[k] = sf_split_heads(b, y[k]);
	}
	for (int k = 0; k < 3 && n->projects_first; k++)
		y[k] = sf_split_heads(b, y[k]);
	x = sf_attend(b, i, y[0], y[1], y[2], mask);
	return sf_leave_with(
	    b, around, linear(b, i, n->o, x, b->arch->hidden, true));
}

static struct sf_val *
add(struct sf_build *b, const struct sf_tower_layer *n, struct sf_val *x,
    struct sf_val *y)
{
	return n->input_last ? b->route->lower->binary(b, SF_CALL_ADD, y, x)
			     : b->route->lower->binary(b, SF_CALL_ADD, x, y);
}

/* Y by the vector NAME, if there is one. */
static struct sf_val *
scale(struct sf_build *b, int64_t i, const char *name, struct sf_val *y)
{
	const char *around;

	if (name == NULL)
		return y;
	name = sf_tower_name(b, name);
	around = sf_enter_around(b, i, name);
	y = b->route->lower->binary(
	    b, SF_CALL_MUL, y, sf_weight(b, i, name, b->arch->hidden, 0));
	return sf_leave_with(b, around, y);
}

/* With a gate, which is run first, or without. */
static struct sf_val *
mlp(struct sf_build *b, int64_t i, const struct sf_tower_layer *n,
    struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y;
	const char *around = sf_enter_around(b, i, sf_tower_name(b, n->up));

	y = linear(b, i, a->pair.gated ? n->gate : n->up, x, a->inner, true);
	y = n->act != NULL ? sf_activate_part(b, n->act, a->activation, y)
			   : sf_activate(b, y);
	if (a->pair.gated)
		y = b->route->lower->binary(
		    b, SF_CALL_MUL, y, linear(b, i, n->up, x, a->inner, true));
	y = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	return sf_leave_with(
	    b, around, linear(b, i, n->down, y, a->hidden, true));
}

struct sf_val *
sf_tower_layer(struct sf_build *b, int64_t i, const struct sf_tower_layer *n,
    struct sf_val *x, struct sf_val *mask)
{
	struct sf_val *y;
	const char *around =
	    sf_enter_around(b, i, sf_tower_name(b, n->first_norm));

	y = sf_tower_norm(b, i, n->first_norm, x);
	y = scale(b, i, n->first_scale, attention(b, i, n, y, mask));
	x = add(b, n, x, y);
	y = sf_tower_norm(b, i, n->second_norm, x);
	y = scale(b, i, n->second_scale, mlp(b, i, n, y));
	return sf_leave_with(b, around, add(b, n, x, y));
}

/* ---- configurations ---- */

void
sf_tower_read_pair(const struct sf_config *config, const char *key,
    int64_t otherwise, int64_t pair[2])
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	pair[0] = pair[1] = otherwise;
	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST) {
		pair[0] = pair[1] = sf_field_size(config, key, NULL);
		return;
	}
	if (v->nitems != 2)
		sf_config_die(config, v, "'%s': expected one size or two", key);
	for (int i = 0; i < 2; i++)
		pair[i] = sf_field_size_of(config, &v->items[i], key);
}

void
sf_tower_read_image(
    struct sf_arch *arch, const struct sf_config *config, int64_t patch)
{
	struct sf_arch_image *image = &arch->image;
	int64_t size[2], patches[2], all;

	sf_tower_read_pair(config, "image_size", 224, size);
	sf_tower_read_pair(config, "patch_size", patch, patches);
	if (patches[0] != patches[1])
		sf_config_die(config,
		    sf_field_find(&config->root, "patch_size"),
		    "'patch_size' is %lld by %lld, expected a square",
		    (long long)patches[0], (long long)patches[1]);
	/* Patches and the places before them are no more. */
	if (!sf_mul(size[0], size[1], &all) || all > INT64_MAX / 2)
		sf_config_die(config,
		    sf_field_find(&config->root, "image_size"),
		    "'image_size': more than 2^62 - 1 pixels");
	image->height = size[0];
	image->width = size[1];
	image->patch = patches[0];
	image->channels = sf_field_size_or(config, "num_channels", NULL, 3);
	if (image->patch > image->height || image->patch > image->width)
		sf_config_die(config, &config->root,
		    "'patch_size' is %lld, more than the image of %lld by %lld",
		    (long long)image->patch, (long long)image->height,
		    (long long)image->width);
}

void
sf_tower_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena, int64_t hidden, int64_t heads)
{
	const char *key = "num_attention_heads";

	arch->hidden = sf_field_size_or(config, "hidden_size", NULL, hidden);
	arch->inner =
	    sf_field_size_or(config, "intermediate_size", NULL, 4 * hidden);
	sf_arch_read_layers_or(arch, config, "num_hidden_layers", 12, arena);
	arch->heads = sf_field_size_or(config, key, NULL, heads);
	if (arch->hidden % arch->heads != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, which does not divide the hidden size of "
		    "%lld",
		    key, (long long)arch->heads, (long long)arch->hidden);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	arch->qkv_bias = true;
	arch->cacheless = true;
}

/* ---- what a tower is given ---- */

struct sf_val *
sf_tower_pixels(struct sf_build *b)
{
	const struct sf_arch_image *image = &b->arch->image;
	int64_t height = b->work.image_height, width = b->work.image_width;
	struct sf_val *x;

	if (height == 0) {
		height = image->height;
		width = image->width;
	}
	if (height != image->height || width != image->width)
		sf_die(SF_EX_USAGE,
		    "--image %lldx%lld: the model's positions are those of "
		    "%lldx%lld",
		    (long long)height, (long long)width,
		    (long long)image->height, (long long)image->width);
	x = sf_val_new(&b->graph, b->work.dtype, 4,
	    (int64_t[]){ b->work.batch, image->channels, height, width });
	x->name = "pixel_values";
	return x;
}
