/* The categories' names. */
#include "trace/category.h"

static const struct sf_str names[] = {
#define SF_CATEGORY(id, text) [SF_CAT_##id] = { text, sizeof(text) - 1 },
#include "trace/category.def"
#undef SF_CATEGORY
};

const char *
sf_category_name(enum sf_category category)
{
	return names[category].p;
}

enum sf_category
sf_category_parse(struct sf_str name)
{
	int i = 0;

	while (i < SF_CAT_COUNT && !sf_str_eq(names[i], name))
		i++;
	return (enum sf_category)i;
}
