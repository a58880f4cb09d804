/*
 * Scan: always as many steps as its inputs are long. Its states go round; each
 * step takes a slice of the other inputs, and what it makes besides the states
 * is stacked. Since opset 9 the axes are attributes; in opset 8 all that comes
 * in and goes out has the batch first, whose elements are scanned one after the
 * other, each along its own next axis.
 */
#include <stdlib.h>

#include "base/num.h"
#include "onnx/run/attempt.h"
#include "onnx/run/control.h"
#include "onnx/run/depends.h"
#include "onnx/run/stack.h"
#include "onnx/run/trial.h"
#include "onnx/run/unroll.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

struct scan {
	struct sf_onnx_held at;
	const struct sf_onnx_graph *body;
	struct sf_value **inputs; /* without the lengths of opset 8 */
	struct sf_value *lengths;
	int states, scanned, collected;
	bool batched;              /* opset 8 */
	int64_t batch;             /* 1 unless batched */
	int64_t steps;             /* of one element of the batch */
	const char *why;           /* these are not known */
	struct sf_value ***slices; /* by input, by step */
	struct sf_value **pieces;  /* by step, by output of the body */
	int64_t room, taken;
	/* The first step, in ARENA, which stays whatever comes of it. */
	struct sf_onnx_trial first;
	struct sf_arena *arena;
};

/* Element I of the attribute NAME, 0 when there is none. */
static int64_t
attr(const struct scan *s, const char *name, int i)
{
	size_t n;
	const int64_t *v = sf_onnx_control_ints(s->at.node, name, &n);

	return v != NULL && (size_t)i < n ? v[i] : 0;
}

static bool
backwards(const struct scan *s, int i)
{
	return attr(s, s->batched ? "directions" : "scan_input_directions",
		   i) != 0;
}

/* The axis of scanned input I; -1 with the error set when it has none. */
static int
axis_of(const struct scan *s, int i)
{
	const struct sf_value *value = s->inputs[s->states + i];
	int64_t axis = s->batched ? 1 : attr(s, "scan_input_axes", i);

	if (axis < 0)
		axis += value->rank;
	if (axis >= 0 && axis < value->rank)
		return (int)axis;
	sf_fail(s->at.run->error,
	    "'scan_input_axes' has %lld for an input of rank %d",
	    (long long)attr(s, "scan_input_axes", i), value->rank);
	return -1;
}

/* ---- what there is to scan ---- */

static bool
count_inputs(struct scan *s)
{
	size_t n;
	const int64_t *scanned =
	    sf_onnx_control_ints(s->at.node, "num_scan_inputs", &n);
	int ninputs = s->at.node->ninputs;

	if (s->batched && ninputs > 0) {
		s->lengths = s->inputs[0];
		s->inputs++;
		ninputs--;
	}
	if (scanned == NULL)
		return sf_fail(s->at.run->error,
		    "attribute 'num_scan_inputs' is not there");
	s->scanned = *scanned > 0 && *scanned <= ninputs ? (int)*scanned : 0;
	s->states = ninputs - s->scanned;
	s->collected = s->body->noutputs - s->states;
	if (s->scanned == 0 || s->body->ninputs != ninputs || s->collected < 0)
		return sf_fail(s->at.run->error,
		    "%d inputs, %lld of them scanned; the body has %d inputs "
		    "and %d outputs",
		    ninputs, (long long)*scanned, s->body->ninputs,
		    s->body->noutputs);
	for (int i = 0; i < ninputs; i++)
		if (s->inputs[i] == NULL)
			return sf_fail(s->at.run->error,
			    "input %d is left out, but it is required", i);
	return true;
}

/* The size of dimension AT of VALUE into *SIZE, which may have one. */
static bool
take_size(struct scan *s, const struct sf_value *value, int at, int64_t *size)
{
	if (value->dims[at] == SF_DIM_UNKNOWN) {
		if (s->why == NULL)
			s->why = value->why != NULL
			    ? value->why
			    : "the length of what it scans is not known";
		return true;
	}
	if (*size >= 0 && *size != value->dims[at])
		return sf_fail(s->at.run->error,
		    "it scans %lld and %lld elements at once", (long long)*size,
		    (long long)value->dims[at]);
	*size = value->dims[at];
	return true;
}

static bool
find_sizes(struct scan *s)
{
	s->steps = s->batch = -1;
	for (int i = 0; i < s->states + s->scanned; i++) {
		const struct sf_value *value = s->inputs[i];
		int axis;

		if (!value->rank_known && (i >= s->states || s->batched)) {
			s->why = value->why != NULL
			    ? value->why
			    : "the shape of what it scans is not known";
			continue;
		}
		if (s->batched && value->rank > 0 &&
		    !take_size(s, value, 0, &s->batch))
			return false;
		if (i < s->states)
			continue;
		axis = axis_of(s, i - s->states);
		if (axis < 0 || !take_size(s, value, axis, &s->steps))
			return false;
	}
	if (!s->batched)
		s->batch = 1;
	if (s->batched && s->lengths != NULL &&
	    (!sf_value_has_ints(s->lengths) || s->lengths->rank != 1))
		s->why = "the lengths of what it scans are not known";
	return true;
}

/* ---- steps ---- */

static void
cut(struct scan *s, struct sf_onnx_unroll *u)
{
	int first = s->batched ? 0 : s->states;

	s->slices = sf_arena_calloc(
	    s->at.run->arena, (size_t)u->graph->ninputs + 1, sizeof *s->slices);
	for (int i = first; i < s->states + s->scanned; i++) {
		bool scanned = i >= s->states;
		struct sf_onnx_cut cut = { .n = s->batch,
			.axis = scanned && !s->batched
			    ? axis_of(s, i - s->states)
			    : 0,
			.ndims = scanned && s->batched ? 2 : 1,
			.reversed = scanned && !s->batched &&
			    backwards(s, i - s->states) };

		if (scanned)
			cut.n *= s->steps;
		s->slices[i] = sf_onnx_slices(
		    u, s->inputs[i], u->graph->inputs[i].name, &cut);
	}
}

static int64_t
length(const struct scan *s, int64_t element)
{
	int64_t n = s->steps;

	if (s->batched && s->lengths != NULL && element < s->lengths->dims[0] &&
	    s->lengths->ints[element] < n)
		n = s->lengths->ints[element];
	return n > 0 ? n : 0;
}

static void
bind(struct scan *s, struct sf_onnx_unroll *u, int64_t element, int64_t t)
{
	int64_t n = length(s, element);

	for (int i = 0; i < s->states; i++)
		if (t != 0)
			sf_onnx_unroll_bind(u, i, u->results[i]);
		else
			sf_onnx_unroll_bind(u, i,
			    s->batched ? s->slices[i][element] : s->inputs[i]);
	for (int i = s->states; i < s->states + s->scanned; i++) {
		int64_t at = element * s->steps + t;

		if (s->batched && backwards(s, i - s->states))
			at += n - 1 - 2 * t;
		sf_onnx_unroll_bind(u, i, s->slices[i][at]);
	}
}

static void
collect(struct scan *s, const struct sf_onnx_unroll *u)
{
	int64_t width = u->graph->noutputs, n = s->taken++ * width;

	if (n + width > s->room) {
		s->room = (n + width) * 2;
		s->pieces = sf_reallocarray(
		    s->pieces, (size_t)s->room, sizeof(struct sf_value *));
	}
	for (int i = 0; i < width; i++)
		s->pieces[n + i] = u->results[i];
}

/* As many steps of so many NODES are more than there may be. */
static bool
too_many(const struct scan *s, int64_t nodes)
{
	int64_t left = SF_ONNX_MAX_EXPANDED - s->at.run->expanded -
	    s->at.run->lost,
		n;

	return !sf_mul(s->batch, s->steps, &n) || !sf_mul(n, nodes, &n) ||
	    n > left;
}

static bool
take_steps(struct scan *s, struct sf_onnx_unroll *u, bool *done)
{
	int64_t before = s->at.run->expanded, from;

	*done = false;
	if (too_many(s, 1 + s->scanned))
		return true;
	cut(s, u);
	from = s->at.run->nops;
	for (int64_t b = 0; b < s->batch; b++)
		for (int64_t t = 0; t < length(s, b); t++) {
			if (!sf_onnx_unroll_next(u))
				return false;
			bind(s, u, b, t);
			if (!sf_onnx_unroll_step(u))
				return false;
			collect(s, u);
			if (u->steps != 1)
				continue;
			sf_onnx_trial_take(
			    &s->first, u, from, before, s->arena);
			if (too_many(s, s->first.nodes))
				return true;
		}
	*done = true;
	return true;
}

/* ---- outputs ---- */

static void try_step(struct scan *s, struct sf_onnx_trial *trial);

/* Nothing was scanned, or lengths differ: what is stacked has padding. */
static struct sf_value *
padded(struct scan *s, int i, const struct sf_value *type)
{
	struct sf_arena *arena = s->at.run->arena;
	struct sf_value *value = sf_onnx_value_new(s->at.run,
	    sf_onnx_value_tid(s->at.run, s->at.scope, s->at.node->outputs[i]));
	struct sf_value inner = *type;

	sf_onnx_stack_type(value, &inner,
	    s->batched ? 0 : attr(s, "scan_output_axes", i - s->states),
	    s->steps, arena);
	if (s->batched) {
		inner = *value;
		sf_onnx_stack_type(value, &inner, 0, s->batch, arena);
	}
	if (!sf_value_resolved(value))
		value->why = "nothing is scanned, so its type is not known";
	return value;
}

/* The state of each element of the batch, from its last step. */
static struct sf_value *
stack_states(struct scan *s, struct sf_onnx_unroll *u, int i)
{
	struct sf_value **last = sf_arena_calloc(
	    s->at.run->arena, (size_t)s->batch + 1, sizeof(struct sf_value *));
	int64_t at = 0;

	for (int64_t b = 0; b < s->batch; b++) {
		at += length(s, b);
		last[b] = length(s, b) == 0
		    ? s->slices[i][b]
		    : s->pieces[(at - 1) * u->graph->noutputs + i];
	}
	return sf_onnx_stack(u, i,
	    &(struct sf_onnx_stack){
		.pieces = last, .stride = 1, .n = s->batch });
}

static struct sf_value *
state(struct scan *s, struct sf_onnx_unroll *u, int i)
{
	if (s->batched && s->batch != 0)
		return stack_states(s, u, i);
	return s->taken != 0 ? u->results[i]
			     : sf_onnx_alias(s->at.run, s->inputs[i], -1);
}

static struct sf_value *
collected(struct scan *s, struct sf_onnx_unroll *u, int i)
{
	struct sf_onnx_trial trial = { .graph = s->body };

	if (s->taken == 0)
		try_step(s, &trial);
	if (s->taken == 0 || s->taken != s->batch * s->steps)
		return padded(
		    s, i, s->taken == 0 ? &trial.results[i] : s->pieces[i]);
	return sf_onnx_stack(u, i,
	    &(struct sf_onnx_stack){ .pieces = s->pieces + i,
		.stride = u->graph->noutputs,
		.n = s->taken,
		.axis =
		    s->batched ? 0 : attr(s, "scan_output_axes", i - s->states),
		.batch = s->batched ? s->batch : 0,
		.reversed = !s->batched &&
		    attr(s, "scan_output_directions", i - s->states) != 0 });
}

static bool
give(struct scan *s, struct sf_onnx_unroll *u)
{
	for (int i = 0; i < s->at.node->noutputs; i++) {
		if (s->at.node->outputs[i].n == 0)
			continue;
		if (!sf_onnx_unroll_give(u, i,
			i < s->states ? state(s, u, i) : collected(s, u, i)))
			return false;
	}
	return true;
}

/* ---- where it stays closed ---- */

/* VALUE as a step takes it: without N dimensions from AXIS on. */
static struct sf_value *
slice_type(struct scan *s, int i)
{
	struct sf_arena *arena = s->at.run->arena;
	struct sf_value *type = sf_onnx_type_of(s->inputs[i], arena);
	int gone = (s->batched ? 1 : 0) + (i >= s->states ? 1 : 0);
	int from = 0, k = 0;
	int64_t *dims;

	if (gone == 0 || !type->rank_known)
		return type;
	if (!s->batched)
		from = axis_of(s, i - s->states);
	dims = sf_arena_calloc(arena, (size_t)type->rank, sizeof *dims);
	for (int d = 0; d < type->rank; d++)
		if (d < from || d >= from + gone)
			dims[k++] = type->dims[d];
	type->rank = k;
	type->dims = dims;
	type->dim_names = NULL;
	return type;
}

static void
try_step(struct scan *s, struct sf_onnx_trial *trial)
{
	struct sf_arena *arena = s->at.run->arena;
	int n = s->states + s->scanned;
	struct sf_value **types =
	    sf_arena_calloc(arena, (size_t)n + 1, sizeof(struct sf_value *));
	bool changed = true;

	for (int i = 0; i < n; i++)
		types[i] = slice_type(s, i);
	*trial = s->first;
	trial->graph = s->body;
	trial->inputs = types;
	for (int round = 0; changed && round < 8; round++) {
		if (round != 0 || trial->nodes == 0)
			sf_onnx_trial(
			    trial, s->at.run, s->at.scope, s->at.node);
		changed = false;
		for (int i = 0; i < s->states && trial->failed == NULL; i++)
			if (sf_onnx_type_meet(
				types[i], &trial->results[i], arena))
				changed = true;
	}
	for (int i = 0; i < s->states && trial->failed == NULL; i++)
		trial->results[i] = *types[i];
}

static const char *
why_closed(const struct scan *s, const struct sf_onnx_trial *trial)
{
	struct sf_arena *arena = s->at.run->arena;
	const char *text = sf_onnx_trial_text(trial, arena);
	const char *step = trial->failed == NULL ? "is " : "";
	int64_t n;

	if (s->why != NULL)
		return sf_arena_printf(arena,
		    "the body of Scan is not expanded: a step %s%s; %s", step,
		    text, s->why);
	if (!sf_mul(s->batch, s->steps, &n))
		n = INT64_MAX;
	return sf_arena_printf(arena,
	    "the body of Scan is not expanded, as %s: a step %s%s",
	    sf_onnx_too_many(n, trial->nodes, arena), step, text);
}

static bool
close(struct scan *s)
{
	struct sf_onnx_closed closed = { 0 };
	struct sf_onnx_trial trial = { .graph = s->body };
	struct sf_arena *arena = s->at.run->arena;
	int64_t steps = s->steps >= 0 ? s->steps : SF_DIM_UNKNOWN;
	int64_t batch = s->batch >= 0 ? s->batch : SF_DIM_UNKNOWN;

	try_step(s, &trial);
	for (int i = 0; i < s->at.node->noutputs; i++) {
		struct sf_value *type = &trial.results[i], inner = *type;

		if (type->kind != SF_ONNX_TYPE_TENSOR)
			continue;
		if (i >= s->states)
			sf_onnx_stack_type(type, &inner,
			    s->batched
				? 0
				: attr(s, "scan_output_axes", i - s->states),
			    steps, arena);
		inner = *type;
		if (s->batched)
			sf_onnx_stack_type(type, &inner, 0, batch, arena);
	}
	closed.types = trial.results;
	closed.why = why_closed(s, &trial);
	return sf_onnx_control_close(&s->at, &closed);
}

/* ---- the whole ---- */

static bool
expand(struct scan *s, bool *done)
{
	struct sf_onnx_unroll u;
	bool ok = sf_onnx_unroll_begin(
		      &u, s->at.run, s->at.scope, s->at.node, s->body) &&
	    take_steps(s, &u, done);

	if (ok && *done)
		ok = give(s, &u);
	sf_onnx_unroll_end(&u);
	return ok;
}

bool
sf_onnx_expand_scan(const struct sf_onnx_held *h)
{
	struct scan s = { .at = *h,
		.body = sf_onnx_control_graph(h->node, "body"),
		.inputs = h->inputs,
		.arena = h->run->arena };
	struct sf_onnx_run *run = h->run;
	struct sf_onnx_attempt attempt;
	bool done = false, ok = true;
	int64_t opset;

	if (!sf_onnx_opset_of(run, h->scope, h->node, &opset))
		return false;
	s.batched = opset < 9;
	if (!count_inputs(&s) || !find_sizes(&s))
		return false;
	if (s.why == NULL && !sf_onnx_attempt_no_more(run)) {
		sf_onnx_attempt_begin(&attempt, run, false);
		ok = expand(&s, &done);
		free(s.pieces);
		if (ok ? done : !run->overflow) {
			sf_onnx_attempt_keep(&attempt, run);
			return ok;
		}
		sf_onnx_attempt_drop(&attempt, run);
	}
	return close(&s);
}
