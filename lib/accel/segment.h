/*
 * Segments: runs of operators that begin with the pipeline drained. An operator
 * that waits for the one right before it starts when that one is stored, which
 * is the last of all times so far: nothing is in flight, and what came before
 * is told by that instant alone. So a segment runs the same wherever it stands,
 * and segments of equal classes and dependencies run alike. This depends on the
 * program and on no block.
 */
#ifndef SF_ACCEL_SEGMENT_H
#define SF_ACCEL_SEGMENT_H

#include <stdint.h>

#include "accel/class.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

struct sf_program_segment {
	int64_t first, n; /* operators of the first one that is like this */
};

struct sf_segments {
	struct sf_program_segment *v; /* those that differ */
	int64_t n;
	int64_t *seq; /* which of them, one after the other */
	int64_t nseq;
};

/* Finds those of CLASSES, which then must not change. */
void sf_segments_find(
    struct sf_segments *segments, const struct sf_classes *classes);
void sf_segments_release(struct sf_segments *segments);

SF_PUBLIC_END

#endif
