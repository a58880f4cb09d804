/* Lists of names as Python writes them. */
#include "onnx/read/scopes.h"

#include <stdbool.h>

/* A string with no escape and nothing hidden in it; *AT is behind it then. */
static bool
take_string(struct sf_str text, size_t *at, struct sf_str *out)
{
	size_t i = *at, from;
	char quote;

	if (i == text.n || (text.p[i] != '\'' && text.p[i] != '"'))
		return false;
	quote = text.p[i++];
	from = i;
	for (; i < text.n && text.p[i] != quote; i++)
		if (text.p[i] == '\\' || (unsigned char)text.p[i] < ' ')
			return false;
	if (i == text.n)
		return false;
	*out = (struct sf_str){ text.p + from, i - from };
	*at = i + 1;
	return true;
}

struct sf_str
sf_onnx_module_of(struct sf_str text)
{
	struct sf_str before = SF_STR(""), last = SF_STR("");
	size_t at = 1;

	if (text.n < 2 || text.p[0] != '[')
		return SF_STR("");
	for (;;) {
		before = last;
		if (!take_string(text, &at, &last))
			return SF_STR("");
		if (at < text.n && text.p[at] == ']')
			return before;
		if (text.n - at < 2 || text.p[at] != ',' ||
		    text.p[at + 1] != ' ')
			return SF_STR("");
		at += 2;
	}
}
