/* Kernels and what launched them. */
#include "dispatch/launch.h"

#include <math.h>
#include <stdbool.h>

#include "base/num.h"

/* A kernel or a launch, as the file has it. */
struct seen {
	int64_t correlation;
	int64_t number;          /* of what was seen, from 0 */
	int64_t thread;          /* -1: a kernel */
	double start_us, end_us; /* of a kernel, START_US is its time */
};

/* Launches before kernels, both as they came. */
static int
by_correlation(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->correlation != y->correlation)
		return sf_int_compare(x->correlation, y->correlation);
	if ((x->thread < 0) != (y->thread < 0))
		return x->thread < 0 ? 1 : -1;
	return sf_int_compare(x->number, y->number);
}

/* Equal times are told apart by the correlation, so that the order is one. */
static int
by_time(const void *a, const void *b)
{
	const struct sf_launch *x = a, *y = b;

	if (x->thread != y->thread)
		return sf_int_compare(x->thread, y->thread);
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return sf_int_compare(x->correlation, y->correlation);
}

void
sf_launches_init(struct sf_launches *l)
{
	*l = (struct sf_launches){ .nseen = 0 };
	l->seen = sf_sorted_new(
	    sizeof(struct seen), SF_LAUNCH_MEMORY, by_correlation);
	l->v =
	    sf_sorted_new(sizeof(struct sf_launch), SF_LAUNCH_MEMORY, by_time);
}

void
sf_launches_release(struct sf_launches *l)
{
	sf_sorted_free(l->seen);
	sf_sorted_free(l->v);
}

static void
add(struct sf_launches *l, struct seen seen)
{
	seen.number = l->nseen++;
	sf_sorted_add(l->seen, &seen);
}

void
sf_launches_add_kernel(
    struct sf_launches *l, int64_t correlation, double time_us)
{
	l->nkernels++;
	l->all_us += time_us;
	if (correlation >= 0)
		add(l,
		    (struct seen){ .correlation = correlation,
			.thread = -1,
			.start_us = time_us });
}

void
sf_launches_add(struct sf_launches *l, const struct sf_launch *launch)
{
	add(l,
	    (struct seen){ .correlation = launch->correlation,
		.thread = launch->thread,
		.start_us = launch->start_us,
		.end_us = launch->end_us });
}

/* The launch that is first of its correlation begins; kernels follow it. */
static struct sf_launch
launch_of(const struct seen *seen)
{
	return (struct sf_launch){ .correlation = seen->correlation,
		.thread = seen->thread,
		.start_us = seen->start_us,
		.end_us = seen->end_us };
}

static void
keep(struct sf_launches *l, const struct sf_launch *launch)
{
	if (launch->kernels != 0)
		sf_sorted_add(l->v, launch);
}

void
sf_launches_finish(struct sf_launches *l)
{
	struct sf_launch now = { .correlation = -1 };
	struct seen seen;
	size_t n;

	sf_sorted_finish(l->seen);
	n = sf_sorted_count(l->seen);
	for (size_t i = 0; i < n; i++) {
		sf_sorted_get(l->seen, i, &seen);
		if (seen.thread >= 0 && seen.correlation != now.correlation) {
			keep(l, &now);
			now = launch_of(&seen);
		} else if (seen.thread < 0 &&
		    seen.correlation == now.correlation) {
			now.kernels++;
			now.device_us += seen.start_us;
		}
	}
	keep(l, &now);
	sf_sorted_free(l->seen);
	l->seen = NULL;
	sf_sorted_finish(l->v);
}

size_t
sf_launches_first(const struct sf_launches *l, int64_t thread)
{
	return sf_sorted_first(l->v,
	    &(struct sf_launch){ .thread = thread,
		.start_us = -HUGE_VAL,
		.correlation = INT64_MIN });
}
