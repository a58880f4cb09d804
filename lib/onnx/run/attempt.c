/* Takes back what was expanded. */
#include "onnx/run/attempt.h"

static void
fresh_tids(struct sf_onnx_tids *tids, struct sf_arena *arena)
{
	tids->text = 0;
	sf_table_init(&tids->taken, arena);
}

void
sf_onnx_attempt_begin(
    struct sf_onnx_attempt *attempt, struct sf_onnx_run *run, bool trial)
{
	const struct sf_onnx_choices *choices = run->plan->choices;

	*attempt = (struct sf_onnx_attempt){ .saved = *run,
		.nassumed = choices != NULL ? choices->nassumed : 0,
		.trial = trial };
	if (!trial)
		return;
	if (run->trials++ == 0) {
		attempt->arena = sf_arena_new();
		run->arena = attempt->arena;
	}
	fresh_tids(&run->tids, run->arena);
	fresh_tids(&run->prefixes, run->arena);
}

void
sf_onnx_attempt_drop(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run)
{
	const struct sf_onnx_run *saved = &attempt->saved;
	struct sf_onnx_choices *choices = run->plan->choices;

	run->wasted += run->expanded - saved->expanded;
	run->expanded = saved->expanded;
	run->contents = saved->contents;
	run->nops = saved->nops;
	run->ngroups = saved->ngroups;
	run->leaves = saved->leaves;
	run->aliases = saved->aliases;
	run->ncontradictions = saved->ncontradictions;
	run->contradiction = saved->contradiction;
	run->nodd = saved->nodd;
	run->odd = saved->odd;
	run->nreplaced = saved->nreplaced;
	run->placed = false;
	run->overflow = false;
	if (choices != NULL)
		choices->nassumed = attempt->nassumed;
	if (!attempt->trial)
		return;
	run->trials = saved->trials;
	run->arena = saved->arena;
	sf_table_release(&run->tids.taken);
	sf_table_release(&run->prefixes.taken);
	run->tids = saved->tids;
	run->prefixes = saved->prefixes;
	sf_arena_free(attempt->arena);
}
