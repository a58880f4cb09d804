/*
 * What a split costs: operators of some categories run on the device, all of
 * them as one program of the accelerator; the others take what the roofline of
 * the host says; and a tensor that is read on the side where it is not moves
 * there over the link. All takes place one after the other, in trace order.
 *
 * Parameters are on both sides. All other tensors start on the device. An
 * operator's outputs are on its side; views and unknown operators cost nothing
 * and leave theirs where their first input is. A tensor that moves is no longer
 * where it was, so one that both sides read in turn moves each time.
 */
#ifndef SF_EP_SPLIT_H
#define SF_EP_SPLIT_H

#include "accel/engine.h"
#include "accel/lower.h"
#include "cost/offload.h"
#include "cost/roofline.h"

struct sf_split_cost {
	int64_t crossings, crossing_bytes;
	int64_t tiles; /* of the device's program */
	double device_s, host_s, link_s;
};

struct sf_split {
	const struct sf_accel *accel;
	const struct sf_engine_type *type;
	struct sf_rates host;
	const struct sf_device *host_device;
	double link_bytes_per_s, link_latency_s;
	int64_t most; /* tiles that a trace may have */

	/* ---- of one trace ---- */
	struct sf_split_cost cost;
	int64_t tiles;           /* that its operators ask for so far */
	struct sf_values values; /* on which side they are */
	struct sf_lowering lowering;
	struct sf_engine *engine;
	struct sf_nest *nests; /* of the cores */
	struct sf_sink sink;
};

/*
 * The engine is the fast one where it can model the block, else that of events.
 * ACCEL must outlive the split. A trace whose operators come to more than MOST
 * tiles is refused.
 */
void sf_split_init(struct sf_split *split, const struct sf_accel *accel,
    const struct sf_device *host, const struct sf_link *link, int64_t most);
void sf_split_release(struct sf_split *split);

/*
 * Begins a trace, takes its operators in order with the side that is to run
 * each (of a free one it does not matter), and ends it: the cost is then
 * whole, until it is reset for the next. Dies when an operator cannot be
 * lowered or measured.
 */
void sf_split_begin(struct sf_split *split);
void sf_split_op(struct sf_split *split, struct sf_stream *stream,
    const struct sf_op *op, enum sf_side side);
void sf_split_end(struct sf_split *split, struct sf_stream *stream);
void sf_split_reset(struct sf_split *split);

#endif
