/* Devices and links: their tables. */
#include "cost/device.h"

#include <stddef.h>

static const struct sf_key device_rows[] = {
#define SF_DEVICE_KEY(name, type, unit, range, fallback, meaning) \
	{ SF_KEY_ROW(sf_device, name, type, unit, fallback, meaning), range },
#include "cost/device.def"
#undef SF_DEVICE_KEY
};

static const struct sf_key link_rows[] = {
#define SF_LINK_KEY(name, type, unit, range, fallback, meaning) \
	{ SF_KEY_ROW(sf_link, name, type, unit, fallback, meaning), range },
#include "cost/link.def"
#undef SF_LINK_KEY
};

const struct sf_keys sf_device_keys = {
	.dir = "devices",
	.rows = device_rows,
	.n = sizeof device_rows / sizeof device_rows[0],
	.seconds = "_s",
	.sourced = true,
};

const struct sf_keys sf_link_keys = {
	.dir = "links",
	.rows = link_rows,
	.n = sizeof link_rows / sizeof link_rows[0],
	.seconds = "_s",
	.sourced = true,
};

struct sf_device *
sf_device_load(const char *name, struct sf_arena *arena)
{
	struct sf_device *d = sf_arena_calloc(arena, 1, sizeof *d);

	d->config = sf_keys_load(&sf_device_keys, d, name, arena);
	d->name = d->config->name;
	return d;
}

struct sf_link *
sf_link_load(const char *name, struct sf_arena *arena)
{
	struct sf_link *l = sf_arena_calloc(arena, 1, sizeof *l);

	l->config = sf_keys_load(&sf_link_keys, l, name, arena);
	l->name = l->config->name;
	return l;
}
