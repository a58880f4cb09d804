/* Numbers with units, each against the number written out. */
#include "base/quantity.h"

#include <string.h>

#include "check.h"

static void
is(const char *text, enum sf_unit unit, double want)
{
	struct sf_error error;
	double got;

	CHECK_FOR(text, sf_quantity_parse(text, unit, &got, &error));
	CHECK_FOR(text, got == want);
}

static void
is_none(const char *text, enum sf_unit unit, const char *said)
{
	struct sf_error error;
	double got;

	CHECK_FOR(text, !sf_quantity_parse(text, unit, &got, &error));
	CHECK_FOR(error.text, strstr(error.text, text) != NULL);
	CHECK_FOR(error.text, strstr(error.text, said) != NULL);
}

static void
known(void)
{
	is("64", SF_UNIT_NONE, 64);
	is("0.5", SF_UNIT_NONE, 0.5);
	is("1e3", SF_UNIT_NONE, 1000);
	is("512", SF_UNIT_BYTES, 512);
	is("512B", SF_UNIT_BYTES, 512);
	is("512KiB", SF_UNIT_BYTES, 524288);
	is("24MiB", SF_UNIT_BYTES, 25165824);
	is("1.5GiB", SF_UNIT_BYTES, 1610612736);
	is("1kB", SF_UNIT_BYTES, 1000);
	is("80GB", SF_UNIT_BYTES, 80000000000);
	is("25.6GB/s", SF_UNIT_BYTES_PER_S, 25600000000);
	is("3.35TB/s", SF_UNIT_BYTES_PER_S, 3350000000000);
	is("100ns", SF_UNIT_S, 1e-7);
	is("3us", SF_UNIT_S, 3e-6);
	is("2ms", SF_UNIT_S, 2e-3);
	is("1e-7", SF_UNIT_S, 1e-7);
	is("1e2ns", SF_UNIT_S, 1e-7);
	is("1GHz", SF_UNIT_HZ, 1e9);
	is("940MHz", SF_UNIT_HZ, 940e6);
	is("989TFLOP/s", SF_UNIT_FLOPS, 989e12);
}

/* Rounded once: the double nearest to the decimal that is meant. */
static void
nearest(void)
{
	char text[64], plain[64];

	is("2.039TB/s", SF_UNIT_BYTES_PER_S, 2.039e12);
	is("1.555TB/s", SF_UNIT_BYTES_PER_S, 1.555e12);
	for (int i = 1; i < 5000; i++) {
		snprintf(text, sizeof text, "%d.%03dTB/s", i / 1000, i % 1000);
		snprintf(plain, sizeof plain, "%de9", i);
		is(text, SF_UNIT_BYTES_PER_S, strtod(plain, NULL));
		snprintf(text, sizeof text, "%d.%03dus", i / 1000, i % 1000);
		snprintf(plain, sizeof plain, "%de-9", i);
		is(text, SF_UNIT_S, strtod(plain, NULL));
		snprintf(text, sizeof text, "%de-2GHz", i);
		snprintf(plain, sizeof plain, "%de7", i);
		is(text, SF_UNIT_HZ, strtod(plain, NULL));
	}
}

static void
unknown(void)
{
	is_none("", SF_UNIT_BYTES, "expected");
	is_none("1e309GB", SF_UNIT_BYTES, "expected");
	is_none("1e300GiB", SF_UNIT_BYTES, "expected");
	is_none("1e99999999999999999999GB", SF_UNIT_BYTES, "expected");
	is_none("KiB", SF_UNIT_BYTES, "expected");
	is_none("512kib", SF_UNIT_BYTES, "KiB");
	is_none("512 KiB", SF_UNIT_BYTES, "KiB");
	is_none("512KiBx", SF_UNIT_BYTES, "KiB");
	is_none("1GB", SF_UNIT_BYTES_PER_S, "GB/s");
	is_none("1GB/s", SF_UNIT_BYTES, "GB");
	is_none("1s", SF_UNIT_HZ, "GHz");
	is_none("1Hz", SF_UNIT_NONE, "a number");
	is_none("1..5GB", SF_UNIT_BYTES, "expected");
	is_none("inf", SF_UNIT_S, "expected");
	is_none("1e999", SF_UNIT_NONE, "expected");
}

/* What is written is short, and reads back to the same double. */
static void
written(void)
{
	static const struct {
		double x;
		enum sf_unit unit;
		const char *text;
	} known[] = { { 2097152, SF_UNIT_BYTES, "2 MiB" },
		{ 80e9, SF_UNIT_BYTES, "80 GB" },
		{ 25.6e9, SF_UNIT_BYTES_PER_S, "25.6 GB/s" },
		{ 1e-7, SF_UNIT_S, "100 ns" }, { 1e9, SF_UNIT_HZ, "1 GHz" },
		{ 0, SF_UNIT_S, "0 s" }, { 7, SF_UNIT_BYTES, "7 B" },
		{ 989e12, SF_UNIT_FLOPS, "989 TFLOP/s" },
		{ 0.25, SF_UNIT_NONE, "0.25" } };
	struct sf_buf out = { 0 };
	struct sf_error error;
	double x = 1.234567, back;
	char *blank;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		out.n = 0;
		sf_quantity_format(&out, known[i].x, known[i].unit);
		sf_buf_putc(&out, '\0');
		CHECK_FOR(out.p, strcmp(out.p, known[i].text) == 0);
	}
	for (int i = 0; i < 20000; i++) {
		enum sf_unit unit = (enum sf_unit)(i % (SF_UNIT_FLOPS + 1));

		x = x < 1e15 ? x * 1.0731 : x / 1e25;
		out.n = 0;
		sf_quantity_format(&out, x, unit);
		sf_buf_putc(&out, '\0');
		blank = strchr(out.p, ' ');
		if (blank != NULL)
			memmove(blank, blank + 1, strlen(blank));
		CHECK_FOR(out.p, sf_quantity_parse(out.p, unit, &back, &error));
		CHECK_FOR(out.p, back == x);
	}
	sf_buf_release(&out);
}

int
main(void)
{
	known();
	nearest();
	unknown();
	written();
	CHECK(strcmp(sf_unit_name(SF_UNIT_BYTES_PER_S), "bytes/s") == 0);
	return 0;
}
