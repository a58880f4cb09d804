/* Text that looks like JSON, changed by its tokens and lines. */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

static const char *const values[] = { "0", "-1", "1", "2", "3", "7", "64",
	"4096", "65537", "1048576", "2147483648", "4294967296", "1099511627776",
	"4611686018427387904", "9223372036854775807", "9223372036854775808",
	"0.5", "1e-9", "1e-320", "1e300", "-0", "null", "true", "false", "\"\"",
	"[]", "{}", "[0]", "[1,1]", "[-1]", "[1,1,1,1]", "[4294967296]",
	"[3037000500,3037000500]", "\"a\"", "\"f32\"", "\"\\u0000\"" };

/* The value that begins at AT: a scalar, or a bracket to its partner. */
static struct span
value_at(const struct text *t, size_t at)
{
	size_t i = at;
	int depth = 0;

	for (; i < t->n && t->p[i] != '\n'; i++) {
		char c = t->p[i];

		if (c == '"') {
			for (i++; i < t->n && t->p[i] != '"'; i++)
				i += t->p[i] == '\\';
			if (depth == 0 && i < t->n)
				return (struct span){ at, i + 1 - at };
		} else if (c == '[' || c == '{') {
			depth++;
		} else if (c == ']' || c == '}') {
			if (--depth <= 0)
				return (
				    struct span){ at, i + (depth == 0) - at };
		} else if (c == ',' && depth == 0) {
			break;
		}
	}
	return (struct span){ at, (i < t->n ? i : t->n) - at };
}

/* Whether a quote of the line is open before AT. */
static bool
is_quoted(const struct text *t, size_t at)
{
	size_t i = at;
	bool quoted = false;

	while (i != 0 && t->p[i - 1] != '\n')
		i--;
	for (; i < at; i++)
		if (t->p[i] == '"')
			quoted = !quoted;
		else if (t->p[i] == '\\')
			i++;
	return quoted;
}

/*
 * A value behind a colon, or behind a comma or a bracket, at random: no key, as
 * behind the comma of an object.
 */
static bool
find_value(
    const struct text *t, unsigned *state, const char *behind, struct span *out)
{
	size_t from = mutate_next(state, t->n);

	for (size_t i = 0; i < t->n; i++) {
		size_t at = (from + i) % t->n;

		if (strchr(behind, t->p[at]) == NULL || t->p[at] == '\0' ||
		    at + 1 >= t->n || is_quoted(t, at))
			continue;
		*out = value_at(t, at + 1);
		if (out->n != 0 &&
		    (t->p[at] == ':' || out->at + out->n >= t->n ||
			t->p[out->at + out->n] != ':'))
			return true;
	}
	return false;
}

/* The member that a value is of: from its key's quote to the value's end. */
static bool
find_member(const struct text *t, unsigned *state, struct span *out)
{
	size_t i;

	if (!find_value(t, state, ":", out) || out->at < 3)
		return false;
	for (i = out->at - 3; i != 0 && t->p[i] != '"' && t->p[i] != '\n'; i--)
		;
	out->n += out->at - i;
	out->at = i;
	return t->p[i] == '"';
}

static struct span
line_at(const struct text *t, size_t at)
{
	size_t end;

	while (at != 0 && t->p[at - 1] != '\n')
		at--;
	for (end = at; end < t->n && t->p[end] != '\n'; end++)
		;
	return (struct span){ at, end + (end < t->n) - at };
}

/* Rather an operator or another record than where a trace begins or ends. */
static struct span
find_line(const struct text *t, unsigned *state)
{
	struct span line;

	for (int tries = 0; tries < 4; tries++) {
		line = line_at(t, mutate_next(state, t->n));
		if (line.n < 14 ||
		    (memcmp(t->p + line.at, "{\"kind\":\"trac", 13) != 0 &&
			memcmp(t->p + line.at, "{\"kind\":\"end\"", 14) != 0))
			break;
	}
	return line;
}

/* Whether the line begins with WORD, which it is longer than. */
static bool
begins(struct text line, const char *word)
{
	size_t n = strlen(word);

	return line.n > n && memcmp(line.p, word, n) == 0;
}

/* Puts N in the place of the digits at AT; how many bytes more there are. */
static long
put_number(struct text *t, size_t at, long n)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%ld", n);
	size_t were = 0;

	while (at + were < t->n && strchr("-0123456789", t->p[at + were]) &&
	    t->p[at + were] != '\0')
		were++;
	if (!mutate_put(t, (struct span){ at, were }, digits, (size_t)len))
		return 0;
	return (long)len - (long)were;
}

/* The number behind WORD, if the line at AT has it, becomes N. */
static long
put_behind(struct text *t, size_t at, size_t line, const char *word, long n)
{
	const char *found = memmem(t->p + at, line, word, strlen(word));

	return found == NULL
	    ? 0
	    : put_number(t, (size_t)(found - t->p) + strlen(word), n);
}

void
mutate_count(struct text *t)
{
	static const char op[] = "{\"kind\":\"op\",\"i\":";
	static const char end[] = "{\"kind\":\"end\",\"ops\":";
	long ops = 0, points = 0, grown;

	for (size_t at = 0, n; at < t->n; at += n + 1) {
		const char *lf = memchr(t->p + at, '\n', t->n - at);
		struct text line = { .p = t->p + at };

		n = lf != NULL ? (size_t)(lf - line.p) : t->n - at;
		line.n = n;
		grown = 0;
		if (begins(line, op)) {
			grown = put_number(t, at + sizeof op - 1, ops++);
		} else if (begins(line, "{\"kind\":\"op\"")) {
			ops++;
		} else if (begins(line, "{\"kind\":\"point\"")) {
			points++;
		} else if (begins(line, end)) {
			grown = put_number(t, at + sizeof end - 1, ops);
			n = (size_t)((long)n + grown);
			grown = put_behind(t, at, n, "\"points\":", points);
			ops = points = 0;
		}
		n = (size_t)((long)n + grown);
	}
}

bool
mutate_json(struct text *t, const struct text *copy, unsigned *state)
{
	struct span a, b;
	const char *value =
	    values[mutate_next(state, sizeof values / sizeof *values)];
	char member[512];

	switch (mutate_next(state, 8)) {
	case 0: /* a value becomes another one of the text */
		return find_value(t, state, ":", &a) &&
		    find_value(copy, state, ":", &b) &&
		    mutate_put(t, a, copy->p + b.at, b.n);
	case 1:
		return find_value(t, state, ":,[", &a) &&
		    find_value(copy, state, ":,[", &b) &&
		    mutate_put(t, a, copy->p + b.at, b.n);
	case 2: /* or one of ours */
		return find_value(t, state, ":", &a) &&
		    mutate_put(t, a, value, strlen(value));
	case 3:
		return find_value(t, state, ":,[", &a) &&
		    mutate_put(t, a, value, strlen(value));
	case 4: /* a member appears once more, or somewhere else */
		if (!find_member(t, state, &a) ||
		    !find_member(copy, state, &b) || b.n + 2 > sizeof member)
			return false;
		memcpy(member, copy->p + b.at, b.n);
		member[b.n] = ',';
		return mutate_put(t, (struct span){ a.at, 0 }, member, b.n + 1);
	case 5: /* a member goes */
		if (!find_member(t, state, &a))
			return false;
		if (a.at + a.n < t->n && t->p[a.at + a.n] == ',') {
			a.n++;
		} else if (a.at != 0 && t->p[a.at - 1] == ',') {
			a.at--;
			a.n++;
		}
		return mutate_put(t, a, "", 0);
	case 6: /* a line goes, or comes again somewhere else */
		return mutate_put(t, find_line(t, state), "", 0);
	default:
		a = find_line(t, state);
		b = find_line(copy, state);
		a.n = 0;
		return mutate_put(t, a, copy->p + b.at, b.n);
	}
}
