/*
 * A hash table from names to pointers or numbers, in insertion order. Names
 * are interned: the table keeps one copy of each in its arena, and two equal
 * names have one address. No choice of names makes it slow, see base/hash.h.
 */
#ifndef SF_BASE_TABLE_H
#define SF_BASE_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

struct sf_entry {
	struct sf_str name; /* NUL-terminated, too */
	uint64_t hash;
	union {
		void *ptr;
		int64_t num;
	};
};

struct sf_table {
	struct sf_arena *arena;  /* where names and entries live */
	struct sf_entry **slots; /* a power of two of them, or none yet */
	struct sf_entry **order; /* entries as they came */
	size_t n, nslots, room;
};

/* The arena must outlive the table. */
void sf_table_init(struct sf_table *table, struct sf_arena *arena);
void sf_table_release(struct sf_table *table);

/* The entry of NAME, NULL when there is none. */
struct sf_entry *
sf_table_find(const struct sf_table *table, struct sf_str name);

/* The entry of NAME, made with a zero value when there is none. */
struct sf_entry *sf_table_add(struct sf_table *table, struct sf_str name);

/* Forgets every entry and keeps the slots; the arena is the caller's. */
void sf_table_clear(struct sf_table *table);

SF_PUBLIC_END

#endif
