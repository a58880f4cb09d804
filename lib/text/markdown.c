/* Markdown: harmless text and tables that line up. */
#include "text/markdown.h"

#include <assert.h>

#include "base/visible.h"
#include "stream/json.h"
#include "text/human.h"

static bool
is_word(struct sf_str text, size_t at)
{
	char c = at < text.n ? text.p[at] : ' ';

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* What is known of the emphasis at a place of a text. */
struct emphasis {
	bool opened; /* a run of underscores before may have begun one */
	bool closes; /* those of the run at hand may end it */
	size_t end;  /* behind the run at hand */
};

/*
 * An underscore inside a word is only that; it opens emphasis when no word is
 * before it, and closes one when none is behind it. All of a run do the same.
 */
static bool
closes_emphasis(struct sf_str text, size_t at, struct emphasis *e)
{
	size_t end = at;

	if (at < e->end)
		return e->closes;
	while (end < text.n && text.p[end] == '_')
		end++;
	e->end = end;
	e->closes = false;
	if (at == 0 || !is_word(text, at - 1))
		e->opened = true;
	else if (!is_word(text, end))
		e->closes = e->opened;
	return e->closes;
}

static bool
is_markup(struct sf_str text, size_t at, struct emphasis *e)
{
	switch (text.p[at]) {
	case '\\':
	case '|':
	case '`':
	case '*':
	case '<':
	case '&':
	case '~':
		return true;
	case ']':
		return at + 1 < text.n && strchr("([:", text.p[at + 1]) != NULL;
	case '_':
		return closes_emphasis(text, at, e);
	default:
		return false;
	}
}

static void
put_text(struct sf_buf *out, struct sf_str text, bool markup)
{
	struct emphasis e = { false, false, 0 };
	char seen[SF_VISIBLE_ROOM];
	size_t at = 0;

	while (at < text.n) {
		size_t from = at;
		bool hidden;
		size_t n = sf_visible(text, &at, seen, &hidden);

		if (markup && !hidden && is_markup(text, from, &e))
			sf_buf_putc(out, '\\');
		sf_buf_put(out, seen, n);
	}
}

void
sf_md_text(struct sf_buf *out, struct sf_str text)
{
	put_text(out, text, true);
}

void
sf_md_code(struct sf_buf *out, struct sf_str text)
{
	put_text(out, text, false);
}

static void put_value(struct sf_buf *out, struct sf_json *scan, bool inside);

static void
put_list(struct sf_buf *out, struct sf_json *scan)
{
	const char *comma = "";

	sf_json_enter(scan, '[');
	for (; sf_json_element(scan); comma = ", ") {
		sf_buf_put(out, comma, strlen(comma));
		put_value(out, scan, true);
	}
	if (*comma == '\0')
		sf_buf_putc(out, '-');
}

static void
put_object(struct sf_buf *out, struct sf_json *scan)
{
	const char *comma = "";
	struct sf_str key;

	sf_json_enter(scan, '{');
	for (; sf_json_member(scan, &key); comma = ", ") {
		sf_buf_put(out, comma, strlen(comma));
		sf_md_text(out, key);
		sf_buf_putc(out, ' ');
		put_value(out, scan, true);
	}
	if (*comma == '\0')
		sf_buf_putc(out, '-');
}

static void
put_value(struct sf_buf *out, struct sf_json *scan, bool inside)
{
	char first = sf_json_peek(scan);

	if (first == '"') {
		sf_md_text(out, sf_json_string(scan));
	} else if (sf_json_null(scan)) {
		sf_buf_putc(out, '-');
	} else if (first != '[' && first != '{') {
		sf_md_text(out, sf_json_skip(scan));
	} else {
		if (inside)
			sf_buf_putc(out, '(');
		if (first == '[')
			put_list(out, scan);
		else
			put_object(out, scan);
		if (inside)
			sf_buf_putc(out, ')');
	}
}

void
sf_md_value(struct sf_buf *out, struct sf_str json, struct sf_arena *arena)
{
	struct sf_json scan = { .p = json.p, .start = json.p, .arena = arena };

	put_value(out, &scan, false);
}

void
sf_grid_init(struct sf_grid *grid, const char *align)
{
	*grid = (struct sf_grid){ .align = align };
}

struct sf_buf *
sf_grid_cell(struct sf_grid *grid)
{
	sf_buf_put(&grid->starts, &grid->text.n, sizeof grid->text.n);
	return &grid->text;
}

void
sf_grid_label(struct sf_grid *grid, const char *text)
{
	sf_buf_put(sf_grid_cell(grid), text, strlen(text));
}

void
sf_grid_text(struct sf_grid *grid, struct sf_str text)
{
	sf_md_text(sf_grid_cell(grid), text);
}

void
sf_grid_int(struct sf_grid *grid, int64_t x)
{
	sf_human_int(sf_grid_cell(grid), x);
}

void
sf_grid_percent(struct sf_grid *grid, int64_t num, int64_t den)
{
	sf_human_percent(sf_grid_cell(grid), num, den);
}

void
sf_grid_share(struct sf_grid *grid, double share)
{
	sf_human_share(sf_grid_cell(grid), share);
}

static size_t
count_cells(const struct sf_grid *grid)
{
	return grid->starts.n / sizeof(size_t);
}

static struct sf_str
cell_text(const struct sf_grid *grid, size_t cell)
{
	const size_t *starts = (const size_t *)(const void *)grid->starts.p;
	size_t end =
	    cell + 1 < count_cells(grid) ? starts[cell + 1] : grid->text.n;

	return (
	    struct sf_str){ grid->text.p + starts[cell], end - starts[cell] };
}

/* Columns of a terminal, at one a code point. */
static size_t
width(struct sf_str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += (text.p[i] & 0xc0) != 0x80;
	return n;
}

#define WIDEST 200

static size_t
column_width(const struct sf_grid *grid, size_t column)
{
	size_t ncols = strlen(grid->align), max = 3;

	for (size_t i = column; i < count_cells(grid); i += ncols) {
		size_t w = width(cell_text(grid, i));

		if (w <= WIDEST)
			max = w > max ? w : max;
	}
	return max;
}

static void
put_repeated(struct sf_buf *out, char c, size_t n)
{
	while (n-- != 0)
		sf_buf_putc(out, c);
}

static void
put_rule(struct sf_buf *out, const char *align, const size_t *widths)
{
	for (size_t c = 0; align[c] != '\0'; c++) {
		SF_BUF_LIT(out, "| ");
		sf_buf_putc(out, align[c] == 'l' ? ':' : '-');
		put_repeated(out, '-', widths[c] - 2);
		sf_buf_putc(out, align[c] == 'r' ? ':' : '-');
		sf_buf_putc(out, ' ');
	}
	SF_BUF_LIT(out, "|\n");
}

static void
put_cell(struct sf_buf *out, struct sf_str text, char align, size_t room)
{
	size_t wide = width(text), pad = wide < room ? room - wide : 0;

	SF_BUF_LIT(out, "| ");
	if (align == 'r')
		put_repeated(out, ' ', pad);
	sf_buf_put(out, text.p, text.n);
	if (align == 'l')
		put_repeated(out, ' ', pad);
	sf_buf_putc(out, ' ');
}

void
sf_grid_finish(struct sf_grid *grid, struct sf_buf *out)
{
	size_t widths[16], ncols = strlen(grid->align);

	assert(ncols <= 16 && count_cells(grid) % ncols == 0);
	for (size_t c = 0; c < ncols; c++)
		widths[c] = column_width(grid, c);
	for (size_t i = 0; i < count_cells(grid); i++) {
		size_t c = i % ncols;

		put_cell(out, cell_text(grid, i), grid->align[c], widths[c]);
		if (c != ncols - 1)
			continue;
		SF_BUF_LIT(out, "|\n");
		if (i == ncols - 1)
			put_rule(out, grid->align, widths);
	}
	sf_buf_putc(out, '\n');
	sf_buf_release(&grid->text);
	sf_buf_release(&grid->starts);
}
