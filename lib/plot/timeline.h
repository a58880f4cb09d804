/*
 * The timeline of a simulated trace: a lane an engine of the block, above what
 * is in the buffer and in the FIFO of loaded tiles over time; of several cores
 * see plot/lanes.h. Memory and the size of the picture depend on its width, not
 * on the number of tiles.
 */
#ifndef SF_PLOT_TIMELINE_H
#define SF_PLOT_TIMELINE_H

#include "plot/picture.h"
#include "plot/range.h"
#include "timeline/tiles.h"

struct sf_timeline;

/* RANGE is the part to show. */
struct sf_timeline *
sf_timeline_new(const struct sf_picture *picture, const struct sf_range *range);
void sf_timeline_free(struct sf_timeline *timeline);

/* Each tile of the trace, in order; OF is what read it. */
void sf_timeline_add(struct sf_timeline *timeline, const struct sf_tiles *of,
    const struct sf_timed_tile *tile);

/*
 * Appends the picture to OUT. OF is the trace that the tiles were read from,
 * all of it. Dies when it has ended before the range begins.
 */
void sf_timeline_draw(struct sf_timeline *timeline, const struct sf_tiles *of,
    struct sf_buf *out);

#endif
