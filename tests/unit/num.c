/* Integers and doubles: exact at the limits, and back from text unchanged. */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "check.h"

static void
int_is(int64_t x, const char *text)
{
	char out[20];
	int64_t back;

	CHECK_FOR(text, sf_int_format(x, out) == strlen(text));
	CHECK_FOR(text, memcmp(out, text, strlen(text)) == 0);
	CHECK_FOR(text, sf_int_parse(text, strlen(text), &back));
	CHECK_FOR(text, back == x);
}

static void
ints(void)
{
	int_is(0, "0");
	int_is(-1, "-1");
	int_is(10, "10");
	int_is(INT64_MAX, "9223372036854775807");
	int_is(INT64_MIN, "-9223372036854775808");
	/* Around each power of ten, and every number of digits. */
	for (int64_t x = 1; x <= INT64_MAX / 10; x *= 10)
		for (int64_t y = x - 2; y <= x + 2; y++) {
			char text[32];

			snprintf(text, sizeof text, "%lld", (long long)y);
			int_is(y, text);
			snprintf(text, sizeof text, "%lld", (long long)(y * 7));
			int_is(y * 7, text);
		}
}

static void
no_ints(void)
{
	static const char *const none[] = { "", "-", "+1", " 1", "1 ", "1.0",
		"1e3", "0x10", "9223372036854775808", "-9223372036854775809",
		"99999999999999999999999999" };
	int64_t x;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK_FOR(none[i], !sf_int_parse(none[i], strlen(none[i]), &x));
}

static void
arithmetic(void)
{
	int64_t x;

	CHECK(sf_add(INT64_MAX - 1, 1, &x) && x == INT64_MAX);
	CHECK(!sf_add(INT64_MAX, 1, &x));
	CHECK(!sf_sub(INT64_MIN, 1, &x));
	CHECK(sf_mul(INT64_C(1) << 31, INT64_C(1) << 31, &x) &&
	    x == INT64_C(1) << 62);
	CHECK(!sf_mul(INT64_C(1) << 32, INT64_C(1) << 31, &x));
	CHECK(sf_ceil_div(0, 7) == 0);
	CHECK(sf_ceil_div(14, 7) == 2);
	CHECK(sf_ceil_div(15, 7) == 3);
	/* The usual (a + b - 1) / b would wrap here. */
	CHECK(sf_ceil_div(INT64_MAX, 2) == INT64_C(4611686018427387904));
}

static void
products(void)
{
	const int64_t big[] = { INT64_C(1) << 62, 2 };
	const int64_t empty[] = { INT64_C(1) << 62, 4, 4, 0 };
	const int64_t fits[] = { 3037000499, 3037000499 };
	int64_t x;

	CHECK(sf_mul_all(NULL, 0, &x) && x == 1);
	CHECK(!sf_mul_all(big, 2, &x));
	CHECK(sf_mul_all(empty, 4, &x) && x == 0);
	CHECK(sf_mul_all(fits, 2, &x) && x == INT64_C(9223372030926249001));
}

static void
back_and_shortest(double x)
{
	char out[SF_DOUBLE_MAX], shorter[64];
	size_t n = sf_double_format(x, out);
	double back;
	int digits = 0;

	CHECK_FOR(out, n == strlen(out) && n < SF_DOUBLE_MAX);
	CHECK_FOR(out, sf_double_parse(out, n, &back));
	CHECK_FOR(out, memcmp(&back, &x, sizeof x) == 0);
	/* One significant digit less must not read back. */
	for (int d = 1; d <= 17; d++) {
		snprintf(shorter, sizeof shorter, "%.*e", d - 1, x);
		if (strtod(shorter, NULL) == x) {
			digits = d;
			break;
		}
	}
	int have = 0, zeros = 0;
	for (const char *p = out; *p != '\0' && *p != 'e'; p++) {
		if (*p < '0' || *p > '9' || (have == 0 && *p == '0'))
			continue;
		have++;
		zeros = *p == '0' ? zeros + 1 : 0;
	}
	/* Zeros at the end of a whole number tell no digit. */
	CHECK_FOR(out, x == 0 || have - zeros <= digits);
}

static void
doubles(void)
{
	static const double some[] = { 0, 0.1, 1.0 / 3, 2.0 / 3, 1e-7, 1e21,
		1e22, 1e23, 123456789012345678.0, 9007199254740993.0,
		4503599627370497.5, 5e-324, 1.5e-323, 2.2250738585072009e-308,
		DBL_MIN, DBL_MAX, DBL_EPSILON, 99.96e-6, 104.44e-6, 1e15,
		999999999999999.0, 1e16, -0.1, -1, 1e-5, 0.0001, 100 };
	unsigned long long seed = 42, bits;
	double x;

	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		back_and_shortest(some[i]);
	back_and_shortest(-0.0);
	for (int e = -1074; e <= 1023; e++)
		back_and_shortest(ldexp(1, e));
	/* Decimals of every number of digits. */
	for (int i = 0; i < 50000; i++) {
		char text[64];

		snprintf(text, sizeof text, "%.*ge%d", i % 17 + 1,
		    (double)(check_random(&seed) >> 11) * 0x1p-53,
		    i % 600 - 300);
		back_and_shortest(strtod(text, NULL));
	}
	for (int i = 0; i < 100000; i++) {
		bits = check_random(&seed);
		/* Every eighth is subnormal. */
		if (i % 8 == 0)
			bits &= 0x800fffffffffffffULL;
		memcpy(&x, &bits, sizeof x);
		if (isfinite(x))
			back_and_shortest(x);
	}
}

/* The bytes that printf writes of the first number of digits to read back. */
static void
as_printed(double x)
{
	char out[SF_DOUBLE_MAX], want[320];
	int digits = DBL_DIG;

	do
		snprintf(want, sizeof want, "%.*g", digits++, x);
	while (strtod(want, NULL) != x);
	CHECK_FOR(want, sf_double_format(x, out) == strlen(want));
	CHECK_FOR(out, strcmp(out, want) == 0);
}

/* Doubles that exact integers hold, and their limits: decimal.h. */
static void
decimals(void)
{
	unsigned long long seed = 7;
	double x;

	as_printed(nextafter(SF_DECIMAL_LEAST, 0));
	as_printed(nextafter(SF_DECIMAL_MOST, 0));
	as_printed(nextafter(SF_DECIMAL_MOST, INFINITY));
	for (double power = 1e-12; power < 1e15; power *= 10) {
		as_printed(nextafter(power, 0));
		as_printed(nextafter(power, INFINITY));
		as_printed(-1.5 * power);
	}
	for (int i = 0; i < 60000; i++) {
		char text[64];
		unsigned long long bits = check_random(&seed);
		double part = (double)(bits >> 11) * 0x1p-53;

		/* Of all sizes, with few digits, and as ties have them. */
		as_printed(exp((part + 1e-9) * 57 - 23));
		snprintf(text, sizeof text, "%.*ge%d", i % 17 + 1, part,
		    i % 26 - 10);
		as_printed(strtod(text, NULL));
		x = ((double)(bits >> (12 + i % 40)) + 0.5) *
		    ldexp(1, -(i % 60));
		if (x < SF_DECIMAL_MOST)
			as_printed(-x);
	}
}

static void
as_strtod(const char *text)
{
	double want = strtod(text, NULL), have;

	CHECK_FOR(text, sf_double_parse(text, strlen(text), &have));
	CHECK_FOR(text, memcmp(&have, &want, sizeof want) == 0);
}

/* Decimals of all lengths, and those half way between two doubles. */
static void
readings(void)
{
	static const char *const some[] = { "0", "-0", "0.0", "0e-05", "1",
		"-1.5", "00012", "9007199254740993", "9007199254740992.5",
		"9007199254740993.0", "18446744073709551615",
		"18446744073709551616", "36893488147419103232",
		"184467440737095516160", "9999999999999999999",
		"99999999999999999999", "1e-27", "1e-28",
		"0.000000000000000000000000001", "9999999999999999999e-27",
		"1.5e-05", "1.5e-5", "1.5e-005", "1.5e+05",
		"1.1749759999999998e-05", "18014398509481985e-01",
		"18014398509481987e-01", "00000000000000000000000001.50" };
	unsigned long long seed = 11;
	char text[96];

	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		as_strtod(some[i]);
	for (int i = 0; i < 200000; i++) {
		unsigned long long m = check_random(&seed) >> i % 64;

		snprintf(text, sizeof text, "%s%llue-%02d",
		    i % 3 == 0 ? "-" : "", m, i / 64 % 40);
		as_strtod(text);
		snprintf(text, sizeof text, "%llu.%0*lluE-%d", m % 1000,
		    i % 18 + 1, m / 1000 % 1000000000000000000, i % 12);
		text[strcspn(text, "E")] = i % 2 == 0 ? '\0' : 'e';
		as_strtod(text);
		/* An odd number of 54 bits over a power of two. */
		m = (m | 1ULL << 63) >> 10 | 1;
		snprintf(text, sizeof text, "%.*f", 3 + i % 3,
		    (double)(m >> 10) + (double)(m & 1023) * 0x1p-10);
		as_strtod(text);
		snprintf(text, sizeof text, "%llu", m);
		as_strtod(text);
		snprintf(text, sizeof text, "%llu.5", m >> 1);
		as_strtod(text);
	}
}

static void
spelling(void)
{
	char out[SF_DOUBLE_MAX];

	sf_double_format(3, out);
	CHECK(strcmp(out, "3") == 0);
	sf_double_format(0.1, out);
	CHECK(strcmp(out, "0.1") == 0);
	sf_double_format(5e-324, out);
	CHECK(strcmp(out, "5e-324") == 0);
	sf_double_format(1e300, out);
	CHECK(strcmp(out, "1e+300") == 0);
	sf_double_format(0.00009996, out);
	CHECK(strcmp(out, "9.996e-05") == 0);
}

static void
no_doubles(void)
{
	static const char *const none[] = { "", "inf", "nan", "0x1p3", " 1",
		"1 ", "1e", "1e400", "-1e400", "1..2", "--1", "1e5.5", "." };
	double x;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK_FOR(
		    none[i], !sf_double_parse(none[i], strlen(none[i]), &x));
	CHECK(sf_double_parse("25.6", 4, &x) && x == 25.6);
	CHECK(sf_double_parse("1e9", 3, &x) && x == 1e9);
	/* Only LEN bytes are looked at. */
	CHECK(sf_double_parse("12x", 2, &x) && x == 12);
}

int
main(void)
{
	ints();
	no_ints();
	arithmetic();
	products();
	doubles();
	decimals();
	readings();
	spelling();
	no_doubles();
	return 0;
}
