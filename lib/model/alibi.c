/* Attention with linear biases, as transformers 5.18 makes them for BLOOM. */
#include "model/alibi.h"

#include "model/arch.h"
#include "model/lower-aten.h"

struct sf_val *
sf_alibi_ones(struct sf_build *b, enum sf_dtype dtype)
{
	int64_t shape[] = { b->work.batch, b->work.context + b->work.tokens };

	return sf_aten_construct(
	    b, b->route->aten->ones, sf_val_new(&b->graph, dtype, 2, shape));
}

/* A power of a number for each of so many heads. */
static struct sf_val *
powers(struct sf_build *b, int64_t heads)
{
	struct sf_val *base, *x;

	base = sf_aten_construct(
	    b, "aten.full", sf_val_new(&b->graph, SF_DT_F32, 0, NULL));
	x = sf_aten_construct(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_I32, 1, &heads));
	return sf_aten_2(b, "aten.pow", base, x,
	    sf_val_new(&b->graph, SF_DT_F32, 1, &heads));
}

/* Those of heads behind the largest power of two are between others. */
static struct sf_val *
slopes_of(struct sf_build *b, int64_t heads)
{
	int64_t even = 1;
	struct sf_val *x;

	while (even <= heads / 2)
		even *= 2;
	x = powers(b, even);
	if (even == heads)
		return x;
	return b->route->lower->cat(b, x, powers(b, heads - even), 0);
}

struct sf_val *
sf_alibi_make(struct sf_build *b, struct sf_val *ones, enum sf_dtype slopes)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	struct sf_item column[] = { SF_ALL, SF_NEW };
	int64_t heads = b->arch->heads;
	int64_t shape[] = { b->work.batch * heads, 1, ones->shape[1] };
	struct sf_val *x, *y;

	y = slopes_of(b, heads);
	x = l->number(b, SF_CALL_SUB, l->cumsum(b, ones, -1), 1);
	x = l->binary(b, SF_CALL_MUL, x, ones);
	x = l->getitem(b, x, 3, row);
	y = l->getitem(b, y, 2, column);
	if (slopes != SF_DT_F32)
		y = l->to_type(b, y, slopes);
	x = l->reshape(b, l->binary(b, SF_CALL_MUL, y, x), 3, shape);
	return l->to_type(b, x, b->work.dtype);
}
