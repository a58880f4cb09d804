/*
 * The evaluator without one of its two checks, under names of its own: a test
 * that cannot tell it from the right one tests nothing.
 */
#ifndef MUTANTS_H
#define MUTANTS_H

#include "accel/replay.h"

/* Ties are not looked for. */
bool mutant_without_ties(const struct sf_classes *classes,
    const struct sf_segments *segments, const struct sf_accel *accel,
    struct sf_meter *meter);

/* A binade reaches as far as the next one. */
bool mutant_too_wide(const struct sf_classes *classes,
    const struct sf_segments *segments, const struct sf_accel *accel,
    struct sf_meter *meter);

/* One run of a program of tasks; defined where REPLAY_NAME is. */
#define MUTANT_RUN(name)                                                      \
	bool name(const struct sf_classes *classes,                           \
	    const struct sf_segments *segments, const struct sf_accel *accel, \
	    struct sf_meter *meter)                                           \
	{                                                                     \
		struct sf_replay *r = sf_replay_new(classes, segments);       \
		struct sf_error error;                                        \
		struct sf_lower l;                                            \
		bool ok = true;                                               \
                                                                              \
		for (int64_t i = 0; i < classes->n && ok; i++)                \
			ok = sf_task_lower(                                   \
				 classes->v[i].key, accel, &l, &error) &&     \
			    sf_nest_init(                                     \
				sf_replay_nest(r, i, 1), &l, accel, &error);  \
		ok = ok && sf_replay_run(r, accel, meter, &error);            \
		sf_replay_free(r);                                            \
		return ok;                                                    \
	}

#endif
