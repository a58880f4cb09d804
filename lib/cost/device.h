/*
 * Devices and links of the analytic model, from configs/devices and
 * configs/links or a file of the user's own. Every figure in such a file says
 * what kind of figure it is and where it comes from.
 */
#ifndef SF_COST_DEVICE_H
#define SF_COST_DEVICE_H

#include "base/decl.h"
#include "config/key.h"

SF_PUBLIC_BEGIN

/* Parameters are in base units. */
struct sf_device {
	const char *name; /* the file's name without ".json" */
	const struct sf_config *config;
#define SF_DEVICE_KEY(name, type, unit, range, fallback, meaning) \
	SF_KEY_C_##type name;
#include "cost/device.def"
#undef SF_DEVICE_KEY
};

struct sf_link {
	const char *name;
	const struct sf_config *config;
#define SF_LINK_KEY(name, type, unit, range, fallback, meaning) \
	SF_KEY_C_##type name;
#include "cost/link.def"
#undef SF_LINK_KEY
};

/* Their tables. */
extern const struct sf_keys sf_device_keys;
extern const struct sf_keys sf_link_keys;

/*
 * Load by name or path; die with SF_EX_USAGE when there is no such name,
 * listing those there are, and with SF_EX_INPUT, file and line when a figure
 * is missing, unknown, out of range, or without kind and source.
 */
struct sf_device *sf_device_load(const char *name, struct sf_arena *arena);
struct sf_link *sf_link_load(const char *name, struct sf_arena *arena);

SF_PUBLIC_END

#endif
