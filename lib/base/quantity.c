/* Numbers with units: one table of suffixes. */
#include "base/quantity.h"

#include <string.h>

#include "base/num.h"

/*
 * The factor is MANTISSA x 10^EXPONENT: a negative exponent divides, so that
 * "100ns" is the double nearest to 1e-7 and not 100 x 1e-9 rounded twice.
 */
static const struct suffix {
	enum sf_unit unit;
	const char *text;
	double times, over;
} suffixes[] = {
	{ SF_UNIT_BYTES, "B", 1, 1 },
	{ SF_UNIT_BYTES, "kB", 1e3, 1 },
	{ SF_UNIT_BYTES, "KB", 1e3, 1 },
	{ SF_UNIT_BYTES, "MB", 1e6, 1 },
	{ SF_UNIT_BYTES, "GB", 1e9, 1 },
	{ SF_UNIT_BYTES, "TB", 1e12, 1 },
	{ SF_UNIT_BYTES, "KiB", 1024, 1 },
	{ SF_UNIT_BYTES, "MiB", 1048576, 1 },
	{ SF_UNIT_BYTES, "GiB", 1073741824, 1 },
	{ SF_UNIT_BYTES, "TiB", 1099511627776, 1 },
	{ SF_UNIT_BYTES_PER_S, "B/s", 1, 1 },
	{ SF_UNIT_BYTES_PER_S, "kB/s", 1e3, 1 },
	{ SF_UNIT_BYTES_PER_S, "KB/s", 1e3, 1 },
	{ SF_UNIT_BYTES_PER_S, "MB/s", 1e6, 1 },
	{ SF_UNIT_BYTES_PER_S, "GB/s", 1e9, 1 },
	{ SF_UNIT_BYTES_PER_S, "TB/s", 1e12, 1 },
	{ SF_UNIT_BYTES_PER_S, "KiB/s", 1024, 1 },
	{ SF_UNIT_BYTES_PER_S, "MiB/s", 1048576, 1 },
	{ SF_UNIT_BYTES_PER_S, "GiB/s", 1073741824, 1 },
	{ SF_UNIT_BYTES_PER_S, "TiB/s", 1099511627776, 1 },
	{ SF_UNIT_S, "s", 1, 1 },
	{ SF_UNIT_S, "ms", 1, 1e3 },
	{ SF_UNIT_S, "us", 1, 1e6 },
	{ SF_UNIT_S, "ns", 1, 1e9 },
	{ SF_UNIT_S, "ps", 1, 1e12 },
	{ SF_UNIT_HZ, "Hz", 1, 1 },
	{ SF_UNIT_HZ, "kHz", 1e3, 1 },
	{ SF_UNIT_HZ, "MHz", 1e6, 1 },
	{ SF_UNIT_HZ, "GHz", 1e9, 1 },
	{ SF_UNIT_FLOPS, "FLOP/s", 1, 1 },
	{ SF_UNIT_FLOPS, "GFLOP/s", 1e9, 1 },
	{ SF_UNIT_FLOPS, "TFLOP/s", 1e12, 1 },
	{ SF_UNIT_FLOPS, "PFLOP/s", 1e15, 1 },
};

enum {
	NSUFFIXES = sizeof suffixes / sizeof suffixes[0]
};

const char *
sf_unit_name(enum sf_unit unit)
{
	static const char *const names[] = {
		[SF_UNIT_NONE] = "",
		[SF_UNIT_BYTES] = "bytes",
		[SF_UNIT_BYTES_PER_S] = "bytes/s",
		[SF_UNIT_S] = "s",
		[SF_UNIT_HZ] = "Hz",
		[SF_UNIT_FLOPS] = "FLOP/s",
	};

	return names[unit];
}

/* Where the number ends: an 'e' counts only before a digit or a sign. */
static size_t
number_length(const char *text)
{
	size_t n = strspn(text, "0123456789.+-");

	if (n != 0 && (text[n] == 'e' || text[n] == 'E') &&
	    strspn(text + n + 1, "0123456789+-") != 0)
		n += 1 + strspn(text + n + 1, "0123456789+-");
	return n;
}

static bool
fail_with_units(const char *text, enum sf_unit unit, struct sf_error *error)
{
	char known[256] = "";

	for (int i = 0; i < NSUFFIXES; i++)
		if (suffixes[i].unit == unit) {
			strcat(known, known[0] == '\0' ? "" : " ");
			strcat(known, suffixes[i].text);
		}
	if (known[0] == '\0')
		return sf_fail(error, "found '%s', expected a number", text);
	return sf_fail(error,
	    "found '%s', expected a number, with or without one of: %s", text,
	    known);
}

bool
sf_quantity_parse(
    const char *text, enum sf_unit unit, double *out, struct sf_error *error)
{
	size_t n = number_length(text);
	double x;

	if (!sf_double_parse(text, n, &x))
		return fail_with_units(text, unit, error);
	if (text[n] == '\0') {
		*out = x;
		return true;
	}
	for (int i = 0; i < NSUFFIXES; i++) {
		const struct suffix *s = &suffixes[i];

		if (s->unit == unit && strcmp(s->text, text + n) == 0) {
			*out = x * s->times / s->over;
			return true;
		}
	}
	return fail_with_units(text, unit, error);
}
