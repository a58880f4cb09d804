/* What each kind of page does in its own way; page.c does the rest. */
#ifndef SF_PLOT_PAGE_KIND_H
#define SF_PLOT_PAGE_KIND_H

#include "plot/page.h"

/* Lines at 45 degrees, in white. */
enum {
	SF_HATCH_APART = 6
};
#define SF_HATCH_WIDTH 1.2

/* Where a text begins, and which way it runs. */
struct sf_text_place {
	enum sf_align align;
	double x, y;
	double degrees; /* the line of text rises by these */
};

struct sf_page_kind {
	void (*finish)(struct sf_page *page, struct sf_buf *out);
	void (*name)(struct sf_page *page, const char *name);

	void (*rect)(
	    struct sf_page *page, double x, double y, double w, double h);
	void (*circle)(struct sf_page *page, double x, double y, double r);
	void (*move)(struct sf_page *page, double x, double y);
	void (*line)(struct sf_page *page, double x, double y);
	void (*close)(struct sf_page *page);

	void (*fill)(
	    struct sf_page *page, uint32_t colour, enum sf_hatch hatch);
	void (*stroke)(
	    struct sf_page *page, uint32_t colour, double width, bool dashed);

	void (*clip)(
	    struct sf_page *page, double x, double y, double w, double h);
	void (*unclip)(struct sf_page *page);

	/* Valid UTF-8 without anything that is hidden. */
	double (*text_width)(
	    struct sf_page *page, struct sf_font font, const char *text);
	void (*text)(struct sf_page *page, struct sf_font font,
	    const struct sf_text_place *place, const char *text);
};

/* A page of a kind begins with this. */
struct sf_page {
	const struct sf_page_kind *kind;
};

/*
 * Vector files spell every digit of a coordinate; a hundredth of a pixel is
 * less than anybody sees.
 */
double sf_page_snap(double x);

#endif
