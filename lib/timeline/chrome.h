/*
 * Simulated traces as one JSON object in Chrome's trace-event format, which
 * Perfetto and chrome://tracing open: a process a trace, a thread a lane, a
 * complete event ("X") each time that a lane works on a tile, a thread with the
 * operators and arrows from those that make to those that read, and counters for
 * the buffer and the FIFO of loaded tiles. Memory does not grow with the tiles.
 */
#ifndef SF_TIMELINE_CHROME_H
#define SF_TIMELINE_CHROME_H

#include "stream/stream.h"

struct sf_chrome;

/* STREAM is a sink. */
struct sf_chrome *sf_chrome_new(struct sf_stream *stream);
void sf_chrome_free(struct sf_chrome *chrome);

/* Takes the stream's current record, SF_K_EOF at last. */
void sf_chrome_record(struct sf_chrome *chrome, enum sf_kind kind);

#endif
