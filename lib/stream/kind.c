/* The kinds of record by their names. */
#include "stream/stream-part.h"

static const struct sf_str kind_names[] = {
#define SF_KIND(id, text) [SF_K_##id] = { text, sizeof(text) - 1 },
#include "stream/kind.def"
#undef SF_KIND
};

const char *
sf_kind_name(enum sf_kind kind)
{
	return kind < SF_K_OTHER ? kind_names[kind].p : NULL;
}

enum sf_kind
sf_kind_of(struct sf_str name)
{
	for (int k = 0; k < SF_K_OTHER; k++)
		if (sf_str_eq(name, kind_names[k]))
			return (enum sf_kind)k;
	return SF_K_OTHER;
}
