/* Element types as PyTorch's files say them. */
#include "torch/dtype.h"

static const struct {
	enum sf_dtype dtype;
	int export, c10;
	const char *name, *cpp;
} rows[] = {
#define SF_TORCH_DTYPE(id, name, export, c10, cpp) \
	{ SF_DT_##id, export, c10, name, cpp },
#include "torch/dtype.def"
#undef SF_TORCH_DTYPE
};

enum {
	NROWS = sizeof rows / sizeof rows[0]
};

/* Other spellings of the same types. */
static const struct {
	const char *name;
	enum sf_dtype dtype;
} names[] = {
	{ "half", SF_DT_F16 },
	{ "float", SF_DT_F32 },
	{ "double", SF_DT_F64 },
	{ "short", SF_DT_I16 },
	{ "int", SF_DT_I32 },
	{ "long", SF_DT_I64 },
	{ "chalf", SF_DT_C32 },
	{ "cfloat", SF_DT_C64 },
	{ "cdouble", SF_DT_C128 },
	/* Members of the schema's enumeration. */
	{ "BYTE", SF_DT_U8 },
	{ "CHAR", SF_DT_I8 },
	{ "SHORT", SF_DT_I16 },
	{ "INT", SF_DT_I32 },
	{ "LONG", SF_DT_I64 },
	{ "HALF", SF_DT_F16 },
	{ "FLOAT", SF_DT_F32 },
	{ "DOUBLE", SF_DT_F64 },
	{ "COMPLEXHALF", SF_DT_C32 },
	{ "COMPLEXFLOAT", SF_DT_C64 },
	{ "COMPLEXDOUBLE", SF_DT_C128 },
	{ "BOOL", SF_DT_B8 },
	{ "BFLOAT16", SF_DT_BF16 },
	{ "UINT16", SF_DT_U16 },
	{ "UINT32", SF_DT_U32 },
	{ "UINT64", SF_DT_U64 },
	{ "FLOAT8E4M3FN", SF_DT_F8E4M3FN },
	{ "FLOAT8E5M2", SF_DT_F8E5M2 },
	{ "FLOAT8E4M3FNUZ", SF_DT_F8E4M3FNUZ },
	{ "FLOAT8E5M2FNUZ", SF_DT_F8E5M2FNUZ },
	{ "FLOAT8E8M0FNU", SF_DT_F8E8M0FNU },
};

enum sf_dtype
sf_torch_dtype_of_export(int64_t number)
{
	for (int i = 0; i < NROWS; i++)
		if (rows[i].export == number && number >= 0)
			return rows[i].dtype;
	return SF_DT_UNKNOWN;
}

enum sf_dtype
sf_torch_dtype_of_c10(int64_t number)
{
	for (int i = 0; i < NROWS; i++)
		if (rows[i].c10 == number && number >= 0)
			return rows[i].dtype;
	return SF_DT_UNKNOWN;
}

enum sf_dtype
sf_torch_dtype_of_name(struct sf_str name)
{
	static const struct sf_str module = SF_STR_INIT("torch.");

	if (sf_str_starts(name, module.p)) {
		name.p += module.n;
		name.n -= module.n;
	}
	for (int i = 0; i < NROWS; i++)
		if (sf_str_is(name, rows[i].name))
			return rows[i].dtype;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (sf_str_is(name, names[i].name))
			return names[i].dtype;
	return SF_DT_UNKNOWN;
}

/* Compilers print the integers with and without their "int". */
enum sf_dtype
sf_torch_dtype_of_cpp(struct sf_str name)
{
	static const struct sf_str tail = SF_STR_INIT(" int");

	for (int i = 0; i < NROWS; i++)
		if (sf_str_is(name, rows[i].cpp))
			return rows[i].dtype;
	if (name.n <= tail.n ||
	    memcmp(name.p + name.n - tail.n, tail.p, tail.n) != 0)
		return SF_DT_UNKNOWN;
	name.n -= tail.n;
	return sf_torch_dtype_of_cpp(name);
}

enum sf_dtype
sf_torch_dtype_of_readable(struct sf_str name)
{
	enum sf_dtype dtype = sf_dtype_parse(name);

	return sf_torch_dtype_name(dtype) != NULL ? dtype : SF_DT_UNKNOWN;
}

const char *
sf_torch_dtype_name(enum sf_dtype dtype)
{
	for (int i = 0; i < NROWS; i++)
		if (rows[i].dtype == dtype)
			return rows[i].name;
	return NULL;
}
