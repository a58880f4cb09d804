/* Quantisation: the shape stays, the type changes. */
#include "onnx/ops/rules.h"

#include "onnx/infer/shape.h"

static void
like_first(struct sf_infer *infer, enum sf_dtype dtype)
{
	struct sf_shape shape;

	sf_infer_shape(infer, 0, &shape);
	sf_infer_set(infer, 0, dtype, &shape);
}

/* Attribute output_dtype over *DTYPE; 0 stands for "not given". */
static bool
output_dtype(struct sf_infer *infer, enum sf_dtype *dtype)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, "output_dtype");

	return attr == NULL || attr->i == 0 ||
	    sf_infer_attr_dtype(infer, "output_dtype", *dtype, dtype);
}

/* To the type of the zero point, of attribute output_dtype, or to u8. */
bool
sf_rule_quantize(struct sf_infer *infer)
{
	const struct sf_value *zero = sf_infer_input(infer, 2);
	enum sf_dtype dtype = zero != NULL ? zero->dtype : SF_DT_U8;

	if (zero == NULL && !output_dtype(infer, &dtype))
		return false;
	like_first(infer, dtype);
	return true;
}

bool
sf_rule_dequantize(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[1]->dtype;

	if (!output_dtype(infer, &dtype))
		return false;
	like_first(infer, dtype);
	return true;
}

/* The quantised tensor, its scale and its zero point. */
bool
sf_rule_dynamic_quantize(struct sf_infer *infer)
{
	like_first(infer, SF_DT_U8);
	if (infer->noutputs > 1)
		sf_infer_set_scalar(infer, 1, SF_DT_F32);
	if (infer->noutputs > 2)
		sf_infer_set_scalar(infer, 2, SF_DT_U8);
	return true;
}
