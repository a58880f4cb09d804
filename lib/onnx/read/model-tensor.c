/* Tensors of a model, from their messages. */
#include "onnx/read/model-part.h"

#include "onnx/read/tensor.h"

static struct sf_onnx_payload
payload_of(const Onnx__Tensor *in)
{
	if (in->has_cut_field)
		return (struct sf_onnx_payload){ (int)in->cut_field,
			in->cut_bytes, NULL };
	if (in->raw_data.len != 0)
		return (struct sf_onnx_payload){ SF_ONNX_RAW, in->raw_data.len,
			in->raw_data.data };
	if (in->n_float_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_FLOATS,
			in->n_float_data, in->float_data };
	if (in->n_int32_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_INT32S,
			in->n_int32_data, in->int32_data };
	if (in->n_int64_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_INT64S,
			in->n_int64_data, in->int64_data };
	if (in->n_double_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_DOUBLES,
			in->n_double_data, in->double_data };
	if (in->n_uint64_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_UINT64S,
			in->n_uint64_data, in->uint64_data };
	return (struct sf_onnx_payload){ 0 };
}

bool
sf_onnx_convert_tensor(struct sf_onnx_convert *c, const Onnx__Tensor *in,
    struct sf_onnx_tensor *out)
{
	struct sf_onnx_payload payload = payload_of(in);

	out->name = sf_onnx_text(&in->name);
	out->external = in->data_location == 1;
	if (!sf_onnx_tensor_shape(
		out, in->data_type, in->dims, in->n_dims, c->arena, c->error))
		return false;
	return out->external ||
	    sf_onnx_tensor_fill(out, &payload, c->arena, c->error);
}

bool
sf_onnx_convert_sparse(struct sf_onnx_convert *c, const Onnx__SparseTensor *in,
    struct sf_onnx_tensor *out)
{
	if (in->values == NULL)
		return sf_fail(c->error, "a sparse tensor without values");
	out->name = sf_onnx_text(&in->values->name);
	out->external = in->values->data_location == 1;
	return sf_onnx_tensor_shape(out, in->values->data_type, in->dims,
	    in->n_dims, c->arena, c->error);
}
