/* Numbers and texts among the attributes of an operator. */
#ifndef SF_RULES_ATTR_H
#define SF_RULES_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/expr.h"

enum sf_found {
	SF_FOUND_NOT, /* there is no such attribute, or it is null */
	SF_FOUND,
	SF_FOUND_WRONG, /* it is of another type; *e->error says so */
};

/*
 * The integer NAME, true and false being 1 and 0; when INDEX is not NULL, that
 * element of a list, from its end when negative.
 */
enum sf_found sf_attr_int(
    struct sf_eval *e, struct sf_str name, const int64_t *index, int64_t *out);

/* The same of any number: 1 when it is not 0, else 0. */
enum sf_found sf_attr_nonzero(
    struct sf_eval *e, struct sf_str name, const int64_t *index, int64_t *out);

/*
 * The integers of the list NAME, *N of them, at most MOST; a single integer is
 * a list of one. An empty list is not found.
 */
enum sf_found sf_attr_ints(
    struct sf_eval *e, struct sf_str name, int64_t *out, int most, int *n);

/* The text NAME. */
enum sf_found
sf_attr_text(struct sf_eval *e, struct sf_str name, struct sf_str *out);

#endif
