/* Parameters from configurations, each after those that it is based on. */
#include <string.h>

#include "base/buf.h"
#include "base/die.h"
#include "base/near.h"
#include "config/key.h"

/* What a figure of a device rests on. */
static const char *const kinds[] = { "datasheet", "illustrative",
	"hypothetical", "measured", "published", NULL };

/* What every configuration may have beside its parameters. */
static bool
is_for_people(const struct sf_config *config, const struct sf_config_value *v)
{
	if (strcmp(v->key, "base") == 0)
		return true;
	if (strcmp(v->key, "about") != 0)
		return false;
	if (v->type != SF_CONFIG_STR)
		sf_config_die(config, v, "'about' is no text");
	return true;
}

static SF_NORETURN void
die_of_key(const struct sf_keys *keys, const struct sf_config *config,
    const struct sf_config_value *v)
{
	const struct sf_key *mistaken =
	    sf_keys_mistaken(keys, sf_str_of(v->key));
	struct sf_buf names = { 0 };

	sf_keys_names(keys, "", &names);
	for (size_t i = 0; i < keys->nparts; i++)
		sf_buf_printf(&names, ", %s", keys->parts[i].name);
	sf_buf_printf(&names, ", about%s", keys->dir != NULL ? ", base" : "");
	if (mistaken != NULL)
		sf_buf_printf(&names, "; did you mean '%s'?", mistaken->name);
	else
		sf_near_put_of(&names, sf_str_of(v->key));
	sf_config_die(config, v, "unknown key '%s', expected one of: %.*s",
	    v->key, (int)names.n, names.p);
}

/* ---- a value as the user would write it behind --set KEY= ---- */

static const char *
value_text(const struct sf_config *config, const struct sf_key *key,
    const struct sf_config_value *value)
{
	switch (value->type) {
	case SF_CONFIG_NULL:
		if (key->type == SF_KEY_OFF)
			return "off";
		sf_config_die(
		    config, value, "'%s' is null, expected a value", key->name);
	case SF_CONFIG_BOOL:
		return value->boolean ? "true" : "false";
	case SF_CONFIG_NUMBER:
	case SF_CONFIG_STR:
		return value->text;
	case SF_CONFIG_LIST:
		sf_config_die(config, value, "'%s' is a list, expected a value",
		    key->name);
	case SF_CONFIG_OBJECT:
		break;
	}
	sf_config_die(
	    config, value, "'%s' is an object, expected a value", key->name);
}

static bool
set_list(const struct sf_key *key, void *in, const struct sf_config *config,
    const struct sf_config_value *list, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_str *words =
	    sf_arena_calloc(arena, list->nitems + 1, sizeof *words);

	for (size_t i = 0; i < list->nitems; i++) {
		const struct sf_config_value *item = &list->items[i];

		if (item->type != SF_CONFIG_STR)
			sf_config_die(config, item,
			    "'%s' has an element that is no string", key->name);
		words[i] = sf_str_of(item->text);
	}
	return sf_key_set_words(key, in, words, list->nitems, error);
}

/* One parameter from its value. */
static void
set(const struct sf_key *key, void *in, const struct sf_config *config,
    const struct sf_config_value *v, struct sf_arena *arena)
{
	struct sf_error error;
	bool done;

	if (v->type == SF_CONFIG_LIST && key->type == SF_KEY_WORDS)
		done = set_list(key, in, config, v, arena, &error);
	else
		done = sf_key_set(
		    key, in, value_text(config, key, v), arena, &error);
	if (!done)
		sf_config_die(config, v, "%s", error.text);
}

/* ---- a value with what it rests on ---- */

static const struct sf_config_value *
member(const struct sf_config *config, const struct sf_config_value *object,
    const char *name)
{
	for (size_t i = 0; i < object->nitems; i++)
		if (strcmp(object->items[i].key, name) == 0)
			return &object->items[i];
	sf_config_die(config, object, "'%s' has no '%s'", object->key, name);
}

static bool
is_kind(const struct sf_config_value *v)
{
	for (int i = 0; kinds[i] != NULL; i++)
		if (v->type == SF_CONFIG_STR && strcmp(v->text, kinds[i]) == 0)
			return true;
	return false;
}

static const struct sf_config_value *
sourced_value(
    const struct sf_config *config, const struct sf_config_value *figure)
{
	const struct sf_config_value *kind, *source;

	if (figure->type != SF_CONFIG_OBJECT)
		sf_config_die(config, figure,
		    "'%s' is no object of value, kind and source", figure->key);
	kind = member(config, figure, "kind");
	if (!is_kind(kind))
		sf_config_die(config, kind,
		    "the kind of '%s' is none of: %s, %s, %s, %s, %s",
		    figure->key, kinds[0], kinds[1], kinds[2], kinds[3],
		    kinds[4]);
	source = member(config, figure, "source");
	if (source->type != SF_CONFIG_STR || source->text[0] == '\0')
		sf_config_die(config, source,
		    "the source of '%s' is empty, expected a text",
		    figure->key);
	if (figure->nitems != 3)
		sf_config_die(config, figure,
		    "'%s' has %zu members, expected value, kind and source",
		    figure->key, figure->nitems);
	return member(config, figure, "value");
}

/* ---- a file ---- */

/* A figure and its source, into a struct sf_key_sourced. */
static void
set_sourced(const struct sf_keys *keys, const struct sf_key *key, void *in,
    const struct sf_config *config, const struct sf_config_value *v,
    struct sf_arena *arena)
{
	set(key, in, config, sourced_value(config, v), arena);
	if (keys->keeps_sources)
		((struct sf_key_sourced *)(void *)((char *)in + key->offset))
		    ->source = member(config, v, "source")->text;
}

/* An object of parameters of another table; false when V is none. */
static bool
apply_part(const struct sf_keys *keys, void *in, const struct sf_config *config,
    const struct sf_config_value *v, struct sf_arena *arena)
{
	const struct sf_key_part *part = keys->parts;
	size_t n = 0;

	while (n < keys->nparts && strcmp(part[n].name, v->key) != 0)
		n++;
	if (n == keys->nparts)
		return false;
	part += n;
	if (v->type != SF_CONFIG_OBJECT)
		sf_config_die(
		    config, v, "'%s' is no object of figures", v->key);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];
		const struct sf_key *key =
		    sf_keys_find(part->keys, sf_str_of(item->key));

		if (strcmp(item->key, "about") == 0 &&
		    is_for_people(config, item))
			continue;
		if (key == NULL)
			die_of_key(part->keys, config, item);
		set_sourced(part->keys, key, (char *)in + part->offset, config,
		    item, arena);
	}
	return true;
}

/* Sets what CONFIG has and notes in SEEN, one bool a row, what that is. */
static void
apply(const struct sf_keys *keys, void *in, const struct sf_config *config,
    bool seen[], struct sf_arena *arena)
{
	for (size_t i = 0; i < config->root.nitems; i++) {
		const struct sf_config_value *v = &config->root.items[i];
		const struct sf_key *key;

		if (is_for_people(config, v) ||
		    apply_part(keys, in, config, v, arena))
			continue;
		key = sf_keys_find(keys, sf_str_of(v->key));
		if (key == NULL)
			die_of_key(keys, config, v);
		if (keys->sourced)
			set_sourced(keys, key, in, config, v, arena);
		else
			set(key, in, config, v, arena);
		seen[key - keys->rows] = true;
	}
}

const struct sf_config *
sf_keys_load(const struct sf_keys *keys, void *in, const char *name,
    struct sf_arena *arena)
{
	const struct sf_config *config =
	    sf_config_load_based(keys->dir, name, arena);
	const struct sf_config *chain[SF_CONFIG_DEEPEST + 1];
	bool *seen = sf_arena_calloc(arena, keys->n, sizeof *seen);
	int n = 0;

	for (const struct sf_config *c = config; c != NULL; c = c->base)
		chain[n++] = c;
	sf_keys_init(keys, in);
	for (size_t i = 0; i < keys->nparts; i++)
		sf_keys_init(
		    keys->parts[i].keys, (char *)in + keys->parts[i].offset);
	while (n > 0)
		apply(keys, in, chain[--n], seen, arena);
	for (size_t i = 0; i < keys->n; i++)
		if (!seen[i] && keys->rows[i].fallback == NULL)
			sf_config_die(config, &config->root, "no '%s'",
			    keys->rows[i].name);
	return config;
}
