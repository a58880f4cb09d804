/* How operators' spans are spread: bins of equal ratio. */
#include "report/histogram.h"

#include <math.h>

static void
set_edges(struct sf_histogram *h, double min, double max)
{
	h->bins = min < max ? SF_HISTOGRAM_BINS : 1;
	/* Neither power can overflow, as max / min could. */
	for (int b = 0; b < h->bins; b++) {
		double t = (double)b / h->bins;

		h->edge_s[b] = pow(min, 1 - t) * pow(max, t);
	}
	h->edge_s[0] = min;
	h->edge_s[h->bins] = max;
}

void
sf_histogram_make(struct sf_histogram *h, const double *spans_s, size_t n)
{
	double min = INFINITY, max = 0;

	*h = (struct sf_histogram){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (spans_s[i] <= 0)
			continue;
		min = fmin(min, spans_s[i]);
		max = fmax(max, spans_s[i]);
	}
	if (max == 0)
		return;
	set_edges(h, min, max);
	for (size_t i = 0; i < n; i++) {
		int b = h->bins - 1;

		if (spans_s[i] <= 0)
			continue;
		while (b > 0 && spans_s[i] < h->edge_s[b])
			b--;
		h->ops[b]++;
	}
}
