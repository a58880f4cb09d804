/* Parameters into the stream and back. */
#include "trace/keyrecord.h"

#include <string.h>

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

static void
put_value(struct sf_jsonw *w, const struct sf_key *key, const void *field)
{
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

/* What is behind the name of KEY where it is a member. */
static const char *
suffix(const struct sf_keys *keys, const struct sf_key *key)
{
	return key->unit == SF_UNIT_S ? keys->seconds : "";
}

void
sf_keys_put(struct sf_jsonw *w, const struct sf_keys *keys, const void *in)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		const void *field = (const char *)in + key->offset;
		struct sf_buf name = { 0 };

		if (key->type == SF_KEY_MAYBE && *(const double *)field == 0)
			continue;
		sf_buf_printf(&name, "%s%s", key->name, suffix(keys, key));
		sf_buf_putc(&name, '\0');
		sf_jsonw_key(w, name.p);
		sf_buf_release(&name);
		put_value(w, key, field);
	}
}

/* ---- reading ---- */

static const struct sf_key *
find(const struct sf_keys *keys, struct sf_str name)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		size_t n = strlen(key->name);

		if (sf_str_starts(name, key->name) &&
		    sf_str_is((struct sf_str){ name.p + n, name.n - n },
			suffix(keys, key)))
			return key;
	}
	return NULL;
}

static const char *
expected(const struct sf_key *key)
{
	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
		return "a number";
	case SF_KEY_INT:
		return "a whole number";
	case SF_KEY_WORDS:
		return "an array of strings";
	case SF_KEY_FLAG:
		return "true or false";
	case SF_KEY_WORD:
	case SF_KEY_TEXT:
		break;
	}
	return "a string";
}

/* Whether the value that begins with C is of the kind that KEY wants. */
static bool
is_of_kind(const struct sf_key *key, char c)
{
	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
	case SF_KEY_INT:
		return c == '-' || (c >= '0' && c <= '9');
	case SF_KEY_WORDS:
		return c == '[';
	case SF_KEY_FLAG:
		return c == 't' || c == 'f';
	case SF_KEY_WORD:
	case SF_KEY_TEXT:
		break;
	}
	return c == '"';
}

static bool
fail_kind(struct sf_json *scan, const struct sf_key *key, const char *name,
    struct sf_error *error)
{
	struct sf_str value = sf_json_skip(scan);

	return sf_fail(error, "%s: found '%.*s', expected %s", name,
	    (int)(value.n < 60 ? value.n : 60), value.p, expected(key));
}

static bool
read_words(struct sf_json *scan, const struct sf_keys *keys,
    const struct sf_key *key, void *in, struct sf_error *error)
{
	struct sf_buf words = { 0 };
	bool done;

	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		struct sf_str word = sf_json_string(scan);

		sf_buf_put(&words, &word, sizeof word);
	}
	done = scan->error != NULL ||
	    sf_key_set_words(keys, key, in,
		(const struct sf_str *)(void *)words.p,
		words.n / sizeof(struct sf_str), error);
	sf_buf_release(&words);
	return done;
}

/* The value that is next, as the text that would set it. */
static const char *
read_text(
    struct sf_json *scan, const struct sf_key *key, struct sf_arena *arena)
{
	struct sf_str text;

	if (key->type == SF_KEY_FLAG)
		return sf_json_bool(scan) ? "true" : "false";
	text = sf_json_string(scan);
	return scan->error != NULL ? ""
				   : sf_arena_strndup(arena, text.p, text.n);
}

/* What is wrong in the text of the value is left to the scan. */
static bool
read_value(struct sf_json *scan, const struct sf_keys *keys,
    const struct sf_key *key, void *in, struct sf_arena *arena,
    struct sf_error *error)
{
	const char *text;
	double x;

	if (key->type == SF_KEY_WORDS)
		return read_words(scan, keys, key, in, error);
	if (key->type == SF_KEY_FLAG || key->type == SF_KEY_WORD ||
	    key->type == SF_KEY_TEXT) {
		text = read_text(scan, key, arena);
		return scan->error != NULL ||
		    sf_key_set(keys, key, in, text, arena, error);
	}
	/* A whole number that is no double is out of every range. */
	if (key->type == SF_KEY_INT)
		x = (double)sf_json_int(scan);
	else
		x = sf_json_double(scan);
	return scan->error != NULL ||
	    sf_key_set_number(keys, key, in, x, error);
}

bool
sf_keys_read(struct sf_json *scan, const struct sf_keys *keys, void *in,
    struct sf_arena *arena, struct sf_error *error)
{
	const struct sf_key *missing;
	struct sf_str name;

	sf_keys_init(keys, in);
	while (sf_json_member(scan, &name)) {
		const struct sf_key *key = find(keys, name);

		if (key == NULL) {
			sf_json_skip(scan);
			continue;
		}
		if (sf_key_seen(keys, key, in))
			return sf_fail(error, "'%.*s' twice", SF_STR_ARG(name));
		if (!is_of_kind(key, sf_json_peek(scan)))
			return fail_kind(scan, key, key->name, error);
		if (!read_value(scan, keys, key, in, arena, error))
			return false;
	}
	missing = sf_keys_missing(keys, in);
	if (scan->error == NULL && missing != NULL)
		return sf_fail(
		    error, "no '%s%s'", missing->name, suffix(keys, missing));
	return true;
}

void
sf_config_add_inputs(struct sf_stream *stream, const struct sf_config *config)
{
	for (; config != NULL; config = config->base)
		sf_stream_add_input(stream, config->path, config->crc32);
}
