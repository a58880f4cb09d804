/*
 * A page to draw on, for PNG, SVG or PDF. Lengths are pixels in PNG and SVG and
 * points in PDF; y grows downwards. What is drawn depends on nothing but the
 * calls, and for PNG and PDF the fonts of the machine.
 *
 * Shapes are added to one path, which fill and stroke use up, so that many
 * shapes of one colour cost one entry in the file.
 */
#ifndef SF_PLOT_PAGE_H
#define SF_PLOT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum sf_page_format {
	SF_PAGE_PNG,
	SF_PAGE_SVG,
	SF_PAGE_PDF
};

/* By the suffix of PATH; false when it is none of the three. */
bool sf_page_format_of(const char *path, enum sf_page_format *format);

struct sf_page;

/*
 * White pages, SCALE times as large as what is drawn on them is: PNG and PDF by
 * way of cairo, and SVG, whose text stays text, without it, so that a program
 * that draws nothing else does not load it.
 */
struct sf_page *sf_page_cairo(
    enum sf_page_format format, double width, double height, double scale);
struct sf_page *sf_page_svg(double width, double height, double scale);

/* What the picture shows, in a line, for those who cannot see it. */
void sf_page_name(struct sf_page *page, const char *name);

/* Ends the page, appends the file's bytes to OUT and frees it. */
void sf_page_finish(struct sf_page *page, struct sf_buf *out);

/* ---- the path ---- */

void sf_page_rect(struct sf_page *page, double x, double y, double w, double h);
void sf_page_circle(struct sf_page *page, double x, double y, double r);
void sf_page_move(struct sf_page *page, double x, double y);
void sf_page_line(struct sf_page *page, double x, double y);
void sf_page_close(struct sf_page *page);

/* ---- using it up; colours are 0xRRGGBB ---- */

enum sf_hatch {
	SF_HATCH_NONE,
	SF_HATCH_RISING,
	SF_HATCH_FALLING,
	SF_HATCH_CROSSED
};

void sf_page_fill(struct sf_page *page, uint32_t colour);

/* Fills, and rules white lines across. */
void sf_page_fill_hatched(
    struct sf_page *page, uint32_t colour, enum sf_hatch hatch);

void sf_page_stroke(struct sf_page *page, uint32_t colour, double width);
void sf_page_stroke_dashed(struct sf_page *page, uint32_t colour, double width);

/* ---- clipping ---- */

/* Nothing is drawn outside until the next unclip. */
void sf_page_clip(struct sf_page *page, double x, double y, double w, double h);
void sf_page_unclip(struct sf_page *page);

/*
 * ---- text on one line ----
 *
 * Controls, marks of direction and bytes that are not UTF-8 are shown as \xNN.
 */

enum sf_align {
	SF_ALIGN_LEFT,
	SF_ALIGN_CENTRE,
	SF_ALIGN_RIGHT
};

struct sf_font {
	double size; /* of an em */
	uint32_t colour;
	bool bold;
};

double
sf_page_text_width(struct sf_page *page, struct sf_font font, const char *text);

/* X is the left end, the middle or the right end; Y the baseline. */
void sf_page_text(struct sf_page *page, struct sf_font font,
    enum sf_align align, double x, double y, const char *text);

/* The same, cut and ended by an ellipsis where it is wider than WIDTH. */
void sf_page_text_within(struct sf_page *page, struct sf_font font,
    enum sf_align align, double x, double y, double width, const char *text);

/* Centred on X, Y along a line that rises by DEGREES. */
void sf_page_text_turned(struct sf_page *page, struct sf_font font, double x,
    double y, double degrees, const char *text);

#endif
