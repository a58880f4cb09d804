/*
 * Do engines agree? Every engine that accepts the block runs the program, and
 * all eight times of every tile, what is told of each operator and everything
 * that is measured of the run must be the same bits.
 *
 * Of each operator one hash over its tiles' times is kept for the two engines
 * that are compared, so memory grows with operators. Where two hashes differ the
 * program is run again for the tile.
 */
#ifndef SF_ACCEL_CHECK_H
#define SF_ACCEL_CHECK_H

#include <stdbool.h>

#include "accel/engine.h"
#include "accel/program.h"
#include "base/error.h"

enum {
	SF_CHECK_ENGINES = 8
}; /* at most */

struct sf_verdict {
	bool agree;
	/* Those that ran; the first one is what the others are held against. */
	const struct sf_engine_type *ran[SF_CHECK_ENGINES];
	int nran;
	/* If not, what differs first, in the order of the program. */
	struct sf_error first;
};

/*
 * Runs PROGRAM on those of the N engines that accept its block. False when an
 * engine fails.
 */
bool sf_check_engines(const struct sf_program *program,
    const struct sf_engine_type *const *engines, int n,
    struct sf_verdict *verdict, struct sf_error *error);

/*
 * Handles the stream's current record: PROGRAM collects a trace, which is
 * checked at its end with one line of text for it. The stream says no when
 * engines differ. With ALL a block that one of the engines does not take is an
 * error; else that engine is left out.
 */
void sf_check_record(struct sf_program *program, struct sf_stream *stream,
    enum sf_kind kind, const struct sf_engine_type *const *engines, int n,
    bool all);

#endif
