/*
 * MiMo-V2-Flash: layers with a window have twice the heads of keys, and sinks;
 * values are narrower than keys. The order of calls is that of transformers
 * 5.18's modeling_mimo_v2_flash.py.
 */
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/eager.h"
#include "model/experts.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/rotary.h"
#include "model/router-group.h"

#define LAYER "model.layers.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope;
	struct sf_cache_layer *cache; /* NULL: none */
	struct sf_val *mask;
};

/* Values as heads of their own size, by a factor. */
static struct sf_val *
values_of(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t width = a->kv_heads * a->value_dim;

	x = sf_linear(b, i, LAYER "self_attn.v_proj", x, width, a->qkv_bias);
	x = l->view(b, x, 4,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->kv_heads, a->value_dim });
	x = l->transpose(b, x, 1, 2);
	return l->number(b, SF_CALL_MUL, x, a->value_scale);
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	int64_t i = at->number;
	int64_t shape[] = { b->work.batch, b->work.tokens,
		sf_mul_most(a->heads, a->value_dim) };
	struct sf_val *q, *k, *v;
	const char *around = sf_enter(b, i, LAYER "self_attn");

	q = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.q_proj", x, a->q_size, a->qkv_bias));
	k = sf_split_heads(b,
	    sf_linear(
		b, i, LAYER "self_attn.k_proj", x, a->kv_size, a->qkv_bias));
	v = values_of(b, i, x);
	sf_rope_apply(b, at->rope, &q, &k);
	if (at->cache != NULL)
		sf_cache_update(b, at->cache, &k, &v);
	x = sf_eager_heads(b, i, q, k, v, at->mask);
	x = b->route->lower->reshape(b, x, 3, shape);
	return sf_leave_with(b, around,
	    sf_linear(b, i, LAYER "self_attn.o_proj", x, a->hidden, false));
}

/* Experts without one that all tokens go to. */
static struct sf_val *
experts(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *s = x->shape;
	struct sf_routed c;
	struct sf_val *y;
	const char *around = sf_enter(b, i, LAYER "mlp"), *gate;

	gate = sf_enter(b, i, LAYER "mlp.gate");
	c = sf_router_grouped(b, i, LAYER "mlp.gate", x);
	sf_leave(b, gate);
	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	y = sf_experts_mix(b, i, LAYER "mlp.experts", y, &c);
	return sf_leave_with(b, around, l->view(b, y, 3, s));
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	struct sf_val *y;
	const char *around = sf_enter(b, i, "model.layers.%d");

	y = sf_norm(b, i, LAYER "input_layernorm", x);
	x = l->binary(b, SF_CALL_ADD, x, attention(b, at, y));
	y = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	y = b->arch->routed[i] ? experts(b, i, y)
			       : sf_mlp(b, i, LAYER "mlp", y, b->arch->inner);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

static struct sf_cache_layer *
make_cache(struct sf_build *b)
{
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer *cache;

	if (!sf_cache_used(b))
		return NULL;
	cache =
	    sf_arena_calloc(b->graph.arena, (size_t)a->layers, sizeof *cache);
	for (int64_t i = 0; i < a->layers; i++)
		sf_cache_layer_init(b, &cache[i], sf_arch_window(a, i));
	return cache;
}

struct sf_val *
sf_mimo_v2_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions, *full = NULL, *near = NULL;
	struct sf_cache_layer *cache;
	struct sf_ropes ropes;
	const char *around = sf_enter_base(b), *outside;

	table =
	    sf_weight(b, -1, "model.embed_tokens.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embed_tokens", table, ids);
	cache = make_cache(b);
	positions = sf_position_ids(b);
	if (a->any_sliding)
		near = sf_mask_causal(b, positions, a->window, a->window);
	if (!a->all_sliding)
		full = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	outside = sf_enter(b, -1, "model.rotary_emb");
	ropes = sf_rope_types(b, positions);
	sf_leave(b, outside);
	for (int64_t i = 0; i < a->layers; i++) {
		struct layer at = {
			.number = i,
			.rope = a->sliding[i] ? &ropes.sliding : &ropes.full,
			.cache = cache != NULL ? &cache[i] : NULL,
			.mask = a->sliding[i] ? near : full,
		};

		b->arch = sf_arch_of_layer(a, i);
		x = layer(b, &at, x);
	}
	b->arch = a;
	x = sf_norm(b, -1, "model.norm", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

/* ---- its configuration ---- */

/* How much of a head layers of TYPE rotate. */
static void
read_part(
    struct sf_arch *arch, const struct sf_config *config, const char *type)
{
	const struct sf_config_value *rope =
	    sf_field_find(&config->root, "rope_parameters");
	const struct sf_config_value *v = NULL;
	double part = 0.334;

	if (rope != NULL && rope->type == SF_CONFIG_OBJECT)
		rope = sf_field_find(rope, type);
	if (rope != NULL && rope->type == SF_CONFIG_OBJECT)
		v = sf_field_find(rope, "partial_rotary_factor");
	if (v != NULL)
		part = sf_field_number(config, v);
	arch->rotary_dim = sf_int_nearest((double)arch->head_dim * part);
	if (arch->rotary_dim % 2 != 0 || arch->rotary_dim == 0 ||
	    arch->rotary_dim > arch->head_dim)
		sf_config_die(config, &config->root,
		    "'partial_rotary_factor' leaves %lld of the %lld of a head "
		    "to rotate, expected an even number of them",
		    (long long)arch->rotary_dim, (long long)arch->head_dim);
}

/* Layers with a window: layer_types, else all but the first and each sixth. */
static void
read_layers(struct sf_arch *arch, const struct sf_config *config)
{
	if (sf_field_find(&config->root, "layer_types") != NULL)
		return;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->sliding[i] = i != 0 && (i + 1) % 6 != 0;
}

void
sf_mimo_v2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "attention_value_scale";
	struct sf_arch *full;

	sf_decoder_read(arch, config, arena);
	arch->value_dim = sf_field_size_or(config, "v_head_dim", NULL, 128);
	arch->value_scale = 1;
	if (!sf_field_is_null(config, key))
		arch->value_scale = sf_field_number_or(config, key, 0.707);
	read_layers(arch, config);
	full = sf_arena_alloc(arena, sizeof *full);
	*full = *arch;
	full->rotary_scale =
	    sf_rotary_read_type(config, "full_attention", false);
	full->rotary_kind = "full_attention_";
	full->no_sinks = true;
	read_part(full, config, "full_attention");
	arch->full = full;
	read_part(arch, config, "sliding_attention");
	if (arch->heads % (2 * arch->kv_heads) != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_key_value_heads"),
		    "'num_key_value_heads' is %lld, of which layers with a "
		    "window have twice as many: expected what divides the %lld "
		    "of 'num_attention_heads'",
		    (long long)arch->kv_heads, (long long)arch->heads);
	arch->kv_heads *= 2;
	arch->kv_size *= 2;
}
