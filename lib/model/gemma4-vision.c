/*
 * The tower of Gemma 4: patches, places by rows and by columns, layers as those
 * of its text, and a product that takes the mean of squares of patches; after
 * transformers 5.18's modeling_gemma4.py.
 */
#include <math.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/patches.h"
#include "model/tower.h"
#include "model/whole.h"

#define LAYER "encoder.layers.%d."

static struct sf_val *
linear(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width)
{
	return sf_linear(b, i, sf_tower_name(b, name), x, width, false);
}

static struct sf_val *
norm(struct sf_build *b, int64_t i, const char *name, struct sf_val *x)
{
	return sf_norm(b, i, sf_tower_name(b, name), x);
}

/* The places of rows, or of columns, of a table that has both. */
static struct sf_val *
places(struct sf_build *b, struct sf_val *table, int which, int64_t n)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *at = sf_patches_number(b,
	    which == 0 ? "position_ids.x" : "position_ids.y", SF_DT_I64, 2,
	    (int64_t[]){ b->work.batch, n });

	return l->embedding(b, l->select_at(b, table, 0, which), at);
}

static struct sf_val *
embed(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = x->shape[0] / b->work.batch;
	struct sf_val *table, *at;
	const char *around =
	    sf_enter(b, -1, sf_tower_name(b, "patch_embedder"));

	x = l->view(b, x, 3, (int64_t[]){ b->work.batch, n, x->shape[1] });
	x = l->number(b, SF_CALL_SUB, x, 0.5);
	x = l->number(b, SF_CALL_MUL, x, 2);
	x = linear(b, -1, "patch_embedder.input_proj", x, a->hidden);
	table = sf_tensor_part(b, -1,
	    sf_tower_name(b, "patch_embedder.position_embedding_table"), 3,
	    (int64_t[]){ 2, a->image.places, a->hidden });
	at = l->binary(
	    b, SF_CALL_ADD, places(b, table, 0, n), places(b, table, 1, n));
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, at));
}

static struct sf_val *
heads_of(struct sf_build *b, int64_t i, const char *name, struct sf_val *x,
    int64_t width)
{
	return sf_view_heads(b, linear(b, i, name, x, width));
}

static struct sf_val *
attention(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *cos,
    struct sf_val *sin)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *q, *k, *v;
	const char *around =
	    sf_enter(b, i, sf_tower_name(b, LAYER "self_attn"));

	q = heads_of(b, i, LAYER "self_attn.q_proj.linear", x, a->q_size);
	q = norm(b, i, LAYER "self_attn.q_norm", q);
	q = sf_patches_turn(b, q, cos, sin);
	k = heads_of(b, i, LAYER "self_attn.k_proj.linear", x, a->kv_size);
	k = norm(b, i, LAYER "self_attn.k_norm", k);
	k = sf_patches_turn(b, k, cos, sin);
	v = heads_of(b, i, LAYER "self_attn.v_proj.linear", x, a->kv_size);
	v = sf_norm_bare(b, "v_norm", v);
	x = sf_attend(b, i, l->transpose(b, q, 1, 2), l->transpose(b, k, 1, 2),
	    l->transpose(b, v, 1, 2), NULL);
	return sf_leave_with(b, around,
	    linear(b, i, LAYER "self_attn.o_proj.linear", x, a->hidden));
}

static struct sf_val *
feed_forward(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *gate =
	    linear(b, i, LAYER "mlp.gate_proj.linear", x, a->inner);
	struct sf_val *y;
	const char *around = sf_enter(b, i, sf_tower_name(b, LAYER "mlp"));

	gate = sf_activate(b, gate);
	y = linear(b, i, LAYER "mlp.up_proj.linear", x, a->inner);
	y = b->route->lower->binary(b, SF_CALL_MUL, gate, y);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	return sf_leave_with(b, around,
	    linear(b, i, LAYER "mlp.down_proj.linear", x, a->hidden));
}

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *cos,
    struct sf_val *sin)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around =
	    sf_enter(b, i, sf_tower_name(b, "encoder.layers.%d"));

	y = norm(b, i, LAYER "input_layernorm", x);
	y = attention(b, i, y, cos, sin);
	y = norm(b, i, LAYER "post_attention_layernorm", y);
	x = l->binary(b, SF_CALL_ADD, x, y);
	y = norm(b, i, LAYER "pre_feedforward_layernorm", x);
	y = norm(
	    b, i, LAYER "post_feedforward_layernorm", feed_forward(b, i, y));
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

/* The mean of squares of patches, by a product in FP32. */
static struct sf_val *
pool(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = x->shape[1], group = a->image.merge * a->image.merge;
	struct sf_val *w = sf_patches_number(b, "pooling_weights", SF_DT_F32, 3,
	    (int64_t[]){ b->work.batch, n / group, n });
	const char *around;

	around = sf_enter_part(b, "pooler");
	x = l->matmul(b, w, l->to_type(b, x, SF_DT_F32));
	x = l->number(b, SF_CALL_MUL, x, sqrt((double)a->hidden));
	sf_leave(b, around);
	if (a->image.standardizes) {
		x = l->binary(b, SF_CALL_SUB, x,
		    sf_patches_number(b, sf_tower_name(b, "std_bias"),
			SF_DT_F32, 1, &a->hidden));
		x = l->binary(b, SF_CALL_MUL, x,
		    sf_patches_number(b, sf_tower_name(b, "std_scale"),
			SF_DT_F32, 1, &a->hidden));
	}
	return l->to_type(b, x, b->work.dtype);
}

/* Columns and rows times frequencies, by a product: [batch, n, 2, pairs]. */
static struct sf_val *
angles_of(struct sf_build *b, int64_t n)
{
	int64_t pairs = b->arch->head_dim / 4;
	struct sf_val *at, *frequencies;

	at = sf_patches_number(b, "position_ids", SF_DT_F32, 2,
	    (int64_t[]){ 2 * n * b->work.batch, 1 });
	frequencies = sf_patches_number(b,
	    sf_tower_name(b, "encoder.rotary_emb.inv_freq"), SF_DT_F32, 2,
	    (int64_t[]){ 1, pairs });
	at = b->route->lower->matmul(b, at, frequencies);
	return b->route->lower->view(
	    b, at, 4, (int64_t[]){ b->work.batch, n, 2, pairs });
}

/* Each of the two twice, side by side, for all heads. */
static struct sf_val *
spread(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *two[2];

	for (int k = 0; k < 2; k++) {
		two[k] = l->select_at(b, x, 2, k);
		two[k] = l->cat(b, two[k], two[k], -1);
	}
	return l->unsqueeze(
	    b, l->to_type(b, l->cat(b, two[0], two[1], -1), b->work.dtype), 2);
}

struct sf_val *
sf_gemma4_vision_run(struct sf_build *b, struct sf_val *rows)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *x, *at, *cos, *sin;
	const char *around = sf_tower_enter(b), *outside;

	x = embed(b, rows);
	b->work.tokens = x->shape[1];
	outside = sf_enter(b, -1, sf_tower_name(b, "encoder.rotary_emb"));
	at = angles_of(b, x->shape[1]);
	cos = spread(b, l->unary(b, SF_CALL_COS, at));
	sin = spread(b, l->unary(b, SF_CALL_SIN, at));
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++)
		x = layer(b, i, x, cos, sin);
	return sf_leave_with(b, around, pool(b, x));
}

struct sf_val *
sf_gemma4_project(struct sf_build *b, struct sf_val *x)
{
	const char *around = sf_enter(b, -1, "model.embed_vision");

	x = sf_norm_bare(b, "embedding_pre_projection_norm", x);
	return sf_leave_with(b, around,
	    sf_linear(b, -1, "model.embed_vision.embedding_projection", x,
		b->arch->projection, false));
}

/* ---- its configuration ---- */

static void
read_heads(struct sf_arch *arch, const struct sf_config *config)
{
	arch->heads = sf_field_size_or(config, "num_attention_heads", NULL, 12);
	arch->kv_heads =
	    sf_field_size_or(config, "num_key_value_heads", NULL, arch->heads);
	if (arch->heads % arch->kv_heads != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_key_value_heads"),
		    "'num_key_value_heads' is %lld, which does not divide the "
		    "%lld of 'num_attention_heads'",
		    (long long)arch->kv_heads, (long long)arch->heads);
	arch->head_dim = sf_field_size_or(config, "head_dim", NULL, 64);
	if (arch->head_dim % 4 != 0)
		sf_config_die(config, sf_field_find(&config->root, "head_dim"),
		    "'head_dim' is %lld, expected a multiple of 4",
		    (long long)arch->head_dim);
	if (!sf_mul(arch->heads, arch->head_dim, &arch->q_size))
		sf_config_die(config, sf_field_find(&config->root, "head_dim"),
		    "'num_attention_heads' times 'head_dim' is more than "
		    "2^63-1");
	arch->kv_size = arch->kv_heads * arch->head_dim;
	arch->attention_scale = 1;
}

void
sf_gemma4_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_field_refuse(config, "use_clipped_linears",
	    "clamps by values, which is not supported");
	arch->hidden = sf_field_size_or(config, "hidden_size", NULL, 768);
	arch->inner = sf_field_size_or(config, "intermediate_size", NULL, 3072);
	sf_arch_read_layers_or(arch, config, "num_hidden_layers", 16, arena);
	read_heads(arch, config);
	sf_patches_read(arch, config, "pooling_kernel_size", 3);
	arch->image.places =
	    sf_field_size_or(config, "position_embedding_size", NULL, 10240);
	arch->image.standardizes =
	    sf_field_bool_or(config, "standardize", false);
	arch->epsilon = sf_field_number_or(config, "rms_norm_eps", 1e-6);
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, arch->family->act_field);
}

void
sf_gemma4_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole)
{
	sf_field_refuse(
	    whole, "audio_config", "is of a tower that is not supported");
	tower->prefix = "model.vision_tower.";
	tower->projection = text->hidden;
}
