/*
 * Traces beside each other: what each comes to, and where time went up or down
 * against the first one.
 *
 * Memory: the rows of the first trace and of the one that is read, by
 * report/rows.h, and of each trace a few hundred bytes and its moves.
 */
#ifndef SF_COMPARE_COMPARE_H
#define SF_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "report/by.h"
#include "stream/stream.h"
#include "text/format.h"

SF_PUBLIC_BEGIN

struct sf_compare;

struct sf_compare_request {
	enum sf_format format;
	int64_t top;        /* moves to show a trace */
	enum sf_rows_by by; /* what moves: no SF_ROWS_OP, no SF_ROWS_NONE */
	/*
	 * How much more than the first latency another may be, as a share of
	 * it; one above that is a verdict of "no". Below 0: nothing is.
	 */
	double tolerance;
};

/* STREAM is a sink that must outlive the comparison. */
struct sf_compare *sf_compare_new(
    struct sf_stream *stream, const struct sf_compare_request *request);
void sf_compare_free(struct sf_compare *compare);

/* Takes the stream's current record, which is of that kind. */
void sf_compare_record(struct sf_compare *compare, enum sf_kind kind);

/* The input has ended: writes the tables. */
void sf_compare_write(struct sf_compare *compare);

SF_PUBLIC_END

#endif
