/*
 * The accelerator block: its parameters, from one table (key.def), and what
 * follows from them. docs/accel-spec.md is its specification.
 */
#ifndef SF_ACCEL_ACCEL_H
#define SF_ACCEL_ACCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/energy.h"
#include "base/arena.h"
#include "base/decl.h"
#include "base/error.h"
#include "config/key.h"
#include "stream/stream.h"
#include "trace/category.h"

SF_PUBLIC_BEGIN

/* The words that a parameter may be, NULL-terminated, each in its enum's
 * order. Those of dataflows are the rows of dataflow.def. */
extern const char *const sf_dataflow_names[];
extern const char *const sf_array_fills[];
extern const char *const sf_conv_modes[];
extern const char *const sf_block_choices[];
extern const char *const sf_latency_modes[];
extern const char *const sf_fuse_modes[];

/* What filling and draining the array costs. */
enum sf_array_fill {
	SF_FILL_TILE,   /* once a tile */
	SF_FILL_FOLD,   /* once for each fill of the array, nothing overlaps */
	SF_FILL_LOAD,   /* loading what stays, once a fill; the rest a tile */
	SF_FILL_PRELOAD /* the same, while the fill before it is computed */
};

/* How a convolution reads its input and fills the rows of the array. */
enum sf_conv_mode {
	SF_CONV_IM2COL,   /* a matrix of patches, read from memory */
	SF_CONV_IMPLICIT, /* rows of the input; patches are made on the chip */
	SF_CONV_TAPS      /* the same, one position of the kernel a pass */
};

enum sf_block_choice {
	SF_BLOCKS_HALVE, /* the largest side until the block fits */
	SF_BLOCKS_TIME,  /* the least estimate of time of all that fit */
	SF_BLOCKS_BYTES  /* the least traffic */
};

enum sf_latency_mode {
	SF_LATENCY_HELD,     /* a transfer holds all while it waits, too */
	SF_LATENCY_PIPELINED /* the next one goes while its data are on the way */
};

enum {
	SF_MAX_CORES = 64
};

enum sf_fuse_mode {
	SF_FUSE_OFF,
	SF_FUSE_UNARY /* elementwise ones of one input that nobody else reads */
};

struct sf_accel {
	const char *preset; /* the name of the configuration */
#define SF_ACCEL_KEY(name, type, unit, range, fallback, meaning) \
	SF_KEY_C_##type name;
#include "accel/key.def"
#undef SF_ACCEL_KEY
	struct sf_energy energy;
	struct sf_area area;
	/* What its configuration says of itself, then its bases, each behind
	 * its name: "edge-npu: Illustrative ...". */
	const struct sf_str *about;
	int nabout;

	/* Set by sf_accel_finish. */
	bool has_energy;    /* some coefficient of it */
	int64_t servers;    /* of the memory: channels, or all of them as one */
	double channel_bw;  /* bytes/s of one server */
	double path_bw;     /* bytes/s of one transfer, memory and NoC */
	double wait;        /* s that a transfer waits for its data */
	double peak_macs;   /* multiply-accumulates/s, all arrays and cores */
	int64_t tile_bytes; /* buffer that one tile may use */
	int64_t tile_acc;   /* accumulator that one may use; 0: there is none */
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

/*
 * Seconds, or cycles when quantised, of a transfer until its data are there, of
 * the part of it that holds server and network, of a computation, and before an
 * operator's first load.
 */
double sf_accel_transfer(
    const struct sf_accel *accel, int64_t bytes, int64_t operations);
double
sf_accel_hold(const struct sf_accel *accel, int64_t bytes, int64_t operations);
double sf_accel_cycles(const struct sf_accel *accel, int64_t cycles);
double sf_accel_overhead(const struct sf_accel *accel);

/* Whether a transfer may have to wait for a memory server. */
static inline bool
sf_accel_shares(const struct sf_accel *accel)
{
	int64_t cores = accel->cores > 1 ? accel->cores : 1;

	/* A load and a store at a time of each core. */
	return accel->servers < 2 * cores;
}

SF_PUBLIC_END

#endif
