/* The module in a list of scopes. */
#include "onnx/read/scopes.h"

#include <string.h>

#include "base/arena.h"
#include "check.h"

static const struct {
	const char *text, *module;
} cases[] = {
	{ "['', 'features', 'features.0', 'conv2d']", "features.0" },
	{ "['', 'conv2d']", "" },
	{ "['conv2d']", "" },
	{ "[\"it's\", 'relu']", "it's" },
	{ "['a', 'b', 'c']", "b" },
	{ "['\xce\xb1', 'x']", "\xce\xb1" },
	/* Not such a list. */
	{ "", "" },
	{ "[", "" },
	{ "[]", "" },
	{ "['a', 'b'", "" },
	{ "['a', 'b", "" },
	{ "['a', ", "" },
	{ "['a',", "" },
	{ "['a' 'b']", "" },
	{ "['a','b']", "" },
	{ "['a', b]", "" },
	{ "['a\\'', 'b']", "" },
	{ "['a\n', 'b']", "" },
	{ "('a', 'b')", "" },
	{ "a, b", "" },
};

int
main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* Behind the text is nothing that may be read. */
		size_t n = strlen(cases[i].text);
		char *text = sf_malloc(n != 0 ? n : 1);
		struct sf_str got;

		memcpy(text, cases[i].text, n);
		got = sf_onnx_module_of((struct sf_str){ text, n });
		CHECK_FOR(cases[i].text, sf_str_is(got, cases[i].module));
		free(text);
	}
	return 0;
}
