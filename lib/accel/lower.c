/* From an operator to its unit, its dependencies and its loop nest. */
#include "accel/task.h"

#include <stdlib.h>

#include "rules/rulebook.h"

void
sf_lowering_init(struct sf_lowering *lowering)
{
	lowering->arena = sf_arena_new();
	sf_values_init(&lowering->values);
	sf_table_init(&lowering->unknown, lowering->arena);
	sf_table_init(&lowering->ideal, lowering->arena);
	lowering->macs = lowering->ideal_macs = 0;
	lowering->rules_arena = sf_arena_new();
	lowering->rules = NULL;
}

void
sf_lowering_release(struct sf_lowering *lowering)
{
	sf_values_release(&lowering->values);
	sf_table_release(&lowering->unknown);
	sf_table_release(&lowering->ideal);
	if (lowering->rules != NULL)
		sf_rulebook_release(lowering->rules);
	sf_arena_free(lowering->rules_arena);
	sf_arena_free(lowering->arena);
}

void
sf_lowering_reset(struct sf_lowering *lowering)
{
	sf_values_reset(&lowering->values);
	sf_table_clear(&lowering->unknown);
	sf_table_clear(&lowering->ideal);
	lowering->macs = lowering->ideal_macs = 0;
	sf_arena_reset(lowering->arena);
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void
sf_task_deps(struct sf_lowering *lowering, struct sf_arena *arena,
    const struct sf_op *op, const struct sf_task *task, const int64_t **out,
    int *nout)
{
	size_t room = (size_t)(op->ninputs != 0 ? op->ninputs : 1);
	int64_t *deps;
	int n = 0, kept = 0;

	*nout = 0;
	if (task->idle) {
		sf_values_pass(&lowering->values, op);
		return;
	}
	deps = sf_arena_calloc(arena, room, sizeof *deps);
	for (int i = 0; i < op->ninputs; i++) {
		struct sf_trace_value value =
		    sf_value_of(&lowering->values, &op->inputs[i]);

		if (!value.param && value.maker >= 0)
			deps[n++] = value.maker;
	}
	qsort(deps, (size_t)n, sizeof *deps, by_value);
	for (int i = 0; i < n; i++)
		if (i == 0 || deps[i] != deps[i - 1])
			deps[kept++] = deps[i];
	*out = deps;
	*nout = kept;
	sf_values_make(&lowering->values, op, 0);
}

/* Multiply-accumulates as the array will count them. */
static double
macs_of(const struct sf_op *op, const struct sf_lower *lower)
{
	double macs = 0;

	if (lower->ideal)
		return (double)(op->counts.flops / 2);
	for (int i = 0; i < lower->ngemms; i++) {
		const struct sf_gemm *g = &lower->gemms[i];

		macs += (double)g->batch * (double)g->m * (double)g->k *
		    (double)g->n;
	}
	return macs;
}

/* Notes an operator of the array, for what is said at the end. */
static void
count_array(struct sf_lowering *lowering, const struct sf_op *op,
    const struct sf_lower *lower)
{
	double macs = macs_of(op, lower);

	lowering->macs += macs;
	if (!lower->ideal)
		return;
	lowering->ideal_macs += macs;
	sf_table_add(&lowering->ideal, op->name)->num++;
}

void
sf_lower_op(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_accel *accel, const struct sf_op *op,
    struct sf_lower *lower)
{
	struct sf_error error;
	struct sf_task task;

	sf_task_read(lowering, stream, op, &task);
	if (!sf_task_lower(&task, accel, lower, &error))
		sf_op_die(stream, op, "%s", error.text);
	sf_task_deps(lowering, sf_stream_record_arena(stream), op, &task,
	    &lower->deps, &lower->ndeps);
	if (op->counts.category == SF_CAT_UNKNOWN)
		sf_table_add(&lowering->unknown, op->name)->num++;
	if (lower->where == SF_ON_ARRAY)
		count_array(lowering, op, lower);
}

void
sf_lowering_note(struct sf_stream *stream, const struct sf_lowering *lowering)
{
	struct sf_buf names = { 0 };

	for (size_t i = 0; i < lowering->unknown.n; i++) {
		const struct sf_entry *e = lowering->unknown.order[i];

		sf_buf_printf(&names, "%s%s x%lld", i == 0 ? "" : ", ",
		    e->name.p, (long long)e->num);
	}
	if (names.n != 0)
		sf_stream_note(stream,
		    "unknown operators are not simulated: %.*s", (int)names.n,
		    names.p);
	sf_buf_release(&names);
}
