/* Markdown to HTML, for what our own programs write. */
#include "html/body.h"

#include <stdbool.h>

#include "text/xml.h"

enum {
	MOST_COLUMNS = 32
};

/* What an open element wants before another kind of line. */
enum block {
	NO_BLOCK,
	LIST,
	CODE,
	PARAGRAPH,
	TABLE
};

struct body {
	struct sf_buf *out;
	enum block block;
	int row;                  /* of a table, from 0 */
	bool right[MOST_COLUMNS]; /* how its columns are aligned */
};

/* ---- in a line ---- */

static bool
is_punctuation(char c)
{
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') &&
	    !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
}

static bool
is_strong(struct sf_str text, size_t at)
{
	return at + 1 < text.n && text.p[at] == '*' && text.p[at + 1] == '*';
}

static void
put_inline(struct sf_buf *out, struct sf_str text)
{
	bool strong = false;

	for (size_t i = 0; i < text.n; i++) {
		size_t from = i;

		if (is_strong(text, i)) {
			sf_buf_printf(out, strong ? "</strong>" : "<strong>");
			strong = !strong;
			i++;
			continue;
		}
		if (text.p[i] == '\\' && i + 1 < text.n &&
		    is_punctuation(text.p[i + 1]))
			from = ++i;
		/* All of a character. */
		while (i + 1 < text.n &&
		    ((unsigned char)text.p[i + 1] & 0xc0) == 0x80)
			i++;
		sf_xml_text(
		    out, (struct sf_str){ text.p + from, i + 1 - from });
	}
	if (strong)
		SF_BUF_LIT(out, "</strong>");
}

static struct sf_str
trimmed(struct sf_str text)
{
	while (text.n != 0 && text.p[0] == ' ')
		text.p++, text.n--;
	while (text.n != 0 && text.p[text.n - 1] == ' ')
		text.n--;
	return text;
}

/* ---- tables ---- */

/* The next cell of a row, from *AT on, behind its bar; false behind the last. */
static bool
next_cell(struct sf_str row, size_t *at, struct sf_str *cell)
{
	size_t from = *at, i = from;

	while (i < row.n && row.p[i] != '|')
		i += row.p[i] == '\\' && i + 1 < row.n ? 2 : 1;
	if (i >= row.n)
		return false;
	*cell = trimmed((struct sf_str){ row.p + from, i - from });
	*at = i + 1;
	return true;
}

/* The row of dashes and colons. */
static void
read_alignment(struct body *b, struct sf_str row)
{
	struct sf_str cell;
	size_t at = 1;

	for (int c = 0; c < MOST_COLUMNS && next_cell(row, &at, &cell); c++)
		b->right[c] = cell.n != 0 && cell.p[0] == '-' &&
		    cell.p[cell.n - 1] == ':';
}

static void
put_row(struct body *b, struct sf_str row, const char *element)
{
	struct sf_str cell;
	size_t at = 1;

	SF_BUF_LIT(b->out, "<tr>");
	for (int c = 0; next_cell(row, &at, &cell); c++) {
		bool right = c < MOST_COLUMNS && b->right[c];

		sf_buf_printf(
		    b->out, right ? "<%s class=\"r\">" : "<%s>", element);
		put_inline(b->out, cell);
		sf_buf_printf(b->out, "</%s>", element);
	}
	SF_BUF_LIT(b->out, "</tr>\n");
}

/* HEAD is written when the row behind it has said how columns are aligned. */
static void
put_table_line(struct body *b, struct sf_str line, struct sf_str head)
{
	if (b->row == 1) {
		read_alignment(b, line);
		SF_BUF_LIT(b->out, "<thead>");
		put_row(b, head, "th");
		SF_BUF_LIT(b->out, "</thead>\n<tbody>\n");
	} else if (b->row > 1) {
		put_row(b, line, "td");
	}
	b->row++;
}

/* ---- blocks ---- */

static void
begin(struct body *b, enum block block)
{
	static const char *const opening[] = { "", "<ul>\n", "<pre>", "<p>",
		"<div class=\"table\"><table>\n" };
	static const char *const closing[] = { "", "</ul>\n", "</pre>\n",
		"</p>\n", "</tbody></table></div>\n" };

	if (b->block == block)
		return;
	sf_buf_printf(b->out, "%s%s", closing[b->block], opening[block]);
	b->block = block;
	b->row = 0;
}

static void
put_heading(struct body *b, struct sf_str line)
{
	size_t level = 0;

	begin(b, NO_BLOCK);
	while (level < line.n && level < 6 && line.p[level] == '#')
		level++;
	sf_buf_printf(b->out, "<h%zu>", level);
	put_inline(
	    b->out, trimmed((struct sf_str){ line.p + level, line.n - level }));
	sf_buf_printf(b->out, "</h%zu>\n", level);
}

static bool
starts(struct sf_str line, const char *with)
{
	size_t n = strlen(with);

	return line.n >= n && memcmp(line.p, with, n) == 0;
}

static void
put_line(struct body *b, struct sf_str line, struct sf_str before)
{
	if (line.n == 0) {
		begin(b, NO_BLOCK);
	} else if (line.p[0] == '#') {
		put_heading(b, line);
	} else if (line.p[0] == '|') {
		begin(b, TABLE);
		put_table_line(b, line, before);
	} else if (starts(line, "- ")) {
		begin(b, LIST);
		SF_BUF_LIT(b->out, "<li>");
		put_inline(b->out, (struct sf_str){ line.p + 2, line.n - 2 });
		SF_BUF_LIT(b->out, "</li>\n");
	} else if (starts(line, "    ")) {
		begin(b, CODE);
		sf_xml_text(b->out, (struct sf_str){ line.p + 4, line.n - 4 });
		sf_buf_putc(b->out, '\n');
	} else {
		begin(b, PARAGRAPH);
		put_inline(b->out, line);
		sf_buf_putc(b->out, '\n');
	}
}

void
sf_html_body(struct sf_buf *out, struct sf_str markdown)
{
	struct body b = { .out = out };
	struct sf_str before = SF_STR("");

	while (markdown.n != 0) {
		const char *end = sf_str_chr(markdown, '\n');
		size_t n =
		    end != NULL ? (size_t)(end - markdown.p) : markdown.n;
		struct sf_str line = { markdown.p, n };

		put_line(&b, line, before);
		before = line;
		n += end != NULL;
		markdown.p += n;
		markdown.n -= n;
	}
	begin(&b, NO_BLOCK);
}
