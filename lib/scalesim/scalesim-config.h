/* SCALE-Sim's configuration as an accelerator. */
#ifndef SF_SCALESIM_SCALESIM_CONFIG_H
#define SF_SCALESIM_SCALESIM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* What of a configuration means something here. */
struct sf_scalesim_config {
	struct sf_str name;
	int64_t rows, cols;
	int64_t input_kib, filter_kib, output_kib; /* buffers */
	struct sf_str dataflow;                    /* "os", "ws", "is" */
	bool limited; /* interfaces have a bandwidth: USER, else CALC */
	/* Bytes a cycle, of all three interfaces together. */
	int64_t bytes_per_cycle;
};

/*
 * Reads LEN bytes; texts live in ARENA. On failure *LINE is where, from 1, and
 * 0 when it is the whole file.
 */
bool
sf_scalesim_config_parse(struct sf_scalesim_config *config, const char *text,
    size_t len, struct sf_arena *arena, int64_t *line, struct sf_error *error);

/*
 * The configuration for sf-lower, at 1 GHz, as SCALE-Sim has cycles and no
 * clock. Where interfaces are not limited, nothing else is, either: SCALE-Sim
 * then computes what bandwidth would do, and its cycles are those of the array.
 */
void sf_scalesim_config_write(
    const struct sf_scalesim_config *config, struct sf_buf *out);

/* Both, for the file PATH; dies when it is no configuration. */
void sf_scalesim_config_convert(
    const char *path, struct sf_arena *arena, struct sf_buf *out);

#endif
