/* Which layers of a model see a window of the tokens before. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

static void
set_windows(struct sf_arch *arch, int64_t from)
{
	for (int64_t i = from; i < arch->layers; i++)
		arch->sliding[i] = true;
}

/* What V says of a layer, whose type is NAME. */
static void
read_layer_type(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *v, int64_t layer, struct sf_str name)
{
	arch->sliding[layer] = sf_str_is(name, "sliding_attention");
	if (arch->sliding[layer] && arch->window == 0)
		sf_config_die(config, v,
		    "'layer_types' has sliding_attention, but no sliding "
		    "window is in use");
	if (!arch->sliding[layer] && !sf_str_is(name, "full_attention"))
		sf_config_die(config, v,
		    "'layer_types' has '%.*s', expected full_attention or "
		    "sliding_attention",
		    (int)name.n, name.p);
}

/* "alternating: one, other", as tables of models have it; "(...)" is a remark. */
static void
read_alternating(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *v, const char *names)
{
	const char *at = names, *end = strstr(names, " (");

	if (end == NULL)
		end = names + strlen(names);
	for (int64_t i = 0; i < arch->layers; i++) {
		const char *comma = strchr(at, ',');
		size_t n = (size_t)(comma != NULL && comma < end ? comma - at
								 : end - at);

		read_layer_type(arch, config, v, i, (struct sf_str){ at, n });
		at += n;
		at = at < end ? at + 1 + strspn(at + 1, " ") : names;
	}
}

bool
sf_arch_read_layer_types(struct sf_arch *arch, const struct sf_config *config)
{
	static const char alternating[] = "alternating: ";
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "layer_types");
	size_t n = sizeof alternating - 1;

	if (v == NULL)
		return false;
	if (v->type == SF_CONFIG_STR && strncmp(v->text, alternating, n) == 0) {
		read_alternating(arch, config, v, v->text + n);
		return true;
	}
	sf_arch_check_names(arch, config, v);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];
		const char *name =
		    item->type == SF_CONFIG_STR ? item->text : "";

		read_layer_type(
		    arch, config, item, (int64_t)i, sf_str_of(name));
	}
	return true;
}

void
sf_arch_sum_windows(struct sf_arch *arch)
{
	arch->all_sliding = true;
	for (int64_t i = 0; i < arch->layers; i++) {
		arch->any_sliding = arch->any_sliding || arch->sliding[i];
		arch->all_sliding = arch->all_sliding && arch->sliding[i];
	}
}

int64_t
sf_arch_window(const struct sf_arch *arch, int64_t layer)
{
	/* Layers that share parameters may have other numbers, and no window. */
	return arch->window != 0 && arch->sliding[layer] ? arch->window : 0;
}

const struct sf_arch *
sf_arch_of_layer(const struct sf_arch *arch, int64_t layer)
{
	if (arch->own != NULL)
		return &arch->own[layer];
	return arch->full != NULL && !arch->sliding[layer] ? arch->full : arch;
}

/* The window; OTHERWISE, which may be none, when it is absent. */
static int64_t
read_window(const struct sf_config *config, int64_t otherwise)
{
	const struct sf_config_value *v;
	int64_t window =
	    sf_field_size_or(config, "sliding_window", NULL, otherwise);

	v = sf_field_find(&config->root, "sliding_window");
	if (window == 1)
		sf_config_die(
		    config, v, "'sliding_window' is 1, expected at least 2");
	return window;
}

/* Dies when the field is set: it is set, BEFORE, the family's name, AFTER. */
static void
refuse(const struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *before, const char *after)
{
	char text[128];

	snprintf(text, sizeof text, "is set%s%s%s", before,
	    arch->family->model_type, after);
	sf_field_refuse(config, key, text);
}

/* Every layer has the window, unless it is null or off. */
static void
read_window_of_all(
    struct sf_arch *arch, const struct sf_config *config, bool on)
{
	if (on && !sf_field_is_null(config, "sliding_window"))
		arch->window = read_window(config, arch->family->window);
	if (arch->window != 0)
		set_windows(arch, 0);
	refuse(arch, config, "layer_types", " for ",
	    ", whose layers are all of one type");
}

static bool
is_switched_on(const struct sf_config *config)
{
	return sf_field_bool_or(config, "use_sliding_window", false);
}

/*
 * As Qwen has it: layer_types, else the layers from one on; or of those before
 * it every other.
 */
static void
read_some_windows(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "max_window_layers";
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	bool behind = arch->family->windows == SF_WINDOWS_BEHIND;
	int64_t from = behind ? 62 : 28;

	if ((behind || is_switched_on(config)) &&
	    !sf_field_is_null(config, "sliding_window"))
		arch->window = read_window(config, arch->family->window);
	if (sf_arch_read_layer_types(arch, config) || arch->window == 0)
		return;
	/* It may be 0, which is no size. */
	if (v != NULL &&
	    (v->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(v->text, strlen(v->text), &from) || from < 0))
		sf_config_die(
		    config, v, "'%s': expected a whole number >= 0", key);
	if (arch->family->windows != SF_WINDOWS_ODD) {
		set_windows(arch, from);
		return;
	}
	for (int64_t i = 0; i < arch->layers && i < from; i += 2)
		arch->sliding[i] = true;
}

/* As Gemma 2 has it: layer_types, else every other layer. */
static void
read_alternate_windows(struct sf_arch *arch, const struct sf_config *config)
{
	arch->window = read_window(config, arch->family->window);
	if (sf_arch_read_layer_types(arch, config))
		return;
	for (int64_t i = 0; i < arch->layers; i += 2)
		arch->sliding[i] = true;
}

/* As Gemma 3 has it: layer_types, else all but each so manyth. */
static void
read_pattern_windows(struct sf_arch *arch, const struct sf_config *config)
{
	const char *key = "sliding_window";
	bool none = sf_field_is_null(config, key);
	bool leading = arch->family->windows == SF_WINDOWS_LEADING;
	int64_t every;

	arch->window = none ? 0 : read_window(config, arch->family->window);
	if (sf_arch_read_layer_types(arch, config))
		return;
	if (none)
		sf_config_die(config, &config->root,
		    "'%s' is null, expected a size without layer_types", key);
	every = sf_field_size_or(config, "sliding_window_pattern", NULL,
	    arch->family->pattern != 0 ? arch->family->pattern : 6);
	for (int64_t i = 0; i < arch->layers; i++)
		arch->sliding[i] = (i + (leading ? 0 : 1)) % every != 0;
}

/* Layers that see all tokens rotate nothing. */
static void
rotate_windows(struct sf_arch *arch)
{
	if (arch->window == 0 && arch->family->rotates_all)
		return;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->unrotated[i] = !arch->sliding[i];
}

/* As SmolLM3 has it: layer_types, else the layers that do not rotate. */
static void
read_unrotated_windows(struct sf_arch *arch, const struct sf_config *config)
{
	if (is_switched_on(config))
		arch->window = read_window(config, 0);
	if (sf_arch_read_layer_types(arch, config) || arch->window == 0)
		return;
	for (int64_t i = 0; i < arch->layers; i++)
		arch->sliding[i] = arch->unrotated[i];
}

void
sf_arch_read_windows(struct sf_arch *arch, const struct sf_config *config)
{
	switch (arch->family->windows) {
	case SF_WINDOWS_ALL:
		read_window_of_all(arch, config, true);
		return;
	case SF_WINDOWS_SWITCHED:
		read_window_of_all(arch, config, is_switched_on(config));
		return;
	case SF_WINDOWS_ALTERNATE:
		read_alternate_windows(arch, config);
		return;
	case SF_WINDOWS_PATTERN:
	case SF_WINDOWS_LEADING:
		read_pattern_windows(arch, config);
		if (arch->family->rotates_windows)
			rotate_windows(arch);
		return;
	case SF_WINDOWS_TYPES:
		arch->window = read_window(config, arch->family->window);
		sf_arch_read_layer_types(arch, config);
		return;
	case SF_WINDOWS_UNROTATED:
		read_unrotated_windows(arch, config);
		return;
	case SF_WINDOWS_LATER:
	case SF_WINDOWS_BEHIND:
	case SF_WINDOWS_ODD:
		read_some_windows(arch, config);
		return;
	case SF_WINDOWS_OWN:
		return;
	case SF_WINDOWS_OTHER:
		refuse(arch, config, "sliding_window", ", but ",
		    " has no sliding window");
		return;
	case SF_WINDOWS_NONE:
		break;
	}
	refuse(
	    arch, config, "sliding_window", ", but ", " has no sliding window");
	sf_arch_read_layer_types(arch, config);
}
