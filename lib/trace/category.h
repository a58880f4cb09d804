/* The categories of operators, from one table. */
#ifndef SF_TRACE_CATEGORY_H
#define SF_TRACE_CATEGORY_H

#include "base/str.h"

enum sf_category {
#define SF_CATEGORY(id, name) SF_CAT_##id,
#include "trace/category.def"
#undef SF_CATEGORY
	SF_CAT_COUNT
};

const char *sf_category_name(enum sf_category category);

/* The category of that name, SF_CAT_COUNT when there is none. */
enum sf_category sf_category_parse(struct sf_str name);

#endif
