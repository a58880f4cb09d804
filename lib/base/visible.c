/* Characters that do not show, written so that they do. */
#include "base/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The code point at TEXT[*at], which is advanced behind it; -1 and one byte
 * when there is none.
 */
static int32_t
next_code_point(struct sf_str text, size_t *at)
{
	unsigned char c = (unsigned char)text.p[*at];
	size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	int32_t cp = c < 0x80 ? c : c & (0x7f >> len);

	if (text.n - *at < len || !sf_utf8_valid(text.p + *at, len)) {
		++*at;
		return -1;
	}
	for (size_t i = 1; i < len; i++)
		cp = cp << 6 | (text.p[*at + i] & 0x3f);
	*at += len;
	return cp;
}

/* Controls, line separators and marks that turn the writing direction. */
static bool
is_hidden(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
	    cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069);
}

size_t
sf_visible(
    struct sf_str text, size_t *at, char out[SF_VISIBLE_ROOM], bool *hidden)
{
	static const char digit[] = "0123456789abcdef";
	size_t from = *at, n = 0;
	int32_t cp = next_code_point(text, at);

	*hidden = cp < 0 || is_hidden(cp);
	if (!*hidden) {
		memcpy(out, text.p + from, *at - from);
		return *at - from;
	}
	if (cp < 0)
		cp = (unsigned char)text.p[from];
	out[n++] = '\\';
	out[n++] = cp < 0x100 ? 'x' : 'u';
	for (int shift = cp < 0x100 ? 4 : 12; shift >= 0; shift -= 4)
		out[n++] = digit[cp >> shift & 15];
	return n;
}
