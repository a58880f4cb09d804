/* Attention as PyTorch's dispatcher takes it apart. */
#include "model/derive.h"
#include "model/lower-aten-more.h"
#include "model/lower-aten.h"

struct sf_val *
sf_aten_safe_softmax(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten._safe_softmax", x,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

/* A mask of booleans as numbers to add: 0 or minus infinity. */
static struct sf_val *
additive_mask(struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype)
{
	struct sf_val *lowest, *zero;

	lowest = sf_aten_make(
	    b, "aten.scalar_tensor", sf_val_new(&b->graph, dtype, 0, NULL));
	sf_aten_query(b, lowest, 1);
	zero = sf_aten_make(
	    b, "aten.scalar_tensor", sf_val_new(&b->graph, dtype, 0, NULL));
	sf_aten_query(b, lowest, 1);
	return sf_aten_where(b, mask, zero, lowest);
}

/* Tensor.repeat_interleave of the heads. */
static struct sf_val *
repeat_heads(struct sf_build *b, struct sf_val *x, int64_t heads)
{
	int64_t shape[5] = { x->shape[0], x->shape[1], heads / x->shape[1],
		x->shape[2], x->shape[3] };
	int64_t merged[4] = { x->shape[0], heads, x->shape[2], x->shape[3] };

	x = sf_decomposition_aten.unsqueeze(b, x, 2);
	x = sf_aten_clone(b, sf_decomposition_aten.expand(b, x, 5, shape));
	return sf_decomposition_aten.view(b, x, 4, merged);
}

static struct sf_val *
as_float(struct sf_build *b, struct sf_val *x)
{
	return x->dtype == SF_DT_F32 ? x : sf_aten_to_copy(b, x, SF_DT_F32);
}

static struct sf_val *
causal_mask(struct sf_build *b, struct sf_val *q, struct sf_val *k)
{
	int64_t shape[2] = { q->shape[2], k->shape[2] };
	struct sf_val *ones = sf_aten_make(
	    b, "aten.ones", sf_val_new(&b->graph, SF_DT_B8, 2, shape));

	ones = sf_aten_1(b, "aten.tril", ones, sf_val_like(&b->graph, ones));
	return additive_mask(b, ones, q->dtype);
}

/* Heads of K may be one for all those of Q. */
static struct sf_val *
matmul(struct sf_build *b, struct sf_val *q, struct sf_val *k)
{
	return q->shape[1] == k->shape[1]
	    ? sf_decomposition_aten.matmul(b, q, k)
	    : sf_aten_matmul(b, q, k);
}

/* ATen's _scaled_dot_product_attention_math, in FP32 whatever the input. */
static struct sf_val *
mathematical(
    struct sf_build *b, const struct sf_attention *a, struct sf_val *mask)
{
	struct sf_val *q = as_float(b, a->q), *k = as_float(b, a->k);
	struct sf_val *v = as_float(b, a->v), *w;

	q = sf_decomposition_aten.number(b, SF_CALL_MUL, q, a->scale);
	if (a->causal)
		mask = causal_mask(b, q, k);
	if (a->grouped) {
		k = repeat_heads(b, k, q->shape[1]);
		v = repeat_heads(b, v, q->shape[1]);
	}
	k = sf_decomposition_aten.transpose(b, k, 2, 3);
	k = sf_decomposition_aten.number(b, SF_CALL_MUL, k, a->scale);
	w = matmul(b, q, k);
	if (mask != NULL)
		w = sf_decomposition_aten.binary(b, SF_CALL_ADD, w, mask);
	w = b->route->aten->safe_softmax(b, w);
	if (w->dtype != a->q->dtype)
		sf_aten_to_copy(
		    b, w, a->q->dtype); /* what need_weights would give */
	w = matmul(b, w, v);
	return w->dtype == a->q->dtype ? w : sf_aten_to_copy(b, w, a->q->dtype);
}

/* The CPU's flash attention, whose output lies as the queries do. */
static struct sf_val *
fused(struct sf_build *b, const struct sf_attention *a, struct sf_val *mask)
{
	struct sf_val *in[] = { a->q, a->k, a->v, mask }, *out[2];
	int64_t *s = a->q->shape;

	out[0] = sf_aten_like(b, a->q, a->q->dtype);
	out[1] = sf_val_new(
	    &b->graph, SF_DT_F32, 3, (int64_t[]){ s[0], s[1], s[2] });
	sf_aten_add(b, "aten._scaled_dot_product_flash_attention_for_cpu", in,
	    mask != NULL ? 4 : 3, out, 2);
	return out[0];
}

struct sf_val *
sf_aten_attention(struct sf_build *b, const struct sf_attention *a)
{
	struct sf_val *mask = a->mask;
	/* The fused kernel wants heads of one size. */
	bool one_size = a->q->shape[3] == a->v->shape[3];

	sf_aten_query(b, a->k, 1);
	sf_aten_query(b, a->q, 1);
	sf_aten_query(b, a->v, 1);
	sf_aten_query(b, a->q, one_size ? 5 : 4);
	if (mask != NULL && mask->dtype == SF_DT_B8) {
		sf_aten_query(b, mask, 1);
		mask = additive_mask(b, mask, a->q->dtype);
	}
	return b->route->aten->fused_attention && one_size
	    ? fused(b, a, mask)
	    : mathematical(b, a, mask);
}
