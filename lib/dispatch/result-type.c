/* The types of results. */
#include "dispatch/result.h"

#include <string.h>

#include "base/num.h"
#include "torch/dtype.h"

bool
sf_result_is_real(enum sf_dtype d)
{
	return d == SF_DT_F16 || d == SF_DT_BF16 || d == SF_DT_F32 ||
	    d == SF_DT_F64;
}

/* 0 truth values, 1 integers, 2 real, 3 complex numbers; -1 others. */
static int
rank_of_type(enum sf_dtype d)
{
	switch (d) {
	case SF_DT_B8:
		return 0;
	case SF_DT_U8:
	case SF_DT_I8:
	case SF_DT_I16:
	case SF_DT_I32:
	case SF_DT_I64:
		return 1;
	case SF_DT_C64:
	case SF_DT_C128:
		return 3;
	default:
		return sf_result_is_real(d) ? 2 : -1;
	}
}

/* Of two tensors that both count; unknown where it is not plain. */
static enum sf_dtype
promote(enum sf_dtype a, enum sf_dtype b)
{
	int x = rank_of_type(a), y = rank_of_type(b);

	if (a == b)
		return a;
	if (x < 0 || y < 0)
		return SF_DT_UNKNOWN;
	if (x != y)
		return x == 3 || y == 3 ? SF_DT_UNKNOWN : x > y ? a : b;
	if (sf_dtype_bits(a) == sf_dtype_bits(b))
		return x == 2 ? SF_DT_F32 : SF_DT_UNKNOWN;
	return sf_dtype_bits(a) > sf_dtype_bits(b) ? a : b;
}

enum sf_dtype
sf_result_joined_type(const struct sf_result *w, int from)
{
	enum sf_dtype full = SF_DT_COUNT, point = SF_DT_COUNT;
	bool scalar = false;

	for (int i = from; i < w->nargs; i++) {
		const struct sf_tensor *t = sf_result_tensor(w, i);
		enum sf_dtype *to = t != NULL && t->rank != 0 ? &full : &point;

		if (t != NULL)
			*to = *to == SF_DT_COUNT ? t->dtype
						 : promote(*to, t->dtype);
		else
			scalar |= sf_str_is(w->args[i].type, "Scalar");
	}
	if (full == SF_DT_COUNT)
		full = point;
	else if (point != SF_DT_COUNT &&
	    rank_of_type(point) > rank_of_type(full))
		full = rank_of_type(full) < 0 ? SF_DT_UNKNOWN : point;
	/* A number may make real ones of integers: which, it does not say. */
	if (scalar && rank_of_type(full) < 2)
		return SF_DT_UNKNOWN;
	return full;
}

enum sf_dtype
sf_result_said_type(const struct sf_result *w, const struct sf_tensor *t)
{
	struct sf_str text = sf_result_concrete(w, "dtype");
	int64_t number;

	if (!w->concrete)
		return SF_DT_UNKNOWN;
	if (text.n == 0)
		return t != NULL ? t->dtype : SF_DT_UNKNOWN;
	return sf_int_parse(text.p, text.n, &number)
	    ? sf_torch_dtype_of_c10(number)
	    : SF_DT_UNKNOWN;
}

enum sf_dtype
sf_result_real_type(const struct sf_result *w, enum sf_dtype type)
{
	bool may_widen = w->call->name.n > 7 && sf_dtype_bits(type) < 32 &&
	    sf_str_find(w->call->name, "softmax") != NULL;

	if (!sf_result_is_real(type) ||
	    (may_widen &&
		!(w->nargs > 2 && sf_str_is(w->args[2].concrete, "False"))))
		return SF_DT_UNKNOWN;
	return type;
}
