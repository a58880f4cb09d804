/*
 * Fusing lowered operators (the key fuse): an elementwise operator whose only
 * input that is no parameter was made by an operator and is read by nobody else
 * is computed on the way out of that one. It has no tiles, and its output
 * stands for that input. Who reads a value is known at the end of the trace, so
 * operators wait until then, and memory grows with their number.
 */
#ifndef SF_ACCEL_FUSE_H
#define SF_ACCEL_FUSE_H

#include "accel/lower.h"
#include "base/table.h"
#include "stream/hold.h"

/* An operator that waits. */
struct sf_fuse_op {
	int64_t i;
	struct sf_lower lower;
	int64_t
	    input; /* the storage that it alone must read; -1: not fusible */
};

struct sf_fuse {
	struct sf_hold hold;
	struct sf_arena *arena;  /* of the trace */
	struct sf_table storage; /* tid -> its storage, from 1 on */
	int64_t *readers;        /* of each storage */
	int64_t nstorages, readers_room;
	struct sf_fuse_op *ops;
	int64_t nops, room;
};

void sf_fuse_init(struct sf_fuse *fuse, struct sf_stream *stream);
void sf_fuse_release(struct sf_fuse *fuse);

/* Takes note of OP, which LOWER cuts; operators come one after the other. */
void sf_fuse_note(struct sf_fuse *fuse, const struct sf_lowering *lowering,
    const struct sf_op *op, const struct sf_lower *lower);

/*
 * The trace has ended: of all that were noted, those that are fused have no
 * tiles any more, and nobody waits for them.
 */
void sf_fuse_settle(struct sf_fuse *fuse);

/* Forgets the trace. */
void sf_fuse_reset(struct sf_fuse *fuse);

/* Notes the current record, an op that was lowered, and holds it back. */
void sf_fuse_add(struct sf_fuse *fuse, const struct sf_lowering *lowering,
    const struct sf_op *op, const struct sf_lower *lower);

/* Another record than an op comes behind the last one. */
void sf_fuse_follow(struct sf_fuse *fuse);

/* The trace has ended: writes all that waited, with what they are lowered to. */
void sf_fuse_finish(struct sf_fuse *fuse);

#endif
