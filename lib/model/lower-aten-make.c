/* Tensors that ATen makes of nothing. */
#include "model/lower-aten.h"

struct sf_val *
sf_aten_make(struct sf_build *b, const char *op, struct sf_val *out)
{
	sf_aten_add(b, op, NULL, 0, &out, 1);
	return out;
}

/* What a constructor of Python's makes. */
static struct sf_val *
construct(struct sf_build *b, const char *op, struct sf_val *x)
{
	sf_aten_make(b, op, x);
	return !b->route->aten->detaches
	    ? x
	    : sf_aten_1(b, "aten.detach", x, sf_val_like(&b->graph, x));
}

struct sf_val *
sf_aten_arange(struct sf_build *b, int64_t n)
{
	return construct(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_I64, 1, &n));
}

struct sf_val *
sf_aten_ones(struct sf_build *b, int64_t rows, int64_t columns)
{
	return construct(b, b->route->aten->ones,
	    sf_val_new(&b->graph, SF_DT_F32, 2, (int64_t[]){ rows, columns }));
}
