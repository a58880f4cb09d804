/* Presets and settings of the user: from text to a finished block. */
#include "accel/accel.h"
#include "base/die.h"

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
