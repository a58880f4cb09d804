/* Loop: its steps, where it is known how many there are. */
#include <stdlib.h>

#include "onnx/run/attempt.h"
#include "onnx/run/control.h"
#include "onnx/run/depends.h"
#include "onnx/run/stack.h"
#include "onnx/run/trial.h"
#include "onnx/run/unroll.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

/* Steps that have no end. */
enum {
	ENDLESS = -1
};

/* Inputs: the most steps, whether to begin, what goes round. */
struct loop {
	struct sf_onnx_held at;
	const struct sf_onnx_graph *body;
	int carried, collected; /* values that go round, and outputs behind */
	int64_t most;           /* steps; ENDLESS */
	bool assumed;           /* MOST is what the user says */
	bool skipped;           /* too much was tried before */
	int64_t steps;          /* that were taken */
	/* Why it stays closed, and the condition that is not known. */
	const char *why;
	struct sf_value *open;
	/* By step, what is collected. */
	struct sf_value **pieces;
	int64_t room;
	/* The first step, in ARENA, which stays whatever comes of it. */
	struct sf_onnx_trial first;
	struct sf_arena *arena;
};

static struct sf_value *
input(const struct loop *l, int i)
{
	return i < l->at.node->ninputs ? l->at.inputs[i] : NULL;
}

static const char *
option(const struct loop *l)
{
	return sf_arena_printf(l->at.run->arena, "--trips %s",
	    sf_onnx_value_argument(
		l->at.run, sf_onnx_choice_name(l->at.node), "N"));
}

/* ---- how many steps ---- */

/* False when it is not known how many steps there are at most. */
static bool
find_most(struct loop *l)
{
	int64_t begin, n;

	l->most = ENDLESS;
	if (sf_onnx_control_number(input(l, 1), &begin) && begin == 0)
		l->most = 0;
	else if (sf_onnx_control_number(input(l, 0), &n))
		l->most = n > 0 ? n : 0;
	else if (input(l, 0) != NULL)
		l->open = input(l, 0);
	return l->open == NULL;
}

static bool
another(const struct loop *l, const struct sf_onnx_unroll *u)
{
	return l->most == ENDLESS || u->steps < l->most;
}

/* Whether VALUE is true; false when that is not known. */
static bool
goes_on(struct loop *l, struct sf_value *value, bool *on)
{
	int64_t x;

	*on = true;
	if (sf_onnx_control_number(value, &x)) {
		*on = x != 0;
		return true;
	}
	/* Without a condition at its begin, that of a step is nothing. */
	if (l->assumed || input(l, 1) == NULL)
		return true;
	l->open = value;
	return false;
}

/* ---- steps ---- */

static void
bind(struct loop *l, struct sf_onnx_unroll *u)
{
	bool first = u->steps == 1;

	sf_onnx_unroll_bind_int(u, 0, SF_DT_I64, u->steps - 1);
	if (!first)
		sf_onnx_unroll_bind(u, 1, u->results[0]);
	else if (input(l, 1) != NULL)
		sf_onnx_unroll_bind(u, 1, input(l, 1));
	else
		sf_onnx_unroll_bind_int(u, 1, SF_DT_B8, 1);
	for (int i = 0; i < l->carried; i++)
		sf_onnx_unroll_bind(
		    u, i + 2, first ? input(l, i + 2) : u->results[i + 1]);
}

static void
collect(struct loop *l, const struct sf_onnx_unroll *u)
{
	int64_t n = (u->steps - 1) * l->collected;

	if (n + l->collected > l->room) {
		l->room = (n + l->collected) * 2;
		l->pieces = sf_reallocarray(
		    l->pieces, (size_t)l->room, sizeof(struct sf_value *));
	}
	for (int i = 0; i < l->collected; i++)
		l->pieces[n + i] = u->results[1 + l->carried + i];
}

/* The condition is handed on as it is, so the steps are MOST. */
static bool
passes_on(const struct loop *l, const struct sf_onnx_unroll *u)
{
	const struct sf_onnx_value *of = sf_onnx_value_of(u->results[0]);
	const struct sf_onnx_op *op;

	if (l->assumed || input(l, 1) == NULL || of->v.constant ||
	    of->alias_of != NULL || of->made == 0)
		return true;
	op = &l->at.run->ops[of->made - 1];
	return sf_str_is(op->node->op_type, "Identity");
}

static bool
too_many(struct loop *l, const struct sf_onnx_unroll *u)
{
	struct sf_onnx_run *run = l->at.run;
	int64_t nodes = l->first.nodes;
	int64_t left = SF_ONNX_MAX_EXPANDED - run->expanded - run->lost + nodes;

	if (l->most != ENDLESS && l->most <= left / nodes)
		return false;
	return passes_on(l, u);
}

/* Takes steps as long as it is known that there is another one. */
static bool
take_steps(struct loop *l, struct sf_onnx_unroll *u, bool *done)
{
	int64_t before = l->at.run->expanded, from = l->at.run->nops;
	bool on;

	*done = false;
	if (!goes_on(l, input(l, 1), &on) && l->most != 0)
		return true;
	while (on && another(l, u)) {
		if (!sf_onnx_unroll_next(u))
			return false;
		bind(l, u);
		if (!sf_onnx_unroll_step(u))
			return false;
		collect(l, u);
		if (u->steps == 1)
			sf_onnx_trial_take(
			    &l->first, u, from, before, l->arena);
		if (!goes_on(l, u->results[0], &on) && another(l, u))
			return true;
		if (u->steps == 1 && on && another(l, u) && too_many(l, u))
			return true;
	}
	*done = true;
	return true;
}

/* ---- outputs ---- */

/* Without a step there is nothing to collect, but its type is known. */
static struct sf_value *
nothing(struct loop *l, const struct sf_onnx_trial *trial, int i)
{
	const struct sf_value *type = &trial->results[1 + l->carried + i];
	struct sf_value *value = sf_onnx_value_new(l->at.run,
	    sf_onnx_value_tid(
		l->at.run, l->at.scope, l->at.node->outputs[l->carried + i]));

	sf_onnx_stack_type(value, type, 0, 0, l->at.run->arena);
	if (!sf_value_resolved(value))
		value->why = "nothing is collected, so its type is not known";
	return value;
}

/* Without a step, what goes round is what came. */
static struct sf_value *
outside(struct loop *l, int i)
{
	return input(l, i) != NULL ? sf_onnx_alias(l->at.run, input(l, i), -1)
				   : NULL;
}

static void try_step(struct loop *l, struct sf_onnx_trial *trial);

static bool
give(struct loop *l, struct sf_onnx_unroll *u)
{
	struct sf_onnx_trial trial = { .graph = l->body };
	int first = l->carried;

	if (u->steps == 0 && l->collected != 0)
		try_step(l, &trial);
	for (int i = 0; i < l->carried; i++)
		if (!sf_onnx_unroll_give(u, i,
			u->steps != 0 ? u->results[i + 1] : outside(l, i + 2)))
			return false;
	for (int i = 0; i < l->collected; i++) {
		struct sf_onnx_stack stack = { .pieces = l->pieces + i,
			.stride = l->collected,
			.n = u->steps };

		if (l->at.node->outputs[first + i].n == 0)
			continue;
		if (!sf_onnx_unroll_give(u, first + i,
			u->steps != 0 ? sf_onnx_stack(u, first + i, &stack)
				      : nothing(l, &trial, i)))
			return false;
	}
	return true;
}

/* ---- where it stays closed ---- */

/*
 * What goes round keeps what is the same before and after a step, of whatever
 * is known at its begin; a few rounds do.
 */
static void
try_step(struct loop *l, struct sf_onnx_trial *trial)
{
	struct sf_arena *arena = l->at.run->arena;
	struct sf_value **types = sf_arena_calloc(
	    arena, (size_t)l->carried + 2, sizeof(struct sf_value *));
	int64_t *one = sf_arena_calloc(arena, 1, sizeof *one);
	bool changed = true;

	for (int i = 0; i < l->carried; i++)
		types[i + 2] = sf_onnx_type_of(input(l, i + 2), arena);
	for (int i = 0; i < 2; i++) {
		types[i] = sf_arena_calloc(arena, 1, sizeof *types[i]);
		*types[i] = (struct sf_value){ .kind = SF_ONNX_TYPE_TENSOR,
			.dtype = i == 0 ? SF_DT_I64 : SF_DT_B8,
			.rank_known = true,
			.dims = one,
			.nitems = -1 };
	}
	*trial = l->first;
	trial->graph = l->body;
	trial->inputs = types;
	for (int round = 0; changed && round < 8; round++) {
		if (round != 0 || trial->nodes == 0)
			sf_onnx_trial(
			    trial, l->at.run, l->at.scope, l->at.node);
		changed = false;
		for (int i = 0; i < l->carried && trial->failed == NULL; i++)
			if (types[i + 2] != NULL &&
			    sf_onnx_type_meet(
				types[i + 2], &trial->results[i + 1], arena))
				changed = true;
	}
	/* Without a step, they are as they came. */
	for (int i = 0; i < l->carried; i++)
		if (changed || types[i + 2] == NULL)
			trial->results[i + 1].kind = SF_ONNX_TYPE_NONE;
		else if (trial->failed == NULL)
			trial->results[i + 1] = *types[i + 2];
}

static const char *
why_closed(struct loop *l, const struct sf_onnx_trial *trial)
{
	struct sf_arena *arena = l->at.run->arena;
	const char *text = sf_onnx_trial_text(trial, arena);
	const char *step = trial->failed == NULL ? "is " : "";

	if (l->skipped)
		return sf_arena_printf(arena,
		    "the body of Loop is not expanded, as %d nodes were "
		    "expanded in vain before: a step %s%s",
		    SF_ONNX_MAX_EXPANDED, step, text);
	if (l->open != NULL || l->most == ENDLESS)
		return sf_arena_printf(arena,
		    "%s, so its body is not expanded: a step %s%s",
		    l->open != NULL ? "how often Loop runs is not known"
				    : "Loop does not end within 200000 nodes",
		    step, text);
	return sf_arena_printf(arena,
	    "the body of Loop is not expanded, as %s: a step %s%s",
	    sf_onnx_too_many(l->most, trial->nodes, arena), step, text);
}

static bool
close(struct loop *l)
{
	struct sf_onnx_closed closed = { .why = l->why };
	struct sf_onnx_trial trial = { .graph = l->body };
	struct sf_arena *arena = l->at.run->arena;
	int n = l->at.node->noutputs;

	try_step(l, &trial);
	closed.types =
	    sf_arena_calloc(arena, (size_t)n + 1, sizeof *closed.types);
	for (int i = 0; i < n; i++) {
		struct sf_value *type = &trial.results[i + 1];

		closed.types[i] = *type;
		if (i >= l->carried && type->kind == SF_ONNX_TYPE_TENSOR)
			sf_onnx_stack_type(
			    &closed.types[i], type, 0, SF_DIM_UNKNOWN, arena);
	}
	closed.why = why_closed(l, &trial);
	if (l->why != NULL) /* the inputs that decide */
		closed.why = sf_arena_printf(arena, "%s%s", closed.why, l->why);
	return sf_onnx_control_close(&l->at, &closed);
}

/* ---- the whole ---- */

/* The inputs that decide, as long as there is what they flow through. */
static const char *
why_open(struct loop *l)
{
	struct sf_arena *arena = l->at.run->arena;
	const char *why;

	l->at.run->arena = l->arena;
	why = sf_onnx_depends_values(l->at.run, &l->open, 1, "", option(l));
	l->at.run->arena = arena;
	return why;
}

static bool
expand(struct loop *l, bool *done)
{
	struct sf_onnx_unroll u;
	bool ok = sf_onnx_unroll_begin(
		      &u, l->at.run, l->at.scope, l->at.node, l->body) &&
	    take_steps(l, &u, done);

	sf_onnx_unroll_within(&u, input(l, 0));
	sf_onnx_unroll_within(&u, input(l, 1));
	if (ok && l->open != NULL && !*done)
		l->why = why_open(l);
	if (ok && *done)
		ok = give(l, &u);
	l->steps = u.steps;
	sf_onnx_unroll_end(&u);
	return ok;
}

/* False with the error set, or *DONE; otherwise it was taken back. */
static bool
attempt(struct loop *l, bool *done)
{
	struct sf_onnx_run *run = l->at.run;
	struct sf_onnx_attempt attempt;
	bool ok;

	l->skipped = sf_onnx_attempt_no_more(run);
	*done = false;
	if (l->skipped)
		return true;
	sf_onnx_attempt_begin(&attempt, run, false);
	ok = expand(l, done);
	free(l->pieces);
	l->pieces = NULL;
	l->room = 0;
	if (ok ? *done : !run->overflow) {
		sf_onnx_attempt_keep(&attempt, run);
		return ok;
	}
	sf_onnx_attempt_drop(&attempt, run);
	*done = false;
	return true;
}

/* What the user says holds where the model alone does not do. */
static bool
expand_as_chosen(struct loop *l, const struct sf_choice *choice, bool *done)
{
	l->assumed = true;
	l->open = NULL;
	if (l->most == ENDLESS || choice->value < l->most)
		l->most = choice->value;
	if (!attempt(l, done))
		return false;
	if (*done)
		sf_choice_assume(l->at.run->plan->choices, SF_CHOICE_TRIPS,
		    sf_onnx_choice_name(l->at.node), l->steps);
	return true;
}

bool
sf_onnx_expand_loop(const struct sf_onnx_held *h)
{
	struct loop l = { .at = *h,
		.body = sf_onnx_control_graph(h->node, "body"),
		.arena = h->run->arena };
	struct sf_choices *choices = h->run->plan->choices;
	const struct sf_choice *choice;
	bool done = false;

	l.carried = h->node->ninputs > 2 ? h->node->ninputs - 2 : 0;
	l.collected = l.body->noutputs - 1 - l.carried;
	if (find_most(&l) && !attempt(&l, &done))
		return false;
	if (done) {
		sf_choice_known(choices, SF_CHOICE_TRIPS, h->scope->prefix,
		    sf_onnx_choice_name(h->node), l.steps);
		return true;
	}
	choice = sf_choice_find(choices, SF_CHOICE_TRIPS, h->scope->prefix,
	    sf_onnx_choice_name(h->node));
	if (choice != NULL && !expand_as_chosen(&l, choice, &done))
		return false;
	if (done)
		return true;
	if (l.open != NULL && l.why == NULL)
		l.why = sf_onnx_depends_closed(
		    h->run, h->node, h->inputs, "", option(&l));
	return close(&l);
}
