/* The summary record: shares, stalls and the hot spot of a finished run. */
#ifndef SF_ACCEL_SUMMARY_H
#define SF_ACCEL_SUMMARY_H

#include "accel/accel.h"
#include "accel/engine.h"
#include "accel/meter.h"
#include "stream/stream.h"

/* Writes the summary before the current record. */
void sf_summary_put(struct sf_stream *stream, const char *engine,
    const struct sf_accel *accel, const struct sf_meter *meter,
    const struct sf_engine_cost *cost);

#endif
