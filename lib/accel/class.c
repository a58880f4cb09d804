/* Operators by class. */
#include "accel/class.h"

#include <stdlib.h>
#include <string.h>

void
sf_classes_init(struct sf_classes *c, size_t key_bytes)
{
	*c = (struct sf_classes){ .arena = sf_arena_new(),
		.key_bytes = key_bytes };
	sf_table_init(&c->table, c->arena);
}

void
sf_classes_release(struct sf_classes *c)
{
	sf_table_release(&c->table);
	sf_arena_free(c->arena);
	free(c->v);
	free(c->ops);
	*c = (struct sf_classes){ 0 };
}

void
sf_classes_reset(struct sf_classes *c)
{
	sf_table_clear(&c->table);
	sf_arena_reset(c->arena);
	c->n = c->nops = 0;
}

/* The class of KEY, made when it is new. */
static int64_t
class_of(struct sf_classes *c, const void *key)
{
	struct sf_entry *e =
	    sf_table_add(&c->table, (struct sf_str){ key, c->key_bytes });

	/* A new entry is 0, so numbers begin with 1. */
	if (e->num != 0)
		return e->num - 1;
	if (c->n == c->room) {
		c->room = c->room != 0 ? 2 * c->room : 64;
		c->v = sf_reallocarray(c->v, (size_t)c->room, sizeof *c->v);
	}
	c->v[c->n] = (struct sf_class){ .key = e->name.p, .first = c->nops };
	e->num = ++c->n;
	return c->n - 1;
}

/* Where operator I of the trace is among those that have tiles, or -1. */
static int64_t
place_of(const struct sf_classes *c, int64_t i)
{
	int64_t low = 0, high = c->nops;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (c->ops[middle].i < i)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->nops && c->ops[low].i == i ? low : -1;
}

bool
sf_classes_add(struct sf_classes *c, int64_t i, const void *key,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	int64_t *places = sf_arena_calloc(
	    c->arena, (size_t)(ndeps != 0 ? ndeps : 1), sizeof *places);
	int64_t which;

	for (int d = 0; d < ndeps; d++) {
		places[d] = place_of(c, deps[d]);
		if (places[d] < 0)
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)deps[d]);
	}
	if (c->nops == c->ops_room) {
		c->ops_room = c->ops_room != 0 ? 2 * c->ops_room : 256;
		c->ops = sf_reallocarray(
		    c->ops, (size_t)c->ops_room, sizeof *c->ops);
	}
	which = class_of(c, key);
	c->v[which].uses++;
	c->ops[c->nops++] = (struct sf_class_op){
		.i = i, .which = which, .deps = places, .ndeps = ndeps
	};
	return true;
}
