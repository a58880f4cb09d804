/* Numbers with units: one table of suffixes. */
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/*
 * A unit is 10^EXPONENT x TIMES of its base unit, TIMES a power of two. The
 * exponent is added to the number's own before that becomes a double, so that
 * "2.039TB/s" is the double nearest to 2.039e12 and is rounded once.
 */
static const struct suffix {
	enum sf_unit unit;
	const char *text;
	int exponent;
	double times;
} suffixes[] = {
	{ SF_UNIT_BYTES, "B", 0, 1 },
	{ SF_UNIT_BYTES, "kB", 3, 1 },
	{ SF_UNIT_BYTES, "KB", 3, 1 },
	{ SF_UNIT_BYTES, "MB", 6, 1 },
	{ SF_UNIT_BYTES, "GB", 9, 1 },
	{ SF_UNIT_BYTES, "TB", 12, 1 },
	{ SF_UNIT_BYTES, "KiB", 0, 1024 },
	{ SF_UNIT_BYTES, "MiB", 0, 1048576 },
	{ SF_UNIT_BYTES, "GiB", 0, 1073741824 },
	{ SF_UNIT_BYTES, "TiB", 0, 1099511627776 },
	{ SF_UNIT_BYTES_PER_S, "B/s", 0, 1 },
	{ SF_UNIT_BYTES_PER_S, "kB/s", 3, 1 },
	{ SF_UNIT_BYTES_PER_S, "KB/s", 3, 1 },
	{ SF_UNIT_BYTES_PER_S, "MB/s", 6, 1 },
	{ SF_UNIT_BYTES_PER_S, "GB/s", 9, 1 },
	{ SF_UNIT_BYTES_PER_S, "TB/s", 12, 1 },
	{ SF_UNIT_BYTES_PER_S, "KiB/s", 0, 1024 },
	{ SF_UNIT_BYTES_PER_S, "MiB/s", 0, 1048576 },
	{ SF_UNIT_BYTES_PER_S, "GiB/s", 0, 1073741824 },
	{ SF_UNIT_BYTES_PER_S, "TiB/s", 0, 1099511627776 },
	{ SF_UNIT_S, "s", 0, 1 },
	{ SF_UNIT_S, "ms", -3, 1 },
	{ SF_UNIT_S, "us", -6, 1 },
	{ SF_UNIT_S, "ns", -9, 1 },
	{ SF_UNIT_S, "ps", -12, 1 },
	{ SF_UNIT_HZ, "Hz", 0, 1 },
	{ SF_UNIT_HZ, "kHz", 3, 1 },
	{ SF_UNIT_HZ, "MHz", 6, 1 },
	{ SF_UNIT_HZ, "GHz", 9, 1 },
	{ SF_UNIT_FLOPS, "FLOP/s", 0, 1 },
	{ SF_UNIT_FLOPS, "GFLOP/s", 9, 1 },
	{ SF_UNIT_FLOPS, "TFLOP/s", 12, 1 },
	{ SF_UNIT_FLOPS, "PFLOP/s", 15, 1 },
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

bool
sf_quantity_is_plain(const char *text)
{
	return text[number_length(text)] == '\0';
}

const char *
sf_unit_symbol(enum sf_unit unit)
{
	for (int i = 0; i < NSUFFIXES; i++)
		if (suffixes[i].unit == unit)
			return suffixes[i].text;
	return "";
}

void
sf_unit_list(enum sf_unit unit, const char *separator, struct sf_buf *out)
{
	const char *between = "";

	for (int i = 0; i < NSUFFIXES; i++)
		if (suffixes[i].unit == unit) {
			sf_buf_printf(out, "%s%s", between, suffixes[i].text);
			between = separator;
		}
}

static bool
fail_with_units(const char *text, enum sf_unit unit, struct sf_error *error)
{
	struct sf_buf known = { 0 };

	sf_unit_list(unit, " ", &known);
	if (known.n == 0)
		return sf_fail(error, "found '%s', expected a number", text);
	sf_fail(error,
	    "found '%s', expected a number, with or without one of: %.*s", text,
	    (int)known.n, known.p);
	sf_buf_release(&known);
	return false;
}

/* The N bytes of TEXT, a number, times 10^EXPONENT. */
static bool
scaled_parse(const char *text, size_t n, int exponent, double *out)
{
	const char *e = memchr(text, 'e', n);
	char scaled[128];
	int64_t own = 0;
	size_t digits;

	if (e == NULL)
		e = memchr(text, 'E', n);
	digits = e != NULL ? (size_t)(e - text) : n;
	if (e != NULL && e[1] == '+')
		e++;
	if (e != NULL &&
	    (!sf_int_parse(e + 1, n - (size_t)(e + 1 - text), &own) ||
		own < -10000 || own > 10000))
		return false;
	if (digits > sizeof scaled - 16)
		return false;
	n = (size_t)snprintf(scaled, sizeof scaled, "%.*se%d", (int)digits,
	    text, (int)own + exponent);
	return digits != 0 && sf_double_parse(scaled, n, out);
}

bool
sf_quantity_parse(
    const char *text, enum sf_unit unit, double *out, struct sf_error *error)
{
	size_t n = number_length(text);

	if (text[n] == '\0') {
		if (sf_double_parse(text, n, out))
			return true;
		return fail_with_units(text, unit, error);
	}
	for (int i = 0; i < NSUFFIXES; i++) {
		const struct suffix *s = &suffixes[i];

		if (s->unit != unit || strcmp(s->text, text + n) != 0)
			continue;
		if (!scaled_parse(text, n, s->exponent, out) ||
		    !isfinite(*out * s->times))
			break;
		*out *= s->times;
		return true;
	}
	return fail_with_units(text, unit, error);
}

/* X in the unit S; false when that does not read back. */
static bool
format_in(struct sf_buf *text, double x, const struct suffix *s)
{
	struct sf_error error;
	double back;
	size_t n;

	text->n = 0;
	sf_buf_double(text,
	    s->exponent < 0 ? x * pow(10, -s->exponent)
			    : x / s->times / pow(10, s->exponent));
	n = text->n;
	sf_buf_printf(text, "%s", s->text);
	sf_buf_putc(text, '\0');
	if (!sf_quantity_parse(text->p, s->unit, &back, &error) || back != x)
		return false;
	text->n = n;
	return true;
}

/* Of two that are as long the one that is 1 or more, and then the larger unit. */
void
sf_quantity_format(struct sf_buf *out, double x, enum sf_unit unit)
{
	struct sf_buf text = { 0 }, best = { 0 };
	const char *name = sf_unit_symbol(unit);

	sf_buf_double(&best, x);
	for (int i = 0; x > 0 && i < NSUFFIXES; i++) {
		bool below = best.n != 0 && best.p[0] == '0';

		if (suffixes[i].unit != unit ||
		    !format_in(&text, x, &suffixes[i]) || text.n > best.n ||
		    (text.n == best.n && !below && text.p[0] == '0'))
			continue;
		best.n = 0;
		sf_buf_put(&best, text.p, text.n);
		name = suffixes[i].text;
	}
	sf_buf_put(out, best.p, best.n);
	if (*name != '\0')
		sf_buf_printf(out, " %s", name);
	sf_buf_release(&text);
	sf_buf_release(&best);
}

bool
sf_span_parse(const char *text, enum sf_unit unit, struct sf_span *out,
    struct sf_error *error)
{
	const char *comma = strchr(text, ',');
	struct sf_buf from = { 0 };
	bool parsed;

	if (comma == NULL)
		return sf_fail(error,
		    "found '%s', expected two numbers with a comma between "
		    "them",
		    text);
	sf_buf_printf(&from, "%.*s%c", (int)(comma - text), text, 0);
	parsed = sf_quantity_parse(from.p, unit, &out->from, error) &&
	    sf_quantity_parse(comma + 1, unit, &out->to, error);
	sf_buf_release(&from);
	if (parsed && out->from >= out->to)
		return sf_fail(
		    error, "found '%s', expected two numbers that rise", text);
	return parsed;
}
