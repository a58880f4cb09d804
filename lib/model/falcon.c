/*
 * Falcon: the order of calls is that of transformers 5.18's
 * modeling_falcon.py. Its linear layers are products and sums.
 */
#include "base/num.h"
#include "model/alibi.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/lower-aten-more.h"
#include "model/norm.h"
#include "model/rope.h"
#include "model/rotary.h"

#define LAYER "transformer.h.%d."

/* What a layer is given beside its input. */
struct layer {
	int64_t number;
	const struct sf_rope *rope; /* NULL: nothing is rotated */
	struct sf_val *mask;
};

static struct sf_val *
linear(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width)
{
	int64_t inner = x->shape[x->rank - 1];
	bool bias = b->arch->qkv_bias;
	struct sf_val *w;
	const char *around = sf_enter(b, layer, name);

	if (sf_fuses(b))
		return sf_leave_with(
		    b, around, sf_linear(b, layer, name, x, width, bias));
	w = sf_part(b, layer, name, "weight", width, inner);
	sf_store_weight(b, layer, name, w, 1, width, inner);
	x = sf_aten_product(b, x, w);
	if (!bias)
		return sf_leave_with(b, around, x);
	return sf_leave_with(b, around,
	    b->route->lower->binary(
		b, SF_CALL_ADD, x, sf_part(b, layer, name, "bias", width, 0)));
}

/* Queries, keys and values, [batch, tokens, heads, size] each. */
struct heads {
	struct sf_val *part[3];
};

/* As an engine has them: all queries, all keys and all values, in order. */
static struct heads
split_in_order(struct sf_build *b, struct sf_val *x)
{
	int64_t size = b->arch->hidden, all = x->shape[2];
	int64_t keys = (all - size) / 2;
	struct sf_item items[3][3] = {
		{ SF_ALL, SF_ALL, SF_TO(size) },
		{ SF_ALL, SF_ALL, SF_SPAN(size, size + keys) },
		{ SF_ALL, SF_ALL, SF_FROM(size + keys) },
	};
	struct heads h;

	for (int i = 0; i < 3; i++) {
		h.part[i] = b->route->lower->getitem(b, x, 3, items[i]);
		h.part[i] = sf_view_heads(b, h.part[i]);
	}
	return h;
}

/*
 * Several heads of queries and one of keys and of values, in turn. The latter
 * are copied for each of the former.
 */
static struct heads
split_groups(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t groups = a->head_groups, each = a->heads / groups;
	int64_t n = b->work.batch, t = b->work.tokens, size = a->head_dim;
	int64_t shape[] = { n, t, groups, each, size };
	struct sf_item queries[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(each) };
	struct heads h;

	x = l->view(b, x, 5, (int64_t[]){ n, t, groups, each + 2, size });
	h.part[0] = l->getitem(b, x, 4, queries);
	h.part[1] = sf_aten_pick(b, x, 3);
	h.part[2] = sf_aten_pick(b, x, 3);
	for (int i = 1; i < 3; i++)
		h.part[i] = l->expand(b, h.part[i], 5, shape);
	for (int i = 0; i < 3; i++)
		h.part[i] = l->reshape(
		    b, h.part[i], 4, (int64_t[]){ n, t, a->heads, size });
	return h;
}

/* All heads of queries, and one of keys and of values. */
static struct heads
split_one(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item queries[] = { SF_ALL, SF_ALL, SF_TO(a->heads) };
	struct heads h;

	x = l->view(b, x, 4,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->heads + 2, a->head_dim });
	h.part[0] = l->getitem(b, x, 3, queries);
	h.part[1] = sf_aten_pick(b, x, 2);
	h.part[2] = sf_aten_pick(b, x, 2);
	return h;
}

/* Each head has its query, its key and its value beside each other. */
static struct heads
split_each(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct heads h;

	x = l->view(b, x, 5,
	    (int64_t[]){
		b->work.batch, b->work.tokens, a->heads, 3, a->head_dim });
	for (int i = 0; i < 3; i++)
		h.part[i] = l->select_at(b, x, 3, i);
	return h;
}

static struct sf_val *
attend(struct sf_build *b, const struct layer *at, const struct heads *h)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = b->work.batch, t = b->work.tokens;
	struct sf_attention s = {
		.q = h->part[0],
		.k = h->part[1],
		.v = h->part[2],
		.mask = at->mask,
		.scale = sf_arch_scale(a, at->number),
	};
	struct sf_val *x;

	if (sf_fuses(b))
		return sf_fuse_attention(b, at->number, s.q, s.k, s.v, NULL);
	x = l->attention(b, &s);
	if (a->alibi)
		return l->reshape(b, l->transpose(b, x, 1, 2), 3,
		    (int64_t[]){ n, t, a->hidden });
	x = l->view(b, x, 4, x->shape);
	return l->reshape(
	    b, l->permute(b, x, 1, 2), 3, (int64_t[]){ n, t, a->hidden });
}

static struct sf_val *
attention(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer cache;
	struct heads h;
	const char *around = sf_enter(b, at->number, LAYER "self_attention");

	x = linear(b, at->number, LAYER "self_attention.query_key_value", x,
	    a->hidden +
		2 * a->head_dim *
		    (a->head_groups != 0 ? a->head_groups : a->kv_heads));
	h = sf_fuses(b)           ? split_in_order(b, x)
	    : a->head_groups != 0 ? split_groups(b, x)
	    : a->multi_query      ? split_one(b, x)
				  : split_each(b, x);
	for (int i = 0; i < 3; i++) {
		h.part[i] = l->transpose(b, h.part[i], 1, 2);
		h.part[i] = l->reshape(b, h.part[i], 4, h.part[i]->shape);
	}
	if (at->rope != NULL)
		sf_rope_apply(b, at->rope, &h.part[0], &h.part[1]);
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &h.part[1], &h.part[2]);
	}
	x = attend(b, at, &h);
	return sf_leave_with(b, around,
	    linear(b, at->number, LAYER "self_attention.dense", x, a->hidden));
}

static struct sf_val *
mlp(struct sf_build *b, int64_t layer, struct sf_val *x)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y;
	const char *around = sf_enter(b, layer, LAYER "mlp");

	y = linear(b, layer, LAYER "mlp.dense_h_to_4h", x, b->arch->inner);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, sf_activate(b, y));
	return sf_leave_with(b, around,
	    linear(b, layer, LAYER "mlp.dense_4h_to_h", x, b->arch->hidden));
}

/*
 * X += Y, of X that may be a view of what a product gave: a graph then has the
 * view made anew.
 */
static struct sf_val *
accumulate(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const char *view = b->route->aten->unsafe_view;
	int64_t rows[] = { b->work.batch * b->work.tokens, b->arch->hidden };
	struct sf_val *flat;

	x = b->route->lower->accumulate(b, x, y);
	if (!b->route->pruned || b->arch->qkv_bias)
		return x;
	flat = sf_aten_1(b, view, x, sf_val_new(&b->graph, x->dtype, 2, rows));
	return sf_aten_1(
	    b, view, flat, sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

static struct sf_val *
layer(struct sf_build *b, const struct layer *at, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t i = at->number;
	struct sf_val *y, *z;
	const char *around = sf_enter(b, at->number, "transformer.h.%d");

	if (b->arch->two_norms) {
		y = sf_norm(b, i, LAYER "ln_attn", x);
		z = sf_norm(b, i, LAYER "ln_mlp", x);
	} else {
		y = z = sf_norm(b, i, LAYER "input_layernorm", x);
	}
	y = attention(b, at, y);
	if (b->arch->parallel == SF_PARALLEL_NONE) {
		x = l->binary(b, SF_CALL_ADD, x, y);
		z = sf_norm(b, i, LAYER "post_attention_layernorm", x);
	}
	z = mlp(b, i, z);
	if (b->arch->parallel != SF_PARALLEL_NONE)
		z = accumulate(b, z, y);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, z));
}

/* ---- the model ---- */

/* A mask of numbers with the biases where tokens are seen. */
static struct sf_val *
add_biases(struct sf_build *b, struct sf_val *mask, struct sf_val *biases)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { b->work.batch, b->arch->heads, 1,
		biases->shape[2] };
	struct sf_val *zero;

	zero = sf_aten_construct(
	    b, "aten.full", sf_val_new(&b->graph, b->work.dtype, 0, NULL));
	mask = sf_aten_number_mask_of(b, mask, zero);
	biases = l->reshape(b, biases, 4, shape);
	biases = l->number(b, SF_CALL_DIV, biases, 1);
	mask = l->number(b, SF_CALL_LT, mask, -1);
	return sf_aten_masked_fill(b, biases, mask);
}

struct sf_val *
sf_falcon_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *positions, *biases = NULL;
	struct layer at = { .number = 0 };
	struct sf_rope r;
	const char *around = sf_enter_base(b), *outside;

	table = sf_weight(
	    b, -1, "transformer.word_embeddings.weight", a->vocab, a->hidden);
	x = sf_embed(b, "transformer.word_embeddings", table, ids);
	if (a->alibi && !sf_fuses(b))
		biases =
		    sf_alibi_make(b, sf_alibi_ones(b, SF_DT_I64), SF_DT_BF16);
	positions = sf_position_ids(b);
	at.mask = sf_mask_causal(b, NULL, SF_MASK_FULL, 0);
	if (biases != NULL)
		at.mask = add_biases(b, at.mask, biases);
	outside = sf_enter(b, -1, "transformer.rotary_emb");
	if (!a->alibi || !sf_fuses(b))
		r = sf_rope_angles(b, positions);
	sf_leave(b, outside);
	if (!a->alibi)
		at.rope = &r;
	for (; at.number < a->layers; at.number++)
		x = layer(b, &at, x);
	x = sf_norm(b, -1, "transformer.ln_f", x);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

/* ---- its configuration ---- */

/* How many heads of keys there are, and how they lie beside the queries. */
static void
read_key_heads(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_kv_heads";

	arch->kv_heads = arch->heads;
	if (sf_field_bool_or(config, "new_decoder_architecture", false)) {
		arch->head_groups =
		    sf_field_size_or(config, key, NULL, arch->heads);
		if (arch->heads % arch->head_groups != 0)
			sf_config_die(config, sf_field_find(&config->root, key),
			    "'%s' is %lld, which does not divide the %lld of "
			    "'num_attention_heads'",
			    key, (long long)arch->head_groups,
			    (long long)arch->heads);
	} else if (sf_field_bool_or(config, "multi_query", true)) {
		arch->multi_query = true;
		arch->kv_heads = 1;
	}
	arch->kv_size = arch->kv_heads * arch->head_dim;
}

/* What a layer is: newer ones are always parallel, and may have two norms. */
static void
read_layer(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "num_ln_in_parallel_attn";
	int64_t norms =
	    sf_field_size_or(config, key, NULL, arch->head_groups != 0 ? 2 : 1);

	arch->two_norms = arch->head_groups != 0 && norms == 2;
	if (norms > 2 || (norms == 2 && !arch->two_norms))
		sf_config_die(config, sf_field_find(&config->root, key),
		    "'%s' is %lld, expected 1%s", key, (long long)norms,
		    arch->head_groups != 0 ? " or 2"
					   : " without "
					     "new_decoder_architecture");
	arch->parallel = SF_PARALLEL_LAST;
	if (sf_field_bool_or(config, "parallel_attn", true))
		return;
	if (arch->head_groups != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "parallel_attn"),
		    "'parallel_attn' is false, but layers of "
		    "new_decoder_architecture are parallel");
	arch->parallel = SF_PARALLEL_NONE;
}

void
sf_falcon_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	int64_t wide;

	arch->hidden = sf_field_size(config, "hidden_size", "n_embed");
	arch->heads = sf_field_size(config, "num_attention_heads", "n_head");
	sf_arch_read_layers(
	    arch, config, "num_hidden_layers", "n_layer", arena);
	arch->vocab = sf_field_size(config, "vocab_size", NULL);
	if (arch->hidden % arch->heads != 0 ||
	    arch->hidden / arch->heads % 2 != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "num_attention_heads"),
		    "'num_attention_heads' is %lld, expected what divides the "
		    "%lld of 'hidden_size' into heads of an even size",
		    (long long)arch->heads, (long long)arch->hidden);
	if (!sf_mul(arch->hidden, 4, &wide))
		sf_config_die(config, &config->root,
		    "'hidden_size' is %lld, which is too large",
		    (long long)arch->hidden);
	arch->inner = sf_field_size_or(config, "ffn_hidden_size", NULL, wide);
	arch->head_dim = arch->rotary_dim = arch->hidden / arch->heads;
	arch->q_size = arch->hidden;
	read_key_heads(arch, config);
	read_layer(arch, config);
	arch->alibi = sf_field_bool_or(config, "alibi", false);
	arch->rotary_asks = arch->alibi ? NULL : sf_rotary_asks(config);
	arch->rotary_scale = sf_rotary_read(config, false);
	arch->activation = arch->family->act;
	sf_arch_read_activation(arch, config, "activation");
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", true);
	arch->qkv_bias = sf_field_bool_or(config, "bias", false);
	arch->always_masks = true;
	sf_arch_read_windows(arch, config);
}
