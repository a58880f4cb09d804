/*
 * The words of the Python text in which PyTorch prints its graphs. Inside of
 * brackets line breaks mean nothing, as in Python; comments are stepped over
 * and the last one is kept.
 */
#ifndef SF_COMPILE_FX_TOKEN_H
#define SF_COMPILE_FX_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * The text of one graph. An LF ends each line, the last one, too, and a NUL
 * stands behind the text.
 */
struct sf_fx_text {
	struct sf_str text;
	/* Where each of its lines stands in the file. */
	const int64_t *lines;
	int64_t nlines;
};

enum sf_fx_token_kind {
	SF_FX_END,
	SF_FX_NEWLINE, /* the end of a statement */
	SF_FX_NAME,
	SF_FX_NUMBER,
	SF_FX_STRING, /* its text is without the quotes, escapes undone not */
	SF_FX_MARK,   /* punctuation and operators */
	SF_FX_WRONG,  /* no word of Python's */
};

struct sf_fx_token {
	enum sf_fx_token_kind kind;
	struct sf_str text;
	int64_t line; /* of the text, from 0 */
	int column;   /* bytes before it in its line */
};

struct sf_fx_lexer {
	struct sf_fx_token token; /* the current one */
	struct sf_str comment;    /* the last one, without the "#" */
	int64_t comment_line;     /* where it stands; -1: there was none */
	const char *p, *line_start, *end;
	int64_t line;
	int depth; /* of brackets */
};

/* Reads the first token. */
void sf_fx_lexer_init(struct sf_fx_lexer *lexer, struct sf_str text);

/* Reads the next one. */
void sf_fx_next(struct sf_fx_lexer *lexer);

/* Whether the current token is that mark, or that name. */
bool sf_fx_is(const struct sf_fx_lexer *lexer, const char *text);

/* Steps over it if it is. */
bool sf_fx_take(struct sf_fx_lexer *lexer, const char *text);

/* The rest of the line, which is stepped over as text. */
struct sf_str sf_fx_rest_of_line(struct sf_fx_lexer *lexer);

#endif
