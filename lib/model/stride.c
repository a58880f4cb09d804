/* Strides, by the rules of ATen. */
#include "model/stride.h"

#include <string.h>

void
sf_stride_dense(struct sf_val *val)
{
	int64_t stride = 1;

	for (int i = val->rank - 1; i >= 0; i--) {
		val->stride[i] = stride;
		if (val->shape[i] > 1)
			stride *= val->shape[i];
	}
}

bool
sf_stride_is_dense(const struct sf_val *val)
{
	int64_t stride = 1;

	if (sf_val_numel(val) == 0)
		return true;
	for (int i = val->rank - 1; i >= 0; i--) {
		if (val->shape[i] == 1)
			continue;
		if (val->stride[i] != stride)
			return false;
		stride *= val->shape[i];
	}
	return true;
}

/*
 * Runs over the old dimensions from the last; a run of them that lies in
 * memory like one dimension may be cut into new ones in any way.
 */
bool
sf_stride_view(const struct sf_val *val, struct sf_val *view)
{
	int64_t base, elements = 1, taken = 1;
	int at = view->rank - 1;

	if (sf_val_numel(val) == 0 || val->rank == 0) {
		sf_stride_dense(view);
		return true;
	}
	base = val->stride[val->rank - 1];
	for (int i = val->rank - 1; i >= 0; i--) {
		elements *= val->shape[i];
		if (i != 0 &&
		    (val->shape[i - 1] == 1 ||
			val->stride[i - 1] == elements * base))
			continue;
		while (at >= 0 && (taken < elements || view->shape[at] == 1)) {
			view->stride[at] = taken * base;
			taken *= view->shape[at];
			at--;
		}
		if (taken != elements)
			return false;
		if (i != 0) {
			base = val->stride[i - 1];
			elements = taken = 1;
		}
	}
	return at == -1;
}

/* ---- elementwise ---- */

/* The stride of dimension DIM of OUT in OPERAND; 0 where it is broadcast. */
static int64_t
broadcast_stride(
    const struct sf_val *out, const struct sf_val *operand, int dim)
{
	int own = dim - (out->rank - operand->rank);

	if (own < 0 || (operand->shape[own] == 1 && out->shape[dim] != 1))
		return 0;
	return operand->stride[own];
}

/* > 0 when dimension B should be the faster one, < 0 when A should. */
static int
compare_dims(const struct sf_val *out, struct sf_val *const *operands, int n,
    int a, int b)
{
	for (int i = 0; i < n; i++) {
		int64_t sa = broadcast_stride(out, operands[i], a);
		int64_t sb = broadcast_stride(out, operands[i], b);

		if (sa == 0 || sb == 0)
			continue;
		if (sa != sb)
			return sa < sb ? -1 : 1;
		if (out->shape[a] > out->shape[b])
			return 1;
	}
	return 0;
}

/* True when all operands have the shape and the strides of the first. */
static bool
all_alike(const struct sf_val *out, struct sf_val *const *operands, int n)
{
	size_t bytes = (size_t)out->rank * sizeof out->shape[0];

	for (int i = 0; i < n; i++)
		if (operands[i]->rank != out->rank ||
		    memcmp(operands[i]->shape, out->shape, bytes) != 0 ||
		    memcmp(operands[i]->stride, operands[0]->stride, bytes) !=
			0)
			return false;
	return true;
}

/* True when the elements fill a run of memory, each once. */
static bool
fills_memory(const struct sf_val *val)
{
	int64_t stride = 1;
	bool used[SF_VAL_RANK] = { false };

	for (int done = 0; done < val->rank; done++) {
		int next = -1;

		for (int i = 0; i < val->rank; i++)
			if (!used[i] &&
			    (val->shape[i] == 1 || val->stride[i] == stride))
				next = i;
		if (next < 0)
			return false;
		used[next] = true;
		if (val->shape[next] != 1)
			stride *= val->shape[next];
	}
	return true;
}

void
sf_stride_elementwise(struct sf_val *out, struct sf_val *const *operands, int n)
{
	int order[SF_VAL_RANK]; /* dimensions, the fastest first */
	int64_t stride = 1;

	if (all_alike(out, operands, n) && fills_memory(operands[0])) {
		memcpy(out->stride, operands[0]->stride, sizeof out->stride);
		return;
	}
	for (int i = 0; i < out->rank; i++)
		order[i] = out->rank - 1 - i;
	for (int i = 1; i < out->rank; i++) {
		int at = i;

		for (int j = i - 1; j >= 0; j--) {
			int c =
			    compare_dims(out, operands, n, order[j], order[at]);
			int dim = order[at];

			if (c < 0)
				break;
			if (c == 0)
				continue;
			order[at] = order[j];
			order[j] = dim;
			at = j;
		}
	}
	for (int i = 0; i < out->rank; i++) {
		out->stride[order[i]] = stride;
		if (out->shape[order[i]] > 1)
			stride *= out->shape[order[i]];
	}
}
