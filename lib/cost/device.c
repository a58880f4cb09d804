/* Devices and links: one table of figures, one way to read them. */
#include "cost/device.h"

#include <string.h>

#include "base/buf.h"
#include "base/quantity.h"
#include "config/config.h"

enum sort {
	DEVICE,
	LINK
};

static const struct {
	enum sort of;
	const char *name;
	enum sf_unit unit;
	double least, most;
	bool required;
} table[SF_NFIGURES] = {
#define SF_FIGURE(of, name, unit, least, most, required, doc) \
	{ of, #name, SF_UNIT_##unit, least, most, required },
#include "cost/figure.def"
#undef SF_FIGURE
};

/* What a figure rests on. */
static const char *const kinds[] = { "datasheet", "illustrative",
	"hypothetical" };
enum {
	NKINDS = sizeof kinds / sizeof kinds[0]
};

static int
figure_of(enum sort sort, const char *name)
{
	for (int i = 0; i < SF_NFIGURES; i++)
		if (table[i].of == sort && strcmp(table[i].name, name) == 0)
			return i;
	return -1;
}

static SF_NORETURN void
die_of_key(const struct sf_config *config, const struct sf_config_value *v,
    enum sort sort)
{
	struct sf_buf known = { 0 };

	for (int i = 0; i < SF_NFIGURES; i++)
		if (table[i].of == sort)
			sf_buf_printf(&known, ", %s", table[i].name);
	sf_config_die(config, v, "unknown key '%s', expected one of: about%.*s",
	    v->key, (int)known.n, known.p);
}

static const struct sf_config_value *
member(const struct sf_config *config, const struct sf_config_value *object,
    const char *name)
{
	for (size_t i = 0; i < object->nitems; i++)
		if (strcmp(object->items[i].key, name) == 0)
			return &object->items[i];
	sf_config_die(config, object, "'%s' has no '%s'", object->key, name);
}

/* Every figure says what it is worth. */
static void
check_origin(
    const struct sf_config *config, const struct sf_config_value *figure)
{
	const struct sf_config_value *kind = member(config, figure, "kind");
	const struct sf_config_value *source = member(config, figure, "source");
	bool known = false;

	for (int i = 0; i < NKINDS && kind->type == SF_CONFIG_STR; i++)
		known = known || strcmp(kind->text, kinds[i]) == 0;
	if (!known)
		sf_config_die(config, kind,
		    "the kind of '%s' is none of: datasheet, illustrative, "
		    "hypothetical",
		    figure->key);
	if (source->type != SF_CONFIG_STR || source->text[0] == '\0')
		sf_config_die(config, source,
		    "the source of '%s' is empty, expected a text",
		    figure->key);
	if (figure->nitems != 3)
		sf_config_die(config, figure,
		    "'%s' has %zu members, expected value, kind and source",
		    figure->key, figure->nitems);
}

static double
read_figure(const struct sf_config *config,
    const struct sf_config_value *figure, int which)
{
	const struct sf_config_value *value;
	struct sf_error error;
	double x;

	if (figure->type != SF_CONFIG_OBJECT)
		sf_config_die(config, figure,
		    "'%s' is no object of value, kind and source", figure->key);
	check_origin(config, figure);
	value = member(config, figure, "value");
	if (value->type != SF_CONFIG_NUMBER && value->type != SF_CONFIG_STR)
		sf_config_die(config, value,
		    "'%s' is neither a number nor a text with a unit",
		    figure->key);
	if (!sf_quantity_parse(value->text, table[which].unit, &x, &error))
		sf_config_die(
		    config, value, "'%s': %s", figure->key, error.text);
	if (!(x >= table[which].least && x <= table[which].most))
		sf_config_die(config, value,
		    "'%s' is %g, expected a number from %g to %g%s%s",
		    figure->key, x, table[which].least, table[which].most,
		    table[which].unit != SF_UNIT_NONE ? " " : "",
		    sf_unit_name(table[which].unit));
	return x;
}

static struct sf_device *
load(enum sort sort, const char *dir, const char *name, struct sf_arena *arena)
{
	const struct sf_config *config = sf_config_load(dir, name, arena);
	struct sf_device *d = sf_arena_calloc(arena, 1, sizeof *d);
	bool seen[SF_NFIGURES] = { false };

	d->name = config->name;
	d->path = config->path;
	d->crc32 = config->crc32;
	for (size_t i = 0; i < config->root.nitems; i++) {
		const struct sf_config_value *v = &config->root.items[i];
		int which;

		if (strcmp(v->key, "about") == 0) {
			if (v->type != SF_CONFIG_STR)
				sf_config_die(config, v, "'about' is no text");
			continue;
		}
		which = figure_of(sort, v->key);
		if (which < 0)
			die_of_key(config, v, sort);
		d->figures[which] = read_figure(config, v, which);
		seen[which] = true;
	}
	for (int i = 0; i < SF_NFIGURES; i++)
		if (table[i].of == sort && table[i].required && !seen[i])
			sf_config_die(
			    config, &config->root, "no '%s'", table[i].name);
	return d;
}

struct sf_device *
sf_device_load(const char *name, struct sf_arena *arena)
{
	return load(DEVICE, "devices", name, arena);
}

struct sf_device *
sf_link_load(const char *name, struct sf_arena *arena)
{
	return load(LINK, "links", name, arena);
}
