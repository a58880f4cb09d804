/* The evaluator that does not look for ties. */

#define sf_replay_new      mutant_ties_new
#define sf_replay_free     mutant_ties_free
#define sf_replay_nest     mutant_ties_nest
#define sf_replay_covers   mutant_ties_covers
#define sf_replay_run      mutant_ties_run
#define sf_replay_engine   mutant_ties_engine
#define sf_replay_spared   mutant_ties_spared
#define sf_batch_memo_init mutant_ties_init
#define sf_batch_run       mutant_ties_batch

#include "mutants.h"

#include "accel/binade.h"
#include "accel/task.h"

static inline bool
always(const struct sf_binade *b)
{
	return b->exponent != INT_MAX;
}

#define sf_binade_moves(b, nest, whole_cycles, ties) \
	((void)(ties), (void)(whole_cycles), always(b))

/* The sources themselves: what is changed are names in them. */
#include "accel/batch.c"
#include "accel/replay.c"

MUTANT_RUN(mutant_without_ties)
