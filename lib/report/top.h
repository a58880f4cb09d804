/* The operators that take longest, kept while all of them go by. */
#ifndef SF_REPORT_TOP_H
#define SF_REPORT_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct sf_timed {
	double span_s;
	int64_t i;          /* index of the operator in its trace */
	struct sf_str name; /* lives as long as the trace's types */
	const char *bound;  /* "compute" or "memory" */
	int64_t tiled_bytes;
	double modelled_s; /* of a measured one; -1: no cost says */
	bool ideal; /* cut as if the whole array were busy, see sf-lower(1) */
};

/* A heap of at most MAX operators whose first is the one to go next. */
struct sf_top {
	struct sf_timed *v;
	size_t n, room, max;
};

void sf_top_init(struct sf_top *top, size_t max);
void sf_top_release(struct sf_top *top);
void sf_top_add(struct sf_top *top, const struct sf_timed *timed);

/*
 * Puts the longest first, and the earlier of two that take as long. Nothing
 * can be added after that.
 */
void sf_top_sort(struct sf_top *top);

#endif
