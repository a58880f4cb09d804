/* Attention as onnxscript's torchlib has it. */
#include "model/derive.h"
#include "model/onnx-node.h"

/* K with its last two dimensions exchanged, by way of three. */
static struct sf_val *
transpose_keys(struct sf_build *b, struct sf_val *k)
{
	int64_t three[] = { k->shape[0] * k->shape[1], k->shape[2],
		k->shape[3] };
	struct sf_val *sizes = sf_onnx_shape(b, k);
	struct sf_val *last, *before, *first, *in[3], *x, *y;

	x = sf_onnx_list(b, -1);
	last = sf_onnx_cut(b, sizes, x, sf_onnx_new_list(b, 1), 1);
	y = sf_onnx_list(b, -2);
	before = sf_onnx_cut(b, sizes, y, x, 1);
	first = sf_onnx_cut(b, sizes, sf_onnx_new_list(b, 1), y, 2);
	in[0] = sf_onnx_new_list(b, 1);
	in[1] = before;
	in[2] = last;
	x = sf_onnx_add(b, "onnx.Concat", in, 3, sf_onnx_ints(b, 3));
	x = sf_onnx_2(
	    b, "onnx.Reshape", k, x, sf_val_new(&b->graph, k->dtype, 3, three));
	x = b->route->lower->transpose(b, x, 1, 2);
	in[0] = first;
	in[1] = last;
	in[2] = before;
	y = sf_onnx_add(b, "onnx.Concat", in, 3, sf_onnx_ints(b, 4));
	return sf_onnx_2(
	    b, "onnx.Reshape", x, y, sf_derive_transpose(&b->graph, k, 2, 3));
}

/* Softmax whose rows of NaN, all masked, become zeros. */
static struct sf_val *
safe_softmax(struct sf_build *b, struct sf_val *x, struct sf_val *zero)
{
	struct sf_val *in[3];

	x = sf_onnx_same(b, "onnx.Softmax", x);
	in[0] = sf_onnx_1(b, "onnx.IsNaN", x, sf_onnx_like(b, x, SF_DT_B8));
	in[1] = zero;
	in[2] = x;
	return sf_onnx_add(
	    b, "onnx.Where", in, 3, sf_onnx_like(b, x, x->dtype));
}

/* K in the type of the scale, where nothing else has cast it. */
static struct sf_val *
scaled_keys(struct sf_build *b, struct sf_val *scale, struct sf_val *k,
    const struct sf_val *mask)
{
	struct sf_val *root = sf_onnx_same(b, "onnx.Sqrt", scale);

	if (mask == NULL)
		root = sf_onnx_2(b, "onnx.CastLike", root, k,
		    sf_onnx_like(b, root, k->dtype));
	return b->route->lower->binary(b, SF_CALL_MUL, k, root);
}

/* A mask of booleans as numbers to add; ZERO is made on the way. */
static struct sf_val *
additive_mask(struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype,
    struct sf_val **zero)
{
	struct sf_val *in[] = { mask, *zero = sf_onnx_scalar(b, dtype),
		sf_onnx_scalar(b, dtype) };

	return sf_onnx_add(b, "onnx.Where", in, 3,
	    sf_derive_broadcast(&b->graph, in, 3, dtype));
}

/*
 * torchlib's _aten_scaled_dot_product_attention_bool_mask_onnx, and those for
 * a mask of numbers and for none.
 */
struct sf_val *
sf_onnx_made_attention(struct sf_build *b, const struct sf_attention *a)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = a->q->dtype;
	struct sf_val *scale, *q, *k, *w, *mask = a->mask, *zero = NULL;

	scale = sf_onnx_float(b, a->scale);
	scale = sf_onnx_2(
	    b, "onnx.CastLike", scale, a->q, sf_onnx_like(b, scale, dtype));
	k = transpose_keys(b, a->k);
	q = l->binary(
	    b, SF_CALL_MUL, a->q, sf_onnx_same(b, "onnx.Sqrt", scale));
	k = scaled_keys(b, scale, k, mask);
	if (mask != NULL && mask->dtype == SF_DT_B8)
		mask = additive_mask(b, mask, dtype, &zero);
	w = l->matmul(b, q, k);
	if (mask != NULL)
		w = l->binary(b, SF_CALL_ADD, w, mask);
	w = zero != NULL ? safe_softmax(b, w, zero)
			 : sf_onnx_same(b, "onnx.Softmax", w);
	return l->matmul(b, w, a->v);
}
