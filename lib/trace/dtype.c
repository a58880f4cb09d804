/* Element types. */
#include "trace/dtype.h"

static const struct {
	struct sf_str name;
	int bits, parts;
} dtypes[] = {
#define SF_DTYPE(id, text, bits, parts) \
	[SF_DT_##id] = { { text, sizeof(text) - 1 }, bits, parts },
#include "trace/dtype.def"
#undef SF_DTYPE
};

const char *
sf_dtype_name(enum sf_dtype dtype)
{
	return dtype < SF_DT_COUNT ? dtypes[dtype].name.p : NULL;
}

int
sf_dtype_bits(enum sf_dtype dtype)
{
	return dtype < SF_DT_COUNT ? dtypes[dtype].bits : 0;
}

int
sf_dtype_parts(enum sf_dtype dtype)
{
	return dtype < SF_DT_COUNT ? dtypes[dtype].parts : 1;
}

enum sf_dtype
sf_dtype_parse(struct sf_str name)
{
	for (int i = 0; i < SF_DT_COUNT; i++)
		if (sf_str_eq(dtypes[i].name, name))
			return (enum sf_dtype)i;
	return SF_DT_UNKNOWN;
}

const char *
sf_dtype_list(void)
{
	static const char list[] =
#define SF_DTYPE(id, text, bits, parts) ", " text
#include "trace/dtype.def"
#undef SF_DTYPE
	    ;

	return list + 2;
}
