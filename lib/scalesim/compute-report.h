/*
 * A simulated trace in the columns of SCALE-Sim's COMPUTE_REPORT.csv, so that
 * the two can be laid side by side. A row is an operator of the array.
 */
#ifndef SF_SCALESIM_COMPUTE_REPORT_H
#define SF_SCALESIM_COMPUTE_REPORT_H

#include "base/decl.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

struct sf_compute_report;

/* STREAM is a sink that must outlive the report. */
struct sf_compute_report *sf_compute_report_new(struct sf_stream *stream);
void sf_compute_report_free(struct sf_compute_report *report);

/*
 * Takes the stream's current record. Dies unless the trace is quantised and has
 * its tiles, which the cycles are counted from.
 */
void
sf_compute_report_record(struct sf_compute_report *report, enum sf_kind kind);

SF_PUBLIC_END

#endif
