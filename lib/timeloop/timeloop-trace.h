/* A problem of Timeloop as a trace. */
#ifndef SF_TIMELOOP_TIMELOOP_TRACE_H
#define SF_TIMELOOP_TIMELOOP_TRACE_H

#include "stream/stream.h"

/*
 * Writes the trace of the file PATH ("-": standard input), which is one operator
 * of words of a byte. Dies when it has no problem that is one.
 */
void sf_timeloop_trace(struct sf_stream *stream, const char *path);

#endif
