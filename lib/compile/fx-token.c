/* Words of Python, as far as PyTorch's graphs have them. */
#include "compile/fx-token.h"

#include <string.h>

static bool
begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (unsigned char)c >= 0x80;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void
sf_fx_lexer_init(struct sf_fx_lexer *l, struct sf_str text)
{
	*l = (struct sf_fx_lexer){ .p = text.p,
		.line_start = text.p,
		.end = text.p + text.n,
		.comment_line = -1 };
	sf_fx_next(l);
}

static void
break_line(struct sf_fx_lexer *l)
{
	l->p++;
	l->line++;
	l->line_start = l->p;
}

static void
skip_comment(struct sf_fx_lexer *l)
{
	const char *start = l->p + 1;

	while (l->p < l->end && *l->p != '\n')
		l->p++;
	l->comment =
	    sf_str_trim((struct sf_str){ start, (size_t)(l->p - start) });
	l->comment_line = l->line;
}

/* Blanks, comments, and inside of brackets line breaks. */
static void
skip_blanks(struct sf_fx_lexer *l)
{
	for (; l->p < l->end; l->p++) {
		if (*l->p == '#')
			skip_comment(l);
		while (l->p < l->end && *l->p == '\n' && l->depth > 0)
			break_line(l);
		if (l->p == l->end ||
		    (*l->p != ' ' && *l->p != '\t' && *l->p != '\r' &&
			*l->p != '#'))
			return;
		if (*l->p == '#')
			l->p--;
	}
}

/* A string of one or three quotes; it is wrong when it does not end. */
static void
read_string(struct sf_fx_lexer *l)
{
	char quote = *l->p;
	bool three = l->end - l->p >= 3 && l->p[1] == quote && l->p[2] == quote;
	size_t n = three ? 3 : 1;

	l->p += n;
	l->token.text.p = l->p;
	for (; l->p < l->end; l->p++) {
		if (*l->p == '\\' && l->p + 1 < l->end && l->p[1] != '\n')
			l->p++;
		else if (*l->p == '\n' && !three)
			break;
		else if (*l->p == '\n') {
			break_line(l);
			l->p--;
		} else if (*l->p == quote &&
		    (!three ||
			(l->end - l->p >= 3 && l->p[1] == quote &&
			    l->p[2] == quote))) {
			l->token.kind = SF_FX_STRING;
			l->token.text.n = (size_t)(l->p - l->token.text.p);
			l->p += n;
			return;
		}
	}
	l->token.text = SF_STR("a string without its end");
}

static void
read_name(struct sf_fx_lexer *l)
{
	const char *start = l->p;

	while (l->p < l->end && (begins_name(*l->p) || is_digit(*l->p)))
		l->p++;
	l->token.kind = SF_FX_NAME;
	l->token.text = (struct sf_str){ start, (size_t)(l->p - start) };
}

static void
read_number(struct sf_fx_lexer *l)
{
	const char *start = l->p;

	while (l->p < l->end &&
	    (is_digit(*l->p) || *l->p == '.' || begins_name(*l->p) ||
		((*l->p == '-' || *l->p == '+') &&
		    (l->p[-1] == 'e' || l->p[-1] == 'E'))))
		l->p++;
	l->token.kind = SF_FX_NUMBER;
	l->token.text = (struct sf_str){ start, (size_t)(l->p - start) };
}

static void
read_mark(struct sf_fx_lexer *l)
{
	/* The longer ones first. */
	static const char marks[][4] = { "**=", "//=", ">>=", "<<=", "...",
		"->",
		"+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "**",
		"//", ">>", "<<", "==", "!=", "<=", ">=", "(", ")", "[", "]",
		"{", "}", ",", ":", ".", ";", "=", "+", "-", "*", "/", "%", "@",
		"&", "|", "^", "~", "<", ">" };
	size_t left = (size_t)(l->end - l->p);

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		size_t n = strlen(marks[i]);

		if (left < n || memcmp(l->p, marks[i], n) != 0)
			continue;
		l->token.kind = SF_FX_MARK;
		l->token.text = (struct sf_str){ l->p, n };
		l->depth += memchr("([{", *l->p, 3) != NULL;
		l->depth -=
		    memchr(")]}", *l->p, 3) != NULL && l->depth > 0 ? 1 : 0;
		l->p += n;
		return;
	}
	l->token.text = (struct sf_str){ l->p++, 1 };
}

void
sf_fx_next(struct sf_fx_lexer *l)
{
	skip_blanks(l);
	l->token = (struct sf_fx_token){ .kind = SF_FX_WRONG,
		.line = l->line,
		.column = (int)(l->p - l->line_start) };
	if (l->p == l->end) {
		l->token.kind = SF_FX_END;
	} else if (*l->p == '\n') {
		l->token.kind = SF_FX_NEWLINE;
		break_line(l);
	} else if (*l->p == '\'' || *l->p == '"') {
		read_string(l);
	} else if (begins_name(*l->p)) {
		read_name(l);
	} else if (is_digit(*l->p)) {
		read_number(l);
	} else {
		read_mark(l);
	}
}

bool
sf_fx_is(const struct sf_fx_lexer *l, const char *text)
{
	return (l->token.kind == SF_FX_MARK || l->token.kind == SF_FX_NAME) &&
	    sf_str_is(l->token.text, text);
}

bool
sf_fx_take(struct sf_fx_lexer *l, const char *text)
{
	if (!sf_fx_is(l, text))
		return false;
	sf_fx_next(l);
	return true;
}

struct sf_str
sf_fx_rest_of_line(struct sf_fx_lexer *l)
{
	struct sf_str rest = { l->line_start + l->token.column, 0 };

	if (l->token.kind == SF_FX_NEWLINE || l->token.kind == SF_FX_END)
		return SF_STR("");
	while (l->p < l->end && *l->p != '\n')
		l->p++;
	rest.n = (size_t)(l->p - rest.p);
	l->depth = 0;
	sf_fx_next(l);
	return rest;
}
