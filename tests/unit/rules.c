/*
 * Rules in process: the names that are found and kept, and formulas of which
 * nothing but an error may come whatever happens to their text.
 */
#include <string.h>

#include "base/die.h"
#include "check.h"
#include "rules/rule.h"
#include "rules/rulebook.h"
#include "rules/rulefile.h"

static const char rules[] =
    "my.one(x, w, bias?, rest*) matmul; flops = 2*M*N where M = prod(w[1:-1]),"
    " N = attr(list[-1], 3); read = bytes(inputs, 2)//2; weight = 0\n"
    "my.two elementwise; flops = min(1, 2) < 3 ? (numel(outputs) + 4)/4 : "
    "largest(inputs) - rank(out) # comment\n"
    "my.three(x, y?) copy; out = x[:A], broadcast(x[1:], in1), shape(y) as "
    "attr(to, f32) where A = attr(k) - 1; out1 = scalar as y; outputs = 2\n"
    "my.* copy; written = has(in3)*param(in0) + count(inputs) + einsum()\n";

static bool
parse(const char *text, size_t n, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_rulebook *book = sf_rulebook_new(arena);
	struct sf_table replaced;
	bool good;

	sf_table_init(&replaced, arena);
	good = sf_rulefile_parse(
	    book, "f", (struct sf_str){ text, n }, arena, &replaced, error);
	sf_table_release(&replaced);
	sf_rulebook_release(book);
	sf_arena_free(arena);
	return good;
}

/*
 * Parses a copy that ends where its text ends, so that a sanitizer sees a step
 * too far.
 */
static void
parse_alone(const char *text, size_t n)
{
	struct sf_error error = { "" };
	char *copy = sf_malloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = 'x';
	if (!parse(copy, n, &error))
		CHECK_FOR(error.text, strncmp(error.text, "f:", 2) == 0);
	free(copy);
}

static void
check_cut(void)
{
	for (size_t n = 0; n < sizeof rules; n += 3)
		parse_alone(rules, n);
}

static void
check_mangled(void)
{
	static const char bytes[] =
	    "()[]?:*,;=+-/<>! \t\n\"0179azAZ_.#\x80\xff";
	unsigned long long state = 1;
	char text[sizeof rules];

	for (int round = 0; round < 500; round++) {
		memcpy(text, rules, sizeof rules);
		for (int i = 0; i < 1 + round % 4; i++) {
			size_t at = check_random(&state) % (sizeof rules - 1);

			text[at] =
			    bytes[check_random(&state) % (sizeof bytes - 1)];
		}
		parse_alone(text, sizeof rules - 1);
	}
}

/*
 * More names than are remembered, again and again: what was found first is
 * found every time.
 */
static void
check_names(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_rulebook *book = sf_rulebook_new(arena);
	const struct sf_rule *add = sf_rulebook_find(book, SF_STR("aten.add"));
	char name[128];

	CHECK(add != NULL && add->category == SF_CAT_ELEMENTWISE);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 2000; i++) {
			snprintf(name, sizeof name, "aten.add.o%d", i);
			CHECK(sf_rulebook_find(book, sf_str_of(name)) == add);
			snprintf(name, sizeof name, "aten.ad%d", i);
			CHECK(sf_rulebook_find(book, sf_str_of(name)) == NULL);
		}
	snprintf(name, sizeof name, "aten.add.%0*d", 100, 1);
	CHECK(sf_rulebook_find(book, sf_str_of(name)) == add);
	CHECK(sf_rulebook_find(book, SF_STR("")) == NULL);
	CHECK(sf_rulebook_find(book, SF_STR("_")) == NULL);
	CHECK(sf_rulebook_find(book, SF_STR("aten._")) == NULL);
	sf_rulebook_release(book);
	sf_arena_free(arena);
}

/* A rule that comes later holds for names that were found before. */
static void
check_later(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_rulebook *book = sf_rulebook_new(arena);
	struct sf_error error;
	struct sf_rule *mine =
	    sf_rule_new(SF_CAT_COPY, SF_STR(""), SF_STR(""), arena, &error);

	CHECK(sf_rulebook_find(book, SF_STR("aten.mm.default")) != mine);
	CHECK(sf_rulebook_add(book, SF_STR("aten.mm"), mine));
	CHECK(sf_rulebook_find(book, SF_STR("aten.mm.default")) == mine);
	CHECK(!sf_rulebook_add(book, SF_STR("my.op"), mine));
	CHECK(sf_rulebook_find(book, SF_STR("my.op")) == mine);
	sf_rulebook_release(book);
	sf_arena_free(arena);
}

int
main(void)
{
	struct sf_error error;

	CHECK_FOR(error.text, parse(rules, sizeof rules - 1, &error));
	check_cut();
	check_mangled();
	check_names();
	check_later();
	return 0;
}
