/* How many elements are in inputs that hold several in a byte. */
#include "base/num.h"
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* An attribute, OTHERWISE when it is absent and -1 when it is no integer. */
static int64_t
integer(const struct sf_infer *infer, const char *name, int64_t otherwise)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	if (attr == NULL)
		return otherwise;
	return attr->type == SF_ONNX_ATTR_INT ? attr->i : -1;
}

static int64_t
times(int64_t a, int64_t b)
{
	int64_t product;

	return a >= 0 && b >= 0 && sf_mul(a, b, &product) ? product : -1;
}

static int64_t
numel_of(const struct sf_infer *infer, int i)
{
	const struct sf_value *value = sf_infer_input(infer, i);

	return value != NULL ? sf_value_numel(value) : -1;
}

/* Input I is of bytes, each of which has 8 / BITS elements. */
static int64_t
in_bytes(const struct sf_infer *infer, int i, int64_t bits)
{
	enum sf_dtype dtype = sf_infer_type(infer, i);

	if ((dtype != SF_DT_U8 && dtype != SF_DT_I8) ||
	    (bits != 1 && bits != 2 && bits != 4))
		return -1;
	return times(numel_of(infer, i), 8 / bits);
}

/* Zero points in bytes are as many as there are scales in input SCALES. */
static int64_t
zeros(const struct sf_infer *infer, int i, int scales)
{
	return sf_infer_type(infer, i) == SF_DT_U8 ? numel_of(infer, scales)
						   : -1;
}

/* B is K x N in blocks of whole bytes, each row of blocks padded. */
int64_t
sf_packed_nbits(const struct sf_infer *infer, int i)
{
	if (i == 1)
		return times(integer(infer, "K", -1), integer(infer, "N", -1));
	return i == 3 ? zeros(infer, i, 2) : -1;
}

int64_t
sf_packed_bnb4(const struct sf_infer *infer, int i)
{
	if (i != 1)
		return -1;
	return times(integer(infer, "K", -1), integer(infer, "N", -1));
}

/* A table of rows in blocks, with a scale and a zero point each. */
int64_t
sf_packed_block(const struct sf_infer *infer, int i)
{
	if (i == 0)
		return in_bytes(infer, i, integer(infer, "bits", 4));
	return i == 3 ? zeros(infer, i, 2) : -1;
}

/* Three matrices an expert, each with scales behind it, zero points last. */
int64_t
sf_packed_experts(const struct sf_infer *infer, int i)
{
	static const char *const own[] = { "fc1_expert_weight_bits",
		"fc2_expert_weight_bits", "fc3_expert_weight_bits" };
	int64_t bits = integer(infer, "expert_weight_bits", 4);

	if (i == 2 || i == 5 || i == 8)
		return in_bytes(infer, i, integer(infer, own[i / 3], bits));
	if (i >= 11 && i <= 13)
		return zeros(infer, i, 3 + 3 * (i - 11));
	return -1;
}

/* Input I's size in dimension AXIS; -1 when it is not known. */
static int64_t
size_of(const struct sf_infer *infer, int i, int axis)
{
	return sf_input_dim(infer, i, axis).size;
}

/* A byte of input 1 is two numbers of four bits. */
int64_t
sf_packed_fp4(const struct sf_infer *infer, int i)
{
	return i == 1 ? times(numel_of(infer, i), 2) : -1;
}

/* Input 1 is a blob, and input 2 says how many rows and columns. */
int64_t
sf_packed_fpq4(const struct sf_infer *infer, int i)
{
	const struct sf_value *sizes = sf_infer_input(infer, 2);

	if (i != 1 || sizes == NULL || !sf_value_has_ints(sizes) ||
	    sf_value_numel(sizes) != 2)
		return -1;
	return times(sizes->ints[0], sizes->ints[1]);
}

/* Weights at inputs 3 and 6. */
int64_t
sf_packed_mlp(const struct sf_infer *infer, int i)
{
	if (i != 3 && i != 6)
		return -1;
	return times(integer(infer, "K", -1), integer(infer, "N", -1));
}

/* Weights at inputs 3, 6 and 9. */
int64_t
sf_packed_qkv(const struct sf_infer *infer, int i)
{
	if (i != 3 && i != 6 && i != 9)
		return -1;
	return times(
	    integer(infer, "K", -1), integer(infer, i == 3 ? "Nq" : "Nkv", -1));
}

/* A base at input 1; what is added to it goes down at 3 and up at 5. */
int64_t
sf_packed_qlora(const struct sf_infer *infer, int i)
{
	int64_t k = integer(infer, "K", -1), n = integer(infer, "N", -1);

	if (i == 5 && numel_of(infer, i) == 0)
		return 0;
	return i == 1 ? times(k, n)
	    : i == 3  ? times(size_of(infer, 3, 0), k)
	    : i == 5  ? times(n, size_of(infer, 4, 0))
		      : -1;
}

/* Rows of K elements each. */
int64_t
sf_packed_table(const struct sf_infer *infer, int i)
{
	return i == 0 ? times(size_of(infer, 0, 0), integer(infer, "K", -1))
		      : -1;
}

/* [experts, rows, bytes], twice with rows of the width of input 0. */
int64_t
sf_packed_blobs(const struct sf_infer *infer, int i)
{
	int64_t columns = i == 4 ? size_of(infer, 2, 1) : size_of(infer, 0, -1);

	if (i < 2 || i > 4)
		return -1;
	return times(
	    times(size_of(infer, i, 0), size_of(infer, i, 1)), columns);
}
