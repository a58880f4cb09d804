/* Errors that are returned. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool
sf_fail(struct sf_error *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(error->text, sizeof error->text, format, ap);
	va_end(ap);
	return false;
}
