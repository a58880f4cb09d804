/* Which layers of a hybrid attend, and which keep states. */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"

static const struct {
	const char *name;
	enum sf_layer_kind kind;
} names[] = {
	{ "full_attention", SF_LAYER_ATTENTION },
	{ "attention", SF_LAYER_ATTENTION },
	{ "linear_attention", SF_LAYER_STATES },
	{ "mamba", SF_LAYER_STATES },
	{ "conv", SF_LAYER_STATES },
};

static enum sf_layer_kind
kind_of(const struct sf_config *config, const struct sf_config_value *v,
    const char *key)
{
	const char *name = v->type == SF_CONFIG_STR ? v->text : "";

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].kind;
	sf_config_die(config, v,
	    "'%s' has '%s', expected full_attention, attention, "
	    "linear_attention, mamba or conv",
	    key, name);
}

bool
sf_arch_read_kind_names(struct sf_arch *arch, const struct sf_config *config,
    const char *key, enum sf_layer_kind *kinds)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL)
		return false;
	sf_arch_check_names(arch, config, v);
	for (size_t i = 0; i < v->nitems; i++)
		kinds[i] = kind_of(config, &v->items[i], key);
	return true;
}

bool
sf_arch_read_kind_numbers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, enum sf_layer_kind *kinds)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	int64_t layer;

	if (v == NULL)
		return false;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(config, v, "'%s': expected a list", key);
	for (int64_t i = 0; i < arch->layers; i++)
		kinds[i] = SF_LAYER_STATES;
	for (size_t i = 0; i < v->nitems; i++) {
		const struct sf_config_value *item = &v->items[i];

		if (item->type != SF_CONFIG_NUMBER ||
		    !sf_int_parse(item->text, strlen(item->text), &layer) ||
		    layer < 0)
			sf_config_die(config, item,
			    "'%s': expected whole numbers >= 0", key);
		if (layer < arch->layers)
			kinds[layer] = SF_LAYER_ATTENTION;
	}
	return true;
}
