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
	MOST_K = 27, /* 5^27 < 2^64 */
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
