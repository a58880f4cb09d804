/*
 * What a picture or a device needs of the system, in the place of plot/guard.c
 * and base/whole.c: no process of its own, and no file. Targets draw SVG, which
 * needs no other library.
 */
#include <string.h>

#include "base/whole.h"
#include "harness.h"
#include "plot/guard.h"

void
sf_guard(void)
{
}

void
sf_write_whole(const char *path, const struct sf_buf *bytes)
{
	struct bytes picture = { bytes->p, bytes->n };

	if (holds((struct bytes){ path, strlen(path) }, ".json")) {
		must(picture.n != 0 && picture.p[0] == '{', "a device is JSON");
		return;
	}
	must(holds(picture, "<svg") && holds(picture, "</svg>"),
	    "a picture is whole");
	must(!holds(picture, "=\"nan") && !holds(picture, "=\"-nan") &&
		!holds(picture, "=\"inf") && !holds(picture, "=\"-inf"),
	    "what is drawn has a place");
}
