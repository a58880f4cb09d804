/* Tensors of ONNX that are made of nothing, or of others put together. */
#include "model/derive.h"
#include "model/onnx-node.h"

struct sf_val *
sf_onnx_made_ones(struct sf_build *b, int64_t rows, int64_t columns)
{
	int64_t shape[] = { rows, columns };
	struct sf_val *sizes = sf_onnx_list_of(b, 2, shape), *one;

	sizes = sf_onnx_1(b, "onnx.Cast", sizes, sf_val_like(&b->graph, sizes));
	one = sf_onnx_scalar(b, SF_DT_F32);
	one = sf_onnx_1(b, "onnx.Cast", one, sf_val_like(&b->graph, one));
	return sf_onnx_2(b, "onnx.Expand", one, sizes,
	    sf_val_new(&b->graph, SF_DT_F32, 2, shape));
}

struct sf_val *
sf_onnx_made_stack(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	struct sf_val *out = sf_derive_stack(&b->graph, x);

	x = sf_onnx_2(b, "onnx.Unsqueeze", x, sf_onnx_new_list(b, 1),
	    sf_derive_unsqueeze(&b->graph, x, x->rank));
	y = sf_onnx_2(b, "onnx.Unsqueeze", y, sf_onnx_new_list(b, 1),
	    sf_derive_unsqueeze(&b->graph, y, y->rank));
	return sf_onnx_2(b, "onnx.Concat", x, y, out);
}

/* torchlib's own repeat_interleave of an integer. */
struct sf_val *
sf_onnx_made_repeat_last(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *pairs = sf_derive_stack(&b->graph, x), *in[3], *y;
	struct sf_val *out = sf_derive_cat(&b->graph, x, x, -1);
	int n = x->rank;

	y = sf_onnx_2(b, "onnx.Unsqueeze", x, sf_onnx_list(b, n),
	    sf_derive_unsqueeze(&b->graph, x, n));
	y = sf_onnx_2(b, "onnx.Expand", y, sf_onnx_new_list(b, n + 1), pairs);
	in[0] = sf_onnx_1(b, "onnx.Shape", x, sf_onnx_ints(b, n - 1));
	in[1] = sf_onnx_new_list(b, 1);
	in[2] = sf_onnx_1(b, "onnx.Shape", x, sf_onnx_ints(b, 0));
	in[0] = sf_onnx_add(b, "onnx.Concat", in, 3, sf_onnx_ints(b, n));
	return sf_onnx_2(b, "onnx.Reshape", y, in[0], out);
}
