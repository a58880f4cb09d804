/* Checks on slices of text. */
#include "base/str.h"

#include <stdint.h>

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

bool
sf_utf8_valid(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	uint64_t w[4];

	for (size_t i = 0, step; i < len; i += step) {
		/* Nearly all text is ASCII: no byte has its top bit set. */
		if (len - i >= sizeof w) {
			memcpy(w, p + i, sizeof w);
			step = sizeof w;
			if (((w[0] | w[1] | w[2] | w[3]) &
				UINT64_C(0x8080808080808080)) == 0)
				continue;
		}
		step = sequence(p + i, len - i);
		if (step == 0)
			return false;
	}
	return true;
}
