/*
 * Reports on traces, one a trace, written when its end record has come.
 *
 * Memory: a table of operator types, the largest operators asked for, and one
 * double a simulated operator for the histogram; or with rows, all of them. It
 * is dropped between traces.
 */
#ifndef SF_REPORT_REPORT_H
#define SF_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decl.h"
#include "report/by.h"
#include "stream/stream.h"
#include "text/format.h"

SF_PUBLIC_BEGIN

struct sf_report;

struct sf_report_request {
	enum sf_format format;
	struct sf_buf *out; /* where it is written; NULL: the stream's text */
	int64_t top;        /* rows of a list of the largest; -1: not said */
	/*
	 * The memory that a run needs, by trace/footprint.h: names and storages
	 * of all operators are held for it. With MEMORY above 0 a trace that
	 * needs more, or of which that is not known, is a verdict of "no".
	 */
	bool footprint;
	bool inputs_consumed;
	int64_t memory;
	bool strict; /* a trace that its device has no room for is one, too */
	/*
	 * In place of the sections a row for each operator, node, module or
	 * type, see rows.h; TOP < 0 is all rows, and without it 10 in Markdown.
	 */
	enum sf_rows_by by;
	int64_t depth; /* parts of a module's name that tell it; 0: all */
};

/* STREAM is a sink that must outlive the report. */
struct sf_report *sf_report_new(
    struct sf_stream *stream, const struct sf_report_request *request);
void sf_report_free(struct sf_report *report);

/* Takes the stream's current record, which is of that kind. */
void sf_report_record(struct sf_report *report, enum sf_kind kind);

SF_PUBLIC_END

#endif
