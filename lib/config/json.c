/* Reads JSON through jansson and keeps the line of each value. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "config/config.h"

enum {
	DEEPEST = 32 /* nesting that a configuration may have */
};

/*
 * jansson's tree has no places. It keeps the order of the text, so walking the
 * tree and the tokens of the text side by side gives each value its line.
 */
struct walk {
	const char *p;
	int line;
	struct sf_arena *arena;
};

/* Steps over what separates tokens; the text is known to be JSON. */
static void
skip_gap(struct walk *w)
{
	for (; strchr(" \t\r\n,:", *w->p) != NULL && *w->p != '\0'; w->p++)
		w->line += *w->p == '\n';
}

static void
skip_string(struct walk *w)
{
	for (w->p++; *w->p != '"'; w->p++)
		w->p += *w->p == '\\';
	w->p++;
}

/* The length of one of Python's numbers that JSON has not, 0: it is none. */
static size_t
odd_number(const char *p)
{
	static const char *const words[] = { "Infinity", "-Infinity", "NaN" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return strlen(words[i]);
	return 0;
}

/* A copy in which each of these is a string as long. */
static const char *
without_odd_numbers(const char *text, size_t len, struct sf_arena *arena)
{
	char *copy = sf_arena_alloc(arena, len + 1);
	bool in_string = false;

	memcpy(copy, text, len);
	copy[len] = '\0';
	for (size_t i = 0; i < len; i++) {
		size_t n = in_string ? 0 : odd_number(copy + i);

		if (in_string && copy[i] == '\\')
			i++;
		else if (copy[i] == '"')
			in_string = !in_string;
		if (n == 0)
			continue;
		memset(copy + i, 'n', n);
		copy[i] = copy[i + n - 1] = '"';
		i += n - 1;
	}
	return copy;
}

static const char *
take_number(struct walk *w)
{
	size_t n = odd_number(w->p);

	if (n == 0)
		n = strspn(w->p, "0123456789+-.eE");
	w->p += n;
	return sf_arena_strndup(w->arena, w->p - n, n);
}

static void
convert(struct walk *w, const json_t *json, struct sf_config_value *out);

static void
convert_list(struct walk *w, const json_t *json, struct sf_config_value *out)
{
	out->type = SF_CONFIG_LIST;
	out->nitems = json_array_size(json);
	out->items = sf_arena_calloc(w->arena, out->nitems, sizeof *out->items);
	w->p++;
	for (size_t i = 0; i < out->nitems; i++)
		convert(w, json_array_get(json, i), &out->items[i]);
	skip_gap(w);
	w->p++;
}

static void
convert_object(struct walk *w, const json_t *json, struct sf_config_value *out)
{
	/* The iterator is const only in name; nothing is changed by it. */
	void *at = json_object_iter((json_t *)(uintptr_t)json);

	out->type = SF_CONFIG_OBJECT;
	out->nitems = json_object_size(json);
	out->items = sf_arena_calloc(w->arena, out->nitems, sizeof *out->items);
	w->p++;
	for (size_t i = 0; i < out->nitems; i++) {
		out->items[i].key =
		    sf_arena_strdup(w->arena, json_object_iter_key(at));
		skip_gap(w);
		skip_string(w);
		convert(w, json_object_iter_value(at), &out->items[i]);
		at = json_object_iter_next((json_t *)(uintptr_t)json, at);
	}
	skip_gap(w);
	w->p++;
}

static void
convert(struct walk *w, const json_t *json, struct sf_config_value *out)
{
	skip_gap(w);
	out->line = w->line;
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		convert_object(w, json, out);
		return;
	case JSON_ARRAY:
		convert_list(w, json, out);
		return;
	case JSON_STRING:
		if (*w->p != '"') {
			out->type = SF_CONFIG_NUMBER;
			out->text = take_number(w);
			return;
		}
		out->type = SF_CONFIG_STR;
		out->text = sf_arena_strdup(w->arena, json_string_value(json));
		skip_string(w);
		return;
	case JSON_INTEGER:
	case JSON_REAL:
		out->type = SF_CONFIG_NUMBER;
		out->text = take_number(w);
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		out->type = SF_CONFIG_BOOL;
		out->boolean = json_is_true(json);
		w->p += out->boolean ? 4 : 5;
		return;
	case JSON_NULL:
		out->type = SF_CONFIG_NULL;
		w->p += 4;
		return;
	}
}

static bool
too_deep(const char *text, size_t len)
{
	int depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '{' || c == '[')) {
			if (++depth > DEEPEST)
				return true;
		} else if (!in_string && (c == '}' || c == ']'))
			depth--;
	}
	return false;
}

/* jansson calls text damaged when its memory ends: ours ends the program. */
static void *
take(size_t n)
{
	return sf_realloc(NULL, n);
}

static bool
parse(struct sf_config *config, struct walk *w, const char *text, size_t len,
    struct sf_error *error)
{
	json_error_t why;
	json_t *json;

	if (config->python)
		text = without_odd_numbers(text, len, w->arena);
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

	if (json == NULL)
		return sf_fail(
		    error, "%s:%d: %s", config->path, why.line, why.text);
	if (!json_is_object(json)) {
		json_decref(json);
		return sf_fail(error, "%s:1: found a list, expected an object",
		    config->path);
	}
	convert(w, json, &config->root);
	json_decref(json);
	return true;
}

bool
sf_config_parse(struct sf_config *config, const char *text, size_t len,
    struct sf_arena *arena, struct sf_error *error)
{
	/* A copy with a NUL behind it, for the walk. */
	struct walk w = { .p = sf_arena_strndup(arena, text, len),
		.line = 1,
		.arena = arena };
	json_malloc_t theirs;
	json_free_t release;
	bool ok;

	if (too_deep(text, len))
		return sf_fail(error,
		    "%s: nested more than %d deep, expected a configuration",
		    config->path, DEEPEST);
	json_get_alloc_funcs(&theirs, &release);
	json_set_alloc_funcs(take, free);
	ok = parse(config, &w, text, len, error);
	json_set_alloc_funcs(theirs, release);
	return ok;
}
