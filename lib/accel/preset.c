/* Presets and settings of the user: from text to a finished block. */
#include <string.h>

#include "accel/accel.h"
#include "accel/key.h"
#include "base/buf.h"
#include "base/die.h"

/* "a,b" of a list of strings. */
static struct sf_str
join(const struct sf_config *config, const struct sf_config_value *list,
    struct sf_arena *arena)
{
	struct sf_buf text = { 0 };
	struct sf_str out;

	for (size_t i = 0; i < list->nitems; i++) {
		const struct sf_config_value *item = &list->items[i];

		if (item->type != SF_CONFIG_STR)
			sf_config_die(config, item,
			    "'%s' has an element that is no string", list->key);
		sf_buf_printf(&text, "%s%s", i == 0 ? "" : ",", item->text);
	}
	out =
	    (struct sf_str){ sf_arena_strndup(arena, text.p, text.n), text.n };
	sf_buf_release(&text);
	return out;
}

/* The value as the user would write it behind --set KEY=. */
static struct sf_str
value_text(const struct sf_config *config, const struct sf_config_value *value,
    struct sf_arena *arena)
{
	switch (value->type) {
	case SF_CONFIG_NULL:
		return SF_STR("off");
	case SF_CONFIG_BOOL:
		return value->boolean ? SF_STR("true") : SF_STR("false");
	case SF_CONFIG_NUMBER:
	case SF_CONFIG_STR:
		return sf_str_of(value->text);
	case SF_CONFIG_LIST:
		return join(config, value, arena);
	case SF_CONFIG_OBJECT:
		break;
	}
	sf_config_die(
	    config, value, "'%s' is an object, expected a value", value->key);
}

static void
apply_preset(struct sf_accel *accel, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_error error;

	for (size_t i = 0; i < config->root.nitems; i++) {
		const struct sf_config_value *member = &config->root.items[i];

		/* What the file is, for its reader. */
		if (strcmp(member->key, "about") == 0)
			continue;
		if (!sf_accel_set(accel, sf_str_of(member->key),
			value_text(config, member, arena), &error))
			sf_config_die(config, member, "%s", error.text);
	}
	for (int i = 0; i < SF_ACCEL_NKEYS; i++)
		if ((accel->seen >> i & 1) == 0 &&
		    sf_accel_keys[i].fallback == NULL)
			sf_die(SF_EX_INPUT, "%s: no '%s'", config->path,
			    sf_accel_keys[i].name);
}

static void
apply_setting(struct sf_accel *accel, const char *setting)
{
	const char *equals = strchr(setting, '=');
	struct sf_error error;
	struct sf_str key;

	if (equals == NULL)
		sf_die(SF_EX_USAGE,
		    "option '--set': found '%s', expected KEY=VALUE", setting);
	key = (struct sf_str){ setting, (size_t)(equals - setting) };
	if (!sf_accel_set(accel, key, sf_str_of(equals + 1), &error))
		sf_die(SF_EX_USAGE, "option '--set': %s", error.text);
}

const struct sf_config *
sf_accel_load(struct sf_accel *accel, const char *preset,
    const struct sf_list *settings, bool quantise, struct sf_arena *arena)
{
	const struct sf_config *config;
	struct sf_error error;

	if (preset == NULL)
		sf_die(SF_EX_USAGE,
		    "missing --preset, expected one of: %s, or "
		    "a file",
		    sf_config_names("accel", arena));
	config = sf_config_load("accel", preset, arena);
	*accel = (struct sf_accel){ .preset = config->name };
	apply_preset(accel, config, arena);
	for (size_t i = 0; i < settings->n; i++)
		apply_setting(accel, settings->v[i]);
	if (quantise)
		apply_setting(accel, "quantise=on");
	if (!sf_accel_finish(accel, &error))
		sf_die(SF_EX_USAGE, "%s", error.text);
	return config;
}
