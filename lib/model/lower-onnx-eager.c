/* What attention written out in Python calls, as ONNX. */
#include "model/derive.h"
#include "model/onnx-node.h"

struct sf_val *
sf_onnx_constant(struct sf_build *b, enum sf_dtype dtype)
{
	struct sf_val *x = sf_val_new(&b->graph, dtype, 0, NULL);

	x->fixed = true;
	return x;
}

struct sf_val *
sf_onnx_where(struct sf_build *b, struct sf_val *condition, struct sf_val *x,
    struct sf_val *y)
{
	struct sf_val *in[] = { condition, x, y };

	return sf_onnx_add(b, "onnx.Where", in, 3,
	    sf_derive_broadcast(&b->graph, in, 3, x->dtype));
}

struct sf_val *
sf_onnx_number_mask(
    struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype)
{
	struct sf_val *lowest = sf_onnx_scalar(b, SF_DT_F32);

	if (dtype != SF_DT_F32)
		lowest = sf_onnx_1(b, "onnx.Cast", lowest,
		    sf_derive_elementwise(&b->graph, lowest, dtype));
	return sf_onnx_where(b, mask, sf_onnx_constant(b, dtype), lowest);
}

struct sf_val *
sf_onnx_softmax(struct sf_build *b, struct sf_val *x, enum sf_softmax how)
{
	enum sf_dtype dtype = how == SF_SOFTMAX_FLOAT ? SF_DT_F32 : x->dtype;

	if (x->dtype != dtype)
		x = sf_onnx_1(b, "onnx.Cast", x,
		    sf_derive_elementwise(&b->graph, x, dtype));
	return sf_onnx_1(
	    b, "onnx.Softmax", x, sf_derive_elementwise(&b->graph, x, dtype));
}

struct sf_val *
sf_onnx_scale(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	return b->route->lower->binary(b, SF_CALL_MUL, x, y);
}
