/* What all kinds of pages have in common. */
#include "plot/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/visible.h"
#include "plot/page-kind.h"

bool
sf_page_format_of(const char *path, enum sf_page_format *format)
{
	static const char *const suffixes[] = {
		[SF_PAGE_PNG] = ".png",
		[SF_PAGE_SVG] = ".svg",
		[SF_PAGE_PDF] = ".pdf",
	};
	size_t n = strlen(path);

	for (int i = SF_PAGE_PNG; i <= SF_PAGE_PDF; i++)
		if (n > 4 && strcmp(path + n - 4, suffixes[i]) == 0 &&
		    path[n - 5] != '/') {
			*format = (enum sf_page_format)i;
			return true;
		}
	return false;
}

void
sf_page_finish(struct sf_page *page, struct sf_buf *out)
{
	page->kind->finish(page, out);
}

double
sf_page_snap(double x)
{
	return nearbyint(x * 100) / 100;
}

/* ---- the path ---- */

void
sf_page_rect(struct sf_page *page, double x, double y, double w, double h)
{
	double left = sf_page_snap(x), top = sf_page_snap(y);

	page->kind->rect(page, left, top, sf_page_snap(x + w) - left,
	    sf_page_snap(y + h) - top);
}

void
sf_page_circle(struct sf_page *page, double x, double y, double r)
{
	page->kind->circle(
	    page, sf_page_snap(x), sf_page_snap(y), sf_page_snap(r));
}

void
sf_page_move(struct sf_page *page, double x, double y)
{
	page->kind->move(page, sf_page_snap(x), sf_page_snap(y));
}

void
sf_page_line(struct sf_page *page, double x, double y)
{
	page->kind->line(page, sf_page_snap(x), sf_page_snap(y));
}

void
sf_page_close(struct sf_page *page)
{
	page->kind->close(page);
}

/* ---- using it up ---- */

void
sf_page_fill(struct sf_page *page, uint32_t colour)
{
	page->kind->fill(page, colour, SF_HATCH_NONE);
}

void
sf_page_fill_hatched(struct sf_page *page, uint32_t colour, enum sf_hatch hatch)
{
	page->kind->fill(page, colour, hatch);
}

void
sf_page_stroke(struct sf_page *page, uint32_t colour, double width)
{
	page->kind->stroke(page, colour, width, false);
}

void
sf_page_stroke_dashed(struct sf_page *page, uint32_t colour, double width)
{
	page->kind->stroke(page, colour, width, true);
}

/* ---- clipping ---- */

void
sf_page_clip(struct sf_page *page, double x, double y, double w, double h)
{
	double left = sf_page_snap(x), top = sf_page_snap(y);

	page->kind->clip(page, left, top, sf_page_snap(x + w) - left,
	    sf_page_snap(y + h) - top);
}

void
sf_page_unclip(struct sf_page *page)
{
	page->kind->unclip(page);
}

/* ---- text ---- */

enum {
	LONGEST = 10000 /* bytes; no page is so wide, and cairo counts in int */
};

/* What is seen of TEXT; free it. */
static char *
seen_of(const char *text)
{
	struct sf_str whole = { text, strlen(text) };
	struct sf_buf seen = { 0 };
	char some[SF_VISIBLE_ROOM];
	size_t at = 0;
	bool hidden;

	while (at < whole.n && seen.n < LONGEST)
		sf_buf_put(&seen, some, sf_visible(whole, &at, some, &hidden));
	if (at < whole.n)
		SF_BUF_LIT(&seen, "\xe2\x80\xa6");
	sf_buf_putc(&seen, '\0');
	return seen.p;
}

void
sf_page_name(struct sf_page *page, const char *name)
{
	char *seen = seen_of(name);

	page->kind->name(page, seen);
	free(seen);
}

double
sf_page_text_width(struct sf_page *page, struct sf_font font, const char *text)
{
	char *seen = seen_of(text);
	double width = page->kind->text_width(page, font, seen);

	free(seen);
	return width;
}

static void
put(struct sf_page *page, struct sf_font font,
    const struct sf_text_place *place, const char *text)
{
	char *seen = seen_of(text);

	page->kind->text(page, font, place, seen);
	free(seen);
}

void
sf_page_text(struct sf_page *page, struct sf_font font, enum sf_align align,
    double x, double y, const char *text)
{
	put(page, font, &(struct sf_text_place){ align, x, y, 0 }, text);
}

void
sf_page_text_turned(struct sf_page *page, struct sf_font font, double x,
    double y, double degrees, const char *text)
{
	put(page, font,
	    &(struct sf_text_place){ SF_ALIGN_CENTRE, x, y, degrees }, text);
}

/* The length of TEXT without its last character. */
static size_t
shorter(const char *text, size_t n)
{
	do
		n--;
	while (n != 0 && ((unsigned char)text[n] & 0xc0) == 0x80);
	return n;
}

void
sf_page_text_within(struct sf_page *page, struct sf_font font,
    enum sf_align align, double x, double y, double width, const char *text)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	struct sf_buf cut = { 0 };
	char *seen = seen_of(text);
	size_t n = strlen(seen);

	sf_buf_put(&cut, seen, n + 1);
	while (n != 0 && page->kind->text_width(page, font, cut.p) > width) {
		n = shorter(cut.p, n);
		cut.n = n;
		sf_buf_put(&cut, ellipsis, sizeof ellipsis);
	}
	page->kind->text(
	    page, font, &(struct sf_text_place){ align, x, y, 0 }, cut.p);
	sf_buf_release(&cut);
	free(seen);
}
