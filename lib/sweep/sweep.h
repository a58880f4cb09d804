/*
 * Many designs over one trace: each is set in the target, run, and written as a
 * point record or a row. What a point says depends on its index and on nothing
 * that ran before.
 */
#ifndef SF_SWEEP_SWEEP_H
#define SF_SWEEP_SWEEP_H

#include "sweep/plan.h"
#include "sweep/target.h"

enum sf_sweep_format {
	SF_SWEEP_JSON,
	SF_SWEEP_CSV
};

/* "json", "csv", NULL. */
extern const char *const sf_sweep_formats[];

struct sf_sweep_request {
	struct sf_plan_request plan;
	struct sf_list keep;    /* expressions over results */
	struct sf_list columns; /* "NAME=EXPR" */
	const char *front;      /* "COL,-COL,..." */
	int format;
	const char *output; /* a file */
	bool resume, strict, count;
};

struct sf_sweep;

/*
 * STREAM is a sink that reads counted traces. Dies with SF_EX_USAGE when the
 * request cannot be meant.
 */
struct sf_sweep *sf_sweep_new(struct sf_stream *stream,
    struct sf_target *target, const struct sf_sweep_request *request);

/* Handles the stream's current record; runs all designs at the end of a trace. */
void sf_sweep_record(struct sf_sweep *sweep, enum sf_kind kind);

/* Writes how many designs there are, in all and not prevented. */
void sf_sweep_count(struct sf_sweep *sweep, struct sf_buf *out);

void sf_sweep_free(struct sf_sweep *sweep);

#endif
