/*
 * Simulating a lowered stream with one engine: each operator gets its sim
 * member, each trace its summary and, where it is wanted, its tiles.
 */
#ifndef SF_ACCEL_SIMULATE_H
#define SF_ACCEL_SIMULATE_H

#include "accel/engine.h"
#include "base/decl.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

struct sf_simulation;

/*
 * TILES: write each tile's record behind its operator. A trace of more than MOST
 * is refused.
 */
struct sf_simulation *sf_simulation_new(struct sf_stream *stream,
    const struct sf_engine_type *type, bool tiles, int64_t most);
void sf_simulation_free(struct sf_simulation *simulation);

/* Handles the stream's current record. */
void sf_simulation_record(struct sf_simulation *simulation, enum sf_kind kind);

SF_PUBLIC_END

#endif
