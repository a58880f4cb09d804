/* Tables: every name found, in the order of insertion, at one address. */
#include "base/table.h"

#include <string.h>

#include "base/hash.h"
#include "check.h"

enum {
	NAMES = 20000,
	CRAFTED = 40000
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

/*
 * What CPython 3.11 makes of these texts with the same key: its
 * _imp.source_hash(0x0123456789abcdef, text) is SipHash-1-3, too.
 */
static void
the_hash_is_siphash(void)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} known[] = {
		{ 0, UINT64_C(0x108a7dfce1f10be8) },
		{ 1, UINT64_C(0x35f689fe4950bf35) },
		{ 3, UINT64_C(0x56d4478f6ee60dcc) },
		{ 4, UINT64_C(0x11b57a3c44dbf1ab) },
		{ 7, UINT64_C(0x9f9515f18b2a4401) },
		{ 8, UINT64_C(0x0c28a1238f470ffa) },
		{ 9, UINT64_C(0x90461c025894cd4d) },
		{ 15, UINT64_C(0xad6d5a6950170fcf) },
		{ 16, UINT64_C(0x1c0d376292708994) },
		{ 31, UINT64_C(0xbc14a8173d06f663) },
		{ 63, UINT64_C(0xb089bc618aca6e76) },
	};
	char text[64];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 7 + 1);
	sf_hash_set_key(UINT64_C(0x0123456789abcdef), 0);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		CHECK(sf_hash(text, known[i].len) == known[i].hash);
}

/* Multiplied and folded, without a key: what anyone can undo. */
static const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t
unkeyed_step(uint64_t h, uint64_t word)
{
	h = (h ^ word) * prime;
	return h ^ h >> 29;
}

static uint64_t
unkeyed_hash(const uint64_t words[2])
{
	uint64_t h = unkeyed_step(16 * prime, words[0]);

	h = unkeyed_step(h, words[1]) * prime;
	return h ^ h >> 32;
}

/* The word that takes a step from H to TO. */
static uint64_t
unkeyed_undo(uint64_t h, uint64_t to)
{
	uint64_t inverse = prime, before = to;

	for (int i = 0; i < 6; i++) /* Newton's, which doubles the bits */
		inverse *= 2 - prime * inverse;
	for (int i = 0; i < 3; i++)
		before = to ^ before >> 29;
	return before * inverse ^ h;
}

/* Steps from where an entry belongs to where it is, at most and in all. */
static void
check_steps(const struct sf_table *table)
{
	size_t mask = table->nslots - 1, most = 0, all = 0;

	for (size_t at = 0; at < table->nslots; at++) {
		const struct sf_entry *e = table->slots[at];
		size_t steps = e != NULL ? (at - e->hash) & mask : 0;

		all += steps;
		most = steps > most ? steps : most;
	}
	/* Half full, a slot is half a step away on average (Knuth, 6.4). */
	CHECK(all < table->n);
	CHECK(most < 400);
}

/* Names that an unkeyed hash cannot tell apart do not slow a table down. */
static void
crafted_names_do_not_meet(void)
{
	static const uint64_t keys[][2] = { { 0, 0 }, { 1, 2 },
		{ UINT64_MAX, UINT64_C(0x123456789abcdef) } };
	const uint64_t meet = UINT64_C(0x5851f42d4c957f2d);

	for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
		struct sf_arena *arena = sf_arena_new();
		struct sf_table table;

		sf_hash_set_key(keys[k][0], keys[k][1]);
		sf_table_init(&table, arena);
		for (uint64_t i = 0; i < CRAFTED; i++) {
			uint64_t words[2] = { i };

			words[1] =
			    unkeyed_undo(unkeyed_step(16 * prime, i), meet);
			CHECK(unkeyed_hash(words) ==
			    (meet * prime ^ (meet * prime) >> 32));
			sf_table_add(
			    &table, (struct sf_str){ (const char *)words, 16 })
			    ->num = (int64_t)i;
		}
		CHECK(table.n == CRAFTED);
		for (size_t i = 0; i < CRAFTED; i++)
			CHECK(table.order[i]->num == (int64_t)i);
		check_steps(&table);
		sf_table_release(&table);
		sf_arena_free(arena);
	}
}

static void
the_key_is_drawn(void)
{
	uint64_t drawn = sf_hash("x", 1);

	sf_hash_set_key(0, 0);
	CHECK(sf_hash("x", 1) != drawn);
}

int
main(void)
{
	the_key_is_drawn();
	all_are_found();
	names_may_hold_anything();
	a_cleared_table_is_empty();
	the_hash_is_siphash();
	crafted_names_do_not_meet();
	return 0;
}
