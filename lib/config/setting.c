/* What a program's user sees of its parameters: --set and --keys. */
#include <string.h>

#include "base/die.h"
#include "base/near.h"
#include "config/key.h"

/* ---- --set ---- */

void
sf_scopes_expected(const struct sf_key_scope *scopes, size_t n,
    struct sf_str name, struct sf_buf *out)
{
	for (size_t i = 0; i < n; i++)
		if (scopes[i].in != NULL)
			sf_keys_names(scopes[i].keys, scopes[i].prefix, out);
	for (size_t i = 0; i < n; i++) {
		size_t skip = strlen(scopes[i].prefix);
		const struct sf_key *key;

		if (!sf_str_starts(name, scopes[i].prefix))
			continue;
		key = sf_keys_mistaken(scopes[i].keys,
		    (struct sf_str){ name.p + skip, name.n - skip });
		if (key == NULL)
			continue;
		sf_buf_printf(
		    out, "; did you mean '%s%s'?", scopes[i].prefix, key->name);
		return;
	}
	sf_near_put_of(out, name);
}

static SF_NORETURN void
die_of_key(const struct sf_key_scope *scopes, size_t n, struct sf_str name)
{
	struct sf_buf names = { 0 };

	sf_scopes_expected(scopes, n, name, &names);
	sf_die(SF_EX_USAGE,
	    "option '--set': unknown key '%.*s', expected one of: %.*s",
	    (int)(name.n < 60 ? name.n : 60), name.p, (int)names.n, names.p);
}

/* The scope and row that NAME is; dies when it is none. */
static const struct sf_key *
find(const struct sf_key_scope *scopes, size_t n, struct sf_str name,
    const struct sf_key_scope **scope)
{
	for (size_t i = 0; i < n; i++) {
		size_t skip = strlen(scopes[i].prefix);
		const struct sf_key *key;

		if (!sf_str_starts(name, scopes[i].prefix))
			continue;
		key = sf_keys_find(scopes[i].keys,
		    (struct sf_str){ name.p + skip, name.n - skip });
		if (key != NULL) {
			*scope = &scopes[i];
			return key;
		}
	}
	die_of_key(scopes, n, name);
}

/* A rate without its unit is often meant in another one. */
static void
note_plain(const struct sf_key *key, const char *setting, const char *value)
{
	struct sf_buf units = { 0 };
	struct sf_error error;
	double x;

	if (key->unit == SF_UNIT_NONE || !sf_quantity_is_plain(value) ||
	    !sf_quantity_parse(value, key->unit, &x, &error) || x == 0)
		return;
	sf_buf_double(&units, x);
	sf_buf_printf(&units, " %s; units: ", sf_unit_symbol(key->unit));
	sf_unit_list(key->unit, ", ", &units);
	sf_note("--set %s: understood as %.*s", setting, (int)units.n, units.p);
	sf_buf_release(&units);
}

static void
apply(const struct sf_key_scope *scopes, size_t n, const char *setting,
    struct sf_arena *arena)
{
	const char *equals = strchr(setting, '=');
	const struct sf_key_scope *scope;
	const struct sf_key *key;
	struct sf_error error;

	if (equals == NULL)
		sf_die(SF_EX_USAGE,
		    "option '--set': found '%s', expected KEY=VALUE", setting);
	key = find(scopes, n,
	    (struct sf_str){ setting, (size_t)(equals - setting) }, &scope);
	if (scope->in == NULL)
		sf_die(
		    SF_EX_USAGE, "option '--set %s' %s", setting, scope->why);
	if (!sf_key_set(key, scope->in, equals + 1, arena, &error))
		sf_die(SF_EX_USAGE, "option '--set': %s%s", scope->prefix,
		    error.text);
	note_plain(key, setting, equals + 1);
	if (scope->keys->keeps_sources)
		((struct sf_key_sourced *)(void *)((char *)scope->in +
		     key->offset))
		    ->source = "given with --set";
}

void
sf_keys_apply(const struct sf_key_scope *scopes, size_t n,
    const struct sf_list *settings, struct sf_arena *arena)
{
	for (size_t i = 0; i < settings->n; i++)
		apply(scopes, n, settings->v[i], arena);
}

/* ---- --keys ---- */

static void
print_choices(const struct sf_key *key, const char *which, struct sf_buf *out)
{
	sf_buf_printf(out, "%s", which);
	for (size_t i = 0; key->choices[i] != NULL; i++)
		sf_buf_printf(out, "%s%s", i == 0 ? "" : ",", key->choices[i]);
}

static void
print_range(const struct sf_key *key, struct sf_buf *out)
{
	switch (key->type) {
	case SF_KEY_WORD:
		print_choices(key, "one of ", out);
		return;
	case SF_KEY_WORDS:
		print_choices(key, "some of ", out);
		return;
	case SF_KEY_FLAG:
		sf_buf_printf(out, "on or off");
		return;
	case SF_KEY_TEXT:
		sf_buf_printf(out, "a text");
		return;
	case SF_KEY_INT:
		sf_buf_printf(out, "whole ");
		break;
	case SF_KEY_OFF:
		sf_buf_printf(out, "off or ");
		break;
	case SF_KEY_REAL:
	case SF_KEY_MAYBE:
		break;
	}
	sf_buf_printf(out, "%.16g..%.16g", key->least, key->most);
}

static void
print_key(const struct sf_key *key, const char *unit, struct sf_buf *out)
{
	sf_buf_printf(out, "%s\t%s\t", key->name, unit[0] != '\0' ? unit : "-");
	print_range(key, out);
	sf_buf_printf(out, "\t%s\t%s\n",
	    key->fallback != NULL ? key->fallback : "-", key->meaning);
}

/* The rows of an object of a configuration. */
static void
print_part(const struct sf_key_scope *scope, const struct sf_key_part *part,
    struct sf_buf *out)
{
	for (size_t k = 0; k < part->keys->n; k++) {
		sf_buf_printf(out, "%s%s.", scope->prefix, part->name);
		print_key(&part->keys->rows[k], part->units[k], out);
	}
}

void
sf_keys_print(const struct sf_key_scope *scopes, size_t n, struct sf_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct sf_keys *keys = scopes[i].keys;

		for (size_t k = 0; k < keys->n; k++) {
			sf_buf_printf(out, "%s", scopes[i].prefix);
			print_key(&keys->rows[k],
			    sf_unit_name(keys->rows[k].unit), out);
		}
		for (size_t p = 0; p < keys->nparts; p++)
			print_part(&scopes[i], &keys->parts[p], out);
	}
}
