/* Models of several parts. */
#include "model/whole.h"

#include <string.h>

#include "base/num.h"
#include "model/fields.h"

static const struct sf_whole wholes[] = {
#define SF_WHOLE(type, text_type, tower_key, tower_type, reads, projects, ...) \
	{ .model_type = type,                                                  \
		.text = text_type,                                             \
		.key = tower_key,                                              \
		.tower = tower_type,                                           \
		.read = reads,                                                 \
		.project = projects,                                           \
		__VA_ARGS__ },
#include "model/whole.def"
#undef SF_WHOLE
};

const struct sf_whole *
sf_whole_find(const char *model_type)
{
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
		if (strcmp(wholes[i].model_type, model_type) == 0)
			return &wholes[i];
	return NULL;
}

/* ---- the text model's configuration ---- */

static bool
says(const struct sf_config_value *object, const char *key)
{
	for (size_t i = 0; i < object->nitems; i++)
		if (strcmp(object->items[i].key, key) == 0)
			return true;
	return false;
}

static void
say(struct sf_config_value *object, const char *key, enum sf_config_type type,
    const char *text)
{
	if (!says(object, key))
		object->items[object->nitems++] =
		    (struct sf_config_value){ .type = type,
			    .line = object->line,
			    .key = key,
			    .text = text };
}

/* What the class of the text model has by default. */
static void
add_defaults(struct sf_config_value *object, const struct sf_whole *whole,
    struct sf_arena *arena)
{
	static const struct {
		const char *type, *key, *text;
	} defaults[] = {
#define SF_DEFAULT(model_type, field, number) { model_type, field, number },
#include "model/default.def"
#undef SF_DEFAULT
	};
	size_t most = object->nitems + sizeof defaults / sizeof *defaults + 1;
	struct sf_config_value *items =
	    sf_arena_alloc(arena, most * sizeof *items);
	const struct sf_config_value *type;

	if (object->nitems != 0)
		memcpy(items, object->items, object->nitems * sizeof *items);
	object->items = items;
	say(object, "model_type", SF_CONFIG_STR, whole->text);
	type = sf_field_find(object, "model_type");
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (type != NULL && type->type == SF_CONFIG_STR &&
		    strcmp(type->text, defaults[i].type) == 0)
			say(object, defaults[i].key, SF_CONFIG_NUMBER,
			    defaults[i].text);
}

static const struct sf_whole *
whole_of(const struct sf_config *config)
{
	const struct sf_config_value *type =
	    sf_field_find(&config->root, "model_type");

	return type == NULL || type->type != SF_CONFIG_STR
	    ? NULL
	    : sf_whole_find(type->text);
}

const struct sf_config *
sf_whole_text(const struct sf_config *config, struct sf_config *part,
    struct sf_arena *arena)
{
	static const char *const keys[] = { "text_config", "llm_config",
		"language_config" };
	static const struct sf_config_value none = { .type = SF_CONFIG_OBJECT };
	const struct sf_whole *whole = whole_of(config);
	const struct sf_config_value *v = NULL;

	for (size_t i = 0; i < sizeof keys / sizeof *keys && v == NULL; i++)
		v = sf_field_find(&config->root, keys[i]);
	if (v == NULL && whole != NULL)
		v = &none;
	if (v == NULL || (whole == NULL && sf_field_means_none(v)))
		return config;
	if (v->type != SF_CONFIG_OBJECT)
		sf_config_die(config, v, "'%s': expected an object", v->key);
	*part = *config;
	part->root = *v;
	if (whole != NULL)
		add_defaults(&part->root, whole, arena);
	if (sf_field_find(&part->root, "model_type") == NULL)
		sf_config_die(config, v, "'%s' has no 'model_type'", v->key);
	return part;
}

/* ---- the tower ---- */

static bool
has_size(const struct sf_config_value *object, const char *key, int64_t *size)
{
	const struct sf_config_value *v = sf_field_find(object, key);

	return v == NULL ||
	    (v->type == SF_CONFIG_NUMBER &&
		sf_int_parse(v->text, strlen(v->text), size) && *size >= 1);
}

bool
sf_whole_tower_fits(const struct sf_arch *arch, const struct sf_config *whole)
{
	int64_t hidden, heads;
	const struct sf_config_value *v;

	if (arch->whole == NULL)
		return false;
	v = sf_field_find(&whole->root, arch->whole->key);
	if (v == NULL)
		return strcmp(arch->whole->model_type, "clip") == 0;
	if (sf_family_tower(arch->whole->tower)->input == SF_INPUT_PATCHES) {
		hidden = 1152;
		heads = 16;
	} else {
		hidden = 768;
		heads = 12;
	}
	return v->type == SF_CONFIG_OBJECT &&
	    has_size(v, "hidden_size", &hidden) &&
	    has_size(v, "num_attention_heads", &heads) &&
	    has_size(v, "num_heads", &heads) && hidden % heads == 0;
}

void
sf_whole_read_tower(
    struct sf_arch *arch, const struct sf_config *whole, struct sf_arena *arena)
{
	const struct sf_config_value *v =
	    sf_field_find(&whole->root, arch->whole->key);
	struct sf_config part = *whole;
	struct sf_arch *tower = sf_arena_calloc(arena, 1, sizeof *tower);

	part.root = (struct sf_config_value){ .type = SF_CONFIG_OBJECT };
	if (v != NULL && v->type != SF_CONFIG_OBJECT)
		sf_config_die(whole, v, "'%s': expected an object", v->key);
	if (v != NULL)
		part.root = *v;
	tower->family = sf_family_tower(arch->whole->tower);
	tower->family->read(tower, &part, arena);
	arch->tower = tower;
	arch->whole->read(arch, tower, whole);
}
