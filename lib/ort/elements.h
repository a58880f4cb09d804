/*
 * The elements of a JSON array that is a whole file, one at a time in memory,
 * however the text is broken into lines.
 */
#ifndef SF_ORT_ELEMENTS_H
#define SF_ORT_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "stream/input.h"
#include "stream/json.h"

struct sf_elements {
	struct sf_input *input;
	struct sf_str line; /* the part not yet looked at, its LF included */
	struct sf_buf text; /* of the element */
	int64_t lineno;     /* where it begins */
	bool entered, ended;
};

/* INPUT stays the caller's. */
void sf_elements_init(struct sf_elements *e, struct sf_input *input);
void sf_elements_release(struct sf_elements *e);

/*
 * Scans the next element, which lives until the next call; false at the end of
 * the array, or with *ERROR filled, file and line first, when the text is no
 * whole array of JSON. error->text is empty otherwise. ARENA is for strings
 * with escapes.
 */
bool sf_elements_next(struct sf_elements *e, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error);

#endif
