/*
 * The operator that a timeline is at: what it is, and for those that read what
 * it made, where on the tracks it was, 8 bytes an operator and a core.
 */
#ifndef SF_TIMELINE_CHROME_OP_H
#define SF_TIMELINE_CHROME_OP_H

#include <stdint.h>

#include "accel/sim_record.h"
#include "base/buf.h"
#include "timeline/tiles.h"

struct sf_chrome_op {
	int64_t i;
	enum sf_category category;
	const char *bound;
	/* Text of its own, until the next operator. */
	struct sf_buf label, type, module, inputs, outputs;
	struct sf_stalls stalls;
	int64_t *deps; /* operators that it waits for */
	int ndeps, room;
	/*
	 * By operator, and of each by core: the middle of its part of the run,
	 * in microseconds; -1: it has none.
	 */
	double *middles;
	int64_t nmiddles, room_middles;
	int cores;
};

void sf_chrome_op_init(struct sf_chrome_op *op);
void sf_chrome_op_release(struct sf_chrome_op *op);

/* A trace begins. */
void sf_chrome_op_reset(struct sf_chrome_op *op, int cores);

/* The stream's current record is an op, which is lowered. */
void sf_chrome_op_take(struct sf_chrome_op *op, struct sf_stream *stream);

/* Its part is on the track of CORE, with that middle. */
void sf_chrome_op_put(struct sf_chrome_op *op, int core, double middle);

/* The middle of operator I's part on CORE; -1 when it has none there. */
double sf_chrome_op_middle(const struct sf_chrome_op *op, int64_t i, int core);

static inline struct sf_str
sf_chrome_text(const struct sf_buf *buf)
{
	return (struct sf_str){ buf->p != NULL ? buf->p : "", buf->n };
}

#endif
