/* What expressions of sizes come to. */
#include <math.h>

#include "base/num.h"
#include "torch/size.h"

struct evaluation {
	sf_size_lookup *lookup;
	void *context;
	struct sf_error *error;
};

typedef struct sf_size_value value;

static bool
eval(const struct evaluation *e, const struct sf_size *size, value *out);

static bool
too_large(const struct evaluation *e)
{
	return sf_fail(e->error, "a size passes 2^63 - 1");
}

static bool
exact(value *out, int64_t num)
{
	*out = (value){ .is = SF_SIZE_IS_EXACT, .num = num, .den = 1 };
	return true;
}

static bool
truth(value *out, bool x)
{
	*out = (value){ .is = SF_SIZE_IS_TRUTH, .num = x, .den = 1 };
	return true;
}

static bool
open(value *out)
{
	*out = (value){ .is = SF_SIZE_IS_OPEN };
	return true;
}

static bool
real(const struct evaluation *e, value *out, double x)
{
	if (!isfinite(x))
		return sf_fail(e->error, "a size is not finite");
	*out = (value){ .is = SF_SIZE_IS_REAL, .real = x };
	return true;
}

static double
as_real(const value *v)
{
	return v->is == SF_SIZE_IS_REAL ? v->real
					: (double)v->num / (double)v->den;
}

/* num / den in lowest terms. */
static bool
fraction(const struct evaluation *e, value *out, int64_t num, int64_t den)
{
	int64_t a = num, b = den;

	if (den == 0)
		return sf_fail(e->error, "a size is divided by zero");
	if (num == INT64_MIN || den == INT64_MIN)
		return too_large(e);
	while (b != 0) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	if ((a < 0) != (den < 0))
		a = -a;
	*out = (value){ .is = SF_SIZE_IS_EXACT, num / a, den / a, 0 };
	return true;
}

/* ---- arithmetic of two ---- */

static bool
add(const struct evaluation *e, value *out, const value *a, const value *b)
{
	int64_t x, y, den;

	if (a->is == SF_SIZE_IS_REAL || b->is == SF_SIZE_IS_REAL)
		return real(e, out, as_real(a) + as_real(b));
	if (!sf_mul(a->num, b->den, &x) || !sf_mul(b->num, a->den, &y) ||
	    !sf_add(x, y, &x) || !sf_mul(a->den, b->den, &den))
		return too_large(e);
	return fraction(e, out, x, den);
}

static bool
mul(const struct evaluation *e, value *out, const value *a, const value *b)
{
	value p, q;
	int64_t num, den;

	if (a->is == SF_SIZE_IS_REAL || b->is == SF_SIZE_IS_REAL)
		return real(e, out, as_real(a) * as_real(b));
	/* Crosswise first: what cancels need not fit. */
	if (!fraction(e, &p, a->num, b->den) ||
	    !fraction(e, &q, b->num, a->den))
		return false;
	if (!sf_mul(p.num, q.num, &num) || !sf_mul(p.den, q.den, &den))
		return too_large(e);
	return fraction(e, out, num, den);
}

static bool
quotient(const struct evaluation *e, value *out, const value *a, const value *b)
{
	value inverse;

	if (a->is == SF_SIZE_IS_REAL || b->is == SF_SIZE_IS_REAL) {
		if (as_real(b) == 0)
			return sf_fail(e->error, "a size is divided by zero");
		return real(e, out, as_real(a) / as_real(b));
	}
	return fraction(e, &inverse, b->den, b->num) &&
	    mul(e, out, a, &inverse);
}

/* The nearest double, where both fit one: what Python's / gives. */
static bool
float_div(
    const struct evaluation *e, value *out, const value *a, const value *b)
{
	const double most = 9007199254740992.0; /* 2^53 */

	if (fabs(as_real(a)) > most || fabs(as_real(b)) > most)
		return too_large(e);
	if (as_real(b) == 0)
		return sf_fail(e->error, "a size is divided by zero");
	return real(e, out, as_real(a) / as_real(b));
}

/* A double that is a whole number, as one. */
static bool
whole(const struct evaluation *e, value *out, double x)
{
	if (x < -9223372036854775807.0 || x >= 9223372036854775808.0)
		return too_large(e);
	return exact(out, (int64_t)x);
}

static int64_t
floor_of(const value *v)
{
	return v->num / v->den - (v->num % v->den < 0);
}

static bool
round_down(const struct evaluation *e, value *out, const value *v)
{
	if (v->is == SF_SIZE_IS_REAL)
		return whole(e, out, floor(v->real));
	return exact(out, floor_of(v));
}

static bool
round_up(const struct evaluation *e, value *out, const value *v)
{
	if (v->is == SF_SIZE_IS_REAL)
		return whole(e, out, ceil(v->real));
	return exact(out, floor_of(v) + (v->den != 1));
}

static bool
floor_div(
    const struct evaluation *e, value *out, const value *a, const value *b)
{
	value q;

	return quotient(e, &q, a, b) && round_down(e, out, &q);
}

/* a - b floor(a / b): of the sign of b, as Python has it. */
static bool
modulo(const struct evaluation *e, value *out, const value *a, const value *b)
{
	value q;

	if (!floor_div(e, &q, a, b) || !mul(e, &q, &q, b))
		return false;
	if (q.is == SF_SIZE_IS_REAL)
		return real(e, out, as_real(a) - q.real);
	if (q.num == INT64_MIN)
		return too_large(e);
	q.num = -q.num;
	return add(e, out, a, &q);
}

static bool
power(const struct evaluation *e, value *out, const value *a, const value *b)
{
	value base = *a, done;
	int64_t n = b->num;

	if (a->is == SF_SIZE_IS_REAL || b->is == SF_SIZE_IS_REAL || b->den != 1)
		return real(e, out, pow(as_real(a), as_real(b)));
	if (n == INT64_MIN)
		return too_large(e);
	if (n < 0 && !fraction(e, &base, a->den, a->num))
		return false;
	n = n < 0 ? -n : n;
	exact(&done, 1);
	while (n != 0) {
		if (n % 2 != 0 && !mul(e, &done, &done, &base))
			return false;
		n /= 2;
		if (n != 0 && !mul(e, &base, &base, &base))
			return false;
	}
	*out = done;
	return true;
}

/* a 2^n, or rounded down a / 2^n. */
static bool
shift(const struct evaluation *e, value *out, const value *a, const value *b,
    bool left)
{
	value factor;

	if (b->is != SF_SIZE_IS_EXACT || b->den != 1 || b->num < 0)
		return sf_fail(
		    e->error, "a size is shifted by %g bits", as_real(b));
	if (b->num > 62)
		return too_large(e);
	exact(&factor, INT64_C(1) << b->num);
	return left ? mul(e, out, a, &factor) : floor_div(e, out, a, &factor);
}

static int
compare(const value *a, const value *b)
{
	__extension__ typedef __int128 int128;
	int128 x, y;

	if (a->is == SF_SIZE_IS_REAL || b->is == SF_SIZE_IS_REAL)
		return (as_real(a) > as_real(b)) - (as_real(a) < as_real(b));
	x = (int128)a->num * b->den;
	y = (int128)b->num * a->den;
	return (x > y) - (x < y);
}

/* ---- functions ---- */

static bool
of_two(const struct evaluation *e, enum sf_size_fn fn, value *out,
    const value *a, const value *b)
{
	switch (fn) {
	case SF_SIZE_ADD:
		return add(e, out, a, b);
	case SF_SIZE_MUL:
		return mul(e, out, a, b);
	case SF_SIZE_QUOTIENT:
		return quotient(e, out, a, b);
	case SF_SIZE_POW:
		return power(e, out, a, b);
	case SF_SIZE_FLOAT_POW:
		return real(e, out, pow(as_real(a), as_real(b)));
	case SF_SIZE_FLOOR_DIV:
		return floor_div(e, out, a, b);
	case SF_SIZE_CEIL_DIV:
		return quotient(e, out, a, b) && round_up(e, out, out);
	case SF_SIZE_MOD:
		return modulo(e, out, a, b);
	case SF_SIZE_FLOAT_DIV:
		return float_div(e, out, a, b);
	case SF_SIZE_LSHIFT:
		return shift(e, out, a, b, true);
	case SF_SIZE_RSHIFT:
		return shift(e, out, a, b, false);
	case SF_SIZE_MAX:
		*out = compare(a, b) >= 0 ? *a : *b;
		return true;
	case SF_SIZE_MIN:
		*out = compare(a, b) <= 0 ? *a : *b;
		return true;
	case SF_SIZE_EQ:
		return truth(out, compare(a, b) == 0);
	case SF_SIZE_NE:
		return truth(out, compare(a, b) != 0);
	case SF_SIZE_GE:
		return truth(out, compare(a, b) >= 0);
	case SF_SIZE_LE:
		return truth(out, compare(a, b) <= 0);
	case SF_SIZE_GT:
		return truth(out, compare(a, b) > 0);
	case SF_SIZE_LT:
		return truth(out, compare(a, b) < 0);
	case SF_SIZE_AND:
		return truth(out, a->num != 0 && b->num != 0);
	case SF_SIZE_OR:
		return truth(out, a->num != 0 || b->num != 0);
	default:
		return open(out);
	}
}

static bool
of_one(
    const struct evaluation *e, enum sf_size_fn fn, value *out, const value *a)
{
	value v = *a;

	switch (fn) {
	case SF_SIZE_ABS:
		if (v.is == SF_SIZE_IS_EXACT && v.num == INT64_MIN)
			return too_large(e);
		v.num = v.num < 0 ? -v.num : v.num;
		v.real = fabs(v.real);
		*out = v;
		return true;
	case SF_SIZE_FLOOR:
		return round_down(e, out, a);
	case SF_SIZE_CEIL:
		return round_up(e, out, a);
	case SF_SIZE_TRUNC:
		return as_real(a) < 0 ? round_up(e, out, a)
				      : round_down(e, out, a);
	case SF_SIZE_ROUND:
		return whole(e, out, nearbyint(as_real(a)));
	case SF_SIZE_SQRT:
		return real(e, out, sqrt(as_real(a)));
	case SF_SIZE_NOT:
		return truth(out, a->num == 0);
	default: /* what a fold over one argument gives */
		*out = v;
		return true;
	}
}

/* Of none: the sum is 0, the product 1, all of them hold, none does. */
static bool
of_none(enum sf_size_fn fn, value *out)
{
	if (fn == SF_SIZE_ADD || fn == SF_SIZE_MUL)
		return exact(out, fn == SF_SIZE_MUL);
	return truth(out, fn == SF_SIZE_AND);
}

static bool
where(const struct evaluation *e, const struct sf_size *size, value *out)
{
	value condition;

	if (!eval(e, size->args[0], &condition))
		return false;
	if (condition.is == SF_SIZE_IS_OPEN)
		return open(out);
	return eval(e, size->args[condition.num != 0 ? 1 : 2], out);
}

static bool
modular(const struct evaluation *e, const struct sf_size *size, value *out)
{
	value a, b, c;

	if (!eval(e, size->args[0], &a) || !eval(e, size->args[1], &b) ||
	    !eval(e, size->args[2], &c))
		return false;
	if (a.is == SF_SIZE_IS_OPEN || b.is == SF_SIZE_IS_OPEN ||
	    c.is == SF_SIZE_IS_OPEN)
		return open(out);
	return floor_div(e, &a, &a, &b) && modulo(e, out, &a, &c);
}

static bool
call(const struct evaluation *e, const struct sf_size *size, value *out)
{
	value so_far, next;

	if (size->fn == SF_SIZE_UNKNOWN_FN)
		return open(out);
	if (size->fn == SF_SIZE_WHERE)
		return where(e, size, out);
	if (size->fn == SF_SIZE_MODULAR)
		return modular(e, size, out);
	if (size->n == 0)
		return of_none(size->fn, out);
	if (!eval(e, size->args[0], &so_far))
		return false;
	if (size->n == 1 || size->fn == SF_SIZE_SAME)
		return so_far.is == SF_SIZE_IS_OPEN
		    ? open(out)
		    : of_one(e, size->fn, out, &so_far);
	for (int i = 1; i < size->n; i++) {
		value left = so_far;

		if (!eval(e, size->args[i], &next))
			return false;
		if (left.is == SF_SIZE_IS_OPEN || next.is == SF_SIZE_IS_OPEN)
			so_far.is = SF_SIZE_IS_OPEN;
		else if (!of_two(e, size->fn, &so_far, &left, &next))
			return false;
	}
	*out = so_far;
	return true;
}

static bool
eval(const struct evaluation *e, const struct sf_size *size, value *out)
{
	int64_t number;

	switch (size->kind) {
	case SF_SIZE_NUMBER:
		return exact(out, size->number);
	case SF_SIZE_REAL:
		return real(e, out, size->real);
	case SF_SIZE_TRUTH:
		return truth(out, size->number != 0);
	case SF_SIZE_SYMBOL:
		if (!e->lookup(e->context, size->name, &number))
			return open(out);
		return exact(out, number);
	default:
		return call(e, size, out);
	}
}

bool
sf_size_eval(const struct sf_size *size, sf_size_lookup *lookup, void *context,
    struct sf_size_value *out, struct sf_error *error)
{
	const struct evaluation e = { lookup, context, error };

	return eval(&e, size, out);
}
