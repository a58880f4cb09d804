/*
 * The accelerator block: its parameters, from one table (key.def), and what
 * follows from them. docs/accel-spec.md is its specification.
 */
#ifndef SF_ACCEL_ACCEL_H
#define SF_ACCEL_ACCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"
#include "base/error.h"
#include "config/key.h"
#include "stream/stream.h"
#include "trace/category.h"

SF_PUBLIC_BEGIN

struct sf_accel {
	const char *preset; /* the name of the configuration */
#define SF_ACCEL_KEY(name, type, unit, range, fallback, meaning) \
	SF_KEY_C_##type name;
#include "accel/key.def"
#undef SF_ACCEL_KEY

	/* Set by sf_accel_finish. */
	double channel_bw;  /* bytes/s of one memory channel */
	double path_bw;     /* bytes/s of one transfer, memory and NoC */
	double peak_macs;   /* multiply-accumulates/s of the array */
	int64_t tile_bytes; /* buffer that one tile may use */
	double second;      /* seconds in a unit of time: 1, or 1/clock_hz */
};

/* The table of the parameters, of a struct sf_accel. */
extern const struct sf_keys sf_accel_keys;

/* Derives what follows from the parameters; fails when they do not agree. */
bool sf_accel_finish(struct sf_accel *accel, struct sf_error *error);

/*
 * Fills *ACCEL from a preset, then from SETTINGS ("KEY=VALUE" each), later
 * ones winning. Dies when something is wrong with either. Returns the
 * configuration, whose files the result depends on.
 */
const struct sf_config *
sf_accel_load(struct sf_accel *accel, const char *preset,
    const struct sf_list *settings, bool quantise, struct sf_arena *arena);

/* Writes the accel record before the current record. */
void sf_accel_put(struct sf_stream *stream, const struct sf_accel *accel);

/*
 * Reads the current record, an accel record; dies when it is not whole. A
 * parameter that has a default may be missing, and so may the preset, which is
 * "" then. Texts live in KEEP, or as long as the record when that is NULL.
 */
void sf_accel_read(
    struct sf_stream *stream, struct sf_arena *keep, struct sf_accel *accel);

/* Seconds, or cycles when quantised, of a transfer or a computation. */
double sf_accel_transfer(
    const struct sf_accel *accel, int64_t bytes, int64_t operations);
double sf_accel_cycles(const struct sf_accel *accel, int64_t cycles);

SF_PUBLIC_END

#endif
