/* Types of a model's values, from their messages. */
#include "onnx/read/model-part.h"

#include "base/num.h"
#include "onnx/read/tensor.h"

/* '?', '-1' and '*' are no names: one has a letter in it. */
static bool
is_name(struct sf_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '_' || c >= 0x80 || (c >= 'A' && c <= 'Z') ||
		    (c >= 'a' && c <= 'z'))
			return true;
	}
	return false;
}

static bool
convert_dim(struct sf_onnx_convert *c, const Onnx__TensorShape__Dimension *in,
    size_t i, struct sf_onnx_dim *out)
{
	out->size = SF_DIM_UNKNOWN;
	switch (in->value_case) {
	case ONNX__TENSOR_SHAPE__DIMENSION__VALUE_DIM_VALUE:
		if (in->dim_value < -1)
			return sf_fail(c->error,
			    "dimension %zu is %lld, expected a size or -1", i,
			    (long long)in->dim_value);
		out->size = in->dim_value;
		return true;
	case ONNX__TENSOR_SHAPE__DIMENSION__VALUE_DIM_PARAM:
		out->name = sf_onnx_text(&in->dim_param);
		if (sf_int_parse(out->name.p, out->name.n, &out->size) &&
		    out->size >= 0)
			out->name = SF_STR("");
		else
			out->size = SF_DIM_UNKNOWN;
		if (!is_name(out->name))
			out->name = SF_STR("");
		return true;
	default:
		return true;
	}
}

static bool
convert_shape(struct sf_onnx_convert *c, const Onnx__TensorShape *in,
    struct sf_onnx_type *out)
{
	if (in == NULL)
		return true;
	if (in->n_dim > SF_VALUE_MAX_RANK)
		return sf_fail(c->error, "rank %zu, expected at most %d",
		    in->n_dim, SF_VALUE_MAX_RANK);
	out->rank_known = true;
	out->rank = (int)in->n_dim;
	out->dims = sf_arena_calloc(c->arena, in->n_dim, sizeof *out->dims);
	for (size_t i = 0; i < in->n_dim; i++)
		if (!convert_dim(c, in->dim[i], i, &out->dims[i]))
			return false;
	return true;
}

static enum sf_onnx_type_kind
kind_of(const Onnx__Type *in)
{
	switch (in->value_case) {
	case ONNX__TYPE__VALUE_TENSOR_TYPE:
		return SF_ONNX_TYPE_TENSOR;
	case ONNX__TYPE__VALUE_SPARSE_TENSOR_TYPE:
		return SF_ONNX_TYPE_SPARSE;
	case ONNX__TYPE__VALUE_SEQUENCE_TYPE:
		return SF_ONNX_TYPE_SEQUENCE;
	case ONNX__TYPE__VALUE_OPTIONAL_TYPE:
		return SF_ONNX_TYPE_OPTIONAL;
	case ONNX__TYPE__VALUE_MAP_TYPE:
		return SF_ONNX_TYPE_MAP;
	default:
		return SF_ONNX_TYPE_NONE;
	}
}

static enum sf_onnx_type_kind
item_kind(const Onnx__Type *in)
{
	return in != NULL ? kind_of(in) : SF_ONNX_TYPE_NONE;
}

/* The type inside sequences and optionals. */
static const Onnx__Type *
innermost(const Onnx__Type *type)
{
	while (type != NULL) {
		if (type->value_case == ONNX__TYPE__VALUE_SEQUENCE_TYPE)
			type = type->sequence_type->elem_type;
		else if (type->value_case == ONNX__TYPE__VALUE_OPTIONAL_TYPE)
			type = type->optional_type->elem_type;
		else
			break;
	}
	return type;
}

bool
sf_onnx_convert_type(
    struct sf_onnx_convert *c, const Onnx__Type *in, struct sf_onnx_type *out)
{
	out->dtype = SF_DT_UNKNOWN;
	if (in == NULL)
		return true;
	out->kind = kind_of(in);
	if (in->value_case == ONNX__TYPE__VALUE_SEQUENCE_TYPE)
		out->item = item_kind(in->sequence_type->elem_type);
	else if (in->value_case == ONNX__TYPE__VALUE_OPTIONAL_TYPE)
		out->item = item_kind(in->optional_type->elem_type);
	in = innermost(in);
	if (in == NULL)
		return true;
	if (in->value_case == ONNX__TYPE__VALUE_TENSOR_TYPE) {
		out->dtype = sf_onnx_dtype(in->tensor_type->elem_type);
		return convert_shape(c, in->tensor_type->shape, out);
	}
	if (in->value_case == ONNX__TYPE__VALUE_SPARSE_TENSOR_TYPE) {
		out->dtype = sf_onnx_dtype(in->sparse_tensor_type->elem_type);
		return convert_shape(c, in->sparse_tensor_type->shape, out);
	}
	return true;
}
