/* Rotary embeddings of a config.json. */
#include "model/rotary.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/fields.h"

/* A type of embedding, and its multiplier; without a function that is 1. */
struct rope_type {
	const char *name;
	double (*scale)(
	    const struct sf_config *config, const struct sf_config_value *rope);
	bool asks; /* Python asks for the value of the last place */
};

/* A number of ROPE, 0 when it is absent or null. */
static double
number(const struct sf_config *config, const struct sf_config_value *rope,
    const char *key)
{
	const struct sf_config_value *v = sf_field_find(rope, key);
	double x;

	if (v == NULL)
		return 0;
	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_double_parse(v->text, strlen(v->text), &x) || x < 0)
		sf_config_die(config, v, "'%s': expected a number >= 0", key);
	return x;
}

/* How attention sharpens as the context grows by FACTOR; YaRN's equation 22. */
static double
sharpness(double factor, double weight)
{
	return factor <= 1 ? 1 : 0.1 * weight * log(factor) + 1;
}

/*
 * The multiplier as it is given. A whole one would be of Python's int, and the
 * graph would hold it as one and cast it; transformers warns of it, too.
 */
static double
attention_factor(
    const struct sf_config *config, const struct sf_config_value *rope)
{
	const char *key = "attention_factor";
	const struct sf_config_value *v = sf_field_find(rope, key);
	double x = number(config, rope, key);

	if (strpbrk(v->text, ".eE") == NULL)
		sf_config_die(config, v,
		    "'%s' is %s, an integer, expected a floating-point number",
		    key, v->text);
	return x;
}

static double
yarn_scale(const struct sf_config *config, const struct sf_config_value *rope)
{
	double factor = number(config, rope, "factor");
	double one = number(config, rope, "mscale");
	double all = number(config, rope, "mscale_all_dim");

	if (sf_field_find(rope, "attention_factor") != NULL)
		return attention_factor(config, rope);
	if (factor == 0)
		sf_config_die(config, rope,
		    "'%s' is of type 'yarn' and has no 'factor', expected a "
		    "number > 0",
		    rope->key);
	if (one != 0 && all != 0)
		return sharpness(factor, one) / sharpness(factor, all);
	return sharpness(factor, 1);
}

/* By how much longer the contexts are than those before. */
static double
longrope_scale(
    const struct sf_config *config, const struct sf_config_value *rope)
{
	const char *key = "original_max_position_embeddings";
	double before = number(config, rope, key), factor;

	if (sf_field_find(rope, "attention_factor") != NULL)
		return attention_factor(config, rope);
	if (before == 0)
		before = sf_field_number_or(config, key, 0);
	factor = number(config, rope, "factor");
	if (factor == 0 && before > 0)
		factor = sf_field_number_or(
			     config, "max_position_embeddings", before) /
		    before;
	if (before <= 1)
		sf_config_die(config, rope,
		    "'%s' is of type 'longrope' and there is no '%s', expected "
		    "a number > 1",
		    rope->key, key);
	return factor <= 1 ? 1 : sqrt(1 + log(factor) / log(before));
}

static const struct rope_type types[] = {
	{ "default", NULL, false },
	{ "dynamic", NULL, true },
	{ "linear", NULL, false },
	{ "llama3", NULL, false },
	{ "longrope", longrope_scale, true },
	/* What does not turn has a frequency of 0. */
	{ "proportional", NULL, false },
	{ "yarn", yarn_scale, false },
};

/* The type of an embedding, which may go by an older name of the field. */
static const struct rope_type *
find_type(const struct sf_config *config, const struct sf_config_value *rope)
{
	const char *name = sf_field_text(config, rope, "rope_type");

	if (name == NULL)
		name = sf_field_text(config, rope, "type");
	if (name == NULL)
		return &types[0];
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	sf_config_die(config, rope,
	    "'%s' is of type '%s', expected default, dynamic, linear, llama3, "
	    "longrope, proportional or yarn",
	    rope->key, name);
}

static void
check_whole(
    const struct sf_config *config, const struct sf_config_value *object)
{
	const char *key = "partial_rotary_factor";
	const struct sf_config_value *v = sf_field_find(object, key);

	if (v != NULL && sf_field_number(config, v) != 1)
		sf_config_die(
		    config, v, "'%s' other than 1 is not supported", key);
}

/* The embedding under KEY; NULL when there is none or it says nothing. */
static const struct sf_config_value *
find(const struct sf_config *config, const char *key)
{
	const struct sf_config_value *rope = sf_field_find(&config->root, key);

	if (rope == NULL)
		return NULL;
	if (rope->type != SF_CONFIG_OBJECT)
		sf_config_die(config, rope, "'%s': expected an object", key);
	for (size_t i = 0; i < rope->nitems; i++)
		if (rope->items[i].type == SF_CONFIG_OBJECT)
			sf_config_die(config, &rope->items[i],
			    "'%s': one rotary embedding a type of layer is not "
			    "supported",
			    key);
	return rope->nitems != 0 ? rope : NULL;
}

/* The embedding, by the older name before the newer one, as in transformers. */
static const struct sf_config_value *
find_either(const struct sf_config *config)
{
	const struct sf_config_value *rope = find(config, "rope_scaling");

	return rope != NULL ? rope : find(config, "rope_parameters");
}

void
sf_rotary_read_heat(
    const struct sf_config *config, double *heat, int64_t *tokens)
{
	static const char *const keys[] = { "llama_4_scaling_beta",
		"original_max_position_embeddings" };
	const struct sf_config_value *rope = find_either(config);
	double x[2];

	*heat = 0.1;
	*tokens = 16384;
	if (rope == NULL)
		return;
	for (int i = 0; i < 2; i++) {
		x[i] = number(config, rope, keys[i]);
		if (x[i] == 0)
			sf_config_die(config, rope,
			    "'%s' has no '%s', expected a number > 0",
			    rope->key, keys[i]);
	}
	*heat = x[0];
	*tokens = sf_int_nearest(x[1]);
}

const char *
sf_rotary_asks(const struct sf_config *config)
{
	static const char *const keys[] = { "rope_scaling", "rope_parameters" };
	const struct sf_config_value *rope = NULL;

	for (int i = 0; i < 2 && rope == NULL; i++) {
		rope = sf_field_find(&config->root, keys[i]);
		if (rope != NULL && rope->type != SF_CONFIG_OBJECT)
			rope = NULL;
	}
	if (rope == NULL || !find_type(config, rope)->asks)
		return NULL;
	return find_type(config, rope)->name;
}

double
sf_rotary_part(
    const struct sf_config *config, const char *key, double otherwise)
{
	const struct sf_config_value *rope = find_either(config);
	const struct sf_config_value *v = NULL;

	if (rope != NULL)
		v = sf_field_find(rope, "partial_rotary_factor");
	if (v == NULL)
		v = sf_field_find(&config->root, key);
	return v != NULL ? sf_field_number(config, v) : otherwise;
}

void
sf_rotary_read_sections(const struct sf_config *config, int64_t sections[3])
{
	const char *key = "mrope_section";
	const struct sf_config_value *v = find_either(config);
	int64_t otherwise[] = { 24, 20, 20 };

	v = v != NULL ? sf_field_find(v, key) : NULL;
	if (v != NULL && (v->type != SF_CONFIG_LIST || v->nitems != 3))
		sf_config_die(config, v, "'%s': expected three sizes", key);
	for (size_t i = 0; i < 3; i++) {
		const struct sf_config_value *item =
		    v != NULL ? &v->items[i] : NULL;

		sections[i] = otherwise[i];
		if (item != NULL &&
		    (item->type != SF_CONFIG_NUMBER ||
			!sf_int_parse(
			    item->text, strlen(item->text), &sections[i]) ||
			sections[i] < 0 || sections[i] > INT32_MAX))
			sf_config_die(
			    config, item, "'%s': expected a size", key);
	}
}

double
sf_rotary_read(const struct sf_config *config, bool partial)
{
	/* The older name goes before the newer one, as in transformers. */
	const struct sf_config_value *rope = find(config, "rope_scaling");
	const struct sf_config_value *newer = find(config, "rope_parameters");
	const struct rope_type *type;

	if (!partial) {
		check_whole(config, &config->root);
		if (rope != NULL)
			check_whole(config, rope);
		if (newer != NULL)
			check_whole(config, newer);
	}
	if (rope == NULL)
		rope = newer;
	if (rope == NULL)
		return 1;
	type = find_type(config, rope);
	return type->scale != NULL ? type->scale(config, rope) : 1;
}

double
sf_rotary_read_type(
    const struct sf_config *config, const char *type, bool scaled)
{
	const char *key = "rope_parameters";
	const struct sf_config_value *rope = sf_field_find(&config->root, key);
	const struct rope_type *found;

	if (scaled && rope == NULL) {
		rope = find(config, "rope_scaling");
	} else if (rope != NULL) {
		if (rope->type != SF_CONFIG_OBJECT)
			sf_config_die(
			    config, rope, "'%s': expected an object", key);
		for (size_t i = 0; i < rope->nitems; i++)
			if (rope->items[i].type != SF_CONFIG_OBJECT &&
			    rope->items[i].type != SF_CONFIG_NULL)
				sf_config_die(config, &rope->items[i],
				    "'%s': expected one for each type of layer",
				    key);
		rope = sf_field_find(rope, type);
	}
	if (rope == NULL)
		return 1;
	found = find_type(config, rope);
	return found->scale != NULL ? found->scale(config, rope) : 1;
}
