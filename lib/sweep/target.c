/* Names of a target. */
#include "sweep/target.h"

#include <string.h>

void
sf_target_vary(struct sf_target *t, const struct sf_key *key)
{
	if (t->type->vary != NULL)
		t->type->vary(t, key);
}

const struct sf_key *
sf_target_key(const struct sf_target *t, struct sf_str name,
    const struct sf_key_scope **scope)
{
	for (size_t i = 0; i < t->nscopes; i++) {
		size_t skip = strlen(t->scopes[i].prefix);
		const struct sf_key *key;

		if (!sf_str_starts(name, t->scopes[i].prefix))
			continue;
		key = sf_keys_find(t->scopes[i].keys,
		    (struct sf_str){ name.p + skip, name.n - skip });
		if (key != NULL) {
			*scope = &t->scopes[i];
			return key;
		}
	}
	return NULL;
}

int
sf_target_row(const struct sf_target *t, struct sf_str name)
{
	for (int i = 0; i < t->nrows; i++) {
		const struct sf_result_row *row = &t->rows[i];
		size_t skip = strlen(row->object);
		struct sf_str rest = name;

		if (skip != 0) {
			if (!sf_str_starts(name, row->object) ||
			    name.n <= skip || name.p[skip] != '.')
				continue;
			rest = (struct sf_str){ name.p + skip + 1,
				name.n - skip - 1 };
		}
		if (sf_str_is(rest, row->name))
			return i;
	}
	return -1;
}
