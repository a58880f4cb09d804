/*
 * MPNet: an encoder whose attention knows how far tokens are from each other.
 * The order of calls is that of transformers 5.18's modeling_mpnet.py.
 */
#include <math.h>

#include "model/arch-part.h"
#include "model/block.h"
#include "model/encoder.h"
#include "model/fields.h"
#include "model/fuse.h"

#define LAYER "encoder.layer.%d."

/* What the model asks for, whatever its table has. */
enum {
	BUCKETS = 32,
	DISTANCE = 128
};

/* Far distances by their logarithm, near ones by themselves. */
static struct sf_val *
bucket_of(struct sf_build *b, struct sf_val *far)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t buckets = BUCKETS / 2, exact = buckets / 2;
	struct sf_val *near, *x;

	near = l->whole_number(b, SF_CALL_LT, far, (double)exact);
	x = l->to_type(b, far, SF_DT_F32);
	x = l->whole_number(b, SF_CALL_DIV, x, (double)exact);
	x = l->unary(b, SF_CALL_LOG, x);
	x = l->number(b, SF_CALL_DIV, x, log((double)DISTANCE / (double)exact));
	x = l->whole_number(b, SF_CALL_MUL, x, (double)(buckets - exact));
	x = l->to_type(b, x, SF_DT_I64);
	x = l->whole_number(b, SF_CALL_ADD, x, (double)exact);
	return l->where(b, near, far, l->at_most(b, x, buckets - 1));
}

static struct sf_val *
buckets_of(struct sf_build *b, struct sf_val *distance)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *sum;

	distance = l->unary(b, SF_CALL_NEG, distance);
	sum = l->whole_number(b, SF_CALL_LT, distance, 0);
	sum = l->to_type(b, sum, SF_DT_I64);
	sum = l->whole_number(b, SF_CALL_MUL, sum, BUCKETS / 2.0);
	sum = l->whole_number(b, SF_CALL_ADD, sum, 0);
	distance = l->unary(b, SF_CALL_ABS, distance);
	return l->accumulate(b, sum, bucket_of(b, distance));
}

/* What is added to the scores: [batch, heads, tokens, tokens]. */
static struct sf_val *
position_bias(struct sf_build *b)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item column[] = { SF_ALL, SF_NEW },
		       row[] = { SF_NEW, SF_ALL };
	int64_t t = b->work.tokens;
	int64_t shape[] = { b->work.batch, a->heads, t, t };
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *q, *k, *table, *x;
	const char *around = sf_enter(b, -1, sf_encoder_inside(b, "encoder"));
	const char *name =
	    sf_encoder_inside(b, "encoder.relative_attention_bias");

	q = l->getitem(b, l->whole_range(b, t), 2, column);
	k = l->getitem(b, l->whole_range(b, t), 2, row);
	x = buckets_of(b, l->binary(b, SF_CALL_SUB, k, q));
	table = sf_part(b, -1, name, "weight", a->pair.buckets, a->heads);
	x = sf_embed(b, name, table, x);
	x = l->unsqueeze(b, l->last_first(b, x), 0);
	x = sf_fuse_1(b, f, "gpu.position_bias", table, x);
	/* A kernel reads that of one sequence for all. */
	if (sf_fuses(b))
		return sf_leave_with(b, around, x);
	return sf_leave_with(
	    b, around, l->contiguous(b, l->expand(b, x, 4, shape)));
}

static struct sf_val *
heads_of(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	name = sf_encoder_inside(b, name);
	return sf_split_heads(
	    b, sf_linear(b, layer, name, x, b->arch->hidden, true));
}

/* Written out in Python. */
static struct sf_val *
attention(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *bias, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *q, *k, *v;
	const char *around =
	    sf_enter(b, layer, sf_encoder_inside(b, LAYER "attention.attn"));

	q = heads_of(b, layer, LAYER "attention.attn.q", x);
	k = heads_of(b, layer, LAYER "attention.attn.k", x);
	v = heads_of(b, layer, LAYER "attention.attn.v", x);
	if (sf_fuses(b)) {
		x = sf_fuse_attend(b,
		    &(struct sf_attention){
			.q = q, .k = k, .v = v, .mask = bias });
		return sf_leave_with(b, around,
		    sf_linear(b, layer,
			sf_encoder_inside(b, LAYER "attention.attn.o"), x,
			a->hidden, true));
	}
	x = l->matmul(b, q, l->transpose(b, k, 2, 3));
	x = l->number(b, SF_CALL_DIV, x, sqrt((double)a->head_dim));
	x = l->accumulate(b, x, bias);
	if (mask != NULL)
		x = l->binary(b, SF_CALL_ADD, x, mask);
	x = l->softmax(b, x, SF_SOFTMAX_PLAIN);
	x = l->permute(b, l->matmul(b, x, v), 1, 2);
	x = l->contiguous(b, x);
	x = l->view(
	    b, x, 3, (int64_t[]){ b->work.batch, b->work.tokens, a->hidden });
	return sf_leave_with(b, around,
	    sf_linear(b, layer, sf_encoder_inside(b, LAYER "attention.attn.o"),
		x, a->hidden, true));
}

struct sf_val *
sf_mpnet_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *table, *x, *places, *mask, *bias;
	const char *around = sf_enter_base(b), *outside;
	const char *words = sf_encoder_inside(b, "embeddings.word_embeddings");

	table = sf_part(b, -1, words, "weight", a->vocab, a->hidden);
	outside = sf_enter(b, -1, sf_encoder_inside(b, "embeddings"));
	places = sf_encoder_count_places(b, ids);
	x = sf_embed(b, words, table, ids);
	places = sf_encoder_look_up(
	    b, "embeddings.position_embeddings", a->positions, places);
	x = sf_encoder_norm(b, -1, sf_encoder_inside(b, "embeddings.LayerNorm"),
	    l->binary(b, SF_CALL_ADD, x, places));
	sf_leave(b, outside);
	mask = sf_mask_bidirectional(b);
	if (mask != NULL)
		mask = l->number_mask(b, mask, b->work.dtype);
	bias = position_bias(b);
	for (int64_t i = 0; i < a->layers; i++)
		x = sf_encoder_layer_rest(
		    b, i, x, attention(b, i, x, bias, mask));
	sf_leave(b, around);
	return sf_encoder_finish(b, x, table);
}

void
sf_mpnet_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena)
{
	const char *key = "relative_attention_num_buckets";

	sf_encoder_read(arch, config, arena);
	arch->pair.buckets = sf_field_size_or(config, key, NULL, BUCKETS);
}
