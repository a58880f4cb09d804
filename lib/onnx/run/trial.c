/* Takes graphs on trial. */
#include "onnx/run/trial.h"

#include <string.h>

#include "base/num.h"
#include "onnx/run/attempt.h"
#include "onnx/run/unroll.h"
#include "onnx/run/walk.h"

/* ---- types ---- */

static const struct sf_str *
copy_names(const struct sf_value *value, struct sf_arena *arena)
{
	struct sf_str *names;

	if (value->dim_names == NULL)
		return NULL;
	names = sf_arena_calloc(arena, (size_t)value->rank, sizeof *names);
	for (int i = 0; i < value->rank; i++) {
		struct sf_str name = value->dim_names[i];

		names[i].p =
		    sf_arena_strndup(arena, name.n != 0 ? name.p : "", name.n);
		names[i].n = name.n;
	}
	return names;
}

static void
copy_type(
    struct sf_value *to, const struct sf_value *from, struct sf_arena *arena)
{
	int64_t *dims =
	    sf_arena_calloc(arena, (size_t)from->rank + 1, sizeof *dims);

	for (int i = 0; i < from->rank && from->rank_known; i++)
		dims[i] = from->dims[i];
	to->kind = from->kind;
	to->item = from->item;
	to->dtype = from->dtype;
	to->rank_known = from->rank_known;
	to->rank = from->rank;
	to->dims = dims;
	to->dim_names = from->rank_known ? copy_names(from, arena) : NULL;
	to->nitems = -1;
}

struct sf_value *
sf_onnx_type_of(const struct sf_value *value, struct sf_arena *arena)
{
	struct sf_value *type;

	if (value == NULL)
		return NULL;
	type = sf_arena_calloc(arena, 1, sizeof *type);
	type->name = SF_STR("");
	copy_type(type, value, arena);
	return type;
}

static bool
same_name(const struct sf_value *a, const struct sf_value *b, int i)
{
	return a->dim_names != NULL && b->dim_names != NULL &&
	    a->dim_names[i].n != 0 &&
	    sf_str_eq(a->dim_names[i], b->dim_names[i]);
}

static bool
meet_dims(struct sf_value *a, const struct sf_value *b, struct sf_arena *arena)
{
	int64_t *dims =
	    sf_arena_calloc(arena, (size_t)a->rank + 1, sizeof *dims);
	struct sf_str *names =
	    sf_arena_calloc(arena, (size_t)a->rank + 1, sizeof *names);
	bool changed = false;

	for (int i = 0; i < a->rank; i++) {
		dims[i] = a->dims[i];
		names[i] = a->dim_names != NULL ? a->dim_names[i] : SF_STR("");
		if (dims[i] >= 0 ? dims[i] == b->dims[i] : same_name(a, b, i))
			continue;
		changed = changed || dims[i] >= 0 || names[i].n != 0;
		dims[i] = SF_DIM_UNKNOWN;
		names[i] = SF_STR("");
	}
	if (changed) {
		a->dims = dims;
		a->dim_names = names;
	}
	return changed;
}

bool
sf_onnx_type_meet(
    struct sf_value *a, const struct sf_value *b, struct sf_arena *arena)
{
	bool changed = false;

	if (a->kind == SF_ONNX_TYPE_NONE)
		return false;
	if (b->kind != a->kind || b->item != a->item) {
		*a = (struct sf_value){
			.name = a->name, .dtype = SF_DT_UNKNOWN, .nitems = -1
		};
		return true;
	}
	if (a->dtype != b->dtype && a->dtype != SF_DT_UNKNOWN) {
		a->dtype = SF_DT_UNKNOWN;
		changed = true;
	}
	if (!a->rank_known)
		return changed;
	if (b->rank_known && a->rank == b->rank)
		return meet_dims(a, b, arena) || changed;
	a->rank_known = false;
	a->rank = 0;
	a->dim_names = NULL;
	return true;
}

/* ---- the trial ---- */

static bool
take(struct sf_onnx_trial *trial, struct sf_onnx_unroll *u)
{
	if (!sf_onnx_unroll_next(u))
		return false;
	for (int i = 0; i < trial->graph->ninputs; i++) {
		struct sf_value *value;

		if (trial->inputs == NULL) /* they are from around it */
			break;
		if (trial->inputs[i] == NULL) {
			sf_onnx_unroll_bind(u, i, NULL);
			continue;
		}
		value = sf_onnx_unroll_bind_new(u, i);
		if (trial->inputs[i]->kind != SF_ONNX_TYPE_NONE)
			copy_type(value, trial->inputs[i], u->run->arena);
	}
	return sf_onnx_unroll_step(u);
}

static void
clear(struct sf_onnx_trial *trial, struct sf_arena *arena)
{
	int n = trial->graph->noutputs;

	trial->results =
	    sf_arena_calloc(arena, (size_t)n + 1, sizeof *trial->results);
	for (int i = 0; i < n; i++)
		trial->results[i] = (struct sf_value){
			.name = SF_STR(""), .dtype = SF_DT_UNKNOWN, .nitems = -1
		};
	trial->failed = NULL;
	trial->nodes = 0;
	trial->cost = (struct sf_price){ 0 };
}

void
sf_onnx_trial_take(struct sf_onnx_trial *trial, struct sf_onnx_unroll *u,
    int64_t from, int64_t expanded, struct sf_arena *arena)
{
	struct sf_onnx_run *run = u->run;

	trial->graph = u->graph;
	clear(trial, arena);
	for (int i = 0; i < trial->graph->noutputs; i++)
		copy_type(&trial->results[i], u->results[i], arena);
	trial->cost.ops = run->nops - from;
	trial->nodes = run->expanded - expanded;
	trial->priced = run->plan->price != NULL;
	if (trial->priced)
		run->plan->price(
		    run->plan->context, run, from, run->nops, &trial->cost);
}

void
sf_onnx_trial(struct sf_onnx_trial *trial, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node)
{
	struct sf_onnx_attempt attempt;
	struct sf_onnx_unroll u;
	struct sf_error error, *outer = run->error;
	int64_t from = run->nops, expanded = run->expanded;

	clear(trial, run->arena);
	trial->failed = "is not tried, as much was tried in vain";
	if (sf_onnx_attempt_no_more(run))
		return;
	sf_onnx_attempt_begin(&attempt, run, true);
	run->error = &error;
	trial->failed = NULL;
	if (sf_onnx_unroll_begin(&u, run, scope, node, trial->graph) &&
	    take(trial, &u)) {
		sf_onnx_trial_take(
		    trial, &u, from, expanded, attempt.saved.arena);
	} else {
		trial->failed = run->overflow
		    ? "takes more nodes than there may be"
		    : sf_arena_printf(
			  attempt.saved.arena, "cannot be run: %s", error.text);
	}
	sf_onnx_unroll_end(&u);
	sf_onnx_attempt_drop(&attempt, run);
	run->error = outer;
}

const char *
sf_onnx_trial_text(const struct sf_onnx_trial *trial, struct sf_arena *arena)
{
	const struct sf_price *c = &trial->cost;

	if (trial->failed != NULL)
		return trial->failed;
	if (trial->priced)
		return sf_price_text(c, arena);
	return sf_arena_printf(arena, "%lld operator%s", (long long)c->ops,
	    c->ops == 1 ? "" : "s");
}

const char *
sf_onnx_too_many(int64_t steps, int64_t nodes, struct sf_arena *arena)
{
	int64_t all;

	if (nodes == 0)
		return sf_arena_printf(arena,
		    "%lld steps would take more than the %d nodes that there "
		    "may be in all",
		    (long long)steps, SF_ONNX_MAX_EXPANDED);
	if (sf_mul(steps, nodes, &all))
		return sf_arena_printf(arena,
		    "%lld steps of %lld nodes would take %lld, and there may "
		    "be %d in all",
		    (long long)steps, (long long)nodes, (long long)all,
		    SF_ONNX_MAX_EXPANDED);
	return sf_arena_printf(arena,
	    "%lld steps of %lld nodes would take more than 2^63, and there may "
	    "be %d in all",
	    (long long)steps, (long long)nodes, SF_ONNX_MAX_EXPANDED);
}
