/* Reading, writing and multiplying numbers without losing any of them. */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

bool
sf_mul_all(const int64_t *sizes, size_t n, int64_t *out)
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

/* Of 2^63 at most, which has 19. */
static inline size_t
count_digits(uint64_t x)
{
	size_t n = 1;

	for (uint64_t limit = 10; n < 19 && x >= limit; limit *= 10)
		n++;
	return n;
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
	size_t n;
	char *p;

	if (x >= 0 && x < 10) {
		out[0] = (char)('0' + x);
		return 1;
	}
	n = (x < 0) + count_digits(left);
	p = out + n;
	/* Two digits a division, from the last, and where they stay. */
	for (; left >= 100; left /= 100)
		memcpy(p -= 2, &pairs[left % 100 * 2], 2);
	if (left >= 10)
		memcpy(p - 2, &pairs[left * 2], 2);
	else
		p[-1] = (char)('0' + left);
	if (x < 0)
		out[0] = '-';
	return n;
}

static char *
put(char *to, const char *from, int n)
{
	memcpy(to, from, (size_t)n);
	return to + n;
}

/* Writes a decimal from 1e-99 to 1e15 as printf's %g does. */
static size_t
put_decimal(const struct sf_decimal *d, char *out)
{
	char digits[20], *p = out;
	int n = (int)sf_int_format((int64_t)d->digits, digits);
	int point = n + d->exponent; /* digits before it */

	if (point < -3) {
		p = put(p, digits, 1);
		p = put(p, ".", n > 1);
		p = put(p, digits + 1, n - 1);
		p = put(p, "e-", 2);
		*p++ = (char)('0' + (1 - point) / 10);
		*p++ = (char)('0' + (1 - point) % 10);
	} else if (point <= 0) {
		p = put(p, "0.000", 2 - point);
		p = put(p, digits, n);
	} else if (point < n) {
		p = put(p, digits, point);
		p = put(p, ".", 1);
		p = put(p, digits + point, n - point);
	} else {
		p = put(p, digits, n);
		p = put(p, "000000000000000", point - n);
	}
	*p = '\0';
	return (size_t)(p - out);
}

/* The first number of digits that reads back, from so many on. */
static size_t
format_from(double x, int digits, char out[static SF_DOUBLE_MAX])
{
	int len;

	do
		len = snprintf(out, SF_DOUBLE_MAX, "%.*g", digits++, x);
	while (digits <= DBL_DECIMAL_DIG && strtod(out, NULL) != x);
	return (size_t)len;
}

size_t
sf_double_format(double x, char out[static SF_DOUBLE_MAX])
{
	struct sf_decimal decimal;
	size_t sign;

	/* Whole numbers of at most 15 digits are written as they are. */
	if (fabs(x) < 1e15 && x == (double)(int64_t)x && !signbit(x)) {
		size_t n = sf_int_format((int64_t)x, out);

		out[n] = '\0';
		return n;
	}
	sign = x < 0;
	if (sf_decimal_shortest(fabs(x), &decimal)) {
		out[0] = '-';
		return sign + put_decimal(&decimal, out + sign);
	}
	/* A subnormal has fewer significant digits than DBL_DIG. */
	return format_from(x, fabs(x) < DBL_MIN ? 1 : DBL_DIG, out);
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
	if (sf_decimal_read(text, len, out))
		return true;
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
