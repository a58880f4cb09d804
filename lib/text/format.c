/* The names of the formats. */
#include "text/format.h"

#include <stddef.h>

const char *const sf_formats[] = { "md", "json", "csv", NULL };
