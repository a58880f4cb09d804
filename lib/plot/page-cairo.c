/* Pages by way of cairo, which no other file knows. */
#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/die.h"
#include "plot/page-kind.h"

struct cairo_page {
	struct sf_page page;
	enum sf_page_format format;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct sf_buf bytes;
};

static cairo_t *
cr_of(struct sf_page *page)
{
	return ((struct cairo_page *)page)->cr;
}

/* ---- a page's beginning and end ---- */

static cairo_status_t
take_bytes(void *to, const unsigned char *bytes, unsigned int n)
{
	sf_buf_put(to, bytes, n);
	return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
open_surface(struct cairo_page *page, double width, double height)
{
	cairo_surface_t *surface;

	if (page->format != SF_PAGE_PDF)
		return cairo_image_surface_create(
		    CAIRO_FORMAT_RGB24, (int)width, (int)height);
	surface = cairo_pdf_surface_create_for_stream(
	    take_bytes, &page->bytes, width, height);
	/* It would be the time of day. */
	cairo_pdf_surface_set_metadata(
	    surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
	return surface;
}

/* Glyphs are where the outlines say, the same in all formats. */
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

/* Without memory for what ends a PDF cairo leaves it out, and says nothing. */
static bool
is_ended(const struct cairo_page *page)
{
	static const char end[] = "%%EOF\n";
	const size_t n = sizeof end - 1;

	return page->format != SF_PAGE_PDF ||
	    (page->bytes.n >= n &&
		memcmp(page->bytes.p + page->bytes.n - n, end, n) == 0);
}

static void
finish(struct sf_page *base, struct sf_buf *out)
{
	struct cairo_page *page = (struct cairo_page *)base;
	cairo_status_t status;

	cairo_show_page(page->cr);
	status = cairo_status(page->cr);
	if (status == CAIRO_STATUS_SUCCESS && page->format == SF_PAGE_PNG)
		status = cairo_surface_write_to_png_stream(
		    page->surface, take_bytes, &page->bytes);
	cairo_surface_finish(page->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(page->surface);
	/* A file in memory cannot fail in another way. */
	if (status == CAIRO_STATUS_NO_MEMORY ||
	    status == CAIRO_STATUS_PNG_ERROR)
		sf_out_of_memory();
	if (status != CAIRO_STATUS_SUCCESS)
		sf_bug("cairo: %s", cairo_status_to_string(status));
	if (!is_ended(page))
		sf_out_of_memory();
	cairo_destroy(page->cr);
	cairo_surface_destroy(page->surface);
	sf_buf_put(out, page->bytes.p, page->bytes.n);
	sf_buf_release(&page->bytes);
	free(page);
}

static void
name(struct sf_page *base, const char *text)
{
	struct cairo_page *page = (struct cairo_page *)base;

	if (page->format == SF_PAGE_PDF)
		cairo_pdf_surface_set_metadata(
		    page->surface, CAIRO_PDF_METADATA_TITLE, text);
}

/* ---- the path ---- */

static void
rect(struct sf_page *page, double x, double y, double w, double h)
{
	cairo_rectangle(cr_of(page), x, y, w, h);
}

static void
circle(struct sf_page *page, double x, double y, double r)
{
	cairo_t *cr = cr_of(page);

	cairo_new_sub_path(cr);
	cairo_arc(cr, x, y, r, 0, 2 * acos(-1));
	cairo_close_path(cr);
}

static void
move(struct sf_page *page, double x, double y)
{
	cairo_move_to(cr_of(page), x, y);
}

static void
line(struct sf_page *page, double x, double y)
{
	cairo_line_to(cr_of(page), x, y);
}

static void
close_path(struct sf_page *page)
{
	cairo_close_path(cr_of(page));
}

/* ---- using it up ---- */

static void
set_colour(cairo_t *cr, uint32_t colour)
{
	cairo_set_source_rgb(cr, (colour >> 16 & 255) / 255.0,
	    (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

static void
stroke(struct sf_page *page, uint32_t colour, double width, bool dashed)
{
	static const double dashes[] = { 5, 3 };
	cairo_t *cr = cr_of(page);

	set_colour(cr, colour);
	cairo_set_line_width(cr, width);
	cairo_set_dash(cr, dashes, dashed ? 2 : 0, 0);
	cairo_stroke(cr);
	cairo_set_dash(cr, NULL, 0, 0);
}

/* Lines at 45 degrees over the box, SIGN 1 falling and -1 rising. */
static void
rule(cairo_t *cr, double x0, double y0, double x1, double y1, double sign)
{
	double first = floor((x0 - (sign > 0 ? y1 : -y0)) / SF_HATCH_APART);
	double last = ceil((x1 - (sign > 0 ? y0 : -y1)) / SF_HATCH_APART);

	for (double i = first; i <= last; i++) {
		/* The line x - sign y = i SF_HATCH_APART. */
		cairo_move_to(cr, i * SF_HATCH_APART + sign * y0, y0);
		cairo_line_to(cr, i * SF_HATCH_APART + sign * y1, y1);
	}
}

static void
fill(struct sf_page *page, uint32_t colour, enum sf_hatch hatch)
{
	cairo_t *cr = cr_of(page);
	double x0, y0, x1, y1;

	set_colour(cr, colour);
	if (hatch == SF_HATCH_NONE) {
		cairo_fill(cr);
		return;
	}
	cairo_path_extents(cr, &x0, &y0, &x1, &y1);
	cairo_fill_preserve(cr);
	cairo_save(cr);
	cairo_clip(cr);
	if (hatch == SF_HATCH_RISING || hatch == SF_HATCH_CROSSED)
		rule(cr, x0, y0, x1, y1, -1);
	if (hatch == SF_HATCH_FALLING || hatch == SF_HATCH_CROSSED)
		rule(cr, x0, y0, x1, y1, 1);
	stroke(page, 0xffffff, SF_HATCH_WIDTH, false);
	cairo_restore(cr);
}

/* ---- clipping ---- */

static void
clip(struct sf_page *page, double x, double y, double w, double h)
{
	cairo_save(cr_of(page));
	rect(page, x, y, w, h);
	cairo_clip(cr_of(page));
}

static void
unclip(struct sf_page *page)
{
	cairo_restore(cr_of(page));
}

/* ---- text ---- */

static double
text_width(struct sf_page *page, struct sf_font font, const char *text)
{
	cairo_t *cr = cr_of(page);
	cairo_text_extents_t extents;

	cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
	    font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, font.size);
	cairo_text_extents(cr, text, &extents);
	return extents.x_advance;
}

static void
put_text(struct sf_page *page, struct sf_font font,
    const struct sf_text_place *place, const char *text)
{
	static const double part[] = {
		[SF_ALIGN_LEFT] = 0,
		[SF_ALIGN_CENTRE] = 0.5,
		[SF_ALIGN_RIGHT] = 1,
	};
	double before = part[place->align] * text_width(page, font, text);
	cairo_t *cr = cr_of(page);

	set_colour(cr, font.colour);
	cairo_save(cr);
	if (place->degrees == 0) {
		cairo_move_to(cr, sf_page_snap(place->x - before),
		    sf_page_snap(place->y));
	} else {
		cairo_translate(
		    cr, sf_page_snap(place->x), sf_page_snap(place->y));
		cairo_rotate(cr, -place->degrees * acos(-1) / 180);
		cairo_move_to(cr, sf_page_snap(-before), 0);
	}
	cairo_show_text(cr, text);
	cairo_restore(cr);
	cairo_new_path(cr);
}

static const struct sf_page_kind kind = {
	.finish = finish,
	.name = name,
	.rect = rect,
	.circle = circle,
	.move = move,
	.line = line,
	.close = close_path,
	.fill = fill,
	.stroke = stroke,
	.clip = clip,
	.unclip = unclip,
	.text_width = text_width,
	.text = put_text,
};

struct sf_page *
sf_page_cairo(
    enum sf_page_format format, double width, double height, double scale)
{
	struct cairo_page *page = sf_malloc(sizeof *page);

	*page = (struct cairo_page){ .page = { &kind }, .format = format };
	page->surface = open_surface(page, width * scale, height * scale);
	page->cr = cairo_create(page->surface);
	cairo_scale(page->cr, scale, scale);
	set_font_options(page->cr);
	cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_ROUND);
	rect(&page->page, 0, 0, width, height);
	fill(&page->page, 0xffffff, SF_HATCH_NONE);
	return &page->page;
}
