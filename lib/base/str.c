/* Slices of text: cutting and checking them. */
#include "base/str.h"

#include <stdint.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

const char *
sf_str_rchr(struct sf_str s, char c)
{
	return s.n == 0 ? NULL : memrchr(s.p, c, s.n);
}

const char *
sf_str_find(struct sf_str s, const char *word)
{
	return s.n == 0 ? NULL : memmem(s.p, s.n, word, strlen(word));
}

bool
sf_str_take(struct sf_str *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!sf_str_starts(*s, prefix))
		return false;
	s->p += n;
	s->n -= n;
	return true;
}

struct sf_str
sf_str_trim(struct sf_str s)
{
	while (s.n != 0 && is_blank(*s.p))
		s = (struct sf_str){ s.p + 1, s.n - 1 };
	while (s.n != 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct sf_str
sf_str_cut(struct sf_str *s, char separator)
{
	const char *at = s->n != 0 ? memchr(s->p, separator, s->n) : NULL;
	struct sf_str piece = *s;

	if (at == NULL) {
		*s = (struct sf_str){ s->p + s->n, 0 };
	} else {
		piece.n = (size_t)(at - s->p);
		*s = (struct sf_str){ at + 1, s->n - piece.n - 1 };
	}
	return sf_str_trim(piece);
}

/* The number of bytes of the sequence at P, 0 when it is not well-formed. */
static size_t
sequence(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (left < n)
		return 0;
	/* The second byte also rules out overlong forms and surrogates. */
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

enum {
	ASCII_STEP = 32
};

/* No byte of the ASCII_STEP ones at P has its top bit set. */
static inline bool
ascii_step(const unsigned char *p)
{
	uint64_t w[4];

	_Static_assert(sizeof w == ASCII_STEP, "");
	memcpy(w, p, sizeof w);
	return ((w[0] | w[1] | w[2] | w[3]) & UINT64_C(0x8080808080808080)) ==
	    0;
}

/* Up to 32 bytes, by words of eight of which the last two may overlap. */
static bool
short_ascii(const unsigned char *p, size_t len)
{
	uint64_t all = 0, w;

	if (len < sizeof w) {
		for (size_t i = 0; i < len; i++)
			all |= p[i];
		return (all & 0x80) == 0;
	}
	for (size_t i = 0; i + sizeof w <= len; i += sizeof w) {
		memcpy(&w, p + i, sizeof w);
		all |= w;
	}
	memcpy(&w, p + len - sizeof w, sizeof w);
	return ((all | w) & UINT64_C(0x8080808080808080)) == 0;
}

bool
sf_utf8_valid(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0;

	/* Nearly all text is ASCII. */
	if (len < ASCII_STEP && short_ascii(p, len))
		return true;
	while (i < len) {
		size_t left = len - i, n;

		if (left >= ASCII_STEP && ascii_step(p + i)) {
			i += ASCII_STEP;
			continue;
		}
		/* The last bytes, with some before them. */
		if (left < ASCII_STEP && len >= ASCII_STEP &&
		    ascii_step(p + len - ASCII_STEP))
			return true;
		n = sequence(p + i, left);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}
