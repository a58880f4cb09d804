/* Finds the inputs that decide over what is not known. */
#include "onnx/run/depends.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "onnx/infer/shape.h"
#include "onnx/run/control.h"
#include "onnx/run/values.h"

/*
 * Bounds, as a model may have many operators that are not resolved: values
 * looked at and rules tried in all, rules for one reason, inputs by name.
 */
enum {
	MAX_VISITS = 1 << 20,
	MAX_TRIALS = 1 << 16,
	MAX_RULES = 512,
	MAX_NAMES = 8,
	MAX_REASON = 400 /* bytes of one that is quoted in another */
};

/* What lies between the inputs and what is not known. */
struct slice {
	struct sf_onnx_run *run;
	struct sf_value **open; /* values still to look at */
	size_t nopen, room;
	int64_t ops[MAX_RULES];
	int64_t nops; /* may be more than there is room for */
	int64_t ninputs;
	bool cut; /* not all of it was looked at */
};

/* What a step of a loop takes comes from around it. */
static struct sf_onnx_value *
origin(struct sf_value *value)
{
	struct sf_onnx_value *of = sf_onnx_value_of(value);

	return of->alias_of != NULL ? of->alias_of : of;
}

static void
push(struct slice *s, struct sf_value *value)
{
	struct sf_onnx_value *of;

	if (value == NULL)
		return;
	of = origin(value);
	value = &of->v;
	if (of->seen == s->run->mark || sf_value_has_all(value))
		return;
	of->seen = s->run->mark;
	if (++s->run->nvisits > MAX_VISITS) {
		s->cut = true;
		return;
	}
	if (s->nopen == s->room) {
		s->room = s->room != 0 ? s->room * 2 : 64;
		s->open = sf_reallocarray(s->open, s->room, sizeof *s->open);
	}
	s->open[s->nopen++] = value;
}

/* An input whose own size is open has its own reason. */
static void
push_shape(struct slice *s, struct sf_value *value)
{
	if (value != NULL && !sf_onnx_value_of(value)->input &&
	    sf_onnx_value_open(value) != NULL)
		push(s, value);
}

static void
push_inputs(struct slice *s, const struct sf_onnx_op *op)
{
	for (int i = 0; i < op->ninputs; i++)
		if (op->closed == NULL &&
		    sf_infer_reads(op->entry, i) == SF_READ_SHAPE)
			push_shape(s, op->inputs[i]);
		else
			push(s, op->inputs[i]);
	for (int i = 0; i < op->ncaptured; i++)
		push(s, op->captured[i]);
}

static void
begin(struct slice *s, struct sf_onnx_run *run)
{
	*s = (struct slice){ .run = run };
	run->mark++;
}

/* Back to the inputs. */
static void
follow(struct slice *s)
{
	while (s->nopen != 0) {
		struct sf_onnx_value *of =
		    sf_onnx_value_of(s->open[--s->nopen]);
		struct sf_onnx_op *op;

		if (of->input)
			s->ninputs++;
		if (of->made == 0)
			continue;
		op = &s->run->ops[of->made - 1];
		if (op->seen == s->run->mark)
			continue;
		op->seen = s->run->mark;
		if (s->nops < MAX_RULES)
			s->ops[s->nops] = of->made - 1;
		s->nops++;
		push_inputs(s, op);
	}
	free(s->open);
	s->open = NULL;
}

/* The model's input I when it is one of those that decide; otherwise NULL. */
static struct sf_value *
deciding(const struct slice *s, int i)
{
	const struct sf_onnx_graph *graph = &s->run->model->graph;
	struct sf_entry *e =
	    sf_table_find(&s->run->root.values, graph->inputs[i].name);
	struct sf_value *value = e != NULL ? e->ptr : NULL;

	if (value == NULL || !sf_onnx_value_of(value)->input ||
	    sf_onnx_value_of(value)->seen != s->run->mark)
		return NULL;
	return value;
}

/* ---- whether --value would settle it ---- */

/* VALUE as the trial has it. */
static struct sf_value *
tried(const struct slice *s, struct sf_value *value)
{
	struct sf_onnx_value *of = value != NULL ? origin(value) : NULL;

	return of != NULL && of->tried == s->run->mark ? of->trial : value;
}

/* Fills an input with ones; false when it takes no --value. */
static bool
make_up(struct slice *s, struct sf_value *value)
{
	int64_t n = sf_value_cells(value);
	struct sf_arena *arena = s->run->arena;
	struct sf_value *copy;

	if (n < 0)
		return false;
	copy = sf_arena_alloc(arena, sizeof *copy);
	*copy = *value;
	if (sf_dtype_in_ints(value->dtype)) {
		int64_t *ints =
		    sf_arena_calloc(arena, (size_t)n + 1, sizeof *ints);

		for (int64_t i = 0; i < n; i++)
			ints[i] = 1;
		copy->ints = ints;
	} else {
		double *floats =
		    sf_arena_calloc(arena, (size_t)n + 1, sizeof *floats);

		for (int64_t i = 0; i < n; i++)
			floats[i] = 1;
		copy->floats = sf_reals_of(floats);
	}
	copy->known = NULL;
	sf_onnx_value_of(value)->trial = copy;
	sf_onnx_value_of(value)->tried = s->run->mark;
	return true;
}

/* Runs the rule of OP into OUTPUTS; false when it refuses the contents. */
static bool
try_op(struct slice *s, const struct sf_onnx_op *op, struct sf_value *outputs)
{
	struct sf_onnx_run *run = s->run;
	struct sf_error error;
	struct sf_infer in = { .arena = run->arena,
		.node = op->node,
		.opset = op->opset,
		.ninputs = op->ninputs,
		.outputs = outputs,
		.noutputs = op->node->noutputs,
		.contents = &run->trial_contents,
		.error = &error };

	in.inputs = sf_arena_calloc(
	    run->arena, (size_t)op->ninputs, sizeof(struct sf_value *));
	for (int i = 0; i < op->ninputs; i++)
		in.inputs[i] = tried(s, op->inputs[i]);
	for (int i = 0; i < op->node->noutputs; i++)
		outputs[i] = (struct sf_value){ .name = op->node->outputs[i],
			.dtype = SF_DT_UNKNOWN,
			.nitems = -1 };
	return op->entry == NULL || op->closed != NULL ||
	    sf_infer_run(&in, op->entry);
}

static int
by_index(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Runs the rules in between, in their order; *REFUSED when one refuses. */
static bool
try_between(struct slice *s, bool *refused)
{
	struct sf_onnx_run *run = s->run;

	*refused = false;
	if (s->cut || s->nops > MAX_RULES || s->ninputs > MAX_NAMES ||
	    (run->ntrials += s->nops + 1) > MAX_TRIALS)
		return false;
	for (int i = 0; i < run->model->graph.ninputs; i++) {
		struct sf_value *value = deciding(s, i);

		if (value != NULL && !make_up(s, value))
			return false;
	}
	qsort(s->ops, (size_t)s->nops, sizeof *s->ops, by_index);
	for (int64_t k = 0; k < s->nops; k++) {
		const struct sf_onnx_op *op = &run->ops[s->ops[k]];
		struct sf_value *outputs = sf_arena_calloc(
		    run->arena, (size_t)op->noutputs, sizeof *outputs);

		if (!try_op(s, op, outputs)) {
			*refused = true;
			return true;
		}
		for (int i = 0; i < op->noutputs; i++) {
			struct sf_onnx_value *of;

			if (op->outputs[i] == NULL)
				continue;
			of = sf_onnx_value_of(op->outputs[i]);
			of->trial = &outputs[i];
			of->tried = run->mark;
		}
	}
	return true;
}

/* A rule that refuses what was made up has looked at it. */
static bool
settles_output(struct slice *s, const struct sf_onnx_op *op, int i)
{
	struct sf_value *outputs;
	bool refused;

	if (op->entry == NULL || !try_between(s, &refused))
		return false;
	if (refused)
		return true;
	outputs = sf_arena_calloc(
	    s->run->arena, (size_t)op->node->noutputs, sizeof *outputs);
	return !try_op(s, op, outputs) ||
	    sf_onnx_value_open(&outputs[i]) == NULL;
}

static bool
settles_value(struct slice *s, struct sf_value *value)
{
	bool refused;

	return try_between(s, &refused) &&
	    (refused || sf_value_has_all(tried(s, value)));
}

/* ---- what is said ---- */

/* "'a', 'b'" of the inputs, and " --value a=... --value b=..." */
static void
list(const struct slice *s, bool settled, struct sf_buf *names,
    struct sf_buf *options)
{
	struct sf_onnx_run *run = s->run;
	int n = 0;

	for (int i = 0; i < run->model->graph.ninputs && n < MAX_NAMES; i++) {
		struct sf_value *value = deciding(s, i);

		if (value == NULL)
			continue;
		if (settled)
			sf_onnx_value_of(value)->decides = true;
		sf_buf_printf(names, "%s'%.*s'", n++ != 0 ? ", " : "",
		    SF_STR_ARG(value->name));
		if (settled)
			sf_buf_printf(options, " --value %s",
			    sf_onnx_value_argument(run, value->name, "..."));
	}
	if (s->ninputs > MAX_NAMES)
		sf_buf_printf(
		    names, ", ... (%lld in all)", (long long)s->ninputs);
}

/* OPTION, which may be NULL, would do it, too. */
static const char *
tell(const struct slice *s, const char *why, bool settled, const char *what,
    const char *option)
{
	struct sf_buf names = { 0 }, options = { 0 };
	const char *text;

	if (s->ninputs == 0)
		return option == NULL ? why
				      : sf_arena_printf(s->run->arena,
					    "%s; %s decides", why, option);
	list(s, settled, &names, &options);
	if (option != NULL)
		sf_buf_printf(&options, "%s %s", settled ? " or" : "", option);
	text =
	    sf_arena_printf(s->run->arena, "%s; input%s %.*s decide%s%s%s%.*s",
		why, s->ninputs == 1 ? "" : "s", (int)names.n, names.p,
		s->ninputs == 1 ? "s" : "", what, options.n != 0 ? ":" : "",
		(int)options.n, options.n != 0 ? options.p : "");
	sf_buf_release(&names);
	sf_buf_release(&options);
	return text;
}

/* The inputs that may decide, from few to all that have contents. */
enum stage {
	STAGE_BLAMED,
	STAGE_NUMBERS,
	STAGE_ALL
};

static void
push_stage(struct slice *s, const struct sf_onnx_op *op, enum stage stage,
    struct sf_value *blame)
{
	if (stage == STAGE_BLAMED)
		push(s, blame);
	for (int i = 0; i < op->ninputs && stage != STAGE_BLAMED; i++) {
		enum sf_infer_read read = sf_infer_reads(op->entry, i);

		if (read == SF_READ_NUMBERS ||
		    (stage == STAGE_ALL && read == SF_READ_DATA))
			push(s, op->inputs[i]);
	}
}

/*
 * The fewest inputs that settle it; otherwise all that the operator computes
 * with, but places and sizes alone where one of them is known to be to blame.
 */
const char *
sf_onnx_depends_output(struct sf_onnx_run *run, int i, const struct sf_value *v)
{
	const struct sf_onnx_op *op = &run->ops[run->nops - 1];
	enum stage stage = v->blame != NULL ? STAGE_BLAMED : STAGE_NUMBERS;
	enum stage last = v->blame != NULL ? STAGE_NUMBERS : STAGE_ALL;
	struct slice s;
	bool settled;

	if (run->trials != 0)
		return v->why;
	for (;; stage++) {
		begin(&s, run);
		push_stage(&s, op, stage, v->blame);
		follow(&s);
		settled = s.ninputs != 0 && settles_output(&s, op, i);
		if (settled || stage == last)
			return tell(&s, v->why, settled, "", NULL);
	}
}

const char *
sf_onnx_depends_closed(struct sf_onnx_run *run, const struct sf_onnx_node *node,
    struct sf_value **inputs, const char *why, const char *option)
{
	struct slice s;
	int n = 0, last = -1;
	bool branch;

	if (run->trials != 0)
		return why;
	begin(&s, run);
	for (int i = 0; i < node->ninputs; i++) {
		if (!sf_onnx_control_decides(node, i) || inputs[i] == NULL ||
		    sf_value_has_all(inputs[i]))
			continue;
		push(&s, inputs[i]);
		/* In a chain of nodes reasons must not grow without end. */
		if (inputs[i]->why != NULL &&
		    strlen(inputs[i]->why) < MAX_REASON)
			why = sf_arena_printf(
			    run->arena, "%s; %s", why, inputs[i]->why);
		last = i;
		n++;
	}
	follow(&s);
	branch = sf_onnx_control_branches(node);
	return tell(&s, why,
	    n == 1 && s.ninputs != 0 && settles_value(&s, inputs[last]),
	    branch ? "" : " how often it runs", option);
}

const char *
sf_onnx_depends_values(struct sf_onnx_run *run, struct sf_value *const *values,
    int n, const char *why, const char *option)
{
	struct slice s;
	bool settled;

	if (run->trials != 0)
		return why;
	begin(&s, run);
	for (int i = 0; i < n; i++)
		push(&s, values[i]);
	follow(&s);
	settled = s.ninputs != 0;
	for (int i = 0; i < n && settled; i++)
		settled = settles_value(&s, values[i]);
	return tell(&s, why, settled, " how often it runs", option);
}
