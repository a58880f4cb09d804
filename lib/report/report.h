/*
 * Reports on traces, one a trace, written when its end record has come.
 *
 * Memory: a table of operator types, the largest operators asked for, and one
 * double a simulated operator for the histogram; all of it is dropped between
 * traces.
 */
#ifndef SF_REPORT_REPORT_H
#define SF_REPORT_REPORT_H

#include <stdint.h>

#include "base/decl.h"
#include "stream/stream.h"
#include "text/format.h"

SF_PUBLIC_BEGIN

struct sf_report;

/* STREAM is a sink that must outlive the report. */
struct sf_report *
sf_report_new(struct sf_stream *stream, enum sf_format format, int64_t top);
void sf_report_free(struct sf_report *report);

/* Takes the stream's current record, which is of that kind. */
void sf_report_record(struct sf_report *report, enum sf_kind kind);

SF_PUBLIC_END

#endif
