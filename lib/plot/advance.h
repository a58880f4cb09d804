/*
 * How wide text is in DejaVu Sans, without a font library. What SVG is laid out
 * by, as the reader's fonts are not known; Verdana is as wide, and what else a
 * browser falls back to is narrower.
 */
#ifndef SF_PLOT_ADVANCE_H
#define SF_PLOT_ADVANCE_H

#include <stdbool.h>

/* In ems, of UTF-8; exact for ASCII and the ellipsis, else a guess. */
double sf_advance(const char *text, bool bold);

#endif
