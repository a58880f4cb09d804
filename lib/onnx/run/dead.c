/* Operators that nothing needs. */
#include "onnx/run/dead.h"

#include "onnx/run/run.h"

static void
mark(struct sf_value *const *values, int n)
{
	for (int i = 0; i < n; i++)
		if (values[i] != NULL)
			sf_onnx_value_of(values[i])->live = true;
}

static bool
any_live(const struct sf_onnx_op *op)
{
	for (int i = 0; i < op->noutputs; i++)
		if (op->outputs[i] != NULL &&
		    sf_onnx_value_of(op->outputs[i])->live)
			return true;
	return false;
}

void
sf_onnx_mark_dead(struct sf_onnx_run *run)
{
	if (run->noutputs == 0)
		return;
	mark(run->outputs, run->noutputs);
	for (int64_t i = run->nops - 1; i >= 0; i--) {
		struct sf_onnx_op *op = &run->ops[i];

		op->dead = !any_live(op);
		if (op->dead)
			continue;
		mark(op->inputs, op->ninputs);
		mark(op->captured, op->ncaptured);
	}
}
