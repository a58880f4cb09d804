/*
 * The operator that a timeline is at: what it is, and its part of the run, from
 * the end of the compute before it to the end of its own last one. The parts of
 * all operators lie behind each other, and so on one track.
 *
 * The middle of each part is kept until the trace ends, 8 bytes an operator, for
 * those that read what it made.
 */
#ifndef SF_TIMELINE_CHROME_OP_H
#define SF_TIMELINE_CHROME_OP_H

#include <stdint.h>

#include "accel/sim_record.h"
#include "base/buf.h"
#include "timeline/tiles.h"

struct sf_chrome_op {
	bool any; /* there is one, and it has tiles */
	int64_t i, tiles;
	enum sf_category category;
	const char *bound;
	/* Text of its own, until the next operator. */
	struct sf_buf label, type, module, inputs, outputs;
	struct sf_stalls stalls;
	int64_t *deps; /* operators that it waits for */
	int ndeps, room;
	double from, until; /* of the part, in seconds */
	/* By operator: the middle of its part, in microseconds; -1: it has none. */
	double *middles;
	int64_t nmiddles, room_middles;
};

void sf_chrome_op_init(struct sf_chrome_op *op);
void sf_chrome_op_release(struct sf_chrome_op *op);

/* A trace begins. */
void sf_chrome_op_reset(struct sf_chrome_op *op);

/* The stream's current record is an op, which is lowered. */
void sf_chrome_op_take(struct sf_chrome_op *op, struct sf_stream *stream);

void
sf_chrome_op_tile(struct sf_chrome_op *op, const struct sf_timed_tile *tile);

/* Its part is on the track, with that middle in microseconds. */
void sf_chrome_op_put(struct sf_chrome_op *op, double middle);

/* The middle of operator I's part; -1 when it has none. */
double sf_chrome_op_middle(const struct sf_chrome_op *op, int64_t i);

static inline struct sf_str
sf_chrome_text(const struct sf_buf *buf)
{
	return (struct sf_str){ buf->p != NULL ? buf->p : "", buf->n };
}

#endif
