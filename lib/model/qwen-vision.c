/*
 * The tower of Qwen3-VL and Qwen3.5: patches of two frames each, places between
 * those of a learned grid, angles of rows and columns, and groups of patches
 * merged to a token; after transformers 5.18's modeling_qwen3_vl.py.
 */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/patches.h"
#include "model/tower.h"
#include "model/whole.h"

#define BLOCK "blocks.%d."

static struct sf_val *
linear(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width)
{
	return sf_linear(b, i, sf_tower_name(b, name), x, width, true);
}

/* A row for each patch: what it shows, and where it is. */
static struct sf_val *
embed(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_arch_image *image = &a->image;
	int64_t n = x->shape[0];
	int64_t cut[] = { n, image->channels, image->frames, image->patch,
		image->patch };
	int64_t filters[] = { a->hidden, cut[1], cut[2], cut[3], cut[4] };
	struct sf_val *w, *c, *table, *places;
	const char *around;

	w = sf_tensor_part(
	    b, -1, sf_tower_name(b, "patch_embed.proj.weight"), 5, filters);
	c = sf_part(
	    b, -1, sf_tower_name(b, "patch_embed.proj"), "bias", a->hidden, 0);
	around = sf_enter(b, -1, sf_tower_name(b, "patch_embed"));
	x = l->view(b, x, 5, cut);
	sf_enter_part(b, "proj");
	x = l->convolution(b, x, w, c, image->patch, 0);
	sf_enter(b, -1, sf_tower_name(b, "patch_embed"));
	x = l->view(b, x, 2, (int64_t[]){ n, a->hidden });
	sf_leave(b, around);
	/* Between the four of the grid that are nearest. */
	table = sf_part(b, -1, sf_tower_name(b, "pos_embed"), "weight",
	    image->places, a->hidden);
	places = sf_embed(b, sf_tower_name(b, "pos_embed"), table,
	    sf_patches_number(
		b, "interpolation_indices", SF_DT_I64, 2, (int64_t[]){ n, 4 }));
	places = l->binary(b, SF_CALL_MUL, places,
	    sf_patches_number(b, "interpolation_weights", SF_DT_F32, 3,
		(int64_t[]){ n, 4, 1 }));
	places = l->sum(b, places, 1, false);
	return l->binary(
	    b, SF_CALL_ADD, x, l->to_type(b, places, b->work.dtype));
}

/* Cosines, or sines, of the angles of a patch's row and column. */
static struct sf_val *
angles(struct sf_build *b, enum sf_call call, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;

	x = l->unary(b, call, x);
	x = l->cat(b, l->select_at(b, x, 1, 0), l->select_at(b, x, 1, 1), -1);
	return l->unsqueeze(b, l->cat(b, x, x, -1), 1);
}

static struct sf_val *
attention(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *cos,
    struct sf_val *sin)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = x->shape[0], images = b->work.batch;
	struct sf_attention how = { .scale = sf_arch_scale(a, i) };
	struct sf_val *y[3], *all;
	const char *around = sf_enter(b, i, sf_tower_name(b, BLOCK "attn"));

	all = linear(b, i, BLOCK "attn.qkv", x, 3 * a->hidden);
	all = l->view(b, all, 4, (int64_t[]){ n, 3, a->heads, a->head_dim });
	for (int k = 0; k < 3; k++) {
		y[k] = l->select_at(b, all, 1, k);
		if (k < 2)
			y[k] = sf_patches_turn(b, y[k], cos, sin);
		y[k] = l->reshape(b, y[k], 4,
		    (int64_t[]){ images, n / images, a->heads, a->head_dim });
		y[k] = l->transpose(b, y[k], 1, 2);
	}
	how.q = y[0];
	how.k = y[1];
	how.v = y[2];
	x = sf_attend_as(b, &how);
	x = l->view(b, x, 2, (int64_t[]){ n, a->hidden });
	return sf_leave_with(
	    b, around, linear(b, i, BLOCK "attn.proj", x, a->hidden));
}

/* Neighbours as one token, of the text model's width. */
static struct sf_val *
merge(struct sf_build *b, int64_t i, const char *module, bool norms_merged,
    struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t group = a->image.merge * a->image.merge;
	int64_t shape[] = { x->shape[0] / group, group * a->hidden };
	struct sf_arena *arena = b->graph.arena;
	const char *around = sf_enter(b, i, sf_tower_name(b, module));

	if (norms_merged)
		x = l->view(b, x, 2, shape);
	x = sf_tower_norm(b, i, sf_arena_printf(arena, "%s.norm", module), x);
	if (!norms_merged)
		x = l->view(b, x, 2, shape);
	x = sf_linear_activated(b, i,
	    sf_tower_name(b, sf_arena_printf(arena, "%s.linear_fc1", module)),
	    x, shape[1], true, "act_fn", SF_ACT_GELU);
	return sf_leave_with(b, around,
	    linear(b, i, sf_arena_printf(arena, "%s.linear_fc2", module), x,
		a->projection));
}

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *cos,
    struct sf_val *sin)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around = sf_enter(b, i, sf_tower_name(b, "blocks.%d")),
		   *inside;

	y = sf_tower_norm(b, i, BLOCK "norm1", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, i, y, cos, sin));
	y = sf_tower_norm(b, i, BLOCK "norm2", x);
	inside = sf_enter(b, i, sf_tower_name(b, BLOCK "mlp"));
	y = sf_linear_activated(b, i, sf_tower_name(b, BLOCK "mlp.linear_fc1"),
	    y, b->arch->inner, true, "act_fn", b->arch->activation);
	y = linear(b, i, BLOCK "mlp.linear_fc2", y, b->arch->hidden);
	sf_leave(b, inside);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_qwen_vision_run(struct sf_build *b, struct sf_val *rows)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *at, *cos, *sin;
	int64_t n, tapped = 0;
	const char *around = sf_tower_enter(b), *outside;

	x = embed(b, rows);
	n = x->shape[0];
	b->work.tokens = n / b->work.batch;
	outside = sf_enter(b, -1, sf_tower_name(b, "rotary_pos_emb"));
	at = sf_patches_number(
	    b, "position_ids", SF_DT_F32, 3, (int64_t[]){ n, 2, 1 });
	at = l->binary(b, SF_CALL_MUL, at,
	    sf_patches_number(b, sf_tower_name(b, "rotary_pos_emb.inv_freq"),
		SF_DT_F32, 1, (int64_t[]){ a->head_dim / 4 }));
	cos = angles(b, SF_CALL_COS, at);
	sin = angles(b, SF_CALL_SIN, at);
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++) {
		x = layer(b, i, x, cos, sin);
		if (!a->image.taps[i])
			continue;
		merge(b, tapped++, "deepstack_merger_list.%d", true, x);
		b->graph.last->effect = true;
	}
	return sf_leave_with(b, around, merge(b, -1, "merger", false, x));
}

/* ---- its configuration ---- */

/* The layers of which the text model is given what they make. */
static void
read_taps(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "deepstack_visual_indexes";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t i;

	arch->image.taps =
	    sf_arena_calloc(arena, (size_t)arch->layers, sizeof(bool));
	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'%s': expected a list", key);
	for (size_t k = 0; k < v->nitems; k++) {
		if (v->items[k].type != SF_CONFIG_NUMBER ||
		    !sf_int_parse(
			v->items[k].text, strlen(v->items[k].text), &i) ||
		    i < 0 || i >= arch->layers)
			sf_config_die(config, &v->items[k],
			    "'%s': expected the number of one of %lld layers",
			    key, (long long)arch->layers);
		arch->image.taps[i] = true;
	}
}

void
sf_qwen_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "num_heads";
	int64_t frames[2];

	arch->hidden = sf_field_size_or(config, "hidden_size", NULL, 1152);
	arch->inner = sf_field_size_or(config, "intermediate_size", NULL, 4304);
	sf_arch_read_layers_or(arch, config, "depth", 27, arena);
	arch->heads = sf_field_size_or(config, key, "num_attention_heads", 16);
	if (arch->hidden % arch->heads != 0 ||
	    arch->hidden / arch->heads % 4 != 0)
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, of a hidden size of %lld, expected heads of "
		    "a multiple of 4",
		    key, (long long)arch->heads, (long long)arch->hidden);
	arch->kv_heads = arch->heads;
	arch->head_dim = arch->hidden / arch->heads;
	arch->q_size = arch->kv_size = arch->hidden;
	sf_patches_read(arch, config, "spatial_merge_size", 2);
	sf_tower_read_pair(config, "temporal_patch_size", 2, frames);
	arch->image.frames = frames[0];
	arch->image.places =
	    sf_field_size_or(config, "num_position_embeddings", NULL, 2304);
	arch->projection =
	    sf_field_size_or(config, "out_hidden_size", NULL, 3584);
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "hidden_act");
	read_taps(arch, config, arena);
}

void
sf_qwen_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole)
{
	tower->prefix = "model.visual.";
	if (tower->projection != text->hidden)
		sf_config_die(whole,
		    sf_field_find(&whole->root, "vision_config"),
		    "'out_hidden_size' is %lld, expected the %lld of the text "
		    "model's 'hidden_size'",
		    (long long)tower->projection, (long long)text->hidden);
}
