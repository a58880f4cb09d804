/* Calls that relative positions need, to nodes of ONNX. */
#include <float.h>
#include <string.h>

#include "base/num.h"
#include "model/derive.h"
#include "model/onnx-node.h"

static struct sf_val *
cast(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	return sf_onnx_1(
	    b, "onnx.Cast", x, sf_derive_elementwise(&b->graph, x, dtype));
}

struct sf_val *
sf_onnx_made_whole_number(
    struct sf_build *b, enum sf_call call, struct sf_val *x, double number)
{
	struct sf_val *c = sf_onnx_int(b, sf_int_nearest(number));

	if (x->dtype != SF_DT_I64)
		c = cast(b, c, x->dtype);
	return b->route->lower->binary(b, call, x, c);
}

struct sf_val *
sf_onnx_made_true_divide(struct sf_build *b, struct sf_val *x, int64_t number)
{
	return sf_onnx_made_whole_number(
	    b, SF_CALL_DIV, cast(b, x, SF_DT_F32), (double)number);
}

struct sf_val *
sf_onnx_made_at_most(struct sf_build *b, struct sf_val *x, int64_t number)
{
	struct sf_val *c = sf_onnx_int(b, number), *sizes;

	c = sf_onnx_2(b, "onnx.CastLike", c, x,
	    sf_derive_elementwise(&b->graph, c, x->dtype));
	sizes = sf_onnx_shape(b, x);
	c = sf_onnx_2(b, "onnx.Expand", c, sizes,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
	return b->route->lower->binary(b, SF_CALL_MINIMUM, x, c);
}

struct sf_val *
sf_onnx_made_where_else(
    struct sf_build *b, struct sf_val *mask, struct sf_val *x)
{
	double least = x->dtype == SF_DT_F16 ? -65504.0
	    : x->dtype == SF_DT_BF16         ? -0x1.fep127
					     : -FLT_MAX;
	struct sf_val *c = sf_onnx_float(b, least);

	if (x->dtype != SF_DT_F32)
		c = cast(b, c, x->dtype);
	return sf_onnx_where(b, mask, x, c);
}

struct sf_val *
sf_onnx_made_whole_range(struct sf_build *b, int64_t n)
{
	struct sf_val *in[3];

	in[1] = cast(b, sf_onnx_int(b, n), SF_DT_I64);
	in[0] = cast(b, sf_onnx_int(b, 0), SF_DT_I64);
	in[2] = cast(b, sf_onnx_int(b, 1), SF_DT_I64);
	return sf_onnx_add(
	    b, "onnx.Range", in, 3, sf_val_new(&b->graph, SF_DT_I64, 1, &n));
}

struct sf_val *
sf_onnx_made_zeros(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	struct sf_val *zero = sf_onnx_scalar(b, dtype);

	return sf_onnx_2(b, "onnx.Expand", zero, sf_onnx_sizes(b, rank),
	    sf_val_new(&b->graph, dtype, rank, shape));
}

struct sf_val *
sf_onnx_made_last_first(struct sf_build *b, struct sf_val *x)
{
	return sf_onnx_1(
	    b, "onnx.Transpose", x, sf_derive_last_first(&b->graph, x));
}

struct sf_val *
sf_onnx_made_repeat_rows(struct sf_build *b, struct sf_val *x, int64_t times)
{
	int64_t once[] = { 1, 1 }, often[] = { times, 1 };
	int64_t shape[] = { times, x->shape[1] };

	x = sf_onnx_2(b, "onnx.Expand", x, sf_onnx_list_of(b, 2, once),
	    sf_val_like(&b->graph, x));
	return sf_onnx_2(b, "onnx.Tile", x, sf_onnx_list_of(b, 2, often),
	    sf_val_new(&b->graph, x->dtype, 2, shape));
}

/* A limit of a clamp in the type of X. */
static struct sf_val *
limit_of(struct sf_build *b, struct sf_val *limit, struct sf_val *x)
{
	return sf_onnx_2(b, "onnx.CastLike", limit, x,
	    sf_derive_elementwise(&b->graph, limit, x->dtype));
}

struct sf_val *
sf_onnx_made_clamp_within(struct sf_build *b, struct sf_val *x, double limit)
{
	struct sf_val *low = cast(b, sf_onnx_float(b, -limit), x->dtype);
	struct sf_val *high = cast(b, sf_onnx_float(b, limit), x->dtype), *y;

	low = limit_of(b, low, x);
	y = sf_onnx_2(b, "onnx.Max", x, low,
	    sf_derive_elementwise(&b->graph, x, x->dtype));
	high = limit_of(b, high, x);
	return sf_onnx_2(b, "onnx.Min", y, high,
	    sf_derive_elementwise(&b->graph, x, x->dtype));
}

/* x[rows], as torchlib has it of any number of indices. */
struct sf_val *
sf_onnx_made_index(struct sf_build *b, struct sf_val *x, struct sf_val *rows)
{
	struct sf_graph *g = &b->graph;
	int64_t shape[SF_VAL_RANK];
	struct sf_val *sizes, *at;

	x = sf_onnx_1(b, "onnx.Transpose", x, sf_val_like(g, x));
	sizes = sf_onnx_1(b, "onnx.Max", rows, sf_val_like(g, rows));
	sizes = sf_onnx_shape(b, sizes);
	at = sf_onnx_2(b, "onnx.Expand", rows, sizes, sf_val_like(g, rows));
	at = sf_onnx_2(b, "onnx.Unsqueeze", at, sf_onnx_list(b, -1),
	    sf_derive_unsqueeze(g, at, at->rank));
	at = sf_onnx_1(b, "onnx.Concat", at, sf_val_like(g, at));
	memcpy(shape, rows->shape, (size_t)rows->rank * sizeof *shape);
	shape[rows->rank] = x->shape[1];
	at = sf_onnx_2(b, "onnx.GatherND", x, at,
	    sf_val_new(g, x->dtype, rows->rank + 1, shape));
	return sf_onnx_1(b, "onnx.Transpose", at, sf_val_like(g, at));
}
