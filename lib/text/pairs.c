/* The members of a record that are shown as they are. */
#include "text/pairs.h"

struct sf_pairs
sf_pairs_read(struct sf_json *scan, struct sf_arena *arena)
{
	struct sf_pairs pairs = { 0 };
	size_t room = 0;
	struct sf_str key;

	while (sf_json_member(scan, &key)) {
		if (pairs.n == room) {
			struct sf_pair *old = pairs.v;

			room = room != 0 ? room * 2 : 8;
			pairs.v = sf_arena_calloc(arena, room, sizeof *pairs.v);
			if (pairs.n != 0)
				memcpy(pairs.v, old, pairs.n * sizeof *old);
		}
		pairs.v[pairs.n].key =
		    (struct sf_str){ sf_arena_strndup(arena, key.p, key.n),
			    key.n };
		pairs.v[pairs.n++].json =
		    sf_json_keep(arena, sf_json_skip(scan));
	}
	return pairs;
}

const struct sf_pair *
sf_pairs_find(const struct sf_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (sf_str_is(pairs->v[i].key, key))
			return &pairs->v[i];
	return NULL;
}

struct sf_str
sf_pair_text(const struct sf_pair *pair, struct sf_arena *arena)
{
	struct sf_json scan = {
		.p = pair->json.p, .start = pair->json.p, .arena = arena
	};

	return *pair->json.p == '"' ? sf_json_string(&scan) : pair->json;
}
