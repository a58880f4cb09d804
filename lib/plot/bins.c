/* Time in equal bins. */
#include "plot/bins.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"

void
sf_bins_init(
    struct sf_bins *bins, int count, int planes, const struct sf_range *range)
{
	size_t n = (size_t)count;

	*bins = (struct sf_bins){
		.count = count, .planes = planes, .fixed = range->known
	};
	if (range->known) {
		bins->from = range->from;
		bins->width = (range->to - range->from) / count;
	}
	bins->sum = sf_calloc(n * (size_t)planes, sizeof *bins->sum);
	bins->low = sf_reallocarray(NULL, n, sizeof *bins->low);
	bins->high = sf_reallocarray(NULL, n, sizeof *bins->high);
	for (size_t i = 0; i < n; i++) {
		bins->low[i] = INFINITY;
		bins->high[i] = -INFINITY;
	}
}

void
sf_bins_release(struct sf_bins *bins)
{
	free(bins->sum);
	free(bins->low);
	free(bins->high);
}

/* Two bins become one. */
static void
double_width(struct sf_bins *b)
{
	int half = b->count / 2;

	for (int i = 0; i < b->count; i++) {
		bool there = i < half;

		for (int p = 0; p < b->planes; p++) {
			double *sum = b->sum + (ptrdiff_t)p * b->count;

			sum[i] = there ? sum[2 * i] + sum[2 * i + 1] : 0;
		}
		b->low[i] =
		    there ? fmin(b->low[2 * i], b->low[2 * i + 1]) : INFINITY;
		b->high[i] = there ? fmax(b->high[2 * i], b->high[2 * i + 1])
				   : -INFINITY;
	}
	b->width *= 2;
}

static double
edge(const struct sf_bins *b, int bin)
{
	return b->from + b->width * bin;
}

/* The bin that holds TIME, which is not before the first. */
static int
bin_at(const struct sf_bins *b, double time)
{
	double bin = floor((time - b->from) / b->width);

	return bin < b->count ? (int)bin : b->count - 1;
}

static double
overlap(const struct sf_bins *b, int bin, double from, double until)
{
	double length =
	    fmin(until, edge(b, bin + 1)) - fmax(from, edge(b, bin));

	return length > 0 ? length : 0;
}

void
sf_bins_add(
    struct sf_bins *b, int plane, double from, double until, double value)
{
	double *sum = b->sum + (ptrdiff_t)plane * b->count;

	if (b->width == 0)
		b->width = fmax(until / b->count, DBL_MIN);
	while (!b->fixed && until > edge(b, b->count))
		double_width(b);
	from = fmax(from, b->from);
	until = fmin(until, edge(b, b->count));
	if (from >= until)
		return;
	for (int i = bin_at(b, from), last = bin_at(b, until); i <= last; i++) {
		double length = overlap(b, i, from, until);

		if (length == 0)
			continue;
		sum[i] += value * length;
		b->low[i] = fmin(b->low[i], value);
		b->high[i] = fmax(b->high[i], value);
	}
}

double
sf_bins_mean(const struct sf_bins *b, int plane, double from, double until)
{
	const double *sum = b->sum + (ptrdiff_t)plane * b->count;
	double area = 0;

	if (b->width == 0 || until <= b->from || from >= edge(b, b->count))
		return 0;
	for (int i = bin_at(b, fmax(from, b->from)), last = bin_at(b, until);
	     i <= last; i++)
		area += sum[i] * overlap(b, i, from, until) / b->width;
	return area / (until - from);
}

bool
sf_bins_extremes(const struct sf_bins *b, double from, double until,
    double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	if (b->width == 0 || until <= b->from || from >= edge(b, b->count))
		return false;
	for (int i = bin_at(b, fmax(from, b->from)), last = bin_at(b, until);
	     i <= last; i++)
		if (overlap(b, i, from, until) > 0) {
			*low = fmin(*low, b->low[i]);
			*high = fmax(*high, b->high[i]);
		}
	return *low <= *high;
}
