/* Text in Markdown: what is escaped, what is left alone, and bytes at random. */
#include "text/markdown.h"

#include "check.h"

static void
text_is(const char *text, size_t n, const char *want)
{
	struct sf_buf out = { 0 };

	sf_md_text(&out, (struct sf_str){ text, n });
	CHECK_FOR(want, out.n == strlen(want));
	CHECK_FOR(want, out.n == 0 || memcmp(out.p, want, out.n) == 0);
	sf_buf_release(&out);
}

#define TEXT_IS(text, want) text_is(text, sizeof(text) - 1, want)

static void
escapes(void)
{
	TEXT_IS("", "");
	TEXT_IS("aten.mm", "aten.mm");
	TEXT_IS("a|b", "a\\|b");
	TEXT_IS("a\\b", "a\\\\b");
	TEXT_IS("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
	TEXT_IS("\xc2\x85", "\\x85");       /* a line break of Unicode */
	TEXT_IS("\xe2\x80\xa8", "\\u2028"); /* another */
	TEXT_IS("\xe2\x80\xae", "\\u202e"); /* right to left */
	TEXT_IS("\xc3\xa9\xe5\x8a\xa0\xf0\x9f\x8d\x8a",
	    "\xc3\xa9\xe5\x8a\xa0\xf0\x9f\x8d\x8a");
	TEXT_IS("\xff\xc3", "\\xff\\xc3"); /* not UTF-8 */
	TEXT_IS("[1,3,32,32]", "[1,3,32,32]");
	TEXT_IS("[a](b)", "[a\\](b)");
}

/* Underscores are escaped only where they would close emphasis. */
static void
underscores(void)
{
	TEXT_IS("max_pool2d_with_indices", "max_pool2d_with_indices");
	TEXT_IS("aten.add_", "aten.add_");
	TEXT_IS("aten._softmax", "aten._softmax");
	TEXT_IS("aten._to_", "aten._to\\_");
	TEXT_IS("__init__", "__init\\_\\_");
	TEXT_IS("_", "_");
	TEXT_IS("a__b__c", "a__b__c");
	TEXT_IS("__a__b__", "__a__b\\_\\_");
}

/* A run is looked at once: done at once, or not in the life of a test. */
static void
long_run(void)
{
	const size_t n = 8 << 20;
	char *text = malloc(n);
	struct sf_buf out = { 0 };

	CHECK(text != NULL);
	memset(text, '_', n);
	sf_md_text(&out, (struct sf_str){ text, n });
	CHECK(out.n == n);
	sf_buf_release(&out);
	free(text);
}

/* Whatever comes in, no control byte and no bare '|' comes out. */
static void
random_bytes(void)
{
	unsigned long long seed = 1;
	struct sf_buf out = { 0 };
	char text[12];

	for (int i = 0; i < 200000; i++) {
		size_t n = check_random(&seed) % sizeof text;

		for (size_t j = 0; j < n; j++)
			text[j] = (char)(check_random(&seed) >> 40);
		out.n = 0;
		sf_md_text(&out, (struct sf_str){ text, n });
		CHECK(sf_utf8_valid(out.p, out.n));
		for (size_t j = 0; j < out.n; j++) {
			CHECK((unsigned char)out.p[j] >= 0x20);
			CHECK(out.p[j] != '|' ||
			    (j != 0 && out.p[j - 1] == '\\'));
		}
	}
	sf_buf_release(&out);
}

static void
tables(void)
{
	static const char want[] = "| a   |     b |\n"
				   "| :-- | ----: |\n"
				   "| xyz | 1,000 |\n"
				   "|     |       |\n"
				   "\n";
	struct sf_buf out = { 0 };
	struct sf_grid grid;

	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "a");
	sf_grid_label(&grid, "b");
	sf_grid_text(&grid, SF_STR("xyz"));
	sf_grid_int(&grid, 1000);
	sf_grid_label(&grid, "");
	sf_grid_label(&grid, "");
	sf_grid_finish(&grid, &out);
	CHECK(out.n == sizeof want - 1 && memcmp(out.p, want, out.n) == 0);
	sf_buf_release(&out);
}

/* One wide cell does not make every row of its table as wide. */
static void
wide_cell(void)
{
	enum {
		WIDE = 1 << 16,
		ROWS = 1 << 10
	};
	struct sf_buf out = { 0 };
	struct sf_grid grid;
	static char text[WIDE];

	memset(text, 'x', sizeof text);
	sf_grid_init(&grid, "lr");
	sf_grid_text(&grid, (struct sf_str){ text, sizeof text });
	sf_grid_label(&grid, "b");
	for (int i = 0; i < ROWS; i++) {
		sf_grid_label(&grid, "a");
		sf_grid_int(&grid, i);
	}
	sf_grid_finish(&grid, &out);
	CHECK(out.n < WIDE + 64 * ROWS);
	sf_buf_release(&out);
}

int
main(void)
{
	escapes();
	underscores();
	long_run();
	wide_cell();
	random_bytes();
	tables();
	return 0;
}
