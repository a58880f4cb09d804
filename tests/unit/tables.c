/*
 * The table of shape rules and the tables of count rules name the same ONNX
 * operator types; what can have only one of the two says why here.
 */
#include <string.h>

#include "base/buf.h"
#include "base/table.h"
#include "check.h"
#include "onnx/ops/rules.h"
#include "rules/rulebook.h"

/* Operator types that have a shape rule and cost what a graph inside does. */
static const struct {
	const char *name, *why;
} uncounted[] = {
	{ "ai.onnx.preview.training.Gradient",
	    "costs what the part of the graph costs that it differentiates" },
};

enum {
	NUNCOUNTED = sizeof uncounted / sizeof uncounted[0]
};

static bool
is_uncounted(struct sf_str name)
{
	for (int i = 0; i < NUNCOUNTED; i++)
		if (sf_str_is(name, uncounted[i].name))
			return true;
	return false;
}

/* The names of the rulebook that are ONNX operator types. */
static void
counted_names(struct sf_table *names, struct sf_arena *arena)
{
	struct sf_rulebook *book = sf_rulebook_new(arena);
	struct sf_buf list = { 0 };
	const char *line;

	sf_rulebook_list(book, &list);
	sf_buf_putc(&list, '\0');
	for (line = list.p; *line != '\0'; line = strchr(line, '\n') + 1) {
		struct sf_str name = { line, strcspn(line, "\t") };

		if (sf_str_starts(name, "onnx.") ||
		    sf_str_starts(name, "com.microsoft.") ||
		    sf_str_starts(name, "ai.onnx."))
			sf_table_add(names, name);
	}
	sf_rulebook_release(book);
	sf_buf_release(&list);
}

static void
shaped_names(struct sf_table *names, struct sf_arena *arena)
{
	int n;
	const struct sf_infer_entry *table = sf_infer_table(&n);

	for (int i = 0; i < n; i++) {
		const char *domain =
		    table[i].domain[0] != '\0' ? table[i].domain : "onnx";

		sf_table_add(names,
		    sf_str_of(sf_arena_printf(
			arena, "%s.%s", domain, table[i].op_type)));
	}
}

int
main(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_table shaped, counted;

	sf_table_init(&shaped, arena);
	sf_table_init(&counted, arena);
	shaped_names(&shaped, arena);
	counted_names(&counted, arena);
	CHECK(shaped.n > 200 && counted.n > 200);
	for (size_t i = 0; i < shaped.n; i++) {
		struct sf_str name = shaped.order[i]->name;
		bool has = sf_table_find(&counted, name) != NULL;

		CHECK_FOR(name.p, has != is_uncounted(name));
	}
	for (size_t i = 0; i < counted.n; i++)
		CHECK_FOR(counted.order[i]->name.p,
		    sf_table_find(&shaped, counted.order[i]->name) != NULL);
	for (int i = 0; i < NUNCOUNTED; i++) {
		CHECK_FOR(uncounted[i].name, uncounted[i].why[0] != '\0');
		CHECK_FOR(uncounted[i].name,
		    sf_table_find(&shaped, sf_str_of(uncounted[i].name)) !=
			NULL);
	}
	sf_table_release(&shaped);
	sf_table_release(&counted);
	sf_arena_free(arena);
	return 0;
}
