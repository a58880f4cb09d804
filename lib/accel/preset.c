/* Presets and settings of the user: from text to a finished block. */
#include "accel/accel.h"
#include "base/die.h"

/* What CONFIG and its bases say of themselves. */
static void
set_about(struct sf_accel *accel, const struct sf_config *config,
    struct sf_arena *arena)
{
	struct sf_str *texts =
	    sf_arena_calloc(arena, SF_CONFIG_DEEPEST + 1, sizeof *texts);

	accel->about = texts;
	for (accel->nabout = 0;
	     config != NULL && accel->nabout <= SF_CONFIG_DEEPEST;
	     config = config->base) {
		const struct sf_config_value *v =
		    sf_config_find(config, "about");

		if (v != NULL && v->type == SF_CONFIG_STR && *v->text != '\0')
			texts[accel->nabout++] = sf_str_of(sf_arena_printf(
			    arena, "%s: %s", config->name, v->text));
	}
}

const struct sf_config *
sf_accel_load(struct sf_accel *accel, const char *preset,
    const struct sf_list *settings, bool quantise, struct sf_arena *arena)
{
	const struct sf_key_scope scopes[] = {
		{ "", &sf_accel_keys, accel, NULL },
		{ "energy.", &sf_energy_keys, &accel->energy, NULL },
		{ "area.", &sf_area_keys, &accel->area, NULL },
	};
	const struct sf_config *config;
	struct sf_accel alone;
	struct sf_error error, own;
	bool sound;

	if (preset == NULL)
		sf_die(SF_EX_USAGE,
		    "missing --preset, expected one of: %s, or a file",
		    sf_config_names(sf_accel_keys.dir, arena));
	*accel = (struct sf_accel){ .preset = "" };
	config = sf_keys_load(&sf_accel_keys, accel, preset, arena);
	accel->preset = config->name;
	set_about(accel, config, arena);
	alone = *accel;
	sound = sf_accel_finish(&alone, &own);
	sf_keys_apply(scopes, 3, settings, arena);
	if (quantise)
		sf_keys_apply(scopes, 1,
		    &(struct sf_list){ (const char *[]){ "quantise=on" }, 1 },
		    arena);
	if (!sf_accel_finish(accel, &error) && !sound)
		sf_config_die(config, &config->root, "%s", own.text);
	if (!sf_accel_finish(accel, &error))
		sf_die(SF_EX_USAGE, "%s", error.text);
	return config;
}
