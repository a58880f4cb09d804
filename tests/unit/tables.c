/*
 * Every operator of ONNX and of ONNX Runtime has a shape rule and a count
 * rule, or stands with the reason in a list; a shape rule is there from the
 * first version on and takes as many inputs and outputs as the schema does.
 * What else has one of the two rules has the other, too.
 *
 *	tables SCHEMAS EXCEPTIONS
 *
 * SCHEMAS is tests/data/onnx-schema.tsv; tests/golden/onnx-schema.py says what
 * is in it. A line of EXCEPTIONS has a name, what there is not (shape, count or
 * both), and why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/table.h"
#include "check.h"
#include "onnx/ops/rules.h"
#include "rules/rulebook.h"

enum {
	MAX_NAME = 96,
	MAX_LINE = 512
};

struct tables {
	struct sf_arena *arena;
	struct sf_table counted; /* names of the rulebook */
	struct sf_table known;   /* names of the schemas */
	struct sf_table without; /* exceptions: the first letter of what */
};

static void
read_rulebook(struct tables *t)
{
	struct sf_rulebook *book = sf_rulebook_new(t->arena);
	struct sf_buf list = { 0 };
	const char *line;

	sf_rulebook_list(book, &list);
	sf_buf_putc(&list, '\0');
	for (line = list.p; *line != '\0'; line = strchr(line, '\n') + 1)
		sf_table_add(&t->counted,
		    sf_str_of(sf_arena_printf(
			t->arena, "%.*s", (int)strcspn(line, "\t"), line)));
	sf_rulebook_release(book);
	sf_buf_release(&list);
}

static void
read_exceptions(struct tables *t, const char *path)
{
	char line[MAX_LINE], name[MAX_NAME], what[8], why[MAX_LINE];
	FILE *file = fopen(path, "r");

	CHECK(file != NULL);
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		struct sf_entry *entry;

		if (line[0] == '#')
			continue;
		CHECK_FOR(line,
		    sscanf(line, "%95[^\t]\t%7[^\t]\t%511[^\n]", name, what,
			why) == 3);
		CHECK_FOR(name,
		    strcmp(what, "shape") == 0 || strcmp(what, "count") == 0 ||
			strcmp(what, "both") == 0);
		entry = sf_table_add(&t->without,
		    sf_str_of(sf_arena_printf(t->arena, "%s", name)));
		CHECK_FOR(name, entry->num == 0);
		entry->num = what[0]; /* 's', 'c' or 'b' */
	}
	if (file != NULL)
		fclose(file);
}

/* ---- one version of one schema ---- */

struct schema {
	char name[MAX_NAME];
	int version, least_in, most_in, least_out, most_out;
};

static bool
reaches(int rule, int schema)
{
	return rule < 0 || (schema >= 0 && rule >= schema);
}

/* What the table of shape rules has for it, NULL when there is none. */
static const struct sf_infer_entry *
shape_rule(const struct schema *s)
{
	const char *dot = strrchr(s->name, '.');
	struct sf_str domain = { s->name, (size_t)(dot - s->name) };

	if (sf_str_is(domain, "onnx"))
		domain = SF_STR("");
	return sf_infer_find(domain, sf_str_of(dot + 1), s->version);
}

static void
check_schema(struct tables *t, const struct schema *s)
{
	struct sf_str name = sf_str_of(s->name);
	const struct sf_infer_entry *rule = shape_rule(s);
	const struct sf_entry *entry = sf_table_find(&t->without, name);
	int64_t without = entry != NULL ? entry->num : 0;
	bool counted = sf_table_find(&t->counted, name) != NULL;

	sf_table_add(&t->known, name);
	CHECK_FOR(
	    s->name, (rule == NULL) == (without == 's' || without == 'b'));
	CHECK_FOR(s->name, !counted == (without == 'c' || without == 'b'));
	if (rule == NULL)
		return;
	CHECK_FOR(s->name, rule->min_inputs <= s->least_in);
	CHECK_FOR(s->name, reaches(rule->max_inputs, s->most_in));
	CHECK_FOR(s->name, rule->min_outputs <= s->least_out);
	CHECK_FOR(s->name, reaches(rule->max_outputs, s->most_out));
}

static int
check_schemas(struct tables *t, const char *path)
{
	char line[MAX_LINE];
	FILE *file = fopen(path, "r");
	int n = 0;

	CHECK(file != NULL);
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		struct schema s;

		if (line[0] == '#')
			continue;
		CHECK_FOR(line,
		    sscanf(line, "%95s %d %d %d %d %d", s.name, &s.version,
			&s.least_in, &s.most_in, &s.least_out,
			&s.most_out) == 6);
		check_schema(t, &s);
		n++;
	}
	if (file != NULL)
		fclose(file);
	return n;
}

/* ---- the two tables ---- */

/* Names of the rulebook that are of ONNX's namespaces. */
static bool
is_of_onnx(struct sf_str name)
{
	static const char *const begins[] = { "onnx.", "com.microsoft.",
		"com.ms.", "ai.onnx.", "qonnx.", "finn." };

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (sf_str_starts(name, begins[i]))
			return true;
	return false;
}

/* What is counted has a shape rule, and the other way round. */
static void
check_tables(struct tables *t)
{
	struct sf_table shaped;
	int n;
	const struct sf_infer_entry *table = sf_infer_table(&n);

	sf_table_init(&shaped, t->arena);
	for (int i = 0; i < n; i++) {
		const char *domain =
		    table[i].domain[0] != '\0' ? table[i].domain : "onnx";
		struct sf_str name = sf_str_of(sf_arena_printf(
		    t->arena, "%s.%s", domain, table[i].op_type));
		const struct sf_entry *without =
		    sf_table_find(&t->without, name);

		sf_table_add(&shaped, name);
		CHECK_FOR(name.p,
		    (sf_table_find(&t->counted, name) == NULL) ==
			(without != NULL && without->num == 'c'));
	}
	for (size_t i = 0; i < t->counted.n; i++) {
		struct sf_str name = t->counted.order[i]->name;

		CHECK_FOR(name.p,
		    !is_of_onnx(name) || sf_table_find(&shaped, name) != NULL);
	}
	CHECK(shaped.n > 350);
	sf_table_release(&shaped);
}

int
main(int argc, char *argv[])
{
	struct tables t = { .arena = sf_arena_new() };

	CHECK(argc == 3);
	sf_table_init(&t.counted, t.arena);
	sf_table_init(&t.known, t.arena);
	sf_table_init(&t.without, t.arena);
	read_rulebook(&t);
	read_exceptions(&t, argv[2]);
	CHECK(check_schemas(&t, argv[1]) > 800);
	check_tables(&t);
	for (size_t i = 0; i < t.without.n; i++)
		CHECK_FOR(t.without.order[i]->name.p,
		    sf_table_find(&t.known, t.without.order[i]->name) != NULL);
	sf_table_release(&t.counted);
	sf_table_release(&t.known);
	sf_table_release(&t.without);
	sf_arena_free(t.arena);
	return 0;
}
