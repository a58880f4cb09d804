/* The table of engines, and the blocks that each can model. */
#include "accel/engine.h"

#include "accel/engines.h"

const struct sf_engine_type sf_engines[SF_NENGINES] = {
#define SF_ENGINE(name, whole_cycles)                                 \
	{ #name, whole_cycles, sf_##name##_is_late, sf_##name##_make, \
		sf_##name##_run, sf_##name##_end, sf_##name##_free },
#include "accel/engine.def"
#undef SF_ENGINE
};

const char *const sf_engine_names[] = {
#define SF_ENGINE(name, whole_cycles) #name,
#include "accel/engine.def"
#undef SF_ENGINE
	NULL
};

bool
sf_engine_accepts(const struct sf_engine_type *type,
    const struct sf_accel *accel, struct sf_error *error)
{
	if (type->whole_cycles && !accel->quantise)
		return sf_fail(error,
		    "the %s engine needs times in whole cycles, expected a "
		    "trace from sf-lower --quantise",
		    type->name);
	return true;
}
