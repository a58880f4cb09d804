/* The members of a record that are shown as they are, in their order. */
#ifndef SF_TEXT_PAIRS_H
#define SF_TEXT_PAIRS_H

#include "base/arena.h"
#include "base/str.h"
#include "stream/json.h"

struct sf_pair {
	struct sf_str key;  /* NUL-terminated */
	struct sf_str json; /* the text of the value, NUL-terminated */
};

struct sf_pairs {
	struct sf_pair *v;
	size_t n;
};

/* Copies the members that are left of the object that SCAN is in. */
struct sf_pairs sf_pairs_read(struct sf_json *scan, struct sf_arena *arena);

/* The first member of that name, NULL when there is none. */
const struct sf_pair *
sf_pairs_find(const struct sf_pairs *pairs, const char *key);

/* A string's characters; the text of any other value. */
struct sf_str sf_pair_text(const struct sf_pair *pair, struct sf_arena *arena);

#endif
