/* The table of families. */
#include "model/family.h"

#include <string.h>

static const struct sf_family families[] = {
#define SF_FAMILY(type, understood, reads, runs, ...) \
	{ .model_type = type,                         \
		.fields = understood,                 \
		.read = reads,                        \
		.run = runs,                          \
		__VA_ARGS__ },
#include "model/family.def"
};

static const struct sf_family towers[] = {
#include "model/tower.def"
#undef SF_FAMILY
};

const struct sf_family *
sf_family_tower(const char *model_type)
{
	for (size_t i = 0; i < sizeof towers / sizeof *towers; i++)
		if (strcmp(towers[i].model_type, model_type) == 0)
			return &towers[i];
	return sf_family_find(model_type);
}

const struct sf_family *
sf_family_find(const char *model_type)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (strcmp(families[i].model_type, model_type) == 0)
			return &families[i];
	return NULL;
}

const char *
sf_family_types(struct sf_arena *arena)
{
	const char *text = families[0].model_type;

	for (size_t i = 1; i < sizeof families / sizeof *families; i++)
		text = sf_arena_printf(
		    arena, "%s, %s", text, families[i].model_type);
	return text;
}

bool
sf_family_understands(const struct sf_family *family, const char *field)
{
	size_t n = strlen(field);

	for (const char *at = family->fields; (at = strstr(at, field)) != NULL;
	     at += n)
		if ((at == family->fields || at[-1] == ' ') &&
		    (at[n] == '\0' || at[n] == ' '))
			return true;
	return false;
}
