/* Pages by way of cairo, which no other file knows. */
#include "plot/page.h"

#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/die.h"

struct sf_page {
	enum sf_page_format format;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct sf_buf bytes;
};

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

static cairo_status_t
take_bytes(void *to, const unsigned char *bytes, unsigned int n)
{
	sf_buf_put(to, bytes, n);
	return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
open_surface(struct sf_page *page, double width, double height)
{
	cairo_surface_t *surface;

	switch (page->format) {
	case SF_PAGE_SVG:
		return cairo_svg_surface_create_for_stream(
		    take_bytes, &page->bytes, width, height);
	case SF_PAGE_PDF:
		surface = cairo_pdf_surface_create_for_stream(
		    take_bytes, &page->bytes, width, height);
		/* It would be the time of day. */
		cairo_pdf_surface_set_metadata(surface,
		    CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
		return surface;
	case SF_PAGE_PNG:
		break;
	}
	return cairo_image_surface_create(
	    CAIRO_FORMAT_RGB24, (int)width, (int)height);
}

/* Glyphs are where the outlines say, the same in all three formats. */
static void
set_font_options(cairo_t *cr)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

struct sf_page *
sf_page_new(enum sf_page_format format, double width, double height)
{
	struct sf_page *page = sf_malloc(sizeof *page);

	*page = (struct sf_page){ .format = format };
	page->surface = open_surface(page, width, height);
	page->cr = cairo_create(page->surface);
	set_font_options(page->cr);
	cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_ROUND);
	sf_page_rect(page, 0, 0, width, height);
	sf_page_fill(page, 0xffffff);
	return page;
}

/*
 * cairo gives the group of an SVG page a number that counts the surfaces of the
 * process, so a picture would depend on those before it. Nothing refers to it.
 */
static void
put_without_number(struct sf_buf *out, const struct sf_buf *svg)
{
	static const char group[] = "<g id=\"surface";
	const char *at = memmem(svg->p, svg->n, group, sizeof group - 1);
	size_t before;

	if (at == NULL)
		sf_bug("cairo's SVG has no group of that name");
	before = (size_t)(at - svg->p) + sizeof group - 1;
	sf_buf_put(out, svg->p, before);
	while (
	    before < svg->n && svg->p[before] >= '0' && svg->p[before] <= '9')
		before++;
	sf_buf_put(out, svg->p + before, svg->n - before);
}

void
sf_page_finish(struct sf_page *page, struct sf_buf *out)
{
	cairo_status_t status;

	cairo_show_page(page->cr);
	status = cairo_status(page->cr);
	if (status == CAIRO_STATUS_SUCCESS && page->format == SF_PAGE_PNG)
		status = cairo_surface_write_to_png_stream(
		    page->surface, take_bytes, &page->bytes);
	cairo_surface_finish(page->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(page->surface);
	if (status == CAIRO_STATUS_NO_MEMORY)
		sf_out_of_memory();
	if (status != CAIRO_STATUS_SUCCESS)
		sf_bug("cairo: %s", cairo_status_to_string(status));
	cairo_destroy(page->cr);
	cairo_surface_destroy(page->surface);
	if (page->format == SF_PAGE_SVG)
		put_without_number(out, &page->bytes);
	else
		sf_buf_put(out, page->bytes.p, page->bytes.n);
	sf_buf_release(&page->bytes);
	free(page);
}

/* ---- the path ---- */

/*
 * Vector files spell every digit of a coordinate; a hundredth of a pixel is
 * less than anybody sees.
 */
static double
snap(double x)
{
	return nearbyint(x * 100) / 100;
}

void
sf_page_rect(struct sf_page *page, double x, double y, double w, double h)
{
	cairo_rectangle(page->cr, snap(x), snap(y), snap(x + w) - snap(x),
	    snap(y + h) - snap(y));
}

void
sf_page_circle(struct sf_page *page, double x, double y, double r)
{
	cairo_new_sub_path(page->cr);
	cairo_arc(page->cr, snap(x), snap(y), snap(r), 0, 2 * acos(-1));
	cairo_close_path(page->cr);
}

void
sf_page_move(struct sf_page *page, double x, double y)
{
	cairo_move_to(page->cr, snap(x), snap(y));
}

void
sf_page_line(struct sf_page *page, double x, double y)
{
	cairo_line_to(page->cr, snap(x), snap(y));
}

void
sf_page_close(struct sf_page *page)
{
	cairo_close_path(page->cr);
}

/* ---- using it up ---- */

static void
set_colour(struct sf_page *page, uint32_t colour)
{
	cairo_set_source_rgb(page->cr, (colour >> 16 & 255) / 255.0,
	    (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

void
sf_page_fill(struct sf_page *page, uint32_t colour)
{
	set_colour(page, colour);
	cairo_fill(page->cr);
}

/* Lines at 45 degrees over the box, SIGN 1 falling and -1 rising. */
static void
rule(cairo_t *cr, double x0, double y0, double x1, double y1, double sign)
{
	enum {
		APART = 6
	};
	double first = floor((x0 - (sign > 0 ? y1 : -y0)) / APART);
	double last = ceil((x1 - (sign > 0 ? y0 : -y1)) / APART);

	for (double i = first; i <= last; i++) {
		/* The line x - sign y = i APART. */
		cairo_move_to(cr, i * APART + sign * y0, y0);
		cairo_line_to(cr, i * APART + sign * y1, y1);
	}
}

void
sf_page_fill_hatched(struct sf_page *page, uint32_t colour, enum sf_hatch hatch)
{
	cairo_t *cr = page->cr;
	double x0, y0, x1, y1;

	if (hatch == SF_HATCH_NONE) {
		sf_page_fill(page, colour);
		return;
	}
	cairo_path_extents(cr, &x0, &y0, &x1, &y1);
	set_colour(page, colour);
	cairo_fill_preserve(cr);
	cairo_save(cr);
	cairo_clip(cr);
	if (hatch == SF_HATCH_RISING || hatch == SF_HATCH_CROSSED)
		rule(cr, x0, y0, x1, y1, -1);
	if (hatch == SF_HATCH_FALLING || hatch == SF_HATCH_CROSSED)
		rule(cr, x0, y0, x1, y1, 1);
	sf_page_stroke(page, 0xffffff, 1.2);
	cairo_restore(cr);
}

void
sf_page_stroke(struct sf_page *page, uint32_t colour, double width)
{
	set_colour(page, colour);
	cairo_set_line_width(page->cr, width);
	cairo_stroke(page->cr);
}

void
sf_page_stroke_dashed(struct sf_page *page, uint32_t colour, double width)
{
	static const double dashes[] = { 5, 3 };

	cairo_set_dash(page->cr, dashes, 2, 0);
	sf_page_stroke(page, colour, width);
	cairo_set_dash(page->cr, NULL, 0, 0);
}

/* ---- clipping ---- */

void
sf_page_clip(struct sf_page *page, double x, double y, double w, double h)
{
	cairo_save(page->cr);
	sf_page_rect(page, x, y, w, h);
	cairo_clip(page->cr);
}

void
sf_page_unclip(struct sf_page *page)
{
	cairo_restore(page->cr);
}

/* ---- text ---- */

static void
set_font(struct sf_page *page, struct sf_font font)
{
	cairo_select_font_face(page->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
	    font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(page->cr, font.size);
	set_colour(page, font.colour);
}

static double
advance(struct sf_page *page, const char *text)
{
	cairo_text_extents_t extents;

	cairo_text_extents(page->cr, text, &extents);
	return extents.x_advance;
}

double
sf_page_text_width(struct sf_page *page, struct sf_font font, const char *text)
{
	set_font(page, font);
	return advance(page, text);
}

void
sf_page_text(struct sf_page *page, struct sf_font font, enum sf_align align,
    double x, double y, const char *text)
{
	static const double part[] = {
		[SF_ALIGN_LEFT] = 0,
		[SF_ALIGN_CENTRE] = 0.5,
		[SF_ALIGN_RIGHT] = 1,
	};

	set_font(page, font);
	x -= part[align] * advance(page, text);
	cairo_move_to(page->cr, snap(x), snap(y));
	cairo_show_text(page->cr, text);
	cairo_new_path(page->cr);
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
	size_t n = strlen(text), room = n + sizeof ellipsis;
	char *cut;

	/* No text of this length fits, and cairo counts glyphs in an int. */
	if (n > 10000)
		n = shorter(text, 10001);
	cut = sf_malloc(room);
	memcpy(cut, text, n);
	cut[n] = '\0';
	if (n < strlen(text))
		memcpy(cut + n, ellipsis, sizeof ellipsis);
	while (n != 0 && sf_page_text_width(page, font, cut) > width) {
		n = shorter(cut, n);
		memcpy(cut + n, ellipsis, sizeof ellipsis);
	}
	sf_page_text(page, font, align, x, y, cut);
	free(cut);
}

void
sf_page_text_turned(struct sf_page *page, struct sf_font font, double x,
    double y, double degrees, const char *text)
{
	cairo_save(page->cr);
	cairo_translate(page->cr, snap(x), snap(y));
	cairo_rotate(page->cr, -degrees * acos(-1) / 180);
	sf_page_text(page, font, SF_ALIGN_CENTRE, 0, 0, text);
	cairo_restore(page->cr);
}
