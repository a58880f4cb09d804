/* Errors that are returned. */
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void
sf_vprint_fit(char *out, size_t size, const char *format, va_list ap)
{
	static const char gap[] = " [...] ";
	size_t head = size / 2 - sizeof gap, tail = size / 2;
	const char *rest;
	va_list again;
	char *whole;
	int len;

	va_copy(again, ap);
	len = vsnprintf(out, size, format, ap);
	whole = len < 0 || (size_t)len < size ? NULL : malloc((size_t)len + 1);
	if (whole != NULL) {
		vsnprintf(whole, (size_t)len + 1, format, again);
		while (head != 0 && is_inside_character(whole[head]))
			head--;
		rest = whole + (size_t)len - tail;
		while (is_inside_character(*rest))
			rest++;
		memcpy(out + head, gap, sizeof gap - 1);
		memcpy(out + head + sizeof gap - 1, rest, strlen(rest) + 1);
		free(whole);
	}
	va_end(again);
}

bool
sf_fail(struct sf_error *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	sf_vprint_fit(error->text, sizeof error->text, format, ap);
	va_end(ap);
	return false;
}
