/* A topology of SCALE-Sim as a trace. */
#ifndef SF_SCALESIM_SCALESIM_TRACE_H
#define SF_SCALESIM_SCALESIM_TRACE_H

#include "stream/stream.h"

/*
 * Writes the trace of the file PATH ("-": standard input): a layer an operator,
 * words of one byte, as SCALE-Sim has them. Dies when it is no topology.
 */
void sf_scalesim_trace(struct sf_stream *stream, const char *path);

#endif
