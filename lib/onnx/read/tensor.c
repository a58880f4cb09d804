/* The contents of tensor constants: their size is checked, few are kept. */
#include "onnx/read/tensor.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

/* By the number of TensorProto.DataType: our type, and the home of its data. */
static const struct {
	enum sf_dtype dtype;
	int home;
} types[] = {
	[0] = { SF_DT_UNKNOWN, 0 },
	[1] = { SF_DT_F32, SF_ONNX_FLOATS },
	[2] = { SF_DT_U8, SF_ONNX_INT32S },
	[3] = { SF_DT_I8, SF_ONNX_INT32S },
	[4] = { SF_DT_U16, SF_ONNX_INT32S },
	[5] = { SF_DT_I16, SF_ONNX_INT32S },
	[6] = { SF_DT_I32, SF_ONNX_INT32S },
	[7] = { SF_DT_I64, SF_ONNX_INT64S },
	[8] = { SF_DT_STR, 0 },
	[9] = { SF_DT_B8, SF_ONNX_INT32S },
	[10] = { SF_DT_F16, SF_ONNX_INT32S },
	[11] = { SF_DT_F64, SF_ONNX_DOUBLES },
	[12] = { SF_DT_U32, SF_ONNX_UINT64S },
	[13] = { SF_DT_U64, SF_ONNX_UINT64S },
	[14] = { SF_DT_C64, SF_ONNX_FLOATS },
	[15] = { SF_DT_C128, SF_ONNX_DOUBLES },
	[16] = { SF_DT_BF16, SF_ONNX_INT32S },
	[17] = { SF_DT_F8E4M3FN, SF_ONNX_INT32S },
	[18] = { SF_DT_F8E4M3FNUZ, SF_ONNX_INT32S },
	[19] = { SF_DT_F8E5M2, SF_ONNX_INT32S },
	[20] = { SF_DT_F8E5M2FNUZ, SF_ONNX_INT32S },
	[21] = { SF_DT_U4, SF_ONNX_INT32S },
	[22] = { SF_DT_I4, SF_ONNX_INT32S },
	[23] = { SF_DT_F4E2M1FN, SF_ONNX_INT32S },
	[24] = { SF_DT_F8E8M0FNU, SF_ONNX_INT32S },
	[25] = { SF_DT_U2, SF_ONNX_INT32S },
	[26] = { SF_DT_I2, SF_ONNX_INT32S },
};

enum {
	NTYPES = sizeof types / sizeof types[0]
};

enum sf_dtype
sf_onnx_dtype(int64_t number)
{
	if (number < 0 || number >= NTYPES)
		return SF_DT_UNKNOWN;
	return types[number].dtype;
}

bool
sf_onnx_tensor_shape(struct sf_onnx_tensor *tensor, int64_t type,
    const int64_t *dims, size_t rank, struct sf_arena *arena,
    struct sf_error *error)
{
	tensor->dtype = sf_onnx_dtype(type);
	if (tensor->dtype == SF_DT_UNKNOWN)
		return sf_fail(error,
		    "element type %lld, expected a number from 1 to %d",
		    (long long)type, NTYPES - 1);
	tensor->onnx_type = (int)type;
	if (rank > SF_VALUE_MAX_RANK)
		return sf_fail(error, "rank %zu, expected at most %d", rank,
		    SF_VALUE_MAX_RANK);
	tensor->rank = (int)rank;
	tensor->dims = sf_arena_calloc(arena, rank, sizeof *tensor->dims);
	for (size_t i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return sf_fail(error,
			    "dimension %zu is %lld, expected a size", i,
			    (long long)dims[i]);
		tensor->dims[i] = dims[i];
	}
	if (!sf_mul_all(tensor->dims, rank, &tensor->numel))
		return sf_fail(error, "the number of elements passes 2^63 - 1");
	return true;
}

/* Elements that are stored as several numbers, or several in one. */
static bool
stored_length(const struct sf_onnx_tensor *t, int home, uint64_t *n)
{
	int64_t bits = sf_dtype_bits(t->dtype), all;

	if (home != SF_ONNX_RAW && bits >= 8) {
		*n = (uint64_t)t->numel;
		if (t->dtype == SF_DT_C64 || t->dtype == SF_DT_C128)
			*n *= 2;
		return true;
	}
	if (!sf_mul(t->numel, bits, &all))
		return false;
	*n = (uint64_t)sf_ceil_div(all, 8);
	return true;
}

static bool
length_fits(const struct sf_onnx_payload *p, uint64_t n)
{
	if (p->data != NULL)
		return p->n == n;
	switch (p->home) {
	case SF_ONNX_FLOATS:
		return p->n % 4 == 0 && p->n / 4 == n;
	case SF_ONNX_DOUBLES:
		return p->n % 8 == 0 && p->n / 8 == n;
	case SF_ONNX_RAW:
		return p->n == n;
	default:
		/* A number takes from one to ten bytes. */
		return p->n >= n && p->n / 10 <= n;
	}
}

static bool
check_length(const struct sf_onnx_tensor *t, const struct sf_onnx_payload *p,
    struct sf_error *error)
{
	uint64_t n;

	if (t->dtype == SF_DT_STR)
		return true;
	if (p->home != SF_ONNX_RAW && p->home != types[t->onnx_type].home)
		return sf_fail(error,
		    "%s data in field %d, expected it in field %d or %d",
		    sf_dtype_name(t->dtype), p->home, types[t->onnx_type].home,
		    SF_ONNX_RAW);
	if (!stored_length(t, p->home, &n))
		return sf_fail(error, "the number of bits passes 2^63 - 1");
	if (!length_fits(p, n))
		return sf_fail(error,
		    "%lld elements of %s, but the data has %llu %s",
		    (long long)t->numel, sf_dtype_name(t->dtype),
		    (unsigned long long)p->n,
		    p->home == SF_ONNX_RAW || p->data == NULL ? "bytes"
							      : "numbers");
	return true;
}

/* ONNX files are little-endian whatever the machine. */
static uint64_t
little(const uint8_t *bytes, int n)
{
	uint64_t x = 0;

	if (n == sizeof x) {
		memcpy(&x, bytes, sizeof x);
		return le64toh(x);
	}
	for (int i = 0; i < n; i++)
		x |= (uint64_t)bytes[i] << 8 * i;
	return x;
}

/* The bits of element I. */
static uint64_t
bits_of(
    const struct sf_onnx_tensor *t, const struct sf_onnx_payload *p, size_t i)
{
	int width = sf_dtype_bits(t->dtype) / 8;
	uint32_t bits32;
	uint64_t bits64;

	switch (p->home) {
	case SF_ONNX_INT32S:
		return (uint64_t)(int64_t)((const int32_t *)p->data)[i];
	case SF_ONNX_INT64S:
		return (uint64_t)((const int64_t *)p->data)[i];
	case SF_ONNX_UINT64S:
		return ((const uint64_t *)p->data)[i];
	case SF_ONNX_FLOATS:
		memcpy(&bits32, (const float *)p->data + i, sizeof bits32);
		return bits32;
	case SF_ONNX_DOUBLES:
		memcpy(&bits64, (const double *)p->data + i, sizeof bits64);
		return bits64;
	default:
		return little(
		    (const uint8_t *)p->data + i * (size_t)width, width);
	}
}

/* IEEE 754 half precision: 1 sign, 5 exponent, 10 fraction bits. */
static double
half(uint64_t bits)
{
	int exponent = (int)(bits >> 10 & 31);
	double fraction = (double)(bits & 1023), x;

	if (exponent == 0)
		x = ldexp(fraction, -24);
	else if (exponent == 31)
		x = fraction == 0 ? INFINITY : NAN;
	else
		x = ldexp(fraction + 1024, exponent - 25);
	return bits >> 15 & 1 ? -x : x;
}

static double
single(uint64_t bits)
{
	uint32_t word = (uint32_t)bits;
	float x;

	memcpy(&x, &word, sizeof x);
	return (double)x;
}

double
sf_reals_get(struct sf_reals reals, int64_t i)
{
	const char *at = (const char *)reals.at + i * reals.step;
	uint32_t word;
	double x;

	if (reals.in_file) {
		memcpy(&word, at, sizeof word);
		return single(le32toh(word));
	}
	memcpy(&x, at, sizeof x);
	return x;
}

struct sf_reals
sf_reals_from(struct sf_reals reals, int64_t i)
{
	reals.at = (const char *)reals.at + i * reals.step;
	return reals;
}

static void
fill_floats(struct sf_onnx_tensor *t, const struct sf_onnx_payload *p,
    struct sf_arena *arena)
{
	size_t n = (size_t)t->numel;
	double *out;

	if (t->dtype == SF_DT_F32 && p->home == SF_ONNX_RAW) {
		t->floats =
		    (struct sf_reals){ p->data, true, sizeof(uint32_t) };
		return;
	}
	out = sf_arena_alloc(arena, n * sizeof *out);
	t->floats = sf_reals_of(out);
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = bits_of(t, p, i);

		if (t->dtype == SF_DT_F32)
			out[i] = single(bits);
		else if (t->dtype == SF_DT_F16)
			out[i] = half(bits);
		else if (t->dtype == SF_DT_BF16)
			out[i] = single(bits << 16);
		else
			memcpy(&out[i], &bits, sizeof bits);
	}
}

static int64_t
integer(enum sf_dtype dtype, uint64_t bits)
{
	switch (dtype) {
	case SF_DT_B8:
		return (bits & 0xff) != 0;
	case SF_DT_U8:
		return (uint8_t)bits;
	case SF_DT_I8:
		return (int8_t)bits;
	case SF_DT_U16:
		return (uint16_t)bits;
	case SF_DT_I16:
		return (int16_t)bits;
	case SF_DT_U32:
		return (uint32_t)bits;
	case SF_DT_I32:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

static bool
fill_ints(struct sf_onnx_tensor *t, const struct sf_onnx_payload *p,
    struct sf_arena *arena, struct sf_error *error)
{
	size_t n = (size_t)t->numel;
	int64_t *out = sf_arena_alloc(arena, n * sizeof *out);

	for (size_t i = 0; i < n; i++) {
		uint64_t bits = bits_of(t, p, i);

		out[i] = integer(t->dtype, bits);
		/* Fields of the file are wider than most types. */
		if (p->home != SF_ONNX_RAW && (uint64_t)out[i] != bits)
			return sf_fail(error, "element %zu is %lld, no %s", i,
			    (long long)bits, sf_dtype_name(t->dtype));
		/* What does not fit an int64_t is not followed. */
		if (t->dtype == SF_DT_U64 && out[i] < 0)
			return true;
	}
	t->ints = out;
	return true;
}

bool
sf_onnx_tensor_fill(struct sf_onnx_tensor *tensor,
    const struct sf_onnx_payload *payload, struct sf_arena *arena,
    struct sf_error *error)
{
	/* Weights that were stripped from the file leave nothing behind. */
	if (payload->home == 0)
		return true;
	if (!check_length(tensor, payload, error))
		return false;
	if (payload->data == NULL || tensor->numel > SF_VALUE_MAX_ELEMENTS)
		return true;
	switch (tensor->dtype) {
	case SF_DT_F32:
	case SF_DT_F16:
	case SF_DT_BF16:
	case SF_DT_F64:
		fill_floats(tensor, payload, arena);
		break;
	case SF_DT_B8:
	case SF_DT_U8:
	case SF_DT_I8:
	case SF_DT_U16:
	case SF_DT_I16:
	case SF_DT_U32:
	case SF_DT_I32:
	case SF_DT_U64:
	case SF_DT_I64:
		return fill_ints(tensor, payload, arena, error);
	default:
		break;
	}
	return true;
}
