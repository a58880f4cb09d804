/*
 * Rooflines of costed traces (Williams, Waterman and Patterson, CACM 52(4),
 * 2009): attained FLOP/s over arithmetic intensity, both logarithmic, below the
 * roofs that the device record gives. Each operator type is a point whose area
 * is its share of the trace's time; what has no place on the axes, transfers and
 * operators without FLOPs or bytes, is a strip beside them. Several traces share
 * a picture, each with points of its own shape. Memory grows with operator
 * types.
 */
#ifndef SF_PLOT_ROOFS_H
#define SF_PLOT_ROOFS_H

#include "base/table.h"
#include "cost/tariff.h"
#include "plot/picture.h"
#include "stream/trace.h"
#include "trace/op.h"

enum {
	SF_ROOFS_TRACES = 4 /* in one picture */
};

/* What a device, or the host beside it, can do at most. */
struct sf_roof {
	const char *name;
	double flops_per_s, bytes_per_s; /* both 0: there is none */
	/*
	 * Rates by category and type, and what one of FLOPS_PER_S is there, as a
	 * record may say another rate than follows from its parameters.
	 */
	struct sf_tariff *tariff;
	struct sf_rates base;
};

/* All calls of one operator that were costed by the same rates. */
struct sf_roof_type {
	const char *name;
	enum sf_category category;
	enum sf_precision peak; /* that it was costed at */
	double flops, bytes;    /* as costed: fused ones move none */
	double time_s;
	double roof_s; /* what it takes at its own roof, without overheads */
};

struct sf_roof_trace {
	struct sf_trace trace;
	struct sf_roof device, host;
	enum sf_memory_mode memory;
	double overhead_s;
	struct sf_roof_type **types; /* the longest first, once it has ended */
	size_t ntypes;
	double transfer_s;
	double time_s; /* of all, transfers among them */
};

struct sf_roofs {
	struct sf_stream *stream;
	struct sf_arena *arena; /* of all traces */
	struct sf_table index;  /* of the last: "name category" to its type */
	struct sf_roof_trace v[SF_ROOFS_TRACES];
	int n;
};

void sf_roofs_init(struct sf_roofs *roofs, struct sf_stream *stream);
void sf_roofs_release(struct sf_roofs *roofs);

/* Forgets all traces. */
void sf_roofs_clear(struct sf_roofs *roofs);

/* Forgets the last trace. */
void sf_roofs_drop(struct sf_roofs *roofs);

/*
 * Takes the stream's current record, whatever its kind. Dies when the trace was
 * not costed, or is one more than a picture can have.
 */
void sf_roofs_record(struct sf_roofs *roofs, enum sf_kind kind);

/* Appends the picture of the traces that have ended, one at least, to OUT. */
void sf_roofs_draw(const struct sf_roofs *roofs,
    const struct sf_picture *picture, struct sf_buf *out);

/* A logarithmic axis has a place for it. */
bool sf_roof_has_point(const struct sf_roof_type *type);

/* Whether some time of the trace is on no point. */
bool sf_roof_hides(const struct sf_roof_trace *trace);

#endif
