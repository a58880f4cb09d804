/*
 * What a parser returns instead of dying, so that it can be tested and fuzzed
 * in process: the first thing that was wrong, with its place.
 */
#ifndef SF_BASE_ERROR_H
#define SF_BASE_ERROR_H

#include <stdbool.h>

struct sf_error {
	char text[512]; /* place: what was found, what was expected */
};

/*
 * Fills *ERROR and returns false, so that a parser can end with
 * `return sf_fail(error, ...)`.
 */
bool sf_fail(struct sf_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
