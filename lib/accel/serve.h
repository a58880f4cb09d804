/*
 * The pipeline of any block without events: each tile's times follow from those
 * of earlier tiles, and who is served first by the one memory server, where
 * loads and stores share it, from when each asks. The fast engine's way where
 * transfers wait for more than their own DMA.
 *
 * Computed tiles stand in line until it is certain that no load comes before
 * their store: a load asks when it has room, so a store that asked before that
 * instant goes first, and at one instant the load does. While a load waits for
 * room, stores that ask before the next bytes are freed are served.
 */
#ifndef SF_ACCEL_SERVE_H
#define SF_ACCEL_SERVE_H

#include "accel/engine.h"

struct sf_serve;

/* As the functions of struct sf_engine_type. */
struct sf_serve *
sf_serve_make(const struct sf_accel *accel, const struct sf_sink *sink);
bool
sf_serve_run(struct sf_serve *serve, int64_t op, const struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error);
bool sf_serve_end(struct sf_serve *serve, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error);
void sf_serve_free(struct sf_serve *serve);

#endif
