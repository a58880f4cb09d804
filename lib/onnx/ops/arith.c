/* Arithmetic on the elements of constants. */
#include "onnx/ops/arith.h"

#include <math.h>

#include "base/num.h"

static bool
overflow(struct sf_infer *infer)
{
	return sf_fail(
	    infer->error, "a constant result passes the range of its type");
}

bool
sf_fold_int(struct sf_infer *infer, enum sf_dtype dtype, bool exact, int64_t x,
    struct sf_cell *out)
{
	bool fits = exact && sf_dtype_holds(dtype, x);

	if (!fits && (dtype == SF_DT_I64 || dtype == SF_DT_I32))
		return overflow(infer);
	*out = fits ? sf_cell_int(x) : (struct sf_cell){ 0 };
	return true;
}

/* A size that is only renamed by the operation stays known by its name. */
static bool
is_number(struct sf_cell a, enum sf_dtype dtype, int number)
{
	return a.known &&
	    (sf_dtype_in_ints(dtype) ? a.i == number : a.f == number);
}

/*
 * What is known of A and B when one of them is not: the other, where the known
 * one is NEUTRAL. Only in an operation that commutes this may be the first.
 */
static bool
keep_other(enum sf_dtype dtype, struct sf_cell a, struct sf_cell b, int neutral,
    bool commutes, struct sf_cell *out)
{
	if (is_number(b, dtype, neutral))
		*out = a;
	else if (commutes && is_number(a, dtype, neutral))
		*out = b;
	return true;
}

static bool
result(struct sf_infer *infer, enum sf_dtype dtype, bool exact, int64_t ints,
    double floats, struct sf_cell *out)
{
	if (sf_dtype_in_ints(dtype))
		return sf_fold_int(infer, dtype, exact, ints, out);
	*out = sf_cell_float(floats);
	return true;
}

bool
sf_fold_add(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t sum = 0;
	bool exact;

	if (!a.known || !b.known)
		return keep_other(dtype, a, b, 0, true, out);
	exact = sf_add(a.i, b.i, &sum);
	return result(infer, dtype, exact, sum, a.f + b.f, out);
}

bool
sf_fold_sub(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t difference = 0;
	bool exact;

	if (!a.known || !b.known)
		return keep_other(dtype, a, b, 0, false, out);
	exact = sf_sub(a.i, b.i, &difference);
	return result(infer, dtype, exact, difference, a.f - b.f, out);
}

bool
sf_fold_mul(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t product = 0;
	bool exact;

	if (!a.known || !b.known)
		return keep_other(dtype, a, b, 1, true, out);
	exact = sf_mul(a.i, b.i, &product);
	return result(infer, dtype, exact, product, a.f * b.f, out);
}

/* Integers: towards zero. */
bool
sf_fold_div(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	if (b.known && sf_dtype_in_ints(dtype) && b.i == 0)
		return sf_fail(
		    infer->error, "a constant integer is divided by zero");
	if (!a.known || !b.known)
		return keep_other(dtype, a, b, 1, false, out);
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(a.f / b.f);
		return true;
	}
	if (a.i == INT64_MIN && b.i == -1)
		return overflow(infer);
	return sf_fold_int(infer, dtype, true, a.i / b.i, out);
}

/* The remainder has the sign of the divisor, or with fmod of the dividend. */
bool
sf_fold_mod(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t fmod_wanted, rest;

	if (!sf_infer_attr_int(infer, "fmod", 0, &fmod_wanted))
		return false;
	if (b.known && sf_dtype_in_ints(dtype) && b.i == 0)
		return sf_fail(infer->error,
		    "the remainder of a constant integer divided by zero");
	if (!a.known || !b.known)
		return true;
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(fmod(a.f, b.f));
		return true;
	}
	rest = b.i == -1 ? 0 : a.i % b.i;
	if (!fmod_wanted && rest != 0 && (rest < 0) != (b.i < 0))
		rest += b.i;
	*out = sf_cell_int(rest);
	return true;
}

static bool
int_power(int64_t base, int64_t exponent, int64_t *out)
{
	*out = 1;
	while (exponent > 0) {
		if (exponent % 2 != 0 && !sf_mul(*out, base, out))
			return false;
		exponent /= 2;
		if (exponent > 0 && !sf_mul(base, base, &base))
			return false;
	}
	return true;
}

bool
sf_fold_pow(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t power = 0;
	bool exact;

	if (!a.known || !b.known)
		return true;
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(pow(a.f, b.f));
		return true;
	}
	if (b.i < 0)
		return true;
	exact = int_power(a.i, b.i, &power);
	return sf_fold_int(infer, dtype, exact, power, out);
}

/* The one that is less or, with MORE, greater; A when it is no number. */
static bool
pick(enum sf_dtype dtype, bool more, struct sf_cell a, struct sf_cell b,
    struct sf_cell *out)
{
	bool first;

	if (!a.known || !b.known)
		return true;
	if (sf_dtype_in_ints(dtype))
		first = more ? a.i > b.i : a.i < b.i;
	else
		first = isnan(a.f) || (more ? a.f > b.f : a.f < b.f);
	*out = first ? a : b;
	return true;
}

bool
sf_fold_min(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	(void)infer;
	return pick(dtype, false, a, b, out);
}

bool
sf_fold_max(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	(void)infer;
	return pick(dtype, true, a, b, out);
}
