/* Rows of parameters: defaults, and setting one from text or a number. */
#include "config/key.h"

#include <math.h>
#include <string.h>

#include "base/die.h"
#include "base/near.h"

const struct sf_key *
sf_keys_find(const struct sf_keys *keys, struct sf_str name)
{
	for (size_t i = 0; i < keys->n; i++)
		if (sf_str_is(name, keys->rows[i].name))
			return &keys->rows[i];
	return NULL;
}

void
sf_keys_names(
    const struct sf_keys *keys, const char *prefix, struct sf_buf *out)
{
	for (size_t i = 0; i < keys->n; i++)
		sf_buf_printf(out, "%s%s%s", out->n == 0 ? "" : ", ", prefix,
		    keys->rows[i].name);
}

const struct sf_key *
sf_keys_mistaken(const struct sf_keys *keys, struct sf_str name)
{
	for (size_t i = 0; i < keys->n; i++)
		if (keys->rows[i].mistaken != NULL &&
		    sf_str_is(name, keys->rows[i].mistaken))
			return &keys->rows[i];
	return NULL;
}

/* ---- numbers ---- */

/* The word that stands for 0, NULL when the type has none. */
static const char *
word_for_zero(enum sf_key_type type)
{
	return type == SF_KEY_OFF  ? "off"
	    : type == SF_KEY_MAYBE ? "unknown"
				   : NULL;
}

static bool
fail_range(const struct sf_key *key, const char *text, struct sf_error *error)
{
	const char *unit = sf_unit_name(key->unit);
	const char *zero = word_for_zero(key->type);

	return sf_fail(error,
	    "%s is '%s', expected %s from %.16g to %.16g%s%s%s%s%s", key->name,
	    text, key->type == SF_KEY_INT ? "a whole number" : "a number",
	    key->least, key->most, unit[0] != '\0' ? " " : "", unit,
	    zero != NULL ? ", or '" : "", zero != NULL ? zero : "",
	    zero != NULL ? "'" : "");
}

static bool
put_number(const struct sf_key *key, void *in, double x)
{
	void *field = (char *)in + key->offset;

	if (key->type == SF_KEY_OFF && x == 0)
		x = 0; /* and no -0 */
	else if (!(x >= key->least && x <= key->most))
		return false;
	if (key->type != SF_KEY_INT)
		*(double *)field = x;
	else if (x == floor(x))
		*(int64_t *)field = (int64_t)x;
	else
		return false;
	return true;
}

static bool
set_number(const struct sf_key *key, void *in, const char *text,
    struct sf_error *error)
{
	const char *zero = word_for_zero(key->type);
	struct sf_error why;
	double x;

	if (zero != NULL && strcmp(text, zero) == 0) {
		*(double *)(void *)((char *)in + key->offset) = 0;
		return true;
	}
	if (!sf_quantity_parse(text, key->unit, &x, &why))
		return sf_fail(error, "%s: %s%s%s%s", key->name, why.text,
		    zero != NULL ? ", or '" : "", zero != NULL ? zero : "",
		    zero != NULL ? "'" : "");
	return put_number(key, in, x) || fail_range(key, text, error);
}

bool
sf_key_is_number(const struct sf_key *key)
{
	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_INT:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
	case SF_KEY_FLAG:
		return true;
	case SF_KEY_WORD:
	case SF_KEY_WORDS:
	case SF_KEY_TEXT:
		break;
	}
	return false;
}

double
sf_key_number(const struct sf_key *key, const void *in)
{
	const void *field = (const char *)in + key->offset;

	if (key->type == SF_KEY_INT)
		return (double)*(const int64_t *)field;
	if (key->type == SF_KEY_FLAG)
		return *(const bool *)field;
	return *(const double *)field;
}

/* ---- words ---- */

static bool
fail_choices(const struct sf_key *key, const char *verb, struct sf_str word,
    const char *expected, struct sf_error *error)
{
	struct sf_buf names = { 0 };

	for (size_t i = 0; key->choices[i] != NULL; i++)
		sf_buf_printf(
		    &names, "%s%s", i == 0 ? "" : ", ", key->choices[i]);
	sf_near_put_of(&names, word);
	sf_fail(error, "%s %s '%.*s', expected %s of: %.*s", key->name, verb,
	    (int)(word.n < 60 ? word.n : 60), word.p, expected, (int)names.n,
	    names.p);
	sf_buf_release(&names);
	return false;
}

int
sf_key_place(const char *const *choices, struct sf_str word)
{
	for (int i = 0; choices[i] != NULL; i++)
		if (sf_str_is(word, choices[i]))
			return i;
	return -1;
}

static bool
set_word(const struct sf_key *key, void *in, const char *text,
    struct sf_error *error)
{
	int place = sf_key_place(key->choices, sf_str_of(text));

	if (place < 0)
		return fail_choices(key, "is", sf_str_of(text), "one", error);
	*(int *)(void *)((char *)in + key->offset) = place;
	return true;
}

/* Adds one word to the set of a row. */
static bool
add_word(const struct sf_key *key, uint32_t *set, struct sf_str word,
    struct sf_error *error)
{
	int place = sf_key_place(key->choices, word);

	if (place < 0)
		return fail_choices(key, "has", word, "some", error);
	*set |= UINT32_C(1) << place;
	return true;
}

bool
sf_key_set_words(const struct sf_key *key, void *in, const struct sf_str *words,
    size_t n, struct sf_error *error)
{
	uint32_t set = 0;

	for (size_t i = 0; i < n; i++)
		if (!add_word(key, &set, words[i], error))
			return false;
	*(uint32_t *)(void *)((char *)in + key->offset) = set;
	return true;
}

static bool
set_words(const struct sf_key *key, void *in, const char *text,
    struct sf_error *error)
{
	uint32_t set = 0;
	const char *p = text;

	while (*text != '\0') {
		struct sf_str word = { p, strcspn(p, ",") };

		if (!add_word(key, &set, word, error))
			return false;
		p += word.n;
		if (*p++ == '\0')
			break;
	}
	*(uint32_t *)(void *)((char *)in + key->offset) = set;
	return true;
}

static bool
set_flag(const struct sf_key *key, void *in, const char *text,
    struct sf_error *error)
{
	bool on = strcmp(text, "on") == 0 || strcmp(text, "true") == 0;
	bool off = strcmp(text, "off") == 0 || strcmp(text, "false") == 0;

	if (!on && !off)
		return sf_fail(
		    error, "%s is '%s', expected on or off", key->name, text);
	*(bool *)((char *)in + key->offset) = on;
	return true;
}

static bool
set_text(const struct sf_key *key, void *in, const char *text,
    struct sf_arena *arena, struct sf_error *error)
{
	if (text[0] == '\0')
		return sf_fail(
		    error, "%s is empty, expected a text", key->name);
	*(const char **)(void *)((char *)in + key->offset) =
	    sf_arena_strdup(arena, text);
	return true;
}

/* ---- a row ---- */

bool
sf_key_set(const struct sf_key *key, void *in, const char *text,
    struct sf_arena *arena, struct sf_error *error)
{
	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_INT:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
		return set_number(key, in, text, error);
	case SF_KEY_WORD:
		return set_word(key, in, text, error);
	case SF_KEY_WORDS:
		return set_words(key, in, text, error);
	case SF_KEY_FLAG:
		return set_flag(key, in, text, error);
	case SF_KEY_TEXT:
		break;
	}
	return set_text(key, in, text, arena, error);
}

void
sf_keys_init(const struct sf_keys *keys, void *in)
{
	struct sf_error error;

	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];

		/* A default text is a constant and needs no copy. */
		if (key->fallback == NULL)
			continue;
		if (key->type == SF_KEY_TEXT)
			*(const char **)(void *)((char *)in + key->offset) =
			    key->fallback;
		else if (!sf_key_set(key, in, key->fallback, NULL, &error))
			sf_bug("the default of %s: %s", key->name, error.text);
	}
}
