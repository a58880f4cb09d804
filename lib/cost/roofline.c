/* The roofline of one operator. */
#include "cost/roofline.h"

#include <stddef.h>

const char *const sf_memory_modes[] = { "unfused", "fused", NULL };

const char *const sf_bound_names[] = {
	[SF_BOUND_FREE] = "free",
	[SF_BOUND_COMPUTE] = "compute",
	[SF_BOUND_MEMORY] = "memory",
	[SF_BOUND_COUNT] = NULL,
};

const char *const sf_cost_units[] = {
	[SF_UNIT_NOBODY] = "none",
	[SF_UNIT_DEVICE] = "device",
	[SF_UNIT_ACCEL] = "accel",
	[SF_UNIT_HOST] = "host",
	[SF_UNIT_COUNT] = NULL,
};

struct sf_rates
sf_device_rates(const struct sf_device *d, int64_t devices)
{
	return (struct sf_rates){
		.flops_per_s = d->peak_flops * d->flops_eff * (double)devices,
		.bytes_per_s = d->memory_bw * d->bw_eff * (double)devices,
	};
}

/* Where a category's own are; rows of the table of devices. */
static const struct {
	size_t flops_eff, bw_eff, call; /* 0: it has none */
} own[SF_CAT_COUNT] = {
#define SF_EFFICIENCY(id, category)                                         \
	[SF_CAT_##id] = { offsetof(struct sf_device, category##_flops_eff), \
		offsetof(struct sf_device, category##_bw_eff),              \
		offsetof(struct sf_device, category##_call) },
#include "cost/efficiency.def"
#undef SF_EFFICIENCY
};

static double
own_value(const struct sf_device *d, size_t at)
{
	return at == 0 ? 0
		       : *(const double *)(const void *)((const char *)d + at);
}

struct sf_rates
sf_device_rates_of(
    const struct sf_device *d, int64_t devices, enum sf_category category)
{
	return sf_device_rates_at(d, devices, category, d->peak_flops);
}

struct sf_rates
sf_device_rates_at(const struct sf_device *d, int64_t devices,
    enum sf_category category, double peak_flops)
{
	struct sf_rates rates = sf_device_rates(d, devices);
	double flops_eff = own_value(d, own[category].flops_eff);
	double bw_eff = own_value(d, own[category].bw_eff);

	if (flops_eff == 0)
		flops_eff = d->flops_eff;
	rates.flops_per_s = peak_flops * flops_eff * (double)devices;
	if (bw_eff != 0)
		rates.bytes_per_s = d->memory_bw * bw_eff * (double)devices;
	rates.call_s = own_value(d, own[category].call);
	return rates;
}

bool
sf_cost_is_free(const struct sf_counts *counts)
{
	return counts->category == SF_CAT_VIEW ||
	    counts->category == SF_CAT_UNKNOWN;
}

/* Ideal fusion keeps all in registers but what these must read and write. */
static bool
moves_bytes(enum sf_category category, enum sf_memory_mode mode)
{
	return mode == SF_MEMORY_UNFUSED || category == SF_CAT_MATMUL ||
	    category == SF_CAT_ATTENTION || category == SF_CAT_GATHER;
}

double
sf_cost_bytes(const struct sf_counts *c, enum sf_memory_mode mode)
{
	if (sf_cost_is_free(c) || !moves_bytes(c->category, mode))
		return 0;
	return (double)c->bytes_read + (double)c->bytes_written;
}

double
sf_cost_flops(const struct sf_counts *c)
{
	return (double)(c->flops - c->masked_flops);
}

double
sf_roofline(const struct sf_counts *c, struct sf_rates rates,
    enum sf_memory_mode mode, double overhead_s, enum sf_bound *bound)
{
	double compute_s, memory_s;

	if (sf_cost_is_free(c)) {
		*bound = SF_BOUND_FREE;
		return 0;
	}
	compute_s = sf_cost_flops(c) / rates.flops_per_s;
	memory_s = sf_cost_bytes(c, mode) / rates.bytes_per_s;
	*bound = compute_s >= memory_s ? SF_BOUND_COMPUTE : SF_BOUND_MEMORY;
	return (compute_s >= memory_s ? compute_s : memory_s) + rates.call_s +
	    overhead_s;
}
