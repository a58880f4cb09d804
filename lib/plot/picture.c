/* Writing a picture's file. */
#include "plot/picture.h"

#include <string.h>

#include "base/die.h"
#include "base/str.h"

void
sf_picture_check(struct sf_picture *picture, const char *option)
{
	if (picture->path == NULL)
		sf_die(SF_EX_USAGE,
		    "missing '--%s', expected the picture's file, *.png, *.svg "
		    "or *.pdf",
		    option);
	if (!sf_page_format_of(picture->path, &picture->format))
		sf_die(SF_EX_USAGE,
		    "option '--%s': found '%s', expected a name that ends in "
		    ".png, .svg or .pdf",
		    option, picture->path);
	if (picture->title != NULL &&
	    !sf_utf8_valid(picture->title, strlen(picture->title)))
		sf_die(SF_EX_USAGE,
		    "option '--title': found bytes that are not UTF-8");
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
