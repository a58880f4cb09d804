/*
 * Pictures of the traces of a stream, one file a trace. Feed it every record;
 * it draws when a trace has ended, and writes the file once the stream has come
 * to what follows it, so that a broken input leaves no picture of its last
 * trace.
 */
#ifndef SF_PLOT_PLOT_H
#define SF_PLOT_PLOT_H

#include "plot/picture.h"
#include "plot/range.h"
#include "stream/stream.h"

enum sf_plot_kind {
	SF_PLOT_TIMELINE,
	SF_PLOT_ROOFLINE,
	SF_PLOT_FRONT
};

/* "timeline", "roofline", "front", NULL. */
extern const char *const sf_plot_kinds[];

struct sf_plot;

/*
 * The first "%d" in the picture's path stands for the number of the trace, from
 * 1; without one a second trace is an error. RANGE is for timelines, COLUMNS, which
 * may be NULL, for fronts.
 */
struct sf_plot *sf_plot_new(struct sf_stream *stream, enum sf_plot_kind kind,
    const struct sf_picture *picture, const struct sf_range *range,
    const char *columns);

/* Takes the stream's current record, SF_K_EOF at last. */
void sf_plot_record(struct sf_plot *plot, enum sf_kind kind);

void sf_plot_free(struct sf_plot *plot);

#endif
