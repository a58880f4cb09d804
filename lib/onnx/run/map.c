/*
 * SequenceMap: a step for each tensor of its first input, which is a sequence;
 * of further sequences a step takes one tensor, of other inputs all.
 */
#include <stdlib.h>

#include "onnx/run/attempt.h"
#include "onnx/run/control.h"
#include "onnx/run/trial.h"
#include "onnx/run/unroll.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

struct map {
	struct sf_onnx_held at;
	const struct sf_onnx_graph *body;
	const char *why; /* it is not known how often it runs */
	int n;
	/* The first step, in ARENA, which stays whatever comes of it. */
	struct sf_onnx_trial first;
	struct sf_arena *arena;
};

static bool
is_sequence(const struct sf_value *value)
{
	return value->kind == SF_ONNX_TYPE_SEQUENCE;
}

static bool
find_count(struct map *m)
{
	for (int i = 0; i < m->at.node->ninputs; i++) {
		const struct sf_value *value = m->at.inputs[i];

		if (value == NULL)
			return sf_fail(m->at.run->error,
			    "input %d is left out, but it is required", i);
		if (i == 0)
			m->n = value->nitems;
		if (i != 0 && !is_sequence(value))
			continue;
		if (!is_sequence(value) || value->nitems < 0 ||
		    (value->nitems > 0 && value->items == NULL))
			m->why = value->why != NULL
			    ? value->why
			    : "it is not known how many tensors it maps";
		else if (value->nitems < m->n)
			return sf_fail(m->at.run->error,
			    "it maps %d tensors, but input %d has %d", m->n, i,
			    value->nitems);
	}
	return true;
}

/* ---- steps ---- */

static void
bind(struct map *m, struct sf_onnx_unroll *u, int step)
{
	for (int i = 0; i < m->at.node->ninputs; i++)
		if (is_sequence(m->at.inputs[i]))
			sf_onnx_unroll_bind_item(u, i, m->at.inputs[i], step);
		else
			sf_onnx_unroll_bind(u, i, m->at.inputs[i]);
}

/* Element STEP of output I is RESULT, or a copy where that has a name. */
static struct sf_value *
item(struct map *m, struct sf_onnx_unroll *u, const struct sf_value *sequence,
    struct sf_value *result, int step)
{
	struct sf_arena *arena = m->at.run->arena;
	struct sf_str tid = sf_str_of(sf_arena_printf(
	    arena, "%.*s[%d]", SF_STR_ARG(sequence->name), step));
	struct sf_value **in, **out, *copy;

	if (sf_onnx_unroll_nameless(u, result)) {
		sf_onnx_unroll_rename(u, result, tid);
		return result;
	}
	copy = sf_onnx_value_new(m->at.run, tid);
	in = sf_arena_calloc(arena, 2, sizeof(struct sf_value *));
	out = in + 1;
	in[0] = result;
	out[0] = copy;
	*copy = *result;
	copy->name = tid;
	copy->constant = copy->param = false;
	sf_onnx_op_make(m->at.run, m->at.scope, m->at.node, "Identity", in, 1,
	    out, 1, NULL, 0);
	sf_onnx_unroll_within(u, copy);
	return copy;
}

static bool
take_steps(struct map *m, struct sf_onnx_unroll *u, struct sf_value **sequences)
{
	int64_t before = m->at.run->expanded, from = m->at.run->nops;

	for (int step = 0; step < m->n; step++) {
		if (!sf_onnx_unroll_next(u))
			return false;
		bind(m, u, step);
		if (!sf_onnx_unroll_step(u))
			return false;
		if (step == 0)
			sf_onnx_trial_take(
			    &m->first, u, from, before, m->arena);
		if (m->first.nodes * m->n > SF_ONNX_MAX_EXPANDED) {
			m->at.run->overflow = true;
			return sf_fail(m->at.run->error, "too many nodes");
		}
		for (int i = 0; i < m->at.node->noutputs; i++) {
			struct sf_value **items =
			    (struct sf_value **)(uintptr_t)sequences[i]->items;

			items[step] =
			    item(m, u, sequences[i], u->results[i], step);
		}
	}
	return true;
}

static struct sf_value *
new_sequence(struct map *m, int i)
{
	struct sf_value *value = sf_onnx_value_new(m->at.run,
	    sf_onnx_value_tid(m->at.run, m->at.scope, m->at.node->outputs[i]));

	value->kind = SF_ONNX_TYPE_SEQUENCE;
	value->item = SF_ONNX_TYPE_TENSOR;
	value->nitems = m->n;
	value->items = sf_arena_calloc(
	    m->at.run->arena, (size_t)m->n + 1, sizeof(struct sf_value *));
	return value;
}

/* The type that all have in common is that of the sequence. */
static void
set_type(struct map *m, struct sf_value *sequence, const struct sf_value *empty)
{
	struct sf_value *type = sf_onnx_type_of(
	    m->n > 0 ? sequence->items[0] : empty, m->at.run->arena);

	for (int i = 1; i < m->n; i++)
		sf_onnx_type_meet(type, sequence->items[i], m->at.run->arena);
	sequence->dtype = type->dtype;
	sequence->rank_known = type->rank_known;
	sequence->rank = type->rank;
	sequence->dims = type->dims;
	sequence->dim_names = type->dim_names;
}

static void try_step(struct map *m, struct sf_onnx_trial *trial);

static bool
expand(struct map *m)
{
	struct sf_onnx_unroll u;
	struct sf_onnx_trial trial = { .graph = m->body };
	struct sf_value **sequences = sf_arena_calloc(m->at.run->arena,
	    (size_t)m->at.node->noutputs + 1, sizeof(struct sf_value *));
	bool ok;

	if (m->n == 0)
		try_step(m, &trial);
	ok = sf_onnx_unroll_begin(
	    &u, m->at.run, m->at.scope, m->at.node, m->body);
	for (int i = 0; i < m->at.node->noutputs && ok; i++)
		sequences[i] = new_sequence(m, i);
	ok = ok && take_steps(m, &u, sequences);
	for (int i = 0; i < m->at.node->noutputs && ok; i++) {
		set_type(m, sequences[i], m->n == 0 ? &trial.results[i] : NULL);
		ok = sf_onnx_unroll_give(&u, i, sequences[i]);
	}
	sf_onnx_unroll_end(&u);
	return ok;
}

/* ---- where it stays closed ---- */

static void
try_step(struct map *m, struct sf_onnx_trial *trial)
{
	struct sf_arena *arena = m->at.run->arena;
	struct sf_value **types = sf_arena_calloc(
	    arena, (size_t)m->at.node->ninputs + 1, sizeof(struct sf_value *));

	for (int i = 0; i < m->at.node->ninputs; i++) {
		types[i] = sf_onnx_type_of(m->at.inputs[i], arena);
		if (!is_sequence(m->at.inputs[i]))
			continue;
		types[i]->kind = SF_ONNX_TYPE_TENSOR;
		types[i]->item = SF_ONNX_TYPE_NONE;
	}
	*trial = m->first;
	trial->graph = m->body;
	trial->inputs = types;
	if (trial->nodes == 0)
		sf_onnx_trial(trial, m->at.run, m->at.scope, m->at.node);
}

static bool
close(struct map *m)
{
	struct sf_onnx_closed closed = { 0 };
	struct sf_onnx_trial trial = { .graph = m->body };
	struct sf_arena *arena = m->at.run->arena;
	const char *text, *step;

	try_step(m, &trial);
	text = sf_onnx_trial_text(&trial, arena);
	step = trial.failed == NULL ? "is " : "";
	closed.why = m->why != NULL
	    ? sf_arena_printf(arena,
		  "the body of SequenceMap is not expanded: a step %s%s; %s",
		  step, text, m->why)
	    : sf_arena_printf(arena,
		  "the body of SequenceMap is not expanded, as %s: a step "
		  "%s%s",
		  sf_onnx_too_many(m->n, trial.nodes, arena), step, text);
	closed.types = trial.results;
	for (int i = 0; i < m->at.node->noutputs; i++) {
		if (closed.types[i].kind != SF_ONNX_TYPE_TENSOR)
			continue;
		closed.types[i].kind = SF_ONNX_TYPE_SEQUENCE;
		closed.types[i].item = SF_ONNX_TYPE_TENSOR;
	}
	return sf_onnx_control_close(&m->at, &closed);
}

bool
sf_onnx_expand_map(const struct sf_onnx_held *h)
{
	struct map m = { .at = *h,
		.body = sf_onnx_control_graph(h->node, "body"),
		.arena = h->run->arena };
	struct sf_onnx_run *run = h->run;
	struct sf_onnx_attempt attempt;
	bool ok;

	if (!find_count(&m))
		return false;
	if (m.why == NULL && !sf_onnx_attempt_no_more(run)) {
		sf_onnx_attempt_begin(&attempt, run, false);
		ok = expand(&m);
		if (ok || !run->overflow) {
			sf_onnx_attempt_keep(&attempt, run);
			return ok;
		}
		sf_onnx_attempt_drop(&attempt, run);
	}
	return close(&m);
}
