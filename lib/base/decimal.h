/*
 * The shortest decimal of a double and the double of a decimal, by exact
 * integers alone where 128 bits hold them: what times and shares are made of.
 * base/num.h has both for all doubles.
 */
#ifndef SF_BASE_DECIMAL_H
#define SF_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* digits x 10^exponent; the last digit is not 0. */
struct sf_decimal {
	uint64_t digits;
	int exponent;
};

/*
 * The decimal of fewest digits among those of 15, 16 and 17 digits that are
 * nearest to X and read back to it. False when X is below SF_DECIMAL_LEAST, or
 * not below SF_DECIMAL_MOST, or a power of two, whose neighbours are not at
 * one distance.
 */
bool sf_decimal_shortest(double x, struct sf_decimal *out);

/*
 * The double that is nearest to a decimal, as strtod says, for those that most
 * are: up to 19 digits, of which up to 27 places are behind the point, by a
 * negative exponent of two digits, too. False for any other text.
 */
bool sf_decimal_read(const char *text, size_t len, double *out);

#define SF_DECIMAL_LEAST 1e-10
#define SF_DECIMAL_MOST  1e15

#endif
