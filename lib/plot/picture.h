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
};

enum {
	SF_PICTURE_MIN_WIDTH = 480,
	SF_PICTURE_MIN_HEIGHT = 320,
	SF_PICTURE_MAX = 16384
};

/*
 * Checks the path, which the option of that name gave, and the title; dies with
 * SF_EX_USAGE when one will not do.
 */
void sf_picture_check(struct sf_picture *picture, const char *option);

/* The title that was asked for, or model and route; free it. */
char *sf_picture_title(
    const struct sf_picture *picture, const struct sf_trace *trace);

#endif
