/* Designs that a file lists. */
#include "sweep/points-file.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/num.h"
#include "stream/input.h"
#include "stream/json.h"

struct sf_points_file {
	const struct sf_target *target;
	struct sf_input *input;
	struct sf_arena *arena, *row;
	bool records; /* a stream, not CSV */
	bool pending; /* its first line was read and not taken */
	struct sf_str first;
	const char **names;  /* of columns; NULL: it is no parameter */
	int ncolumns, index; /* place of `i`, -1 */
	const char **keys;   /* the names without holes */
	int nkeys;
	struct sf_points_value *values;
	int n, room;
	int64_t count; /* designs so far */
};

static SF_NORETURN void
die_at(const struct sf_points_file *f, const char *text, struct sf_str found)
{
	sf_die(SF_EX_INPUT, "%s:%lld: %s '%.*s'", sf_input_name(f->input),
	    (long long)sf_input_lineno(f->input), text,
	    (int)(found.n < 60 ? found.n : 60), found.p);
}

static void
add_value(struct sf_points_file *f, const char *name, const char *text)
{
	if (f->n == f->room) {
		f->room = f->room != 0 ? 2 * f->room : 16;
		f->values = sf_reallocarray(
		    f->values, (size_t)f->room, sizeof *f->values);
	}
	f->values[f->n++] = (struct sf_points_value){ name, text };
}

/* ---- CSV ---- */

/* The next field of *LINE, without quotes around it; false behind the last. */
static bool
next_field(struct sf_str *line, struct sf_arena *arena, struct sf_str *out)
{
	const char *p = line->p, *end;
	char *to;

	if (p == NULL)
		return false;
	end = p + line->n;
	to = sf_arena_alloc(arena, line->n + 1);
	*out = (struct sf_str){ to, 0 };
	if (p < end && *p == '"') {
		for (p++; p < end; p++) {
			if (*p == '"' && (p + 1 == end || p[1] != '"'))
				break;
			p += *p == '"';
			to[out->n++] = *p;
		}
		p += p < end;
	}
	while (p < end && *p != ',' && *p != '\r')
		to[out->n++] = *p++;
	to[out->n] = '\0';
	if (p < end && *p == ',')
		*line = (struct sf_str){ p + 1, (size_t)(end - p) - 1 };
	else
		*line = (struct sf_str){ NULL, 0 };
	return true;
}

static void
read_header(struct sf_points_file *f)
{
	struct sf_str line = f->first, field;
	size_t room = 1;

	for (size_t i = 0; i < line.n; i++)
		room += line.p[i] == ',';
	f->names = sf_arena_calloc(f->arena, room, sizeof *f->names);
	f->keys = sf_arena_calloc(f->arena, room, sizeof *f->keys);
	while (next_field(&line, f->arena, &field)) {
		const struct sf_key_scope *scope;

		if (sf_str_is(field, "i"))
			f->index = f->ncolumns;
		else if (sf_target_key(f->target, field, &scope) != NULL)
			f->keys[f->nkeys++] = f->names[f->ncolumns] = field.p;
		f->ncolumns++;
	}
	if (f->nkeys == 0)
		die_at(f, "no column is a parameter's name, found", f->first);
}

/* Several words of one value have a + between them. */
static const char *
plain_words(const struct sf_points_file *f, int k, struct sf_str field)
{
	const struct sf_key_scope *scope;
	const struct sf_key *key =
	    sf_target_key(f->target, sf_str_of(f->names[k]), &scope);
	char *text = sf_arena_strndup(f->row, field.p, field.n);

	for (char *p = text; *p != '\0' && key->type == SF_KEY_WORDS; p++)
		if (*p == '+')
			*p = ',';
	return text;
}

static bool
next_row(struct sf_points_file *f, int64_t *i)
{
	struct sf_str line, field;
	int k = 0;

	do
		if (!sf_input_line(f->input, &line))
			return false;
	while (line.n == 0 || (line.n == 1 && line.p[0] == '\r'));
	for (; next_field(&line, f->row, &field); k++) {
		if (k >= f->ncolumns)
			continue;
		if (k == f->index &&
		    (!sf_int_parse(field.p, field.n, i) || *i < 0))
			die_at(f, "expected a count for 'i', found", field);
		if (f->names[k] != NULL && field.n != 0)
			add_value(f, f->names[k], plain_words(f, k, field));
	}
	if (k != f->ncolumns)
		sf_die(SF_EX_INPUT,
		    "%s:%lld: %d fields, expected the %d of the header",
		    sf_input_name(f->input),
		    (long long)sf_input_lineno(f->input), k, f->ncolumns);
	return true;
}

/* ---- records ---- */

/* A value of a record as text that sf_key_set takes. */
static const char *
text_of(struct sf_points_file *f, struct sf_json *scan)
{
	struct sf_buf words = { 0 };
	struct sf_str text;
	char first = sf_json_peek(scan);

	if (first == '[') {
		sf_json_enter(scan, '[');
		while (sf_json_element(scan)) {
			text = sf_json_string(scan);
			sf_buf_printf(&words, "%s%.*s", words.n != 0 ? "," : "",
			    SF_STR_ARG(text));
		}
		text =
		    (struct sf_str){ sf_arena_strndup(f->row, words.p, words.n),
			    words.n };
		sf_buf_release(&words);
		return text.p;
	}
	text = first == '"' ? sf_json_string(scan) : sf_json_skip(scan);
	return sf_arena_strndup(f->row, text.p, text.n);
}

static void
read_set(struct sf_points_file *f, struct sf_json *scan)
{
	struct sf_str key;

	sf_json_enter(scan, '{');
	while (sf_json_member(scan, &key)) {
		const struct sf_key_scope *scope;
		const char *text = text_of(f, scan);

		if (sf_target_key(f->target, key, &scope) != NULL)
			add_value(
			    f, sf_arena_strndup(f->row, key.p, key.n), text);
	}
}

/* The next line that is a point record; false at the end. */
static bool
next_point(struct sf_points_file *f, struct sf_str *line)
{
	if (f->pending) {
		*line = f->first;
		f->pending = false;
		return true;
	}
	do
		if (!sf_input_line(f->input, line))
			return false;
	while (!sf_str_starts(*line, "{\"kind\":\"point\""));
	return true;
}

static bool
next_record(struct sf_points_file *f, int64_t *i)
{
	struct sf_str line, key;
	struct sf_json scan;

	if (!next_point(f, &line))
		return false;
	scan =
	    (struct sf_json){ .p = line.p, .start = line.p, .arena = f->row };
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		if (SF_KEY(key, "i"))
			*i = sf_json_int(&scan);
		else if (SF_KEY(key, "set"))
			read_set(f, &scan);
		else
			sf_json_skip(&scan);
	}
	if (scan.error != NULL || *i < 0)
		sf_die(SF_EX_INPUT, "%s:%lld: column %lld: %s",
		    sf_input_name(f->input),
		    (long long)sf_input_lineno(f->input),
		    (long long)(scan.p - line.p) + 1,
		    scan.error != NULL ? scan.error : "expected a count for i");
	return true;
}

/* All points of a sweep set the same parameters, those of the first. */
static void
read_first_point(struct sf_points_file *f)
{
	struct sf_str line = f->first;
	int64_t i;

	if (!sf_str_starts(line, "{\"kind\":\"point\"") &&
	    !next_point(f, &line))
		sf_die(SF_EX_INPUT, "%s: no point record in it",
		    sf_input_name(f->input));
	f->first = sf_json_keep(f->arena, line);
	f->pending = true;
	next_record(f, &i);
	f->keys = sf_arena_calloc(f->arena, (size_t)f->n + 1, sizeof *f->keys);
	for (int k = 0; k < f->n; k++)
		f->keys[f->nkeys++] =
		    sf_arena_strdup(f->arena, f->values[k].name);
	f->pending = true;
	f->n = 0;
}

/* ---- both ---- */

struct sf_points_file *
sf_points_open(const char *path, const struct sf_target *target)
{
	struct sf_points_file *f = sf_malloc(sizeof *f);

	*f = (struct sf_points_file){ .target = target,
		.input = sf_input_open(path),
		.arena = sf_arena_new(),
		.row = sf_arena_new(),
		.index = -1 };
	if (!sf_input_line(f->input, &f->first))
		sf_die(SF_EX_INPUT, "%s: is empty, expected designs",
		    sf_input_name(f->input));
	f->records = f->first.n != 0 && f->first.p[0] == '{';
	if (f->records)
		read_first_point(f);
	else
		read_header(f);
	return f;
}

void
sf_points_close(struct sf_points_file *f)
{
	sf_input_close(f->input);
	sf_arena_free(f->arena);
	sf_arena_free(f->row);
	free(f->values);
	free(f);
}

int
sf_points_names(const struct sf_points_file *f, const char *const **names)
{
	*names = f->keys;
	return f->nkeys;
}

bool
sf_points_next(struct sf_points_file *f, int64_t *i)
{
	sf_arena_reset(f->row);
	f->n = 0;
	*i = f->count;
	if (f->records ? !next_record(f, i) : !next_row(f, i))
		return false;
	f->count++;
	return true;
}

int
sf_points_values(
    const struct sf_points_file *f, const struct sf_points_value **values)
{
	*values = f->values;
	return f->n;
}

const char *
sf_points_name(const struct sf_points_file *f)
{
	return sf_input_name(f->input);
}

int64_t
sf_points_line(const struct sf_points_file *f)
{
	return sf_input_lineno(f->input);
}
