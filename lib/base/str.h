/*
 * A slice of text that somebody else owns, not NUL-terminated. printf it with
 * "%.*s" and SF_STR_ARG(s).
 */
#ifndef SF_BASE_STR_H
#define SF_BASE_STR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

struct sf_str {
	const char *p;
	size_t n;
};

#ifdef __cplusplus
#define SF_STR(literal) (sf_str SF_STR_INIT(literal))
#else
#define SF_STR(literal) ((struct sf_str)SF_STR_INIT(literal))
#endif
#define SF_STR_INIT(literal)                    \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}
#define SF_STR_ARG(s) (int)((s).n < INT_MAX ? (s).n : INT_MAX), (s).p

static inline struct sf_str
sf_str_of(const char *text)
{
	struct sf_str str = { text, strlen(text) };

	return str;
}

static inline bool
sf_str_eq(struct sf_str a, struct sf_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
sf_str_is(struct sf_str a, const char *text)
{
	return sf_str_eq(a, sf_str_of(text));
}

static inline bool
sf_str_starts(struct sf_str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.n >= n && memcmp(a.p, prefix, n) == 0;
}

/*
 * The first C, the last C, the first of WORD; NULL when there is none, as in a
 * slice of nothing, whose P may be NULL, which memchr() and its kin do not take.
 */
static inline const char *
sf_str_chr(struct sf_str s, char c)
{
	return s.n == 0 ? NULL : (const char *)memchr(s.p, c, s.n);
}

const char *sf_str_rchr(struct sf_str s, char c);
const char *sf_str_find(struct sf_str s, const char *word);

/* Takes PREFIX from the beginning of *S; false when it does not begin so. */
bool sf_str_take(struct sf_str *s, const char *prefix);

/* Without the blanks (space, tab, CR) at both ends. */
struct sf_str sf_str_trim(struct sf_str s);

/* Cuts *S at the first SEPARATOR, or takes all; what was before it, trimmed. */
struct sf_str sf_str_cut(struct sf_str *s, char separator);

/* True when the bytes are well-formed UTF-8 (RFC 3629). */
bool sf_utf8_valid(const char *text, size_t len);

SF_PUBLIC_END

#endif
