/* The summary record: shares, stalls and the hot spot of a finished run. */
#ifndef SF_ACCEL_SUMMARY_H
#define SF_ACCEL_SUMMARY_H

#include "accel/accel.h"
#include "accel/engine.h"
#include "accel/meter.h"
#include "accel/summary_record.h"
#include "stream/stream.h"

enum {
	SF_SUMMARY_WHY = 200 /* bytes that the sentence needs at most */
};

/*
 * What a run comes to, but for its engine and what that cost. The sentence is
 * written to WHY; where that is NULL there is none.
 */
void sf_summary_fill(struct sf_summary *summary, const struct sf_accel *accel,
    const struct sf_meter *meter, char *why);

/* Writes the summary before the current record. */
void sf_summary_put(struct sf_stream *stream, const char *engine,
    const struct sf_accel *accel, const struct sf_meter *meter,
    const struct sf_engine_cost *cost);

#endif
