/* Cast, CastLike and BitCast: the same elements in another type. */
#include "onnx/infer/shape.h"
#include "onnx/ops/rules.h"

static struct sf_cell
cast(struct sf_cell a, enum sf_dtype from, enum sf_dtype to)
{
	bool from_ints = sf_dtype_in_ints(from);
	struct sf_cell none = { 0 };

	if (!a.known)
		return to == SF_DT_B8 ? none : a;
	if (to == SF_DT_B8)
		return sf_cell_int(from_ints ? a.i != 0 : a.f != 0);
	if (sf_dtype_in_floats(to))
		return sf_cell_float(from_ints ? (double)a.i : a.f);
	if (from_ints)
		return a;
	/* Outside the range of the type the result is not defined. */
	if (!(a.f > -0x1p63 && a.f < 0x1p63))
		return none;
	return sf_cell_int((int64_t)a.f);
}

static void
cast_to(struct sf_infer *infer, enum sf_dtype to)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_cells cells;

	sf_infer_like(infer, 0, in);
	infer->outputs[0].dtype = to;
	if (!sf_value_has_contents(in) || !sf_cells_begin(&cells, infer, 0))
		return;
	for (int64_t i = 0; i < cells.n; i++)
		sf_cells_put(
		    &cells, i, cast(sf_cell_get(in, i), in->dtype, to));
	sf_cells_end(&cells);
}

/* Before opset 6 the type is given by its name in onnx.proto. */
static enum sf_dtype
dtype_of_name(struct sf_str name)
{
	static const char *const names[] = { "", "FLOAT", "UINT8", "INT8",
		"UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL",
		"FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64",
		"COMPLEX128", "BFLOAT16" };

	for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
		if (sf_str_is(name, names[i]))
			return sf_onnx_dtype((int64_t)i);
	return SF_DT_UNKNOWN;
}

bool
sf_rule_cast(struct sf_infer *infer)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, "to");
	enum sf_dtype to;

	if (attr == NULL)
		return sf_fail(infer->error, "attribute 'to' is missing");
	if (attr->type == SF_ONNX_ATTR_STRING) {
		to = dtype_of_name(attr->s);
		if (to == SF_DT_UNKNOWN)
			return sf_fail(infer->error,
			    "attribute 'to' is '%.*s', expected an element "
			    "type",
			    SF_STR_ARG(attr->s));
	} else if (!sf_infer_attr_dtype(infer, "to", SF_DT_UNKNOWN, &to)) {
		return false;
	}
	cast_to(infer, to);
	return true;
}

bool
sf_rule_cast_like(struct sf_infer *infer)
{
	cast_to(infer, infer->inputs[1]->dtype);
	return true;
}

bool
sf_rule_bit_cast(struct sf_infer *infer)
{
	enum sf_dtype from = infer->inputs[0]->dtype, to;

	if (!sf_infer_attr_dtype(infer, "to", SF_DT_UNKNOWN, &to))
		return false;
	if (to == SF_DT_UNKNOWN)
		return sf_fail(infer->error, "attribute 'to' is missing");
	if (from != SF_DT_UNKNOWN && sf_dtype_bits(from) != sf_dtype_bits(to))
		return sf_fail(infer->error,
		    "attribute 'to' is a type of %d bits, expected %d",
		    sf_dtype_bits(to), sf_dtype_bits(from));
	sf_infer_like(infer, 0, infer->inputs[0]);
	infer->outputs[0].dtype = to;
	return true;
}
