/*
 * Writes JSON text into a buffer, compact, commas where they belong. The
 * caller opens and closes; strings that are not UTF-8 get U+FFFD for each
 * wrong byte.
 */
#ifndef SF_STREAM_JSONW_H
#define SF_STREAM_JSONW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

struct sf_jsonw {
	struct sf_buf buf;
	bool comma; /* the next key or element needs one before it */
};

void sf_jsonw_open(struct sf_jsonw *w, char open);
void sf_jsonw_close(struct sf_jsonw *w, char close);

/* KEY needs no escapes. Inline: the length of a constant is known then. */
static inline void
sf_jsonw_key(struct sf_jsonw *w, const char *key)
{
	size_t n = strlen(key);

	sf_buf_need(&w->buf, n + 4);
	if (w->comma)
		w->buf.p[w->buf.n++] = ',';
	w->buf.p[w->buf.n++] = '"';
	memcpy(w->buf.p + w->buf.n, key, n);
	w->buf.n += n;
	w->buf.p[w->buf.n++] = '"';
	w->buf.p[w->buf.n++] = ':';
	w->comma = false;
}

/* A key that needs escapes, perhaps: one that a file or a user chose. */
void sf_jsonw_name(struct sf_jsonw *w, struct sf_str key);

/* Values, as elements of an array or behind a key. Doubles are finite. */
void sf_jsonw_str(struct sf_jsonw *w, struct sf_str text);
void sf_jsonw_cstr(struct sf_jsonw *w, const char *text);
void sf_jsonw_int(struct sf_jsonw *w, int64_t x);
void sf_jsonw_double(struct sf_jsonw *w, double x);
void sf_jsonw_bool(struct sf_jsonw *w, bool x);
void sf_jsonw_null(struct sf_jsonw *w);
void sf_jsonw_raw(struct sf_jsonw *w, struct sf_str json);

/* A key and its value. */
void sf_jsonw_kstr(struct sf_jsonw *w, const char *key, struct sf_str text);
void sf_jsonw_kcstr(struct sf_jsonw *w, const char *key, const char *text);
void sf_jsonw_kdouble(struct sf_jsonw *w, const char *key, double x);

static inline void
sf_jsonw_kint(struct sf_jsonw *w, const char *key, int64_t x)
{
	sf_jsonw_key(w, key);
	sf_jsonw_int(w, x);
}

SF_PUBLIC_END

#endif
