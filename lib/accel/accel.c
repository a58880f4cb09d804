/* The parameters of the block, what follows from them, and durations. */
#include "accel/accel.h"

#include <math.h>
#include <stddef.h>

const char *const sf_array_fills[] = {
	[SF_FILL_TILE] = "tile",
	[SF_FILL_FOLD] = "fold",
	[SF_FILL_LOAD] = "load",
	[SF_FILL_PRELOAD] = "preload",
	NULL,
};

const char *const sf_conv_modes[] = {
	[SF_CONV_IM2COL] = "im2col",
	[SF_CONV_IMPLICIT] = "implicit",
	[SF_CONV_TAPS] = "taps",
	NULL,
};

const char *const sf_block_choices[] = {
	[SF_BLOCKS_HALVE] = "halve",
	[SF_BLOCKS_TIME] = "time",
	[SF_BLOCKS_BYTES] = "bytes",
	NULL,
};

const char *const sf_latency_modes[] = {
	[SF_LATENCY_HELD] = "held",
	[SF_LATENCY_PIPELINED] = "pipelined",
	NULL,
};

const char *const sf_fuse_modes[] = {
	[SF_FUSE_OFF] = "off",
	[SF_FUSE_UNARY] = "unary",
	NULL,
};

static const struct sf_key rows[] = {
#define SF_ACCEL_KEY(name, type, unit, range, fallback, meaning) \
	{ SF_KEY_ROW(sf_accel, name, type, unit, fallback, meaning), range },
#include "accel/key.def"
#undef SF_ACCEL_KEY
};

/* With the preset, two parts and about what was seen is a set of 64 bits. */
_Static_assert(
    sizeof rows / sizeof rows[0] < 62, "an accel record of 64 members or less");

static const struct sf_key_part parts[] = {
	{ "energy", &sf_energy_keys, offsetof(struct sf_accel, energy),
	    sf_energy_units },
	{ "area", &sf_area_keys, offsetof(struct sf_accel, area),
	    sf_area_units },
};

const struct sf_keys sf_accel_keys = {
	.dir = "accel",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.seconds = "",
	.parts = parts,
	.nparts = sizeof parts / sizeof parts[0],
};

bool
sf_accel_finish(struct sf_accel *a, struct sf_error *error)
{
	double macs = (double)(a->arrays * a->array_rows * a->array_cols);

	a->has_energy = sf_energy_given(&a->energy);
	a->servers = a->dram_interleave ? 1 : a->dram_channels;
	a->channel_bw = a->dram_bw / (double)a->servers;
	a->path_bw = a->channel_bw < a->noc_bw ? a->channel_bw : a->noc_bw;
	a->wait = a->dram_latency + a->noc_latency;
	a->peak_macs = macs * a->clock_hz * (double)a->cores;
	a->tile_bytes =
	    (int64_t)floor((double)a->buffer_bytes * a->tile_fraction);
	a->tile_acc = (int64_t)floor((double)a->acc_bytes * a->tile_fraction);
	a->second = a->quantise ? 1 / a->clock_hz : 1;
	if (a->tile_bytes < 1)
		return sf_fail(error,
		    "a tile_fraction of %g leaves no byte of a buffer of "
		    "%lld bytes to a tile",
		    a->tile_fraction, (long long)a->buffer_bytes);
	if (a->acc_bytes != 0 && a->tile_acc < 1)
		return sf_fail(error,
		    "a tile_fraction of %g leaves no byte of an accumulator of "
		    "%lld bytes to a tile",
		    a->tile_fraction, (long long)a->acc_bytes);
	return true;
}

/* ---- durations ---- */

/* Whole cycles when time is quantised; D is in seconds. */
static double
duration(const struct sf_accel *a, double d)
{
	if (!a->quantise || d <= 0)
		return d;
	return ceil(d * a->clock_hz - 1e-9);
}

/* Seconds that BYTES take on their way, and operations that ride on them. */
static double
moving(const struct sf_accel *a, int64_t bytes, int64_t operations)
{
	double t = (double)bytes / a->path_bw;

	if (a->transit_ops_per_byte > 0 && operations > 0) {
		double rate = a->transit_ops_per_byte * a->path_bw;
		double compute = (double)operations / rate;

		t = compute > t ? compute : t;
	}
	return t;
}

double
sf_accel_transfer(const struct sf_accel *a, int64_t bytes, int64_t operations)
{
	if (bytes <= 0)
		return 0;
	return duration(a, a->wait + moving(a, bytes, operations));
}

double
sf_accel_hold(const struct sf_accel *a, int64_t bytes, int64_t operations)
{
	double whole = sf_accel_transfer(a, bytes, operations);

	if (a->latency == SF_LATENCY_HELD || bytes <= 0)
		return whole;
	/* All but the wait; what is whole cycles is rounded on its own. */
	return a->quantise ? duration(a, moving(a, bytes, operations))
			   : whole - a->wait;
}

double
sf_accel_cycles(const struct sf_accel *a, int64_t cycles)
{
	return duration(a, (double)cycles / a->clock_hz);
}

double
sf_accel_overhead(const struct sf_accel *a)
{
	return duration(a, a->op_overhead);
}
