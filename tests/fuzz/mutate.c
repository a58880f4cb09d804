/*
 * Changes text that looks like JSON by its tokens and lines, so that what comes
 * out is still read to the end; all else is left to libFuzzer's own mutations.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer has it; the replay never mutates. */
__attribute__((weak)) size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

struct text {
	char *p;
	size_t n, room;
};

struct span {
	size_t at, n;
};

static const char *const values[] = { "0", "-1", "1", "2", "3", "7", "64",
	"4096", "65537", "1048576", "2147483648", "4294967296", "1099511627776",
	"4611686018427387904", "9223372036854775807", "9223372036854775808",
	"0.5", "1e-9", "1e-320", "1e300", "-0", "null", "true", "false", "\"\"",
	"[]", "{}", "[0]", "[1,1]", "[-1]", "[1,1,1,1]", "[4294967296]",
	"[3037000500,3037000500]", "\"a\"", "\"f32\"", "\"\\u0000\"" };

/* A generator of ours, so that a seed means the same everywhere. */
static unsigned
next(unsigned *state, size_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (*state >> 8) % (unsigned)n;
}

static bool
put(struct text *t, struct span where, const char *text, size_t n)
{
	if (t->n - where.n + n > t->room)
		return false;
	memmove(t->p + where.at + n, t->p + where.at + where.n,
	    t->n - where.at - where.n);
	memcpy(t->p + where.at, text, n);
	t->n += n - where.n;
	return true;
}

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

/* A value behind a colon, or behind a comma or a bracket, at random. */
static bool
find_value(
    const struct text *t, unsigned *state, const char *behind, struct span *out)
{
	size_t from = next(state, t->n);

	for (size_t i = 0; i < t->n; i++) {
		size_t at = (from + i) % t->n;

		if (strchr(behind, t->p[at]) == NULL || t->p[at] == '\0' ||
		    at + 1 >= t->n)
			continue;
		*out = value_at(t, at + 1);
		return out->n != 0;
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
find_line(const struct text *t, unsigned *state)
{
	size_t at = next(state, t->n), end;

	while (at != 0 && t->p[at - 1] != '\n')
		at--;
	for (end = at; end < t->n && t->p[end] != '\n'; end++)
		;
	return (struct span){ at, end + (end < t->n) - at };
}

/* The end records count the ops that there are now. */
static void
count_ops(struct text *t)
{
	static const char op[] = "{\"kind\":\"op\"";
	static const char end[] = "{\"kind\":\"end\",\"ops\":";
	long ops = 0;

	for (size_t at = 0; at < t->n;) {
		const char *lf = memchr(t->p + at, '\n', t->n - at);
		size_t n = lf != NULL ? (size_t)(lf - t->p) - at : t->n - at;
		char line[64];

		if (n > sizeof op && memcmp(t->p + at, op, sizeof op - 1) == 0)
			ops++;
		if (n > sizeof end && n < sizeof line &&
		    memcmp(t->p + at, end, sizeof end - 1) == 0) {
			int len =
			    snprintf(line, sizeof line, "%s%ld}", end, ops);

			if (put(t, (struct span){ at, n }, line, (size_t)len))
				n = (size_t)len;
			ops = 0;
		}
		at += n + 1;
	}
}

/* One change; COPY holds what T held before it. */
static bool
change(struct text *t, const struct text *copy, unsigned *state)
{
	struct span a, b;
	const char *value = values[next(state, sizeof values / sizeof *values)];
	char member[512];

	switch (next(state, 8)) {
	case 0: /* a value becomes another one of the text */
		return find_value(t, state, ":", &a) &&
		    find_value(copy, state, ":", &b) &&
		    put(t, a, copy->p + b.at, b.n);
	case 1:
		return find_value(t, state, ":,[", &a) &&
		    find_value(copy, state, ":,[", &b) &&
		    put(t, a, copy->p + b.at, b.n);
	case 2: /* or one of ours */
		return find_value(t, state, ":", &a) &&
		    put(t, a, value, strlen(value));
	case 3:
		return find_value(t, state, ":,[", &a) &&
		    put(t, a, value, strlen(value));
	case 4: /* a member appears once more, or somewhere else */
		if (!find_member(t, state, &a) ||
		    !find_member(copy, state, &b) || b.n + 2 > sizeof member)
			return false;
		memcpy(member, copy->p + b.at, b.n);
		member[b.n] = ',';
		return put(t, (struct span){ a.at, 0 }, member, b.n + 1);
	case 5: /* a member goes */
		if (!find_member(t, state, &a))
			return false;
		a.n += a.at + a.n < t->n && t->p[a.at + a.n] == ',';
		return put(t, a, "", 0);
	case 6: /* a line goes, or comes again somewhere else */
		return put(t, find_line(t, state), "", 0);
	default:
		a = find_line(t, state);
		b = find_line(copy, state);
		a.n = 0;
		return put(t, a, copy->p + b.at, b.n);
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	struct text text = { (char *)data, size, room }, copy = text;
	unsigned state = seed, changes = 1 + next(&state, 3);

	if (size < 4 || (data[0] != '{' && data[0] != '[') ||
	    next(&state, 8) == 0)
		return LLVMFuzzerMutate(data, size, room);
	copy.p = malloc(size);
	if (copy.p == NULL)
		return size;
	memcpy(copy.p, data, size);
	while (changes-- != 0 && text.n > 4)
		change(&text, &copy, &state);
	free(copy.p);
	if (next(&state, 16) != 0)
		count_ops(&text);
	return text.n;
}
