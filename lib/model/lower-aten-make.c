/* Tensors that ATen makes of nothing, or of others put together. */
#include <string.h>

#include "model/derive.h"
#include "model/lower-aten.h"

struct sf_val *
sf_aten_make(struct sf_build *b, const char *op, struct sf_val *out)
{
	sf_aten_add(b, op, NULL, 0, &out, 1);
	return out;
}

struct sf_val *
sf_aten_construct(struct sf_build *b, const char *op, struct sf_val *x)
{
	sf_aten_make(b, op, x);
	return !b->route->aten->detaches
	    ? x
	    : sf_aten_1(b, "aten.detach", x, sf_val_like(&b->graph, x));
}

struct sf_val *
sf_aten_arange(struct sf_build *b, int64_t n)
{
	return sf_aten_construct(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_I64, 1, &n));
}

struct sf_val *
sf_aten_ones(struct sf_build *b, int64_t rows, int64_t columns)
{
	return sf_aten_construct(b, b->route->aten->ones,
	    sf_val_new(&b->graph, SF_DT_F32, 2, (int64_t[]){ rows, columns }));
}

struct sf_val *
sf_aten_stack(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = &sf_decomposition_aten;

	if (b->route->exporting) {
		x = l->unsqueeze(b, x, x->rank);
		y = l->unsqueeze(b, y, y->rank);
		return l->cat(b, x, y, -1);
	}
	return sf_aten_2(b, "aten.stack", x, y, sf_derive_stack(&b->graph, x));
}

/* Tensor.repeat_interleave along the last dimension. */
struct sf_val *
sf_aten_repeat_last(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = &sf_decomposition_aten;
	struct sf_val *pairs = sf_derive_stack(&b->graph, x);
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] *= 2;
	x = l->unsqueeze(b, x, x->rank);
	x = l->expand(b, x, pairs->rank, pairs->shape);
	return l->view(b, sf_aten_clone(b, x), pairs->rank - 1, shape);
}
