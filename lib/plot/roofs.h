/*
 * The roofline of a costed trace (Williams, Waterman and Patterson, CACM 52(4),
 * 2009): attained FLOP/s over arithmetic intensity, both logarithmic, below the
 * roofs that the device record gives. Each operator type is a point whose area
 * is its share of the time. Memory grows with operator types.
 */
#ifndef SF_PLOT_ROOFS_H
#define SF_PLOT_ROOFS_H

#include "base/table.h"
#include "plot/picture.h"
#include "stream/trace.h"
#include "trace/op.h"

/* What a device, or the host beside it, can do at most. */
struct sf_roof {
	const char *name;
	double flops_per_s, bytes_per_s; /* both 0: there is none */
};

/* All calls of one operator in one category. */
struct sf_roof_type {
	const char *name;
	enum sf_category category;
	double flops, bytes, time_s;
};

struct sf_roofs {
	struct sf_stream *stream;
	struct sf_arena *arena; /* of the trace */
	struct sf_table index;  /* "name category" to its type */
	struct sf_trace trace;
	struct sf_roof device, host;
	const char *memory;          /* "unfused", "fused" */
	struct sf_roof_type **types; /* the longest first, once it has ended */
	size_t ntypes;
	double time_s; /* of all, transfers apart */
};

void sf_roofs_init(struct sf_roofs *roofs, struct sf_stream *stream);
void sf_roofs_release(struct sf_roofs *roofs);

/*
 * Takes the stream's current record, whatever its kind. Dies when the trace was
 * not costed.
 */
void sf_roofs_record(struct sf_roofs *roofs, enum sf_kind kind);

/* Appends the picture of the trace that has ended to OUT. */
void sf_roofs_draw(const struct sf_roofs *roofs,
    const struct sf_picture *picture, struct sf_buf *out);

#endif
