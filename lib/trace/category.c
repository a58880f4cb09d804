/* The categories' names. */
#include "trace/category.h"

#include "base/buf.h"
#include "base/near.h"

const char *const sf_category_words[SF_CAT_COUNT + 1] = {
#define SF_CATEGORY(id, text) [SF_CAT_##id] = text,
#include "trace/category.def"
#undef SF_CATEGORY
};

/* Those without work are the last, and the first of them ends the list. */
_Static_assert(
    SF_CAT_VIEW == SF_CAT_COUNT - 2 && SF_CAT_UNKNOWN == SF_CAT_COUNT - 1,
    "view and unknown are the last categories");
const char *const sf_category_work[SF_CAT_COUNT] = {
#define SF_CATEGORY(id, text) \
	[SF_CAT_##id] = SF_CAT_##id < SF_CAT_VIEW ? (text) : NULL,
#include "trace/category.def"
#undef SF_CATEGORY
};

const char *
sf_category_name(enum sf_category category)
{
	return sf_category_words[category];
}

enum sf_category
sf_category_parse(struct sf_str name)
{
	int i = 0;

	while (i < SF_CAT_COUNT && !sf_str_is(name, sf_category_words[i]))
		i++;
	return (enum sf_category)i;
}

const char *
sf_category_list(void)
{
	static const char list[] =
#define SF_CATEGORY(id, text) ", " text
#include "trace/category.def"
#undef SF_CATEGORY
	    ;

	return list + 2;
}

static bool
fail_word(struct sf_str word, struct sf_error *error)
{
	struct sf_buf list = { 0 };

	sf_buf_printf(&list, "%s", sf_category_list());
	sf_near_put_of(&list, word);
	sf_fail(error, "found '%.*s', expected some of: %.*s",
	    (int)(word.n < 60 ? word.n : 60), word.p, (int)list.n, list.p);
	sf_buf_release(&list);
	return false;
}

bool
sf_category_set_parse(const char *text, uint32_t *set, struct sf_error *error)
{
	*set = 0;
	for (const char *p = text;; p++) {
		struct sf_str word = { p, strcspn(p, ",") };
		enum sf_category c = sf_category_parse(word);

		if (c == SF_CAT_COUNT)
			return fail_word(word, error);
		*set |= UINT32_C(1) << c;
		p += word.n;
		if (*p == '\0')
			return true;
	}
}
