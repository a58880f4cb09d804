/* UTF-8 against a decoder that is written the other way round. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "check.h"

/* What a code point is in UTF-8; 0 for what has no encoding. */
static size_t
encode(uint32_t c, unsigned char *out)
{
	if (c >= 0xd800 && c <= 0xdfff)
		return 0;
	if (c < 0x80) {
		out[0] = (unsigned char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (unsigned char)(0xc0 | c >> 6);
		out[1] = (unsigned char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (unsigned char)(0xe0 | c >> 12);
		out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (unsigned char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (unsigned char)(0xf0 | c >> 18);
	out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (unsigned char)(0x80 | (c & 0x3f));
	return 4;
}

static bool
valid(const unsigned char *bytes, size_t n)
{
	/* Exactly N bytes, so that the sanitizers see a read beyond. */
	char *copy = malloc(n + 1);
	bool answer;

	memcpy(copy, bytes, n);
	answer = sf_utf8_valid(copy, n);
	free(copy);
	return answer;
}

static void
every_code_point(void)
{
	unsigned char text[24];

	for (uint32_t c = 0; c < 0x110000; c++) {
		size_t n = encode(c, text);

		if (n == 0)
			continue;
		CHECK(sf_utf8_valid((char *)text, n));
		if (n > 1)
			CHECK(!sf_utf8_valid((char *)text, n - 1));
	}
}

/* Sets ok[b0 << 16 | b1 << 8 | b2] for every start of a valid sequence. */
static void
every_three_bytes(void)
{
	static unsigned char ok[1 << 24];
	unsigned char text[4] = { 0 };

	for (uint32_t c = 0x80; c < 0x10000; c++) {
		size_t n = encode(c, text);

		if (n == 2)
			for (uint32_t third = 0; third < 0x80; third++)
				ok[text[0] << 16 | text[1] << 8 | third] = 1;
		if (n == 3)
			ok[text[0] << 16 | text[1] << 8 | text[2]] = 1;
	}
	for (uint32_t lead = 0; lead < 0x80; lead++)
		for (uint32_t two = 0; two < 0x10000; two++) {
			unsigned char b1 = (unsigned char)(two >> 8);
			unsigned char b2 = (unsigned char)two;
			unsigned char pair[2] = { b1, b2 };
			bool ascii = b1 < 0x80 && b2 < 0x80;
			unsigned at =
			    (unsigned)pair[0] << 16 | (unsigned)pair[1] << 8;

			ok[lead << 16 | two] = ascii || ok[at];
		}
	for (uint32_t i = 0; i < 1 << 24; i++) {
		text[0] = (unsigned char)(i >> 16);
		text[1] = (unsigned char)(i >> 8);
		text[2] = (unsigned char)i;
		CHECK(sf_utf8_valid((char *)text, 3) == ok[i]);
	}
}

static void
wrong_four_bytes(void)
{
	static const char *const none[] = { "\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xf0\x9f\x98", "\xf0\x9f\x98\xff", "\xf0\x9f\x28\x80",
		"\xff\xff\xff\xff", "\xf8\x88\x80\x80\x80" };

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK(!valid((const unsigned char *)none[i], strlen(none[i])));
	CHECK(valid((const unsigned char *)"\xf4\x8f\xbf\xbf", 4));
	CHECK(valid((const unsigned char *)"\xf0\x90\x80\x80", 4));
}

/* The step over many bytes must find a wrong byte wherever it stands. */
static void
a_wrong_byte_anywhere(void)
{
	unsigned char text[64];

	for (size_t n = 1; n <= sizeof text; n++)
		for (size_t at = 0; at < n; at++) {
			memset(text, 'x', n);
			CHECK(valid(text, n));
			text[at] = 0x80;
			CHECK(!valid(text, n));
			text[at] = 0xc3;
			CHECK(!valid(text, n));
		}
}

int
main(void)
{
	every_code_point();
	every_three_bytes();
	wrong_four_bytes();
	a_wrong_byte_anywhere();
	return 0;
}
