/* What was asked for can be drawn. */
#include <string.h>

#include "base/die.h"
#include "base/str.h"
#include "plot/picture.h"

static struct sf_page *
open_cairo(const struct sf_picture *picture)
{
	return sf_page_cairo(picture->format, (double)picture->width,
	    (double)picture->height, picture->scale);
}

static void
check_scale(struct sf_picture *picture)
{
	if (picture->scale == 0)
		picture->scale = 1;
	if ((double)picture->width * picture->scale > SF_PICTURE_MAX ||
	    (double)picture->height * picture->scale > SF_PICTURE_MAX)
		sf_die(SF_EX_USAGE,
		    "option '--scale': %g times %lld x %lld, expected at most "
		    "%d either way",
		    picture->scale, (long long)picture->width,
		    (long long)picture->height, SF_PICTURE_MAX);
}

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
	check_scale(picture);
	picture->open =
	    picture->format == SF_PAGE_SVG ? sf_picture_svg : open_cairo;
}
