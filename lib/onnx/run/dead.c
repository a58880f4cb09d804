/* Operators that nothing needs. */
#include "onnx/run/dead.h"

#include "onnx/run/run.h"

static void
mark(struct sf_value *const *values, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		struct sf_onnx_value *of = sf_onnx_value_of(values[i]);

		if (values[i] == NULL)
			continue;
		of->live = true;
		if (of->alias_of != NULL)
			of->alias_of->live = true;
	}
}

static void
mark_outputs(const struct sf_onnx_run *run)
{
	for (int64_t i = 0; i < run->noutputs; i++) {
		struct sf_onnx_value *of = sf_onnx_value_of(run->outputs[i]);

		if (of == NULL)
			continue;
		of->output = true;
		if (of->alias_of != NULL)
			of->alias_of->output = true;
	}
	mark(run->outputs, run->noutputs);
}

static bool
any_live(struct sf_value *const *values, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (values[i] != NULL && sf_onnx_value_of(values[i])->live)
			return true;
	return false;
}

/* Inner ones come before those around them. */
static void
mark_group(const struct sf_onnx_group *group)
{
	if (any_live(group->out, group->nout))
		mark(group->within, group->nwithin);
}

void
sf_onnx_mark_dead(struct sf_onnx_run *run)
{
	int64_t group = run->ngroups;

	if (run->noutputs == 0)
		return;
	mark_outputs(run);
	for (int64_t i = run->nops - 1; i >= 0; i--) {
		struct sf_onnx_op *op = &run->ops[i];

		while (group != 0 && run->groups[group - 1].end > i)
			mark_group(&run->groups[--group]);
		op->dead = !any_live(op->outputs, op->noutputs);
		if (op->dead)
			continue;
		mark(op->inputs, op->ninputs);
		mark(op->captured, op->ncaptured);
	}
}
