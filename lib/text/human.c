/* Numbers as people read them. */
#include "text/human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

__extension__ typedef __int128 int128;

/* DIGITS is a decimal number; its whole part is grouped in threes. */
static void
put_grouped(struct sf_buf *out, const char *digits)
{
	size_t sign = digits[0] == '-';
	size_t whole = strcspn(digits + sign, ".");

	sf_buf_put(out, digits, sign);
	digits += sign;
	for (size_t i = 0; i < whole; i++) {
		if (i != 0 && (whole - i) % 3 == 0)
			sf_buf_putc(out, ',');
		sf_buf_putc(out, digits[i]);
	}
	sf_buf_put(out, digits + whole, strlen(digits + whole));
}

void
sf_human_int(struct sf_buf *out, int64_t x)
{
	char digits[21];

	digits[sf_int_format(x, digits)] = '\0';
	put_grouped(out, digits);
}

void
sf_human_double(struct sf_buf *out, double x, int decimals)
{
	char digits[512]; /* the largest double has 309 digits */

	snprintf(digits, sizeof digits, "%.*f", decimals, x);
	put_grouped(out, digits);
}

/* NUM / DEN, rounded half to even. */
static int128
divide_half_even(int128 num, int128 den)
{
	int128 q = num / den, twice = num % den * 2;

	if (twice > den || (twice == den && q % 2 != 0))
		q++;
	return q;
}

static int64_t
power_of_ten(int n)
{
	static const int64_t powers[SF_HUMAN_DECIMALS + 1] = { 1, 10, 100, 1000,
		10000, 100000, 1000000, 10000000, 100000000, 1000000000 };

	return powers[n];
}

void
sf_human_ratio(struct sf_buf *out, int64_t num, int64_t den, int decimals)
{
	int64_t power = power_of_ten(decimals);
	int128 q = divide_half_even((int128)num * power, den);

	sf_human_int(out, (int64_t)(q / power));
	if (decimals != 0)
		sf_buf_printf(out, ".%0*d", decimals, (int)(q % power));
}

void
sf_human_percent(struct sf_buf *out, int64_t num, int64_t den)
{
	int128 tenths;

	if (den == 0) {
		sf_buf_putc(out, '-');
		return;
	}
	tenths = divide_half_even((int128)num * 1000, den);
	sf_human_int(out, (int64_t)(tenths / 10));
	sf_buf_printf(out, ".%d %%", (int)(tenths % 10));
}

void
sf_human_share(struct sf_buf *out, double share)
{
	sf_human_double(out, 100 * share, 1);
	SF_BUF_LIT(out, " %");
}

static const struct sf_scale times[] = {
	{ "ns", 1e-9, 0, 2 },
	{ "us", 1e-6, 0, 2 },
	{ "ms", 1e-3, 0, 3 },
	{ "s", 1, 1, 3 },
};

static const struct sf_scale byte_scales[] = {
	{ "B", 1, 1, 0 },
	{ "kB", 1e3, 1000, 2 },
	{ "MB", 1e6, 1000000, 2 },
	{ "GB", 1e9, 1000000000, 3 },
	{ "TB", 1e12, 1000000000000, 3 },
	{ NULL, 0, 0, 0 },
};

static const struct sf_scale flop_scales[] = {
	{ "FLOP", 1, 1, 0 },
	{ "kFLOP", 1e3, 1000, 2 },
	{ "MFLOP", 1e6, 1000000, 2 },
	{ "GFLOP", 1e9, 1000000000, 2 },
	{ "TFLOP", 1e12, 1000000000000, 3 },
	{ NULL, 0, 0, 0 },
};

static const struct sf_scale rate_scales[] = {
	{ "FLOP/s", 1, 1, 0 },
	{ "MFLOP/s", 1e6, 1000000, 2 },
	{ "GFLOP/s", 1e9, 1000000000, 2 },
	{ "TFLOP/s", 1e12, 1000000000000, 2 },
	{ NULL, 0, 0, 0 },
};

const struct sf_scale *
sf_scale_time(double max_s)
{
	return &times[max_s < 1e-6 ? 0 : max_s < 0.1 ? 1 : max_s < 100 ? 2 : 3];
}

/* The last of SCALES that is not larger than MAX, or the first. */
static const struct sf_scale *
largest_below(const struct sf_scale *scales, double max)
{
	const struct sf_scale *best = scales;

	for (const struct sf_scale *s = scales; s->unit != NULL; s++)
		if (s->size <= max)
			best = s;
	return best;
}

const struct sf_scale *
sf_scale_bytes(int64_t max)
{
	return largest_below(byte_scales, (double)max);
}

const struct sf_scale *
sf_scale_flops(int64_t max)
{
	return largest_below(flop_scales, (double)max);
}

static const struct sf_scale column_bytes[] = {
	{ "B", 1, 1, 0 },
	{ "kB", 1e3, 1000, 1 },
	{ "MB", 1e6, 1000000, 1 },
	{ NULL, 0, 0, 0 },
};

static const struct sf_scale column_flops[] = {
	{ "FLOP", 1, 1, 0 },
	{ "kFLOP", 1e3, 1000, 1 },
	{ "MFLOP", 1e6, 1000000, 1 },
	{ "GFLOP", 1e9, 1000000000, 1 },
	{ NULL, 0, 0, 0 },
};

const struct sf_scale *
sf_scale_column_bytes(int64_t sum)
{
	return largest_below(column_bytes, (double)sum);
}

const struct sf_scale *
sf_scale_column_flops(int64_t sum)
{
	return largest_below(column_flops, (double)sum);
}

const struct sf_scale *
sf_scale_rate(double max_flops_per_s)
{
	return largest_below(rate_scales, max_flops_per_s);
}

/*
 * The decimals that X of S is shown with: those of S, unless they show nothing
 * of it; then as many as show two digits. What takes more than there are is what
 * rounding left of zero.
 */
static int
decimals_of(double x, const struct sf_scale *s)
{
	x = fabs(x) / s->size;
	if (s->decimals == 0 || x * (double)power_of_ten(s->decimals) > 0.5)
		return s->decimals;
	for (int n = s->decimals; n <= SF_HUMAN_DECIMALS; n++)
		if (x * (double)power_of_ten(n) >= 9.5)
			return n;
	return s->decimals;
}

void
sf_human_amount(struct sf_buf *out, double x, const struct sf_scale *s)
{
	sf_human_double(out, x / s->size, decimals_of(x, s));
}

void
sf_human_amount_int(struct sf_buf *out, int64_t x, const struct sf_scale *s)
{
	sf_human_ratio(out, x, s->whole, decimals_of((double)x, s));
}

void
sf_human_scaled(struct sf_buf *out, double x, const struct sf_scale *s)
{
	sf_human_amount(out, x, s);
	sf_buf_printf(out, " %s", s->unit);
}

void
sf_human_scaled_int(struct sf_buf *out, int64_t x, const struct sf_scale *s)
{
	sf_human_amount_int(out, x, s);
	sf_buf_printf(out, " %s", s->unit);
}
