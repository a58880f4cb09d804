/* Operators that are computed beforehand, and those that nothing needs. */
#include "onnx/run/fold.h"

#include "onnx/run/run.h"

static bool
is_one_of(const struct sf_onnx_node *node, const char *const *types)
{
	if (node->domain.n != 0)
		return false;
	for (; *types != NULL; types++)
		if (sf_str_is(node->op_type, *types))
			return true;
	return false;
}

bool
sf_onnx_is_random(const struct sf_onnx_node *node)
{
	static const char *const types[] = { "Bernoulli", "Multinomial",
		"RandomNormal", "RandomNormalLike", "RandomUniform",
		"RandomUniformLike", NULL };

	/* Dropout drops nothing unless its third input says so. */
	if (node->domain.n == 0 && sf_str_is(node->op_type, "Dropout"))
		return node->ninputs > 2;
	return is_one_of(node, types);
}

bool
sf_onnx_rearranges(const struct sf_onnx_node *node)
{
	static const char *const types[] = { "Transpose", "Reshape", "Cast",
		"CastLike", "Identity", "Unsqueeze", "Squeeze", "Flatten",
		"Expand", NULL };

	return is_one_of(node, types);
}

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
