/* Tables: every name found, in the order of insertion, at one address. */
#include "base/table.h"

#include <string.h>

#include "check.h"

enum {
	NAMES = 20000
};

static void
all_are_found(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_table table;
	char name[32];

	sf_table_init(&table, arena);
	CHECK(sf_table_find(&table, SF_STR("none")) == NULL);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof name, "tensor_%d", i);
		struct sf_entry *e = sf_table_add(&table, sf_str_of(name));

		CHECK(e->num == 0);
		e->num = i;
	}
	CHECK(table.n == NAMES);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof name, "tensor_%d", i);
		struct sf_entry *e = sf_table_find(&table, sf_str_of(name));

		CHECK_FOR(name, e != NULL && e->num == i);
		CHECK_FOR(name, e == sf_table_add(&table, sf_str_of(name)));
		CHECK_FOR(name, e == table.order[i]);
		CHECK_FOR(name, strcmp(e->name.p, name) == 0);
	}
	CHECK(sf_table_find(&table, SF_STR("tensor_")) == NULL);
	sf_table_release(&table);
	sf_arena_free(arena);
}

static void
names_may_hold_anything(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_table table;

	sf_table_init(&table, arena);
	sf_table_add(&table, SF_STR(""))->num = 1;
	sf_table_add(&table, SF_STR("a"))->num = 2;
	sf_table_add(&table, SF_STR("a\0"))->num = 3;
	sf_table_add(&table, SF_STR("a\0b"))->num = 4;
	CHECK(table.n == 4);
	CHECK(sf_table_find(&table, SF_STR(""))->num == 1);
	CHECK(sf_table_find(&table, SF_STR("a"))->num == 2);
	CHECK(sf_table_find(&table, SF_STR("a\0"))->num == 3);
	CHECK(sf_table_find(&table, SF_STR("a\0b"))->num == 4);
	sf_table_release(&table);
	sf_arena_free(arena);
}

static void
a_cleared_table_is_empty(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_table table;

	sf_table_init(&table, arena);
	sf_table_clear(&table);
	sf_table_add(&table, SF_STR("x"))->num = 1;
	sf_table_clear(&table);
	CHECK(table.n == 0);
	CHECK(sf_table_find(&table, SF_STR("x")) == NULL);
	CHECK(sf_table_add(&table, SF_STR("x"))->num == 0);
	sf_table_release(&table);
	sf_arena_free(arena);
}

int
main(void)
{
	all_are_found();
	names_may_hold_anything();
	a_cleared_table_is_empty();
	return 0;
}
