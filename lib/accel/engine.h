/*
 * An engine gives the tiles of a program their times. It is fed one operator
 * after the other, as loop nests, and tells a sink of each operator and, when
 * asked, of each tile, in program order.
 */
#ifndef SF_ACCEL_ENGINE_H
#define SF_ACCEL_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/meter.h"
#include "accel/nest.h"
#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

/* Where an engine's results go. */
struct sf_sink {
	void *to;
	/* An operator is done. */
	void (*op)(void *to, const struct sf_op_result *result);
	/* A tile of what a core does of OP; NULL: not wanted. */
	void (*tile)(
	    void *to, int64_t op, int core, const struct sf_times *times);
};

/* What a run cost, in the engine's own terms; -1 where it has none. */
struct sf_engine_cost {
	int64_t events, cycles, evaluations;
};

struct sf_engine;

struct sf_engine_type {
	const char *name;
	bool whole_cycles; /* it models nothing but quantised programs */
	/*
	 * Of such a block it tells of an operator when its last tile is stored,
	 * after others have been fed, and of each tile before it tells of its
	 * operator; tiles of several cores come mixed, each core's in order.
	 * Else it tells of the operator at once, then of its tiles.
	 */
	bool (*is_late)(const struct sf_accel *accel);
	/* ACCEL and SINK must outlive the engine. */
	struct sf_engine *(*make)(
	    const struct sf_accel *accel, const struct sf_sink *sink);
	/*
	 * Runs operator OP, whose first loads wait until the operators DEPS
	 * are stored; NESTS are the parts of the cores. Operators come in
	 * rising order; those that have no tiles are left out.
	 */
	bool (*run)(struct sf_engine *engine, int64_t op, struct sf_nest *nests,
	    const int64_t *deps, int ndeps, struct sf_error *error);
	/* Ends the program: METER and COST are what was measured. */
	bool (*end)(struct sf_engine *engine, struct sf_meter *meter,
	    struct sf_engine_cost *cost, struct sf_error *error);
	void (*free)(struct sf_engine *engine);
};

/*
 * Those there are: `event`, a discrete-event simulation, the reference; `fast`,
 * which finds times from those of earlier tiles; `cycle`, stepped by the clock.
 */
enum sf_engine_id {
#define SF_ENGINE(name, whole_cycles) SF_ENGINE_##name,
#include "accel/engine.def"
#undef SF_ENGINE
	SF_NENGINES
};

extern const struct sf_engine_type sf_engines[SF_NENGINES];

/* Their names in that order, NULL-terminated. */
extern const char *const sf_engine_names[];

/* False, and why, when the engine cannot model the block. */
bool sf_engine_accepts(const struct sf_engine_type *type,
    const struct sf_accel *accel, struct sf_error *error);

SF_PUBLIC_END

#endif
