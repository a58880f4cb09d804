/* Fields of a config.json. */
#include "model/fields.h"

#include <string.h>

#include "base/die.h"
#include "base/num.h"

const struct sf_config_value *
sf_field_find(const struct sf_config_value *object, const char *key)
{
	for (size_t i = 0; i < object->nitems; i++)
		if (strcmp(object->items[i].key, key) == 0)
			return object->items[i].type == SF_CONFIG_NULL
			    ? NULL
			    : &object->items[i];
	return NULL;
}

void
sf_field_missing(
    const struct sf_config *config, const char *key, const char *what)
{
	sf_config_die(
	    config, &config->root, "'%s' is missing, expected %s", key, what);
}

int64_t
sf_field_size_of(const struct sf_config *config,
    const struct sf_config_value *v, const char *key)
{
	int64_t size;

	if (v->type != SF_CONFIG_NUMBER)
		sf_config_die(config, v,
		    "'%s' is no number, expected a whole number >= 1", key);
	if (!sf_int_parse(v->text, strlen(v->text), &size) || size < 1)
		sf_config_die(config, v,
		    "'%s' is %s, expected a whole number >= 1", key, v->text);
	return size;
}

static int64_t
read_size(const struct sf_config *config, const struct sf_config_value *v)
{
	return sf_field_size_of(config, v, v->key);
}

int64_t
sf_field_size_or(const struct sf_config *config, const char *key,
    const char *other, int64_t otherwise)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);
	const struct sf_config_value *w =
	    other != NULL ? sf_field_find(&config->root, other) : NULL;

	if (v != NULL && w != NULL &&
	    read_size(config, v) != read_size(config, w))
		sf_config_die(config, w,
		    "'%s' is %s, but '%s' says %s of the same", w->key, w->text,
		    v->key, v->text);
	if (v == NULL)
		v = w;
	return v != NULL ? read_size(config, v) : otherwise;
}

int64_t
sf_field_size(
    const struct sf_config *config, const char *key, const char *other)
{
	int64_t size = sf_field_size_or(config, key, other, 0);

	if (size == 0)
		sf_field_missing(config, key, "a whole number >= 1");
	return size;
}

bool
sf_field_bool_or(
    const struct sf_config *config, const char *key, bool otherwise)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v == NULL)
		return otherwise;
	if (v->type != SF_CONFIG_BOOL)
		sf_config_die(config, v,
		    "'%s' is no boolean, expected true or false", key);
	return v->boolean;
}

double
sf_field_number(const struct sf_config *config, const struct sf_config_value *v)
{
	double x;

	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_double_parse(v->text, strlen(v->text), &x) || x <= 0)
		sf_config_die(config, v, "'%s': expected a number > 0", v->key);
	return x;
}

double
sf_field_number_or(
    const struct sf_config *config, const char *key, double otherwise)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	return v != NULL ? sf_field_number(config, v) : otherwise;
}

const char *
sf_field_text(const struct sf_config *config,
    const struct sf_config_value *object, const char *key)
{
	const struct sf_config_value *v = sf_field_find(object, key);

	if (v == NULL)
		return NULL;
	if (v->type != SF_CONFIG_STR)
		sf_config_die(config, v, "'%s': expected a string", key);
	return v->text;
}

bool
sf_field_means_none(const struct sf_config_value *v)
{
	double x;

	if (v->type == SF_CONFIG_BOOL)
		return !v->boolean;
	if (v->type == SF_CONFIG_NUMBER)
		return sf_double_parse(v->text, strlen(v->text), &x) && x == 0;
	return (v->type == SF_CONFIG_LIST || v->type == SF_CONFIG_OBJECT) &&
	    v->nitems == 0;
}

void
sf_field_refuse(
    const struct sf_config *config, const char *key, const char *why)
{
	const struct sf_config_value *v = sf_field_find(&config->root, key);

	if (v != NULL && !sf_field_means_none(v))
		sf_config_die(config, v, "'%s' %s", key, why);
}

bool
sf_field_is_null(const struct sf_config *config, const char *key)
{
	for (size_t i = 0; i < config->root.nitems; i++)
		if (strcmp(config->root.items[i].key, key) == 0)
			return config->root.items[i].type == SF_CONFIG_NULL;
	return false;
}
