/*
 * What a parser returns instead of dying, so that it can be tested and fuzzed
 * in process: the first thing that was wrong, with its place.
 */
#ifndef SF_BASE_ERROR_H
#define SF_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

struct sf_error {
	char text[512]; /* place: what was found, what was expected */
};

/*
 * Prints into SIZE bytes, more than a few. Of a text that is longer the middle
 * is left out: it begins with the place and ends with what was expected.
 */
void sf_vprint_fit(char *out, size_t size, const char *format, va_list ap)
    __attribute__((format(printf, 3, 0)));

/*
 * Fills *ERROR and returns false, so that a parser can end with
 * `return sf_fail(error, ...)`.
 */
bool sf_fail(struct sf_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

SF_PUBLIC_END

#endif
