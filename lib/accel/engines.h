/* The functions that each engine's file gives to the table, see engine.h. */
#ifndef SF_ACCEL_ENGINES_H
#define SF_ACCEL_ENGINES_H

#include "accel/engine.h"

#define SF_ENGINE(name, whole_cycles)                                          \
	struct sf_engine *sf_##name##_make(                                    \
	    const struct sf_accel *accel, const struct sf_sink *sink);         \
	bool sf_##name##_is_late(const struct sf_accel *accel);                \
	bool sf_##name##_run(struct sf_engine *engine, int64_t op,             \
	    struct sf_nest *nest, const int64_t *deps, int ndeps,              \
	    struct sf_error *error);                                           \
	bool sf_##name##_end(struct sf_engine *engine, struct sf_meter *meter, \
	    struct sf_engine_cost *cost, struct sf_error *error);              \
	void sf_##name##_free(struct sf_engine *engine);
#include "accel/engine.def"
#undef SF_ENGINE

#endif
