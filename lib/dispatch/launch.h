/*
 * What a profiler saw on the device, and which call on the host launched it:
 * a kernel or a copy has a correlation, the runtime's call that launched it has
 * the same, a thread and a time, and at that time some operator ran on that
 * thread. Some bytes a kernel are kept, however long the trace is.
 */
#ifndef SF_DISPATCH_LAUNCH_H
#define SF_DISPATCH_LAUNCH_H

#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

struct sf_kernel {
	int64_t correlation;
	double time_us;
};

struct sf_launch {
	int64_t correlation;
	int64_t thread; /* numbered from 0 */
	double start_us, end_us;
	double device_us; /* of all that has its correlation */
	int64_t kernels;
};

struct sf_launches {
	struct sf_kernel *kernels;
	size_t nkernels, kernels_room;
	struct sf_launch *v; /* by thread, then by time */
	size_t n, room;
	double all_us; /* of all kernels */
};

void sf_launches_release(struct sf_launches *launches);
void sf_launches_add_kernel(
    struct sf_launches *launches, int64_t correlation, double time_us);
void
sf_launches_add(struct sf_launches *launches, const struct sf_launch *launch);

/* When all are there: drops launches of nothing, and sorts. */
void sf_launches_finish(struct sf_launches *launches);

/* The first launch of that thread; N when it has none. */
size_t sf_launches_first(const struct sf_launches *launches, int64_t thread);

#endif
