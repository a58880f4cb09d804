/*
 * A section of the report: it looks at every record of a trace, and at the
 * trace's end writes what it found, or nothing. To add one, add its row to
 * section.def and its file.
 */
#ifndef SF_REPORT_SECTION_H
#define SF_REPORT_SECTION_H

#include "base/arena.h"
#include "base/buf.h"
#include "stream/stream.h"
#include "stream/trace.h"
#include "text/figures.h"
#include "text/human.h"
#include "trace/op.h"
#include "trace/totals.h"

/* What of memory is to be reported. */
struct sf_footprint_wanted {
	bool wanted;    /* the section, at all */
	bool consumed;  /* inputs are live to their last reader only */
	int64_t memory; /* bytes that a device has; 0: not said */
};

/* The trace that is being reported; all sections may look at it. */
struct sf_subject {
	struct sf_stream *stream;
	struct sf_arena *arena; /* emptied when the next trace begins */
	int64_t top;            /* rows of a list of the largest */
	struct sf_footprint_wanted footprint;
	bool strict;    /* a trace that does not fit is a verdict of "no" */
	int64_t number; /* of the trace in the input, from 1 */
	struct sf_trace trace;   /* its record */
	struct sf_totals totals; /* of the operators so far */
	int64_t points;          /* designs of a sweep so far */
	int64_t fastest;         /* the first of those that take least, */
	double fastest_s;        /* and how long; below 0: none was run */
	double longest_s;        /* of all times that sections will write */
};

/* The unit of all times of the report, once all sections have checked. */
static inline const struct sf_scale *
sf_subject_scale(const struct sf_subject *subject)
{
	return sf_scale_time(subject->longest_s);
}

/* A section's check says how long the longest of its times is. */
static inline void
sf_subject_time(struct sf_subject *subject, double time_s)
{
	if (time_s > subject->longest_s)
		subject->longest_s = time_s;
}

struct sf_section {
	/* People read it before all others. */
	bool first;

	/* The section's state for one trace, in the subject's arena. */
	void *(*begin)(struct sf_subject *subject);

	/* Any record but ops, after the trace's own. NULL: not needed. */
	void (*record)(
	    void *state, struct sf_subject *subject, enum sf_kind kind);

	/* An operator, already in the totals. NULL: not needed. */
	void (*op)(
	    void *state, struct sf_subject *subject, const struct sf_op *op);

	/* The trace is whole: last checks. NULL: none. */
	void (*check)(void *state, struct sf_subject *subject);

	/* Writes what was found, for people and for programs. */
	void (*markdown)(
	    void *state, struct sf_subject *subject, struct sf_buf *out);
	void (*figures)(void *state, struct sf_subject *subject,
	    struct sf_figures *figures);

	/* Frees what is not in the arena. NULL: nothing is. */
	void (*release)(void *state);
};

#define SF_SECTION(name) extern const struct sf_section sf_section_##name;
#include "report/section.def"
#undef SF_SECTION

#endif
