/*
 * Two files of counted traces against each other: the first trace of one with
 * the first of the other, and so on. The arithmetic of a model, its FLOPs and
 * the weight bytes it reads, does not depend on who traced it, so it must be
 * the same; how many operators it is cut into and the bytes that they move are
 * the framework's choice and may drift.
 */
#ifndef SF_DIFF_DIFF_H
#define SF_DIFF_DIFF_H

#include "stream/stream.h"
#include "trace/totals.h"

/* One trace, by its sums. */
struct sf_side_of_diff {
	struct sf_str model, route;
	struct sf_totals totals;
};

/* What of one operator type, or of the whole, B has more than A. */
struct sf_change {
	struct sf_str name;
	struct sf_amount by;
};

enum sf_diff_verdict {
	SF_SAME,    /* no operator type differs in anything */
	SF_DRIFT,   /* operators or bytes differ */
	SF_DIFFERS, /* FLOPs or weight bytes differ */
};

/* A pair of traces. */
struct sf_difference {
	const struct sf_side_of_diff *a, *b;
	enum sf_diff_verdict verdict;
	struct sf_amount by;
	struct sf_change *changes; /* the biggest first */
	size_t nchanges;
};

struct sf_diff;

/* STREAM is a sink over two operands that must outlive the diff. */
struct sf_diff *sf_diff_new(struct sf_stream *stream);
void sf_diff_free(struct sf_diff *diff);

/* Takes the stream's current record, which is of that kind. */
void sf_diff_record(struct sf_diff *diff, enum sf_kind kind);

/*
 * Writes each pair that differs, with the TOP biggest changes; nothing of those
 * that do not. Returns the worst verdict of all; dies when the two files do not
 * have as many traces.
 */
enum sf_diff_verdict sf_diff_write(struct sf_diff *diff, int64_t top);

/* Writes one pair. */
void sf_difference_markdown(
    const struct sf_difference *difference, int64_t top, struct sf_buf *out);

#endif
