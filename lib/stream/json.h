/*
 * A scanner over JSON text in memory that builds no tree. The text must be
 * preceded by a byte and followed by an LF, which no JSON value contains, and
 * SF_JSON_PADDING bytes behind it must be readable: no bound is checked.
 *
 * The first error sticks: every later call does nothing and returns zero, and
 * loops over members and elements end, so one look at scan.error when the
 * record is read is enough.
 *
 *	sf_json_enter(s, '{');
 *	while (sf_json_member(s, &key))
 *		if (SF_KEY(key, "shape"))
 *			...
 *		else
 *			sf_json_skip(s);
 */
#ifndef SF_STREAM_JSON_H
#define SF_STREAM_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

enum {
	SF_JSON_PADDING = 16
};

struct sf_json {
	const char *p;     /* next byte */
	const char *start; /* of the text, for the column of an error */
	const char *error; /* what was wrong at p, NULL while all is well */
	struct sf_arena *arena; /* takes strings whose escapes were undone */
};

/* True when KEY is the literal. */
#define SF_KEY(key, literal)               \
	((key).n == sizeof(literal) - 1 && \
	    memcmp((key).p, "" literal, sizeof(literal) - 1) == 0)

/* Records the first error; returns false. ERROR is a string constant. */
bool sf_json_fail(struct sf_json *s, const char *error);

/* The next byte that is not white space, not consumed. */
static inline char
sf_json_peek(struct sf_json *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\r')
		s->p++;
	return *s->p;
}

/* Consumes '{' or '['. */
bool sf_json_enter(struct sf_json *s, char open);

/*
 * Moves to the next member of the object that was entered and gives its key,
 * or consumes the closing brace and returns false.
 */
bool sf_json_next_member(struct sf_json *s, struct sf_str *key);

static inline bool
sf_json_member(struct sf_json *s, struct sf_str *key)
{
	/* An object's end behind a value or its beginning needs no more. */
	if (*s->p == '}' && s->error == NULL) {
		s->p++;
		return false;
	}
	return sf_json_next_member(s, key);
}

/*
 * Consumes TEXT, a constant of at most SF_JSON_PADDING bytes, if it is what
 * comes next byte for byte. For members in the order and spelling that nearly
 * all traces have; sf_json_member reads those that come otherwise.
 */
#define SF_JSON_TAKE(s, text)                                 \
	((s)->error == NULL &&                                \
	    memcmp((s)->p, "" text, sizeof(text) - 1) == 0 && \
	    ((s)->p += sizeof(text) - 1, true))

/* The same for the elements of an array. */
bool sf_json_next_element(struct sf_json *s);

static inline bool
sf_json_element(struct sf_json *s)
{
	/* Compact text is decided here, by its one next byte. */
	if (s->error != NULL)
		return false;
	if (*s->p == ',' && s->p[-1] != '[') {
		s->p++;
		return true;
	}
	if (*s->p == ']') {
		s->p++;
		return false;
	}
	return sf_json_next_element(s);
}

/*
 * Values. A string is a slice of the text, or lies in the arena when escapes
 * had to be undone; an escaped NUL or half a surrogate pair is an error, and is
 * one for sf_json_skip, too. Integers must be integers: 3.0 and 1e3 are refused,
 * and so is what does not fit int64_t.
 */
struct sf_str sf_json_string(struct sf_json *s);
int64_t sf_json_int(struct sf_json *s);
double sf_json_double(struct sf_json *s);
bool sf_json_bool(struct sf_json *s);

/* Consumes a null if one is next. */
bool sf_json_take_null(struct sf_json *s);

static inline bool
sf_json_null(struct sf_json *s)
{
	return sf_json_peek(s) == 'n' && sf_json_take_null(s);
}

/* Steps over any value, checked to be JSON, and returns its text. */
struct sf_str sf_json_skip(struct sf_json *s);

/* Checks that nothing but white space follows up to the LF. */
bool sf_json_end_line(struct sf_json *s);

/*
 * A copy of the text of a value with the bytes around it that a scanner wants:
 * what is scanned after its record has gone is kept by this.
 */
struct sf_str sf_json_keep(struct sf_arena *arena, struct sf_str text);

SF_PUBLIC_END

#endif
