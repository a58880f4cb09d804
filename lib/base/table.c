/* Open addressing with linear probing; entries never move. */
#include "base/table.h"

#include <stdlib.h>

#include "base/hash.h"

enum {
	FIRST_SLOTS = 64
};

void
sf_table_init(struct sf_table *table, struct sf_arena *arena)
{
	*table = (struct sf_table){ .arena = arena };
}

void
sf_table_release(struct sf_table *table)
{
	free(table->slots);
	free(table->order);
	*table = (struct sf_table){ 0 };
}

void
sf_table_clear(struct sf_table *table)
{
	if (table->n != 0)
		memset(table->slots, 0, table->nslots * sizeof *table->slots);
	table->n = 0;
}

/* The slot that holds NAME or the free one where it belongs. */
static struct sf_entry **
slot_of(const struct sf_table *table, struct sf_str name, uint64_t hash)
{
	size_t mask = table->nslots - 1, at = hash & mask;

	while (table->slots[at] != NULL &&
	    (table->slots[at]->hash != hash ||
		!sf_str_eq(table->slots[at]->name, name)))
		at = (at + 1) & mask;
	return &table->slots[at];
}

struct sf_entry *
sf_table_find(const struct sf_table *table, struct sf_str name)
{
	if (table->n == 0)
		return NULL;
	return *slot_of(table, name, sf_hash(name.p, name.n));
}

/* Doubles the slots; half of them at most are in use. */
static void
rehash(struct sf_table *table)
{
	table->nslots = table->nslots != 0 ? table->nslots * 2 : FIRST_SLOTS;
	free(table->slots);
	table->slots =
	    sf_reallocarray(NULL, table->nslots, sizeof *table->slots);
	memset(table->slots, 0, table->nslots * sizeof *table->slots);
	/* No two of them are equal, so no other has to be looked at. */
	for (size_t i = 0; i < table->n; i++) {
		struct sf_entry *e = table->order[i];
		size_t mask = table->nslots - 1, at = e->hash & mask;

		while (table->slots[at] != NULL)
			at = (at + 1) & mask;
		table->slots[at] = e;
	}
}

struct sf_entry *
sf_table_add(struct sf_table *table, struct sf_str name)
{
	uint64_t hash = sf_hash(name.p, name.n);
	struct sf_entry **slot, *e;

	if (table->n * 2 >= table->nslots)
		rehash(table);
	slot = slot_of(table, name, hash);
	if (*slot != NULL)
		return *slot;
	if (table->n == table->room) {
		table->room = table->room != 0 ? table->room * 2 : FIRST_SLOTS;
		table->order = sf_reallocarray(
		    table->order, table->room, sizeof(struct sf_entry *));
	}
	e = sf_arena_calloc(table->arena, 1, sizeof *e);
	e->name.p = sf_arena_strndup(table->arena, name.p, name.n);
	e->name.n = name.n;
	e->hash = hash;
	table->order[table->n++] = e;
	return *slot = e;
}
