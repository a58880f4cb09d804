/* The summary record of a simulation. */
#ifndef SF_REPORT_SUMMARY_H
#define SF_REPORT_SUMMARY_H

#include "stream/stream.h"
#include "text/figures.h"

enum sf_summary_id {
#define SF_SUMMARY(id, object, name, type, unit, required) SF_SUM_##id,
#include "report/summary.def"
#undef SF_SUMMARY
	SF_SUM_COUNT
};

struct sf_summary_value {
	/* Not there, there without a value (null), or there with one. */
	enum {
		SF_SUM_ABSENT,
		SF_SUM_NULL,
		SF_SUM_GIVEN
	} state;
	int64_t i;
	double d;
	struct sf_str s;
};

struct sf_summary {
	struct sf_summary_value v[SF_SUM_COUNT];
};

/*
 * Reads the stream's current record, a summary; text goes to the arena. Dies
 * when a member that must be there is not. Members that it does not know are
 * left out.
 */
void sf_summary_read(struct sf_summary *summary, struct sf_stream *stream,
    struct sf_arena *arena);

/* Every member that is there, grouped as in the record. */
void sf_summary_figures(
    const struct sf_summary *summary, struct sf_figures *figures);

#endif
