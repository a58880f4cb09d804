/* The JSON writer. */
#include "stream/jsonw.h"

#include <math.h>

#include "base/die.h"
#include "base/word.h"

static void
item(struct sf_jsonw *w)
{
	if (w->comma)
		sf_buf_putc(&w->buf, ',');
	w->comma = true;
}

void
sf_jsonw_open(struct sf_jsonw *w, char open)
{
	item(w);
	sf_buf_putc(&w->buf, open);
	w->comma = false;
}

void
sf_jsonw_close(struct sf_jsonw *w, char close)
{
	sf_buf_putc(&w->buf, close);
	w->comma = true;
}

#define EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/*
 * The bytes of WORD, eight of a text, that are '"', '\\' or a control byte,
 * and those that have a bit of MARKED set: the high bit of each. All behind the
 * first such byte is arbitrary.
 */
static inline uint64_t
find_special(uint64_t word, uint64_t marked)
{
	uint64_t slash = word ^ EACH_BYTE('\\');
	/* This takes '"' to 0x20 and leaves control bytes below. */
	uint64_t quote = word ^ EACH_BYTE('"' ^ 0x20);

	return (((quote - EACH_BYTE(0x21)) & ~quote) |
		   ((slash - EACH_BYTE(1)) & ~slash) | (word & marked)) &
	    EACH_BYTE(0x80);
}

/* N bytes, from 1 to 7, with blanks behind them, which are plain. */
static inline uint64_t
few_at(const char *p, size_t n)
{
	return EACH_BYTE(' ') << 8 * n | sf_few_at(p, n);
}

/* The same for a copy of N bytes, at most 16. */
static inline void
copy_few(char *to, const char *p, size_t n)
{
	if (n >= 8) {
		uint64_t first, last;

		memcpy(&first, p, 8);
		memcpy(&last, p + n - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + n - 8, &last, 8);
	} else if (n >= 4) {
		uint32_t first, last;

		memcpy(&first, p, 4);
		memcpy(&last, p + n - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + n - 4, &last, 4);
	} else if (n != 0) {
		char middle = p[n / 2], last = p[n - 1];

		to[0] = p[0];
		to[n / 2] = middle;
		to[n - 1] = last;
	}
}

/*
 * The number of bytes at P before the first that needs an escape or, with
 * MARKED being EACH_BYTE(0x80), is no ASCII.
 */
static inline size_t
plain_length(const char *p, size_t n, uint64_t marked)
{
	uint64_t hit;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		hit = find_special(sf_word_at(p + i), marked);
		if (hit != 0)
			return i + ((size_t)__builtin_ctzll(hit) >> 3);
	}
	if (i == n)
		return n;
	/* Those that were looked at already are plain. */
	if (n > 8) {
		i = n - 8;
		hit = find_special(sf_word_at(p + i), marked);
	} else {
		hit = find_special(few_at(p, n), marked);
	}
	return hit != 0 ? i + ((size_t)__builtin_ctzll(hit) >> 3) : n;
}

static void
put_escape(struct sf_buf *buf, unsigned char c)
{
	switch (c) {
	case '\n':
		SF_BUF_LIT(buf, "\\n");
		break;
	case '\t':
		SF_BUF_LIT(buf, "\\t");
		break;
	case '\r':
		SF_BUF_LIT(buf, "\\r");
		break;
	case '"':
		SF_BUF_LIT(buf, "\\\"");
		break;
	case '\\':
		SF_BUF_LIT(buf, "\\\\");
		break;
	default:
		sf_buf_printf(buf, "\\u%04x", c);
	}
}

/* Text that is UTF-8. */
static void
put_text(struct sf_buf *buf, const char *p, size_t n)
{
	for (;;) {
		size_t run = plain_length(p, n, 0);

		sf_buf_put(buf, p, run);
		if (run == n)
			return;
		put_escape(buf, (unsigned char)p[run]);
		p += run + 1;
		n -= run + 1;
	}
}

/* Text of which some byte is not UTF-8: found by trying ever longer runs. */
static void
put_mended(struct sf_buf *buf, const char *p, size_t n)
{
	while (n != 0) {
		size_t len = 1;

		while (len <= 4 && len <= n && !sf_utf8_valid(p, len))
			len++;
		if (len > 4 || len > n) {
			SF_BUF_LIT(buf, "\xef\xbf\xbd");
			len = 1;
		} else {
			put_text(buf, p, len);
		}
		p += len;
		n -= len;
	}
}

static void
put_quoted(struct sf_buf *buf, struct sf_str text)
{
	/* Most words are ASCII that needs no escape. */
	size_t n = plain_length(text.p, text.n, EACH_BYTE(0x80));

	sf_buf_need(buf, n + 2);
	buf->p[buf->n++] = '"';
	if (n <= 16)
		copy_few(buf->p + buf->n, text.p, n);
	else
		memcpy(buf->p + buf->n, text.p, n);
	buf->n += n;
	if (n != text.n) {
		text = (struct sf_str){ text.p + n, text.n - n };
		if (sf_utf8_valid(text.p, text.n))
			put_text(buf, text.p, text.n);
		else
			put_mended(buf, text.p, text.n);
	}
	sf_buf_putc(buf, '"');
}

void
sf_jsonw_str(struct sf_jsonw *w, struct sf_str text)
{
	item(w);
	put_quoted(&w->buf, text);
}

void
sf_jsonw_cstr(struct sf_jsonw *w, const char *text)
{
	sf_jsonw_str(w, sf_str_of(text));
}

void
sf_jsonw_int(struct sf_jsonw *w, int64_t x)
{
	item(w);
	sf_buf_int(&w->buf, x);
}

void
sf_jsonw_double(struct sf_jsonw *w, double x)
{
	if (!isfinite(x))
		sf_bug("a number that JSON cannot spell");
	item(w);
	sf_buf_double(&w->buf, x);
}

void
sf_jsonw_bool(struct sf_jsonw *w, bool x)
{
	item(w);
	if (x)
		SF_BUF_LIT(&w->buf, "true");
	else
		SF_BUF_LIT(&w->buf, "false");
}

void
sf_jsonw_null(struct sf_jsonw *w)
{
	item(w);
	SF_BUF_LIT(&w->buf, "null");
}

void
sf_jsonw_raw(struct sf_jsonw *w, struct sf_str json)
{
	item(w);
	sf_buf_put(&w->buf, json.p, json.n);
}

void
sf_jsonw_name(struct sf_jsonw *w, struct sf_str key)
{
	sf_jsonw_str(w, key);
	sf_buf_putc(&w->buf, ':');
	w->comma = false;
}

void
sf_jsonw_kstr(struct sf_jsonw *w, const char *key, struct sf_str text)
{
	sf_jsonw_key(w, key);
	sf_jsonw_str(w, text);
}

void
sf_jsonw_kcstr(struct sf_jsonw *w, const char *key, const char *text)
{
	sf_jsonw_key(w, key);
	sf_jsonw_cstr(w, text);
}

void
sf_jsonw_kdouble(struct sf_jsonw *w, const char *key, double x)
{
	sf_jsonw_key(w, key);
	sf_jsonw_double(w, x);
}
