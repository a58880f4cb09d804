/*
 * The roofline (Williams, Waterman and Patterson, CACM 52(4), 2009) for one
 * operator: it takes as long as the slower of its arithmetic and its traffic.
 */
#ifndef SF_COST_ROOFLINE_H
#define SF_COST_ROOFLINE_H

#include "base/decl.h"
#include "cost/device.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

/* Whose traffic goes to memory. */
enum sf_memory_mode {
	SF_MEMORY_UNFUSED, /* every operator's */
	SF_MEMORY_FUSED,   /* that of matmul, attention and gather: a bound */
};

/* "unfused", "fused", NULL. */
extern const char *const sf_memory_modes[];

struct sf_rates {
	double flops_per_s; /* peak x efficiency x devices */
	double bytes_per_s; /* bandwidth x efficiency x devices */
	double call_s;      /* that each operator takes besides */
};

enum sf_bound {
	SF_BOUND_FREE,
	SF_BOUND_COMPUTE,
	SF_BOUND_MEMORY,
	SF_BOUND_COUNT
};

/* "free", "compute", "memory", NULL. */
extern const char *const sf_bound_names[];

/* What runs an operator. */
enum sf_cost_unit {
	SF_UNIT_NOBODY, /* free ones */
	SF_UNIT_DEVICE,
	SF_UNIT_ACCEL,
	SF_UNIT_HOST,
	SF_UNIT_COUNT
};

/* "none", "device", "accel", "host", NULL. */
extern const char *const sf_cost_units[];

/* Of DEVICES together, for an operator of any category; no time of its own. */
struct sf_rates
sf_device_rates(const struct sf_device *device, int64_t devices);

/*
 * The same for operators of one category, which may have efficiencies and a
 * time of their own.
 */
struct sf_rates sf_device_rates_of(
    const struct sf_device *device, int64_t devices, enum sf_category category);

/* The same where they reach for a peak of PEAK_FLOPS, see peak.h. */
struct sf_rates sf_device_rates_at(const struct sf_device *device,
    int64_t devices, enum sf_category category, double peak_flops);

/* Views and unknown operators take no time. */
bool sf_cost_is_free(const struct sf_counts *counts);

/* The bytes that go to memory: none of a free operator. */
double sf_cost_bytes(const struct sf_counts *counts, enum sf_memory_mode mode);

/* The FLOPs that are run: all but those that a mask hides. */
double sf_cost_flops(const struct sf_counts *counts);

/*
 * Seconds = max(flops / flops_per_s, bytes / bytes_per_s) + call_s +
 * OVERHEAD_S, 0 for a free operator. Compute-bound when the first is not the smaller.
 */
double sf_roofline(const struct sf_counts *counts, struct sf_rates rates,
    enum sf_memory_mode mode, double overhead_s, enum sf_bound *bound);

SF_PUBLIC_END

#endif
