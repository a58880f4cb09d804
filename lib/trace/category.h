/* The categories of operators, from one table. */
#ifndef SF_TRACE_CATEGORY_H
#define SF_TRACE_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

enum sf_category {
#define SF_CATEGORY(id, name) SF_CAT_##id,
#include "trace/category.def"
#undef SF_CATEGORY
	SF_CAT_COUNT
};

/* Their names in that order, and NULL. */
extern const char *const sf_category_words[SF_CAT_COUNT + 1];

const char *sf_category_name(enum sf_category category);

/* The category of that name, SF_CAT_COUNT when there is none. */
enum sf_category sf_category_parse(struct sf_str name);

/*
 * The names of those that have work to do, which views and unknowns have not,
 * each at its category's place; NULL behind the last.
 */
extern const char *const sf_category_work[];

/* All of them, with commas between: what an error expected. */
const char *sf_category_list(void);

/* True when such operators are matrix products before all else. */
static inline bool
sf_category_multiplies(enum sf_category category)
{
	return category == SF_CAT_MATMUL || category == SF_CAT_ATTENTION;
}

/*
 * The set that "matmul,attention" names, one bit a category. Fails on a word
 * that is none, with the list of those there are.
 */
bool
sf_category_set_parse(const char *text, uint32_t *set, struct sf_error *error);

SF_PUBLIC_END

#endif
