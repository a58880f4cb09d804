/*
 * A whole lowered trace in memory: its block and, of each operator that has
 * tiles, the loop nest. For who runs a program more than once.
 */
#ifndef SF_ACCEL_PROGRAM_H
#define SF_ACCEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/engine.h"
#include "accel/lower.h"
#include "base/arena.h"
#include "base/decl.h"
#include "base/str.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

struct sf_program_op {
	int64_t i; /* in the trace */
	struct sf_str name;
	/* As far as its GEMMs go, in the program's arena. */
	const void *lower;
};

/* What was added; its dependencies live as long as the program. */
void sf_program_lower(const struct sf_program_op *op, struct sf_lower *lower);

struct sf_program {
	struct sf_arena *arena; /* of names and dependencies */
	bool has_accel;
	struct sf_accel accel;
	struct sf_program_op *ops;
	int64_t nops, room;
	int64_t tiles; /* of all operators */
	int64_t most;  /* that they may be, SF_MOST_TILES */
};

void sf_program_init(struct sf_program *program);
void sf_program_release(struct sf_program *program);

/* Empties it for the next trace. */
void sf_program_reset(struct sf_program *program);

/* Adds a copy of an operator. Fails when no engine could run it. */
bool sf_program_add(struct sf_program *program, int64_t i, struct sf_str name,
    const struct sf_lower *lower, struct sf_error *error);

/*
 * Takes what the stream's current record says of the program; dies when it is
 * not as it must be. True when it is the end of the trace.
 */
bool sf_program_record(
    struct sf_program *program, struct sf_stream *stream, enum sf_kind kind);

/* Runs all of it on an engine, which must accept the block. */
bool sf_program_run(const struct sf_program *program,
    const struct sf_engine_type *type, const struct sf_sink *sink,
    struct sf_meter *meter, struct sf_engine_cost *cost,
    struct sf_error *error);

SF_PUBLIC_END

#endif
