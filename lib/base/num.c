/* Reading, writing and multiplying numbers without losing any of them. */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
sf_product(const int64_t *sizes, size_t n, int64_t *out)
{
	int64_t product = 1;
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		if (sizes[i] == 0) {
			*out = 0;
			return true;
		}
		fits = fits && sf_mul(product, sizes[i], &product);
	}
	*out = product;
	return fits;
}

size_t
sf_int_format(int64_t x, char out[static 20])
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	uint64_t left = x < 0 ? -(uint64_t)x : (uint64_t)x;
	char digits[20], *p = digits + sizeof digits;
	size_t n;

	/* Two digits a division, from the last. */
	for (; left >= 100; left /= 100)
		memcpy(p -= 2, &pairs[left % 100 * 2], 2);
	if (left >= 10)
		memcpy(p -= 2, &pairs[left * 2], 2);
	else
		*--p = (char)('0' + left);
	if (x < 0)
		*--p = '-';
	n = (size_t)(digits + sizeof digits - p);
	memcpy(out, p, n);
	return n;
}

/* Writes X with so many digits; true when that reads back to it. */
static bool
reads_back(double x, int digits, char out[static SF_DOUBLE_MAX], size_t *len)
{
	*len = (size_t)snprintf(out, SF_DOUBLE_MAX, "%.*g", digits, x);
	return digits == DBL_DECIMAL_DIG || strtod(out, NULL) == x;
}

/* The first number of digits that reads back, from so many on. */
static size_t
format_from(double x, int digits, char out[static SF_DOUBLE_MAX])
{
	size_t len;

	while (!reads_back(x, digits, out, &len))
		digits++;
	return len;
}

size_t
sf_double_format(double x, char out[static SF_DOUBLE_MAX])
{
	char fewer[SF_DOUBLE_MAX];
	size_t len, n;
	int exponent;

	/* Whole numbers of at most 15 digits are written as they are. */
	if (fabs(x) < 1e15 && x == (double)(int64_t)x && !signbit(x)) {
		n = sf_int_format((int64_t)x, out);
		out[n] = '\0';
		return n;
	}
	/* A subnormal has fewer significant digits than DBL_DIG. */
	if (fabs(x) < DBL_MIN)
		return format_from(x, 1, out);
	/* The doubles below a power of two lie closer than those above. */
	if (fabs(frexp(x, &exponent)) == 0.5)
		return format_from(x, DBL_DIG, out);
	/*
	 * Else what is nearer reads back if anything does. The decimals of 16
	 * digits have those of 15 among them, so when their nearest fails,
	 * which is most often, 17 are needed and 15 need not be tried.
	 */
	if (!reads_back(x, DBL_DIG + 1, out, &len))
		return format_from(x, DBL_DECIMAL_DIG, out);
	if (!reads_back(x, DBL_DIG, fewer, &n))
		return len;
	memcpy(out, fewer, n + 1);
	return n;
}

bool
sf_int_parse(const char *text, size_t len, int64_t *out)
{
	bool negative = len != 0 && text[0] == '-';
	int64_t value = 0;

	if (len == negative)
		return false;
	for (size_t i = negative; i < len; i++) {
		int digit = text[i] - '0';

		if (digit < 0 || digit > 9)
			return false;
		if (!sf_mul(value, 10, &value) || !sf_sub(value, digit, &value))
			return false;
	}
	/* The digits were counted downwards, where the range is wider. */
	if (!negative && value == INT64_MIN)
		return false;
	*out = negative ? value : -value;
	return true;
}

bool
sf_double_parse(const char *text, size_t len, double *out)
{
	char copy[128], *end;

	if (len == 0 || len >= sizeof copy)
		return false;
	/* strtod also takes names, hexadecimal and leading blanks. */
	for (size_t i = 0; i < len; i++)
		if (strchr("0123456789+-.eE", text[i]) == NULL ||
		    text[i] == '\0')
			return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*out = strtod(copy, &end);
	return *end == '\0' && isfinite(*out);
}
