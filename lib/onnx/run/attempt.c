/* Takes back what was expanded. */
#include "onnx/run/attempt.h"

#include <stdlib.h>

/* An arena has a few KiB at least: after so many, attempts have none. */
enum {
	MAX_KEPT = 256
};

static void
fresh_tids(struct sf_onnx_tids *tids, struct sf_arena *arena)
{
	tids->text = 0;
	sf_table_init(&tids->taken, arena);
}

/* The names that are taken since there were N are free again. */
static void
free_names(struct sf_onnx_tids *tids, size_t n)
{
	for (size_t i = n; i < tids->taken.n; i++)
		tids->taken.order[i]->num = 0;
}

void
sf_onnx_attempt_begin(
    struct sf_onnx_attempt *attempt, struct sf_onnx_run *run, bool trial)
{
	const struct sf_choices *choices = run->plan->choices;

	*attempt = (struct sf_onnx_attempt){ .saved = *run,
		.nassumed = choices != NULL ? choices->nassumed : 0,
		.trial = trial };
	if (!run->apart && (trial || run->nkept < MAX_KEPT)) {
		attempt->arena = sf_arena_new();
		run->arena = attempt->arena;
		run->apart = true;
	}
	if (!trial)
		return;
	run->trials++;
	fresh_tids(&run->tids, run->arena);
	fresh_tids(&run->prefixes, run->arena);
}

void
sf_onnx_attempt_keep(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run)
{
	if (attempt->arena == NULL)
		return;
	if (run->kept == NULL)
		run->kept =
		    sf_reallocarray(NULL, MAX_KEPT, sizeof(struct sf_arena *));
	run->kept[run->nkept++] = attempt->arena;
	run->arena = attempt->saved.arena;
	run->apart = false;
}

void
sf_onnx_attempt_release(struct sf_onnx_run *run)
{
	for (int i = 0; i < run->nkept; i++)
		sf_arena_free(run->kept[i]);
	free(run->kept);
}

/* What is found out of a run, but for what tells of the attempt. */
static void
take_back(struct sf_onnx_run *run, const struct sf_onnx_run *saved)
{
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
}

void
sf_onnx_attempt_drop(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run)
{
	const struct sf_onnx_run *saved = &attempt->saved;
	struct sf_choices *choices = run->plan->choices;
	int64_t nodes = run->expanded - saved->expanded;

	run->wasted += nodes;
	run->lost += nodes;
	take_back(run, saved);
	if (choices != NULL)
		choices->nassumed = attempt->nassumed;
	if (attempt->trial) {
		run->trials = saved->trials;
		sf_table_release(&run->tids.taken);
		sf_table_release(&run->prefixes.taken);
		run->tids = saved->tids;
		run->prefixes = saved->prefixes;
	} else {
		free_names(&run->tids, saved->tids.taken.n);
		free_names(&run->prefixes, saved->prefixes.taken.n);
	}
	if (attempt->arena == NULL)
		return;
	run->lost = saved->lost;
	run->widened = saved->widened;
	run->apart = false;
	run->arena = saved->arena;
	sf_arena_free(attempt->arena);
}
