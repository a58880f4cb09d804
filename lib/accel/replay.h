/*
 * One design after the other of one program: what a run comes to, with the same
 * bits as the fast engine's, at a cost that grows with what differs in the
 * program and hardly with its tiles. The nest of a class is made once, a segment
 * is run where it is met first and moved to where it is met again, and inside a
 * nest so is a batch of tiles. accel/binade.h says why that is exact; where it
 * would not be, tiles run where they stand.
 */
#ifndef SF_ACCEL_REPLAY_H
#define SF_ACCEL_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/class.h"
#include "accel/engine.h"
#include "accel/meter.h"
#include "accel/nest.h"
#include "accel/segment.h"
#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

struct sf_replay;

/* What was spared, for who wants to know. */
struct sf_replay_counts {
	int64_t segments, segments_moved;
	int64_t batches, batches_moved; /* of long nests */
};

/* CLASSES and SEGMENTS must outlive it and not change. */
struct sf_replay *sf_replay_new(
    const struct sf_classes *classes, const struct sf_segments *segments);
void sf_replay_free(struct sf_replay *replay);

/*
 * The nests of a class, one for each of CORES cores, for sf_nest_init; all must
 * be set before a run.
 */
struct sf_nest *
sf_replay_nest(struct sf_replay *replay, int64_t which, int64_t cores);

/* The block is one that can be replayed. Else use sf_replay_engine. */
bool sf_replay_covers(const struct sf_accel *accel);

/*
 * Runs the program on the block that the nests were made for. Fails when a sum
 * of counts passes 2^63 - 1.
 */
bool sf_replay_run(struct sf_replay *replay, const struct sf_accel *accel,
    struct sf_meter *meter, struct sf_error *error);

/* The same, operator by operator, on an engine that accepts the block. */
bool sf_replay_engine(struct sf_replay *replay, const struct sf_accel *accel,
    const struct sf_engine_type *type, struct sf_meter *meter,
    struct sf_error *error);

/* Of all runs so far. */
struct sf_replay_counts sf_replay_spared(const struct sf_replay *replay);

SF_PUBLIC_END

#endif
