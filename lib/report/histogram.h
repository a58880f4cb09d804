/* How operators' spans are spread. */
#ifndef SF_REPORT_HISTOGRAM_H
#define SF_REPORT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
	SF_HISTOGRAM_BINS = 6
};

/* Bin b holds edge[b] <= span < edge[b + 1]; the last one its upper edge too. */
struct sf_histogram {
	int bins; /* 0 without spans, 1 when all are the same */
	double edge_s[SF_HISTOGRAM_BINS + 1];
	int64_t ops[SF_HISTOGRAM_BINS];
};

/* Of N spans, those > 0, in bins of equal ratio from the least to the most. */
void sf_histogram_make(struct sf_histogram *h, const double *spans_s, size_t n);

#endif
