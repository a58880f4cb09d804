/*
 * A level over time, such as the bytes in the buffer or the tiles in a FIFO,
 * from the tiles in program order: it goes up at times that come in order, and
 * down again at later times that come in order, too, one queue an engine. It
 * tells of each stretch on which it does not change, after all changes at one
 * instant.
 */
#ifndef SF_TIMELINE_LEVEL_H
#define SF_TIMELINE_LEVEL_H

#include <stdint.h>

#include "accel/frees.h"
#include "timeline/tiles.h"

enum {
	SF_LEVEL_DOWNS = 2
};

struct sf_level {
	void (*tell)(void *to, double from, double until, int64_t value);
	void *to;
	struct sf_frees down[SF_LEVEL_DOWNS];
	double now;    /* of the last change so far */
	int64_t value; /* behind it */
	double since;  /* when the stretch began that is not told of yet */
	int64_t told;  /* its value */
};

void sf_level_init(struct sf_level *level,
    void (*tell)(void *to, double from, double until, int64_t value), void *to);
void sf_level_release(struct sf_level *level);

/* N more from TIME on. */
void sf_level_up(struct sf_level *level, double time, int64_t n);

/* N less from TIME on, which is no earlier than any time before in QUEUE. */
void sf_level_down(struct sf_level *level, int queue, double time, int64_t n);

/*
 * A tile's part in the two levels of the block: the bytes in the buffer and
 * the tiles that are loaded and wait to be computed.
 */
void sf_level_tile(struct sf_level *buffer, struct sf_level *ready,
    const struct sf_timed_tile *tile);

/* Tells of all that is left, until the last change. */
void sf_level_end(struct sf_level *level);

#endif
