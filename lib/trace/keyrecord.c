/* Parameters into the stream and back. */
#include "trace/keyrecord.h"

#include <string.h>

/* What is behind the name of KEY where it is a member. */
static const char *
suffix(const struct sf_keys *keys, const struct sf_key *key)
{
	return key->unit == SF_UNIT_S ? keys->seconds : "";
}

/* ---- writing ---- */

static void
put_words(struct sf_jsonw *w, const struct sf_key *key, uint32_t set)
{
	sf_jsonw_open(w, '[');
	for (int i = 0; key->choices[i] != NULL; i++)
		if ((set >> i & 1) != 0)
			sf_jsonw_cstr(w, key->choices[i]);
	sf_jsonw_close(w, ']');
}

void
sf_key_put(struct sf_jsonw *w, const struct sf_key *key, const void *in)
{
	const void *field = (const char *)in + key->offset;

	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
		sf_jsonw_double(w, *(const double *)field);
		break;
	case SF_KEY_INT:
		sf_jsonw_int(w, *(const int64_t *)field);
		break;
	case SF_KEY_WORD:
		sf_jsonw_cstr(w, key->choices[*(const int *)field]);
		break;
	case SF_KEY_WORDS:
		put_words(w, key, *(const uint32_t *)field);
		break;
	case SF_KEY_FLAG:
		sf_jsonw_bool(w, *(const bool *)field);
		break;
	case SF_KEY_TEXT:
		sf_jsonw_cstr(w, *(const char *const *)field);
		break;
	}
}

void
sf_keys_put(struct sf_jsonw *w, const struct sf_keys *keys, const void *in)
{
	struct sf_buf name = { 0 };

	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		const char *field = (const char *)in + key->offset;

		if (key->type == SF_KEY_MAYBE &&
		    *(const double *)(const void *)field == 0)
			continue;
		name.n = 0;
		sf_buf_printf(
		    &name, "%s%s%c", key->name, suffix(keys, key), '\0');
		sf_jsonw_key(w, name.p);
		sf_key_put(w, key, in);
	}
	sf_buf_release(&name);
}

/* ---- reading ---- */

static void
read_off(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const char *value = r->scan.p;
	double x = sf_json_double(&r->scan);

	if (r->scan.error != NULL || !(x == 0 || (x >= m->low && x <= m->high)))
		sf_member_refuse(r, m, value, NULL);
	*(double *)(void *)((char *)into + m->offset) = x == 0 ? 0 : x;
}

static void
read_words(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const char *value = r->scan.p;
	uint32_t set = 0;

	sf_json_enter(&r->scan, '[');
	while (sf_json_element(&r->scan)) {
		struct sf_str word = sf_json_string(&r->scan);
		int place = sf_key_place(m->words, word);

		if (r->scan.error != NULL || place < 0)
			break;
		set |= UINT32_C(1) << place;
	}
	if (r->scan.error != NULL || r->scan.p[-1] != ']')
		sf_member_refuse(r, m, value, NULL);
	*(uint32_t *)(void *)((char *)into + m->offset) = set;
}

static void
read_text(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const char *value = r->scan.p;
	struct sf_str text = sf_json_string(&r->scan);

	if (r->scan.error != NULL || text.n == 0)
		sf_member_refuse(r, m, value, NULL);
	else
		*(const char **)(void *)((char *)into + m->offset) =
		    sf_arena_strndup(r->keep != NULL ? r->keep : r->scan.arena,
			text.p, text.n);
}

/* What a row that reads itself expects, for its errors. */
static const char *
expected(const struct sf_key *key, struct sf_arena *arena)
{
	struct sf_buf text = { 0 };
	const char *out;

	if (key->type == SF_KEY_OFF)
		sf_buf_printf(&text, "a number from %.16g to %.16g, or 0",
		    key->least, key->most);
	else if (key->type == SF_KEY_TEXT)
		sf_buf_printf(&text, "a string that is not empty");
	else
		for (int i = 0; key->choices[i] != NULL; i++)
			sf_buf_printf(&text, "%s%s",
			    i == 0 ? "an array of some of: " : ", ",
			    key->choices[i]);
	out = sf_arena_strndup(arena, text.p, text.n);
	sf_buf_release(&text);
	return out;
}

static void
set_type(struct sf_member *row, const struct sf_key *key)
{
	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_MAYBE:
		row->type = SF_M_DOUBLE;
		break;
	case SF_KEY_INT:
		row->type = SF_M_INT;
		break;
	case SF_KEY_WORD:
		row->type = SF_M_WORD;
		break;
	case SF_KEY_FLAG:
		row->type = SF_M_BOOL;
		break;
	case SF_KEY_OFF:
		row->read = read_off;
		break;
	case SF_KEY_WORDS:
		row->read = read_words;
		break;
	case SF_KEY_TEXT:
		row->read = read_text;
		break;
	}
}

void
sf_keys_rows(const struct sf_keys *keys, size_t at, struct sf_arena *arena,
    struct sf_member *rows)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		struct sf_member *row = &rows[i];
		const char *name = sf_arena_printf(
		    arena, "%s%s", key->name, suffix(keys, key));

		*row = (struct sf_member){ .name = sf_str_of(name),
			.type = SF_M_CALL,
			.need = key->fallback == NULL ? SF_ALWAYS : SF_OPTIONAL,
			.offset = at + key->offset,
			.low = key->least,
			.high = key->most,
			.words = key->choices };
		set_type(row, key);
		if (row->type == SF_M_INT) {
			row->least = (int64_t)key->least;
			row->most = (int64_t)key->most;
		}
		if (row->type == SF_M_CALL)
			row->expected = expected(key, arena);
	}
}

/* ---- parts ---- */

static const struct sf_key_sourced *
sourced(const struct sf_key *key, const void *in)
{
	return (const void *)((const char *)in + key->offset);
}

static void
put_part(struct sf_jsonw *w, const struct sf_key_part *part, const void *in)
{
	bool open = false;

	for (size_t i = 0; i < part->keys->n; i++) {
		const struct sf_key *key = &part->keys->rows[i];
		const struct sf_key_sourced *x = sourced(key, in);

		if (x->value == 0)
			continue;
		if (!open) {
			sf_jsonw_key(w, part->name);
			sf_jsonw_open(w, '{');
			open = true;
		}
		sf_jsonw_key(w, key->name);
		sf_jsonw_open(w, '{');
		sf_jsonw_kdouble(w, "value", x->value);
		sf_jsonw_kcstr(w, "source", x->source);
		sf_jsonw_close(w, '}');
	}
	if (open)
		sf_jsonw_close(w, '}');
}

void
sf_key_parts_put(struct sf_jsonw *w, const struct sf_keys *keys, const void *in)
{
	for (size_t i = 0; i < keys->nparts; i++)
		put_part(w, &keys->parts[i],
		    (const char *)in + keys->parts[i].offset);
}

/* What reads one, in the range of KEY. */
static struct sf_members *
sourced_members(const struct sf_key *key, struct sf_arena *arena)
{
	struct sf_members *members = sf_arena_calloc(arena, 1, sizeof *members);
	struct sf_member *rows = sf_arena_calloc(arena, 2, sizeof *rows);

	rows[0] = (struct sf_member){ .name = SF_STR_INIT("value"),
		.type = SF_M_DOUBLE,
		.need = SF_ALWAYS,
		.offset = offsetof(struct sf_key_sourced, value),
		.low = key->least,
		.high = key->most };
	rows[1] = (struct sf_member){ .name = SF_STR_INIT("source"),
		.type = SF_M_CALL,
		.need = SF_ALWAYS,
		.offset = offsetof(struct sf_key_sourced, source),
		.read = read_text,
		.expected = "a string that is not empty" };
	*members = (struct sf_members){ key->name, rows, 2 };
	return members;
}

static struct sf_members *
part_members(const struct sf_key_part *part, struct sf_arena *arena)
{
	const struct sf_keys *keys = part->keys;
	struct sf_members *members = sf_arena_calloc(arena, 1, sizeof *members);
	struct sf_member *rows = sf_arena_calloc(arena, keys->n, sizeof *rows);

	for (size_t i = 0; i < keys->n; i++)
		rows[i] =
		    (struct sf_member){ .name = sf_str_of(keys->rows[i].name),
			    .type = SF_M_OBJECT,
			    .need = SF_OPTIONAL,
			    .offset = (uint32_t)keys->rows[i].offset,
			    .members = sourced_members(&keys->rows[i], arena) };
	*members = (struct sf_members){ part->name, rows, (int)keys->n };
	return members;
}

void
sf_key_parts_rows(
    const struct sf_keys *keys, struct sf_arena *arena, struct sf_member *rows)
{
	for (size_t i = 0; i < keys->nparts; i++)
		rows[i] =
		    (struct sf_member){ .name = sf_str_of(keys->parts[i].name),
			    .type = SF_M_OBJECT,
			    .need = SF_OPTIONAL,
			    .offset = (uint32_t)keys->parts[i].offset,
			    .members = part_members(&keys->parts[i], arena) };
}

void
sf_config_add_inputs(struct sf_stream *stream, const struct sf_config *config)
{
	for (; config != NULL; config = config->base)
		sf_stream_add_input(stream, config->path, config->crc32);
}
