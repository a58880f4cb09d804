/* Lines of PyTorch's logs, taken apart. */
#include "compile/log-line.h"

#include <string.h>

#include "base/num.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
all_digits(struct sf_str s, size_t from, size_t to)
{
	if (s.n < to)
		return false;
	for (size_t i = from; i < to; i++)
		if (!is_digit(s.p[i]))
			return false;
	return true;
}

/* "V1130 " and the like, of which the year is not told. */
static bool
has_level(struct sf_str line)
{
	return line.n > 6 && memchr("VDIWEC", line.p[0], 6) != NULL &&
	    all_digits(line, 1, 5) && line.p[5] == ' ';
}

/*
 * Where "] " stands behind the place in PyTorch's source: the first that has
 * ":LINE" before it, as a path may have brackets and colons.
 */
static const char *
end_of_place(struct sf_str line)
{
	for (size_t i = 6; i + 1 < line.n; i++) {
		size_t k = i;

		if (line.p[i] != ']' || line.p[i + 1] != ' ')
			continue;
		while (k > 6 && is_digit(line.p[k - 1]))
			k--;
		if (k < i && line.p[k - 1] == ':')
			return line.p + i;
	}
	return NULL;
}

const char *
sf_log_header(struct sf_str line)
{
	const char *end = has_level(line) ? end_of_place(line) : NULL;

	if (end == NULL || line.p + line.n - end < 4 || end[2] != '{')
		return NULL;
	return end + 2;
}

/* "[TEXT]" at the front of *S with a blank or colon behind it is cut off. */
static bool
cut_brackets(struct sf_str *s, struct sf_str *inside)
{
	const char *end =
	    s->n != 0 && s->p[0] == '[' ? sf_str_chr(*s, ']') : NULL;
	size_t n;

	if (end == NULL)
		return false;
	n = (size_t)(end - s->p);
	*inside = (struct sf_str){ s->p + 1, n - 1 };
	n++;
	if (n < s->n && (s->p[n] == ' ' || s->p[n] == ':'))
		n++;
	s->p += n;
	s->n -= n;
	return true;
}

/* "0/0", "0/0_1", "!0/3/0_1": a number between slashes is in all of them. */
static bool
read_id(struct sf_str text, struct sf_log_prefix *prefix)
{
	const char *line = sf_str_chr(text, '_');
	struct sf_str attempt = SF_STR("");

	if (sf_str_chr(text, '/') == NULL)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.p[i]) &&
		    memchr("/_!-", text.p[i], 4) == NULL)
			return false;
	if (line != NULL) {
		attempt.p = line + 1;
		attempt.n = (size_t)(text.p + text.n - attempt.p);
		text.n = (size_t)(line - text.p);
		if (!sf_int_parse(attempt.p, attempt.n, &prefix->attempt))
			return false;
	}
	prefix->id = text;
	return true;
}

void
sf_log_prefix_read(struct sf_str line, struct sf_log_prefix *prefix)
{
	struct sf_str rest = line, before, inside;
	const char *end;

	*prefix = (struct sf_log_prefix){ .rank = -1, .text = line };
	before = rest;
	if (cut_brackets(&rest, &inside)) {
		if (!sf_str_starts(inside, "rank") ||
		    !sf_int_parse(inside.p + 4, inside.n - 4, &prefix->rank)) {
			prefix->rank = -1;
			rest = before;
		}
	}
	if (has_level(rest) && (end = end_of_place(rest)) != NULL) {
		rest.n = (size_t)(rest.p + rest.n - (end + 2));
		rest.p = end + 2;
	}
	before = rest;
	if (cut_brackets(&rest, &inside) && !read_id(inside, prefix))
		rest = before;
	before = rest;
	if (cut_brackets(&rest, &inside)) {
		if (sf_str_starts(inside, "__"))
			prefix->artifact =
			    (struct sf_str){ inside.p + 2, inside.n - 2 };
		else
			rest = before;
	}
	prefix->text = rest;
	prefix->all = (struct sf_str){ line.p, (size_t)(rest.p - line.p) };
}

/* The bytes at the front of S that may be in the name of a class. */
static size_t
name_length(struct sf_str s)
{
	size_t n = 0;

	while (n < s.n &&
	    ((s.p[n] >= 'a' && s.p[n] <= 'z') ||
		(s.p[n] >= 'A' && s.p[n] <= 'Z') || is_digit(s.p[n]) ||
		memchr("_.<>", s.p[n], 4) != NULL))
		n++;
	return n;
}

/* "NAME(BASE):", to the end. */
static bool
is_class(struct sf_str s)
{
	size_t n = name_length(s);

	if (n == 0 || n == s.n || s.p[n] != '(')
		return false;
	s.p += n + 1;
	s.n -= n + 1;
	n = name_length(s);
	return s.n == n + 2 && s.p[n] == ')' && s.p[n + 1] == ':';
}

const char *
sf_log_class(struct sf_str text)
{
	struct sf_str trimmed = sf_str_trim(text), rest = trimmed;
	const char *at;

	while ((at = sf_str_find(rest, "class ")) != NULL) {
		rest.n = (size_t)(trimmed.p + trimmed.n - (at + 6));
		rest.p = at + 6;
		if ((at == trimmed.p || at[-1] == ' ') && is_class(rest))
			return at;
	}
	return NULL;
}

struct sf_str
sf_log_title(struct sf_str text)
{
	text = sf_str_trim(text);
	if (text.n < 12 || memcmp(text.p, "===== ", 6) != 0 ||
	    memcmp(text.p + text.n - 6, " =====", 6) != 0)
		return SF_STR("");
	return (struct sf_str){ text.p + 6, text.n - 12 };
}
