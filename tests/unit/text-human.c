/* Numbers for people: grouping, units and exact rounding. */
#include "text/human.h"

#include <stdbool.h>
#include <string.h>

#include "check.h"

/* What was written into the buffer, which is emptied. */
static bool
wrote(struct sf_buf *buf, const char *want)
{
	bool same = buf->n == strlen(want) && memcmp(buf->p, want, buf->n) == 0;

	if (!same)
		fprintf(stderr, "got '%.*s', want '%s'\n", (int)buf->n, buf->p,
		    want);
	buf->n = 0;
	return same;
}

static void
integers(struct sf_buf *b)
{
	static const struct {
		int64_t x;
		const char *want;
	} cases[] = { { 0, "0" }, { 999, "999" }, { 1000, "1,000" },
		{ -1000, "-1,000" }, { 123456, "123,456" },
		{ INT64_MAX, "9,223,372,036,854,775,807" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		sf_human_int(b, cases[i].x);
		CHECK_FOR(cases[i].want, wrote(b, cases[i].want));
	}
}

/* 0.125 and 2.5 are exact in binary; 1.005 is a little less than it says. */
static void
doubles(struct sf_buf *b)
{
	sf_human_double(b, 0.125, 2);
	CHECK(wrote(b, "0.12"));
	sf_human_double(b, 2.5, 0);
	CHECK(wrote(b, "2"));
	sf_human_double(b, 3.5, 0);
	CHECK(wrote(b, "4"));
	sf_human_double(b, 1.005, 2);
	CHECK(wrote(b, "1.00"));
	sf_human_double(b, 1234567.891, 1);
	CHECK(wrote(b, "1,234,567.9"));
	sf_human_double(b, -1234.5, 1);
	CHECK(wrote(b, "-1,234.5"));
	sf_human_double(b, 1.7976931348623157e308, 3);
	CHECK(b->n == 309 + 102 + 4);
	b->n = 0;
}

/* Ties go to the even digit, and nothing is lost to a double. */
static void
ratios(struct sf_buf *b)
{
	sf_human_ratio(b, 5, 1000, 2); /* 0.005 */
	CHECK(wrote(b, "0.00"));
	sf_human_ratio(b, 15, 1000, 2); /* 0.015 */
	CHECK(wrote(b, "0.02"));
	sf_human_ratio(b, 25, 1000, 2); /* 0.025 */
	CHECK(wrote(b, "0.02"));
	sf_human_ratio(b, 26, 1000, 2);
	CHECK(wrote(b, "0.03"));
	sf_human_ratio(b, 999999, 1000000, 2);
	CHECK(wrote(b, "1.00"));
	sf_human_ratio(b, INT64_MAX, 1, 4);
	CHECK(wrote(b, "9,223,372,036,854,775,807.0000"));
	/* 2^53 + 1 is no double. */
	sf_human_ratio(b, INT64_C(9007199254740993), 1, 0);
	CHECK(wrote(b, "9,007,199,254,740,993"));
	sf_human_percent(b, INT64_MAX - 1, INT64_MAX);
	CHECK(wrote(b, "100.0 %"));
	sf_human_percent(b, 1, 2000);
	CHECK(wrote(b, "0.0 %"));
	sf_human_percent(b, 3, 2000);
	CHECK(wrote(b, "0.2 %"));
	sf_human_percent(b, 0, 0);
	CHECK(wrote(b, "-"));
}

static void
units(struct sf_buf *b)
{
	CHECK(strcmp(sf_scale_time(0)->unit, "ns") == 0);
	CHECK(strcmp(sf_scale_time(1e-6)->unit, "us") == 0);
	CHECK(strcmp(sf_scale_time(0.1)->unit, "ms") == 0);
	CHECK(strcmp(sf_scale_time(100)->unit, "s") == 0);
	CHECK(strcmp(sf_scale_bytes(0)->unit, "B") == 0);
	CHECK(strcmp(sf_scale_bytes(999)->unit, "B") == 0);
	CHECK(strcmp(sf_scale_bytes(1000)->unit, "kB") == 0);
	CHECK(strcmp(sf_scale_bytes(INT64_MAX)->unit, "TB") == 0);
	CHECK(strcmp(sf_scale_flops(999999)->unit, "kFLOP") == 0);
	CHECK(strcmp(sf_scale_rate(0.5)->unit, "FLOP/s") == 0);
	CHECK(strcmp(sf_scale_rate(2e12)->unit, "TFLOP/s") == 0);
	sf_human_scaled_int(b, 15026626560, sf_scale_bytes(15026626560));
	CHECK(wrote(b, "15.027 GB"));
	sf_human_scaled_int(b, 780000, sf_scale_bytes(1210000));
	CHECK(wrote(b, "0.78 MB"));
	sf_human_scaled(b, 104.44e-6, sf_scale_time(104.44e-6));
	CHECK(wrote(b, "104.44 us"));
}

int
main(void)
{
	struct sf_buf b = { 0 };

	integers(&b);
	doubles(&b);
	ratios(&b);
	units(&b);
	sf_buf_release(&b);
	return 0;
}
