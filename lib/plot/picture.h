/* How a picture is asked for. */
#ifndef SF_PLOT_PICTURE_H
#define SF_PLOT_PICTURE_H

#include <stdint.h>

#include "base/buf.h"
#include "plot/page.h"
#include "stream/trace.h"

/* How a picture is asked for. */
struct sf_picture {
	const char *path;
	enum sf_page_format format;
	const char *title; /* NULL: what the input says of itself */
	int64_t width, height;
	double scale; /* 0 is 1 */
	/* A page of that size; sf_picture_check chooses it. */
	struct sf_page *(*open)(const struct sf_picture *picture);
};

enum {
	SF_PICTURE_MIN_WIDTH = 480,
	SF_PICTURE_MIN_HEIGHT = 320,
	SF_PICTURE_MAX = 16384
};

/* The page to draw it on. */
struct sf_page *sf_picture_open(const struct sf_picture *picture);

/*
 * Draws a page that nobody sees, so that fonts are there when nothing more can
 * be opened.
 */
void sf_picture_ready(const struct sf_picture *picture);

/* One of SVG, for the member of that name. */
struct sf_page *sf_picture_svg(const struct sf_picture *picture);

/*
 * Checks the path, which the option of that name gave, the title and the size;
 * dies with SF_EX_USAGE when one will not do. Names cairo, which what draws
 * nothing but SVG need not load.
 */
void sf_picture_check(struct sf_picture *picture, const char *option);

/*
 * The title that was asked for, or model, route, workload and what it runs ON,
 * which may be "": "llama3-8b (dispatch), batch 1, prefill of 2,048 tokens, on
 * h100". Free it.
 */
char *sf_picture_title(const struct sf_picture *picture,
    const struct sf_trace *trace, const char *on);

/* Appends a time in the unit of the longest beside it: ms from 1 ms on. */
void sf_picture_time(struct sf_buf *out, double time_s, double longest_s);

/* Appends the workload: ", batch 1, decode behind 2,048 tokens". */
void sf_picture_workload(const struct sf_trace *trace, struct sf_buf *out);

#endif
