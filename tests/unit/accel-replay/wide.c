/* The evaluator whose binades are twice as wide. */

#define sf_replay_new      mutant_wide_new
#define sf_replay_free     mutant_wide_free
#define sf_replay_nest     mutant_wide_nest
#define sf_replay_covers   mutant_wide_covers
#define sf_replay_run      mutant_wide_run
#define sf_replay_engine   mutant_wide_engine
#define sf_replay_spared   mutant_wide_spared
#define sf_batch_memo_init mutant_wide_init
#define sf_batch_run       mutant_wide_batch

#include "mutants.h"

#include "accel/binade.h"
#include "accel/task.h"

static inline struct sf_binade
wide(double time, bool whole_cycles)
{
	struct sf_binade b = sf_binade_of(time, whole_cycles);

	b.high *= 2;
	return b;
}

#define sf_binade_of wide

/* The sources themselves: what is changed are names in them. */
#include "accel/batch.c"
#include "accel/replay.c"

MUTANT_RUN(mutant_too_wide)
