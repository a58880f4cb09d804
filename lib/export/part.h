/*
 * Parts of a JSON text, each of them a slice of it: PyTorch's files are read
 * without a tree of what they hold, as most of it is not asked for. The text
 * was checked as a whole; what is not of the type that is asked for is as if
 * it were not there.
 */
#ifndef SF_EXPORT_PART_H
#define SF_EXPORT_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "stream/json.h"

/* Room for N bytes of text with what stream/json.h wants around it. */
char *sf_part_room(struct sf_arena *arena, size_t n);

/*
 * Checks that the text, in such room, is one JSON value, and makes its line
 * breaks blanks. Python's bare Infinity, -Infinity and NaN are numbers.
 */
bool sf_part_check(struct sf_str text, struct sf_error *error);

/* The members of an object or the elements of an array, one by one. */
struct sf_parts {
	struct sf_json scan;
	bool open;
};

/* ARENA takes the names that have escapes. */
struct sf_parts sf_parts_of_object(struct sf_str text, struct sf_arena *arena);
struct sf_parts sf_parts_of_array(struct sf_str text);
bool sf_parts_member(
    struct sf_parts *parts, struct sf_str *key, struct sf_str *value);
bool sf_parts_element(struct sf_parts *parts, struct sf_str *value);

/* The member KEY of an object; empty when it has none, or null. */
struct sf_str
sf_part_of(struct sf_str object, const char *key, struct sf_arena *arena);

/* Elements of an array; 0 of anything else. */
int64_t sf_part_count(struct sf_str array);

bool sf_part_is_null(struct sf_str text);
bool sf_part_int(struct sf_str text, int64_t *out);
bool sf_part_bool(struct sf_str text, bool *out);

/* A number, or "Infinity", "-Infinity", "NaN". */
bool sf_part_double(struct sf_str text, double *out);
bool
sf_part_string(struct sf_str text, struct sf_arena *arena, struct sf_str *out);

/* The string that is member KEY of an object; empty when there is none. */
struct sf_str
sf_part_name(struct sf_str object, const char *key, struct sf_arena *arena);

/*
 * Of a union, the one member that is set, and what it is set to. All versions
 * of the schema are read: those that write the others as null, and those that
 * write {"$type": TAG, "$value": VALUE}.
 */
bool sf_part_union(struct sf_str text, struct sf_arena *arena,
    struct sf_str *tag, struct sf_str *value);

#endif
