/* What a picture is drawn on, and what it is called. */
#include "plot/picture.h"

#include <string.h>

#include "base/die.h"
#include "base/str.h"

static double
scale_of(const struct sf_picture *picture)
{
	return picture->scale > 0 ? picture->scale : 1;
}

struct sf_page *
sf_picture_open(const struct sf_picture *picture)
{
	return picture->open(picture);
}

struct sf_page *
sf_picture_svg(const struct sf_picture *picture)
{
	return sf_page_svg(
	    (double)picture->width, (double)picture->height, scale_of(picture));
}

char *
sf_picture_title(const struct sf_picture *picture, const struct sf_trace *trace)
{
	struct sf_buf title = { 0 };

	if (picture->title != NULL)
		sf_buf_put(&title, picture->title, strlen(picture->title));
	else
		sf_buf_printf(&title, "%.*s (%.*s)", SF_STR_ARG(trace->model),
		    SF_STR_ARG(trace->route));
	sf_buf_putc(&title, '\0');
	return title.p;
}
