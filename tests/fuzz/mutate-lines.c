/* Text of lines and words, as rules, tables and YAML are. */
#include <string.h>

#include "mutate.h"

static const char *const words[] = { "0", "1", "-1", "2", "64", "65536",
	"9223372036854775807", "1e300", "0.5", "on", "off", "a", "x", "*", "/",
	"//", "-", "+", "(", ")", ",", ":", "=", "\"", "'", "#", "[", "]", "{",
	"}", "&a", "*a", "|", "~", "- ", "  ", "\t" };

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* The word at a place of chance, or the single byte that is there. */
static struct span
find_word(const struct text *t, unsigned *state)
{
	size_t at = mutate_next(state, t->n), end;

	if (!is_word(t->p[at]))
		return (struct span){ at, 1 };
	while (at != 0 && is_word(t->p[at - 1]))
		at--;
	for (end = at; end < t->n && is_word(t->p[end]); end++)
		;
	return (struct span){ at, end - at };
}

static struct span
find_line(const struct text *t, unsigned *state)
{
	size_t at = mutate_next(state, t->n), end;

	while (at != 0 && t->p[at - 1] != '\n')
		at--;
	for (end = at; end < t->n && t->p[end] != '\n'; end++)
		;
	return (struct span){ at, end + (end < t->n) - at };
}

bool
mutate_lines(struct text *t, const struct text *copy, unsigned *state)
{
	const char *word =
	    words[mutate_next(state, sizeof words / sizeof *words)];
	struct span a, b;

	switch (mutate_next(state, 6)) {
	case 0: /* a line goes */
		return mutate_put(t, find_line(t, state), "", 0);
	case 1: /* or comes again somewhere else, or in the place of one */
		a = find_line(t, state);
		b = find_line(copy, state);
		a.n = mutate_next(state, 2) == 0 ? a.n : 0;
		return mutate_put(t, a, copy->p + b.at, b.n);
	case 2: /* a word becomes another one of the text */
		a = find_word(t, state);
		b = find_word(copy, state);
		return mutate_put(t, a, copy->p + b.at, b.n);
	case 3: /* or one of ours */
		return mutate_put(t, find_word(t, state), word, strlen(word));
	case 4: /* or one of ours stands before it */
		a = find_word(t, state);
		a.n = 0;
		return mutate_put(t, a, word, strlen(word));
	default:
		return mutate_put(t, find_word(t, state), "", 0);
	}
}
