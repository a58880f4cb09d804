/* Kernels and what launched them. */
#include "dispatch/launch.h"

#include <stdlib.h>

void
sf_launches_release(struct sf_launches *l)
{
	free(l->kernels);
	free(l->v);
}

void
sf_launches_add_kernel(
    struct sf_launches *l, int64_t correlation, double time_us)
{
	if (l->nkernels == l->kernels_room) {
		l->kernels_room =
		    l->kernels_room == 0 ? 1024 : l->kernels_room * 2;
		l->kernels = sf_reallocarray(
		    l->kernels, l->kernels_room, sizeof *l->kernels);
	}
	l->kernels[l->nkernels++] = (struct sf_kernel){ correlation, time_us };
}

void
sf_launches_add(struct sf_launches *l, const struct sf_launch *launch)
{
	if (l->n == l->room) {
		l->room = l->room == 0 ? 1024 : l->room * 2;
		l->v = sf_reallocarray(l->v, l->room, sizeof *l->v);
	}
	l->v[l->n++] = *launch;
}

static int
by_correlation(const void *a, const void *b)
{
	const struct sf_launch *x = a, *y = b;

	return (x->correlation > y->correlation) -
	    (x->correlation < y->correlation);
}

/* Equal times are told apart by the correlation, so that the order is one. */
static int
by_time(const void *a, const void *b)
{
	const struct sf_launch *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return by_correlation(a, b);
}

void
sf_launches_finish(struct sf_launches *l)
{
	size_t kept = 0;

	if (l->n != 0)
		qsort(l->v, l->n, sizeof *l->v, by_correlation);
	for (size_t i = 0; i < l->nkernels; i++) {
		struct sf_launch key = { .correlation =
					     l->kernels[i].correlation };
		struct sf_launch *of = l->n == 0
		    ? NULL
		    : bsearch(&key, l->v, l->n, sizeof *l->v, by_correlation);

		l->all_us += l->kernels[i].time_us;
		if (of == NULL)
			continue;
		of->kernels++;
		of->device_us += l->kernels[i].time_us;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kernels != 0)
			l->v[kept++] = l->v[i];
	l->n = kept;
	if (kept != 0)
		qsort(l->v, kept, sizeof *l->v, by_time);
}

size_t
sf_launches_first(const struct sf_launches *l, int64_t thread)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->v[mid].thread < thread)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
