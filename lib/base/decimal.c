/*
 * With k such that v = x 10^k has 17 digits before its point, and x = m 2^e,
 *
 *     v = m 5^k / 2^s,  s = -(e + k),
 *
 * whose numerator is whole and below 2^117 for k up to 27. A decimal of 17, 16
 * or 15 digits is a multiple of 1, 10 or 100 here. It reads back to x when it is
 * less than half a unit of m away from v, which is 5^k / 2 over 2^s, or just as
 * far when m is even.
 */
#include "base/decimal.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
	MOST_K = 27,      /* 5^27 < 2^63 */
	MOST_DIGITS = 19, /* 10^19 < 2^64 */
	FRACTION_BITS = 52,
	EXPONENT_BIAS = 1075
};

static const uint64_t E16 = UINT64_C(10000000000000000);

/* x = m 2^e with 53 bits in m. */
struct binary {
	uint64_t m;
	int e;
};

/* v, in units of 2^-s where it is not whole. */
struct scaled {
	uint64_t whole, left; /* floor(v), and the rest of it */
	uint64_t reach;       /* a unit of m */
	int k, s;
	bool even; /* m is */
};

static const uint64_t five_to[MOST_K + 1] = { UINT64_C(1), UINT64_C(5),
	UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125),
	UINT64_C(15625), UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125),
	UINT64_C(9765625), UINT64_C(48828125), UINT64_C(244140625),
	UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
	UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625),
	UINT64_C(19073486328125), UINT64_C(95367431640625),
	UINT64_C(476837158203125), UINT64_C(2384185791015625),
	UINT64_C(11920928955078125), UINT64_C(59604644775390625),
	UINT64_C(298023223876953125), UINT64_C(1490116119384765625),
	UINT64_C(7450580596923828125) };

static struct binary
take_apart(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (struct binary){
		.m = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) |
		    UINT64_C(1) << FRACTION_BITS,
		.e = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS,
	};
}

static void
scale(struct binary b, int k, struct scaled *v)
{
	uint128 numerator = (uint128)b.m * five_to[k];

	v->k = k;
	v->s = -(b.e + k);
	v->whole = (uint64_t)(numerator >> v->s);
	v->left = (uint64_t)(numerator & (((uint128)1 << v->s) - 1));
	v->reach = five_to[k];
	v->even = b.m % 2 == 0;
}

/*
 * The multiple of UNIT nearest to v, of two the even one; true when it reads
 * back.
 */
static bool
round_to(const struct scaled *v, uint64_t unit, uint64_t *out)
{
	uint64_t below = v->whole / unit;
	/* Twice the distances to the multiples below and above it. */
	uint128 down = (((uint128)(v->whole % unit) << v->s) + v->left) << 1;
	uint128 up = ((uint128)unit << v->s << 1) - down;
	bool higher = up < down || (up == down && below % 2 != 0);
	uint128 distance = higher ? up : down;

	*out = below + higher;
	return distance < v->reach || (distance == v->reach && v->even);
}

bool
sf_decimal_shortest(double x, struct sf_decimal *out)
{
	struct binary b;
	struct scaled v;

	if (!(x >= SF_DECIMAL_LEAST && x < SF_DECIMAL_MOST))
		return false;
	b = take_apart(x);
	if (b.m == UINT64_C(1) << FRACTION_BITS)
		return false;
	/* Of the two that the power of two leaves open, the one that fits. */
	scale(b, 16 - (int)floor((b.e + FRACTION_BITS) * 0.30102999566398120),
	    &v);
	if (v.whole / 10 >= E16)
		scale(b, v.k - 1, &v);
	out->exponent = -v.k;
	if (!round_to(&v, 10, &out->digits))
		round_to(&v, 1, &out->digits);
	else {
		uint64_t fewer;

		out->exponent++;
		if (round_to(&v, 100, &fewer)) {
			out->digits = fewer;
			out->exponent++;
		}
	}
	while (out->digits % 10 == 0) {
		out->digits /= 10;
		out->exponent++;
	}
	return true;
}

/* ---- reading ---- */

struct digits {
	uint64_t value; /* of the first 19 */
	int n;          /* from the first that is not 0 */
};

/* Those from *P on. */
static void
take_digits(const char **p, const char *end, struct digits *d)
{
	for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		d->value = d->value * 10 + (uint64_t)(**p - '0');
		d->n += d->n != 0 || **p != '0';
	}
}

static int
bits_of(uint128 x)
{
	uint64_t high = (uint64_t)(x >> 64);

	return high != 0 ? 128 - __builtin_clzll(high)
			 : 64 - __builtin_clzll((uint64_t)x);
}

/* M / 10^K, to the nearest double, of two the even one. */
static double
divided(uint64_t m, int k)
{
	/* From 2^126 on, so the quotient has 63 bits at least. */
	int up = 127 - bits_of(m);
	uint128 numerator = (uint128)m << up;
	uint128 quotient = numerator / five_to[k];
	bool exact = quotient * five_to[k] == numerator;
	int drop = bits_of(quotient) - (FRACTION_BITS + 1);
	uint128 half = (uint128)1 << (drop - 1);
	uint128 rest = quotient & (half * 2 - 1);
	uint64_t top = (uint64_t)(quotient >> drop);

	if (rest > half || (rest == half && (!exact || top % 2 != 0)))
		top++;
	return ldexp((double)top, drop - up - k);
}

bool
sf_decimal_read(const char *text, size_t len, double *out)
{
	const char *p = text, *end = text + len, *part;
	bool negative = p < end && *p == '-';
	struct digits d = { 0, 0 }, power = { 0, 0 };
	ptrdiff_t k = 0;
	double x;

	part = p += negative;
	take_digits(&p, end, &d);
	if (p == part)
		return false;
	if (p < end && *p == '.') {
		part = ++p;
		take_digits(&p, end, &d);
		k = p - part;
		if (k == 0)
			return false;
	}
	if (end - p == 4 && p[0] == 'e' && p[1] == '-') {
		p += 2;
		take_digits(&p, end, &power);
		k += (ptrdiff_t)power.value;
	}
	if (p != end || d.n > MOST_DIGITS || k > MOST_K)
		return false;
	x = d.n != 0 ? divided(d.value, (int)k) : 0;
	*out = negative ? -x : x;
	return true;
}
