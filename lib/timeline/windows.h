/*
 * A run in windows of one length: of each what the compute units did, computing
 * or waiting and for what, and how busy each unit was. It is made of the same
 * stretches of time that a summary adds up, cut at the windows' edges.
 *
 * How long a run takes is known when it is over, so its tiles are kept until
 * then, 120 bytes each: up to 32 MiB in memory, and what passes that in a
 * temporary file.
 */
#ifndef SF_TIMELINE_WINDOWS_H
#define SF_TIMELINE_WINDOWS_H

#include <stdint.h>

#include "stream/stream.h"
#include "text/format.h"
#include "timeline/tiles.h"

/* Shares of a window that a row has, in the order of the columns. */
enum sf_window_part {
#define SF_WINDOW_PART(id, name, head) SF_WINDOW_##id,
#include "timeline/window.def"
#undef SF_WINDOW_PART
	SF_WINDOW_PARTS
};

struct sf_window {
	double from_s, until_s;
	int64_t first_op,
	    last_op; /* that compute in it, or wait to; -1: none */
	double share[SF_WINDOW_PARTS];
};

struct sf_windows;

/* STREAM is a sink that must outlive it. COUNT is how many windows a run has. */
struct sf_windows *
sf_windows_new(struct sf_stream *stream, enum sf_format format, int64_t count);
void sf_windows_free(struct sf_windows *windows);

/* Takes the stream's current record, which is of that kind. */
void sf_windows_record(struct sf_windows *windows, enum sf_kind kind);

/* ---- windows-write.c ---- */

/* One trace's windows, for whoever reads the format. */
struct sf_windows_table {
	const struct sf_tiles *of;
	struct sf_arena *arena;
	int64_t number; /* of the trace, from 1 */
	const struct sf_window *v;
	int64_t n;
};

void sf_windows_csv_header(struct sf_buf *out);
void sf_windows_write(const struct sf_windows_table *table,
    enum sf_format format, struct sf_buf *out);

#endif
