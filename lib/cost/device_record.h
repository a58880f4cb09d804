/* The device record: what an analytic cost was computed with. */
#ifndef SF_COST_DEVICE_RECORD_H
#define SF_COST_DEVICE_RECORD_H

#include "cost/device.h"
#include "cost/roofline.h"
#include "stream/stream.h"

/* What the rates of a device may be: others leave no room on an axis. */
#define SF_RATE_LEAST 1e-30
#define SF_RATE_MOST  1e30

enum sf_cost_mode {
	SF_MODE_ROOFLINE,
	SF_MODE_OFFLOAD
};

struct sf_device_record {
	enum sf_cost_mode mode;
	struct sf_device device; /* or the accelerator of an offload */
	int64_t devices;
	struct sf_rates rates; /* that result */
	enum sf_memory_mode memory;
	double overhead_s; /* added to each operator that is not free */
	bool ideal;        /* all work is divided among devices at no cost */
	bool operands;     /* products are of the type that operands have */
	bool tf32;         /* those of F32 are of TF32 */
	/* Of an offload. */
	struct sf_device host;
	struct sf_link link;
	struct sf_str supports; /* the accelerator's categories, with commas */
};

/* Writes the record before the current one. */
void sf_device_record_put(
    struct sf_stream *stream, const struct sf_device_record *record);

/*
 * Reads the current record, which must be a device; texts live in KEEP. Dies
 * when it is not as it must be.
 */
void sf_device_record_read(struct sf_stream *stream, struct sf_arena *keep,
    struct sf_device_record *record);

#endif
