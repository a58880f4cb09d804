/*
 * GPT-J and CodeGen: the order of calls is that of transformers 5.18's
 * modeling_gptj.py and _codegen.py.
 * The sines and cosines of all places stand in a table of each layer.
 */
#include "base/die.h"
#include "base/num.h"
#include "model/arch-part.h"
#include "model/block.h"
#include "model/fields.h"
#include "model/fuse.h"
#include "model/lower-aten-more.h"
#include "model/mlp.h"
#include "model/norm.h"

#define LAYER "transformer.h.%d."
#define ATTN  LAYER "attn."

/* Of one product of CodeGen's. */
enum {
	SHARES = 4
};

/* ---- rotary embedding ---- */

/* Sines and cosines of the tokens' places. */
static void
look_up(struct sf_build *b, int64_t layer, struct sf_val *positions,
    struct sf_val *angles[2])
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { b->arch->positions, b->arch->rotary_dim };
	int64_t rows[] = { 1, b->work.tokens, shape[1] };
	struct sf_val *table, *x;

	table = sf_val_new(&b->graph, SF_DT_F32, 2, shape);
	table->name = sf_block_name(b, layer, ATTN "embed_positions");
	table->fixed = true; /* a buffer */
	table =
	    sf_aten_repeat(b, table, 3, (int64_t[]){ 1, shape[0], shape[1] });
	x = l->unsqueeze(b, positions, 2);
	x = sf_aten_repeat(b, x, 3, rows);
	x = l->to_type(b, l->gather(b, table, x), b->work.dtype);
	l->split(b, x, NULL, 2, angles);
}

/* Angles of pairs, the same for each head, as those of neighbours. */
static struct sf_val *
of_neighbours(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item heads[] = { SF_ALL, SF_ALL, SF_NEW, SF_ALL };

	return l->repeat_last(b, l->getitem(b, x, 4, heads));
}

static struct sf_val *
rotate(struct sf_build *b, struct sf_val *x, struct sf_val *angles[2])
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item even[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(0) };
	struct sf_item odd[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(1) };
	struct sf_val *sine = of_neighbours(b, angles[0]);
	struct sf_val *cosine = of_neighbours(b, angles[1]), *y, *x1, *x2;

	y = l->binary(b, SF_CALL_MUL, x, cosine);
	x1 = l->getitem(b, x, 4, even);
	x2 = l->getitem(b, x, 4, odd);
	x1 = l->stack(b, l->unary(b, SF_CALL_NEG, x2), x1);
	x1 = l->view(b, x1, 4, x->shape);
	return l->binary(
	    b, SF_CALL_ADD, y, l->binary(b, SF_CALL_MUL, x1, sine));
}

/* The first part of each head of K and Q, in this order. */
static void
rotate_parts(struct sf_build *b, struct sf_val *angles[2], struct sf_val **q,
    struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t size = b->arch->rotary_dim;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(size) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(size) };
	struct sf_val *of_q[2], *of_k[2];

	of_k[0] = l->getitem(b, *k, 4, low);
	of_k[1] = l->getitem(b, *k, 4, high);
	of_q[0] = l->getitem(b, *q, 4, low);
	of_q[1] = l->getitem(b, *q, 4, high);
	of_k[0] = rotate(b, of_k[0], angles);
	of_q[0] = rotate(b, of_q[0], angles);
	*k = l->cat(b, of_k[0], of_k[1], -1);
	*q = l->cat(b, of_q[0], of_q[1], -1);
}

/* CodeGen's, which stay in FP32. */
static void
index_places(struct sf_build *b, int64_t layer, struct sf_val *positions,
    struct sf_val *angles[2])
{
	int64_t shape[] = { b->arch->positions, b->arch->rotary_dim };
	struct sf_val *table;

	table = sf_val_new(&b->graph, SF_DT_F32, 2, shape);
	table->name = sf_block_name(b, layer, ATTN "embed_positions");
	table->fixed = true; /* a buffer */
	table = b->route->lower->index(b, table, positions);
	b->route->lower->split(b, table, NULL, 2, angles);
}

static void
apply(struct sf_build *b, int64_t layer, struct sf_val *positions,
    struct sf_val **q, struct sf_val **k)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { *q, *k, positions }, *angles[2];

	if (b->arch->family->packed_qkv)
		index_places(b, layer, positions, angles);
	else
		look_up(b, layer, positions, angles);
	rotate_parts(b, angles, q, k);
	sf_fuse_end(
	    b, f, "gpu.rotary", in, 3, (struct sf_val *[]){ *q, *k }, 2);
}

/* ---- a layer ---- */

/* Written out in Python, with scores in FP32. */
static struct sf_val *
attend(struct sf_build *b, int64_t layer, struct sf_val *q, struct sf_val *k,
    struct sf_val *v, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x;

	if (sf_fuses(b))
		return sf_fuse_attention(b, layer, q, k, v, NULL);
	q = l->to_type(b, q, SF_DT_F32);
	k = l->to_type(b, k, SF_DT_F32);
	x = l->matmul(b, q, l->transpose(b, k, 2, 3));
	if (b->arch->family->packed_qkv)
		x = l->binary(b, SF_CALL_ADD, x, mask);
	x = l->number(b, SF_CALL_DIV, x, 1 / sf_arch_scale(b->arch, layer));
	if (!b->arch->family->packed_qkv)
		x = l->binary(b, SF_CALL_ADD, x, mask);
	x = l->to_type(b, l->softmax(b, x, SF_SOFTMAX_PLAIN), v->dtype);
	x = l->permute(b, l->matmul(b, x, v), 1, 2);
	x = l->contiguous(b, x);
	return l->view(b, x, 3,
	    (int64_t[]){ b->work.batch, b->work.tokens, b->arch->hidden });
}

/* Queries, keys and values as heads, a product each. */
static void
project(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *parts[3])
{
	static const char *const names[] = { ATTN "q_proj", ATTN "k_proj",
		ATTN "v_proj" };

	for (int i = 0; i < 3; i++)
		parts[i] =
		    sf_linear(b, layer, names[i], x, b->arch->hidden, false);
	for (int i = 0; i < 3; i++)
		parts[i] = sf_view_heads(b, parts[i]);
}

/* The same of one product, as four devices once shared it. */
static void
project_packed(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *parts[3])
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t n = b->work.batch, t = b->work.tokens;
	/* Queries, values and keys, in this order. */
	static const int order[] = { 0, 2, 1 };
	struct sf_val *split[3];

	x = sf_linear(b, layer, ATTN "qkv_proj", x, 3 * a->hidden, false);
	x = l->reshape(
	    b, x, 4, (int64_t[]){ n, t, SHARES, 3 * a->hidden / SHARES });
	l->split(b, x, NULL, 3, split);
	for (int i = 0; i < 3; i++) {
		x = split[order[i]];
		x = l->reshape(b, x, 5,
		    (int64_t[]){
			n, t, SHARES, a->heads / SHARES, a->head_dim });
		parts[i] = l->reshape(
		    b, x, 4, (int64_t[]){ n, t, a->heads, a->head_dim });
	}
}

static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *positions, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t hidden = b->arch->hidden;
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v, *parts[3];
	const char *around = sf_enter(b, layer, LAYER "attn");

	if (b->arch->family->packed_qkv)
		project_packed(b, layer, x, parts);
	else
		project(b, layer, x, parts);
	q = parts[0];
	k = parts[1];
	v = l->permute(b, parts[2], 1, 2);
	apply(b, layer, positions, &q, &k);
	k = l->permute(b, k, 1, 2);
	q = l->permute(b, q, 1, 2);
	if (sf_cache_used(b)) {
		if (b->arch->family->packed_qkv)
			k = l->to_type(b, k, b->work.dtype);
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	x = attend(b, layer, q, k, v, mask);
	return sf_leave_with(
	    b, around, sf_linear(b, layer, ATTN "out_proj", x, hidden, false));
}

struct sf_val *
sf_gptj_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *y, *z, *positions, *mask;
	const char *around = sf_enter_base(b), *outside;

	sf_check_positions(b);
	table = sf_weight(b, -1, "transformer.wte.weight", a->vocab, a->hidden);
	x = sf_embed(b, "transformer.wte", table, ids);
	positions = sf_position_ids(b);
	mask = sf_mask_causal(b, positions, SF_MASK_FULL, 0);
	for (int64_t i = 0; i < a->layers; i++) {
		outside = sf_enter(b, i, "transformer.h.%d");
		y = sf_norm(b, i, LAYER "ln_1", x);
		z = attention(b, i, y, positions, mask);
		y = sf_mlp(b, i, LAYER "mlp", y, a->inner);
		y = l->binary(b, SF_CALL_ADD, z, y);
		x = l->binary(b, SF_CALL_ADD, y, x);
		sf_leave(b, outside);
	}
	x = sf_norm(b, -1, "transformer.ln_f", x);
	x = l->view(b, x, 3, x->shape);
	sf_leave(b, around);
	return sf_logits(b, x, table);
}

/* GPT-2's fields, and how much of a head is rotated. */
void
sf_gptj_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	sf_gpt2_read(arch, config, arena);
	arch->scales_layers = arch->unscaled = false;
	arch->mlp_bias = true;
	arch->tied = sf_field_bool_or(config, "tie_word_embeddings", false);
	arch->rotary_dim = sf_field_size_or(config, "rotary_dim", NULL, 64);
	if (arch->rotary_dim > arch->head_dim || arch->rotary_dim % 2 != 0)
		sf_config_die(config,
		    sf_field_find(&config->root, "rotary_dim"),
		    "'rotary_dim' is %lld, expected an even number of the "
		    "%lld of a head",
		    (long long)arch->rotary_dim, (long long)arch->head_dim);
	if (arch->family->packed_qkv && arch->heads % SHARES != 0)
		sf_config_die(config, sf_field_find(&config->root, "n_head"),
		    "'n_head' is %lld, expected a multiple of %d",
		    (long long)arch->heads, SHARES);
}
