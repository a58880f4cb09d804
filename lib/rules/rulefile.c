/* Rules of the user's own. */
#include "rules/rulefile.h"

#include <errno.h>
#include <stdio.h>

#include "base/crc32.h"
#include "base/die.h"
#include "base/near.h"
#include "rules/rule.h"

struct line {
	struct sf_str rest; /* what is not yet read */
	struct sf_error *error;
};

/* A file that is being read. */
struct rulefile {
	const char *path;
	struct sf_rulebook *book;
	struct sf_arena *arena;
	struct sf_table *overridden;
	struct sf_table names; /* with the number of the line that has each */
	int number;            /* of the line, from 1 */
};

/* Takes N bytes from the line, and the blanks behind them. */
static struct sf_str
take(struct line *line, size_t n)
{
	struct sf_str piece = { line->rest.p, n };

	line->rest =
	    sf_str_trim((struct sf_str){ line->rest.p + n, line->rest.n - n });
	return piece;
}

/* Up to the first of the bytes in STOPS. */
static struct sf_str
take_until(struct line *line, const char *stops)
{
	size_t n = 0;

	while (n < line->rest.n && strchr(stops, line->rest.p[n]) == NULL)
		n++;
	return take(line, n);
}

static bool
check_name(struct sf_str name, struct sf_error *error)
{
	const char *dot = sf_str_chr(name, '.');
	const char *star = sf_str_chr(name, '*');

	if (!sf_utf8_valid(name.p, name.n))
		return sf_fail(error, "the name is not UTF-8");
	if (dot == NULL || dot == name.p || dot == name.p + name.n - 1)
		return sf_fail(error,
		    "found the name '%.*s', expected NAMESPACE.OPERATOR",
		    SF_STR_ARG(name));
	if (star != NULL && star != name.p + name.n - 1)
		return sf_fail(error,
		    "found the name '%.*s', expected '*' only at its end",
		    SF_STR_ARG(name));
	return true;
}

/* "(x, w, bias?)" */
static bool
take_roles(struct line *line, struct sf_str *roles)
{
	*roles = (struct sf_str){ "", 0 };
	if (line->rest.n == 0 || *line->rest.p != '(')
		return true;
	take(line, 1);
	*roles = take_until(line, ")");
	if (line->rest.n == 0)
		return sf_fail(line->error, "expected ')' behind the inputs");
	take(line, 1);
	if (roles->n == 0)
		return sf_fail(line->error,
		    "found '()', expected the names of "
		    "inputs or no parentheses");
	return true;
}

static bool
take_category(struct line *line, enum sf_category *category)
{
	struct sf_str name = take_until(line, " \t\r;");
	struct sf_buf names = { 0 };

	*category = sf_category_parse(name);
	if (*category != SF_CAT_COUNT && *category != SF_CAT_UNKNOWN)
		return true;
	for (enum sf_category c = 0; c < SF_CAT_COUNT; c++)
		if (c != SF_CAT_UNKNOWN)
			sf_buf_printf(&names, "%s%s", c == 0 ? "" : ", ",
			    sf_category_name(c));
	sf_near_put_of(&names, name);
	sf_fail(line->error, "found the category '%.*s', expected one of: %.*s",
	    SF_STR_ARG(name), (int)names.n, names.p);
	sf_buf_release(&names);
	return false;
}

/* Adds the rule; a file has one for each name. */
static bool
add_rule(struct rulefile *file, struct sf_str name, struct sf_rule *rule,
    struct sf_error *error)
{
	struct sf_entry *entry = sf_table_add(&file->names, name);

	if (entry->num != 0)
		return sf_fail(error,
		    "'%.*s' has a rule in line %lld, expected another name",
		    SF_STR_ARG(name), (long long)entry->num);
	entry->num = file->number;
	if (sf_rulebook_add(file->book, name, rule))
		sf_table_add(file->overridden, name);
	return true;
}

static bool
parse_line(struct rulefile *file, struct sf_str text, struct sf_error *error)
{
	struct line line = { text, error };
	struct sf_str name = take_until(&line, " \t\r(;"), roles;
	enum sf_category category;
	struct sf_rule *rule;

	if (!check_name(name, error) || !take_roles(&line, &roles) ||
	    !take_category(&line, &category))
		return false;
	if (line.rest.n != 0 && *line.rest.p != ';')
		return sf_fail(error,
		    "found '%.*s', expected ';' behind the category",
		    SF_STR_ARG(line.rest));
	if (line.rest.n != 0)
		take(&line, 1);
	rule = sf_rule_new(category, roles, line.rest, file->arena, error);
	if (rule == NULL)
		return false;
	rule->place =
	    sf_arena_printf(file->arena, "%s:%d", file->path, file->number);
	return add_rule(file, name, rule, error);
}

/* The next line of TEXT without its comment and blanks. */
static struct sf_str
next_line(struct sf_str *text)
{
	const char *lf = sf_str_chr(*text, '\n');
	struct sf_str line = { text->p,
		lf != NULL ? (size_t)(lf - text->p) : text->n };
	size_t step = line.n + (lf != NULL);
	const char *hash = sf_str_chr(line, '#');

	*text = (struct sf_str){ text->p + step, text->n - step };
	if (hash != NULL)
		line.n = (size_t)(hash - line.p);
	return sf_str_trim(line);
}

static bool
parse_lines(struct rulefile *file, struct sf_str text, struct sf_error *error)
{
	while (text.n != 0) {
		struct sf_str line = next_line(&text);
		struct sf_error inner;

		file->number++;
		if (line.n == 0)
			continue;
		if (sf_str_chr(line, '\0') != NULL)
			return sf_fail(error,
			    "%s:%d: found a NUL byte, expected text",
			    file->path, file->number);
		if (!parse_line(file, line, &inner))
			return sf_fail(error, "%s:%d: %s", file->path,
			    file->number, inner.text);
	}
	return true;
}

bool
sf_rulefile_parse(struct sf_rulebook *book, const char *path,
    struct sf_str text, struct sf_arena *arena, struct sf_table *overridden,
    struct sf_error *error)
{
	struct rulefile file = {
		.path = path,
		.book = book,
		.arena = arena,
		.overridden = overridden,
	};
	bool ok;

	sf_table_init(&file.names, arena);
	ok = parse_lines(&file, text, error);
	sf_table_release(&file.names);
	return ok;
}

static struct sf_str
read_file(const char *path, struct sf_arena *arena)
{
	FILE *file = fopen(path, "rbe");
	struct sf_buf all = { 0 };
	struct sf_str text;
	size_t n;

	if (file == NULL)
		sf_die(SF_EX_IO, "%s: %s", path, strerror(errno));
	do {
		sf_buf_need(&all, 65536);
		n = fread(all.p + all.n, 1, 65536, file);
		all.n += n;
	} while (n != 0);
	if (ferror(file))
		sf_die(SF_EX_IO, "%s: %s", path, strerror(errno));
	fclose(file);
	text = (struct sf_str){ sf_arena_strndup(arena, all.p, all.n), all.n };
	sf_buf_release(&all);
	return text;
}

uint32_t
sf_rulefile_load(struct sf_rulebook *book, const char *path,
    struct sf_arena *arena, struct sf_table *overridden)
{
	struct sf_str text = read_file(path, arena);
	struct sf_error error;

	if (!sf_rulefile_parse(book, path, text, arena, overridden, &error))
		sf_die(SF_EX_INPUT, "%s", error.text);
	return sf_crc32(0, text.p, text.n);
}
