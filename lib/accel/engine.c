/* The table of engines, and the blocks that each can model. */
#include "accel/engine.h"

#include "accel/engines.h"
#include "base/buf.h"

const struct sf_engine_type sf_engines[SF_NENGINES] = {
#define SF_ENGINE(name, channels, whole_cycles, late)            \
	{ #name, channels, whole_cycles, late, sf_##name##_make, \
		sf_##name##_run, sf_##name##_end, sf_##name##_free },
#include "accel/engine.def"
#undef SF_ENGINE
};

const char *const sf_engine_names[] = {
#define SF_ENGINE(name, channels, whole_cycles, late) #name,
#include "accel/engine.def"
#undef SF_ENGINE
	NULL
};

static bool
models(const struct sf_engine_type *type, const struct sf_accel *accel)
{
	return accel->servers >= type->channels &&
	    (accel->quantise || !type->whole_cycles);
}

/* The channels are too few for TYPE; says whose they are. */
static bool
fail_of_channels(const struct sf_engine_type *type,
    const struct sf_accel *accel, struct sf_error *error)
{
	struct sf_buf others = { 0 };

	for (int i = 0; i < SF_NENGINES; i++)
		if (models(&sf_engines[i], accel))
			sf_buf_printf(&others, "%s%s",
			    others.n == 0 ? "" : ", ", sf_engines[i].name);
	sf_fail(error,
	    "dram_channels is %lld, expected %lld or more for the %s engine; "
	    "loads and stores that queue for one channel are modelled by: %.*s",
	    (long long)accel->dram_channels, (long long)type->channels,
	    type->name, (int)others.n, others.p);
	sf_buf_release(&others);
	return false;
}

bool
sf_engine_accepts(const struct sf_engine_type *type,
    const struct sf_accel *accel, struct sf_error *error)
{
	if (type->whole_cycles && !accel->quantise)
		return sf_fail(error,
		    "the %s engine needs times in whole cycles, expected a "
		    "trace from sf-lower --quantise",
		    type->name);
	return models(type, accel) || fail_of_channels(type, accel, error);
}
