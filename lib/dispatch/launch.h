/*
 * What a profiler saw on the device, and which call on the host launched it:
 * a kernel or a copy has a correlation, the runtime's call that launched it has
 * the same, a thread and a time, and at that time some operator ran on that
 * thread. However long the trace is, at most SF_LAUNCH_MEMORY bytes of kernels
 * and of launches each are in memory; the others are in a temporary file.
 */
#ifndef SF_DISPATCH_LAUNCH_H
#define SF_DISPATCH_LAUNCH_H

#include <stdint.h>

#include "base/sorted.h"

enum {
	SF_LAUNCH_MEMORY = 4 << 20
};

struct sf_launch {
	int64_t correlation;
	int64_t thread; /* numbered from 0 */
	double start_us, end_us;
	double device_us; /* of all that has its correlation */
	int64_t kernels;
};

struct sf_launches {
	struct sf_sorted *seen; /* by correlation, until all are there */
	struct sf_sorted *v;    /* by thread, then by time */
	int64_t nseen;
	size_t nkernels;
	double all_us; /* of all kernels */
};

void sf_launches_init(struct sf_launches *launches);
void sf_launches_release(struct sf_launches *launches);
void sf_launches_add_kernel(
    struct sf_launches *launches, int64_t correlation, double time_us);

/* Of two launches with one correlation the first has the kernels. */
void
sf_launches_add(struct sf_launches *launches, const struct sf_launch *launch);

/* When all are there: drops launches of nothing, and sorts. */
void sf_launches_finish(struct sf_launches *launches);

/* The first launch of that thread; how many there are when it has none. */
size_t sf_launches_first(const struct sf_launches *launches, int64_t thread);

#endif
