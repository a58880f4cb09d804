/*
 * Devices and links of the analytic model, from configs/devices and
 * configs/links or a file of the user's own. Every figure in such a file says
 * what kind of figure it is and where it comes from.
 */
#ifndef SF_COST_DEVICE_H
#define SF_COST_DEVICE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

enum sf_figure {
#define SF_FIGURE(of, name, unit, least, most, required, doc) \
	SF_FIGURE_##of##_##name,
#include "cost/figure.def"
#undef SF_FIGURE
	SF_NFIGURES
};

/* A device or a link; only the figures of its sort are set, others are 0. */
struct sf_device {
	const char *name; /* the file's name without ".json" */
	const char *path;
	uint32_t crc32;
	double figures[SF_NFIGURES]; /* in base units */
};

/*
 * Load by name or path; die with SF_EX_USAGE when there is no such name,
 * listing those there are, and with SF_EX_INPUT, file and line when a figure
 * is missing, unknown, out of range, or without kind and source.
 */
struct sf_device *sf_device_load(const char *name, struct sf_arena *arena);
struct sf_device *sf_link_load(const char *name, struct sf_arena *arena);

SF_PUBLIC_END

#endif
