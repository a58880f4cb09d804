/* Exact integers and doubles: checked arithmetic, reading and writing. */
#ifndef SF_BASE_NUM_H
#define SF_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * *OUT = a op b; false when the result is not an int64_t, and *OUT is then
 * not to be used.
 */
static inline bool
sf_add(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline bool
sf_sub(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_sub_overflow(a, b, out);
}

static inline bool
sf_mul(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* a op b for a, b >= 0, or 2^63 - 1 when that is less: a size no tensor has. */
static inline int64_t
sf_add_most(int64_t a, int64_t b)
{
	int64_t sum;

	return sf_add(a, b, &sum) ? sum : INT64_MAX;
}

static inline int64_t
sf_mul_most(int64_t a, int64_t b)
{
	int64_t product;

	return sf_mul(a, b, &product) ? product : INT64_MAX;
}

/* X without its fraction, or the int64_t that is nearest; X is a number. */
static inline int64_t
sf_int_nearest(double x)
{
	return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
}

/* Below, at or above 0, as qsort wants it. */
static inline int
sf_int_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* ceil(a / b) for a >= 0, b > 0. */
static inline int64_t
sf_ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/*
 * The product of N sizes >= 0. A zero makes it zero whatever the others are;
 * false when it passes 2^63 - 1.
 */
bool sf_mul_all(const int64_t *sizes, size_t n, int64_t *out);

enum {
	SF_DOUBLE_MAX = 32
}; /* bytes that any double needs as text, and NUL */

/*
 * Writes the shortest decimal that reads back to the same double, as JSON
 * spells numbers, and returns its length. X must be finite.
 */
size_t sf_double_format(double x, char out[SF_AT_LEAST(SF_DOUBLE_MAX)]);

/* Writes X in decimal (at most 20 bytes, no NUL) and returns its length. */
size_t sf_int_format(int64_t x, char out[SF_AT_LEAST(20)]);

/* All of TEXT as a decimal integer; false when it is none or does not fit. */
bool sf_int_parse(const char *text, size_t len, int64_t *out);

/* All of TEXT as a finite decimal number ("25.6", "1e9"). */
bool sf_double_parse(const char *text, size_t len, double *out);

SF_PUBLIC_END

#endif
