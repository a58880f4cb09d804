/* Tensors made from others. */
#include "model/derive.h"

#include <string.h>

#include "base/die.h"
#include "model/stride.h"

struct sf_val *
sf_derive_transpose(struct sf_graph *g, const struct sf_val *x, int i, int j)
{
	struct sf_val *out = sf_val_like(g, x);

	out->shape[i] = x->shape[j];
	out->shape[j] = x->shape[i];
	out->stride[i] = x->stride[j];
	out->stride[j] = x->stride[i];
	return out;
}

struct sf_val *
sf_derive_unsqueeze(struct sf_graph *g, const struct sf_val *x, int dim)
{
	struct sf_val *out = sf_val_like(g, x);
	size_t rest = (size_t)(x->rank - dim);

	if (x->rank == SF_VAL_RANK)
		sf_bug("a dimension too many");
	out->rank++;
	memmove(out->shape + dim + 1, x->shape + dim, rest * sizeof *x->shape);
	memmove(
	    out->stride + dim + 1, x->stride + dim, rest * sizeof *x->stride);
	out->shape[dim] = 1;
	out->stride[dim] = dim < x->rank ? x->shape[dim] * x->stride[dim] : 1;
	return out;
}

struct sf_val *
sf_derive_narrow(
    struct sf_graph *g, const struct sf_val *x, int dim, int64_t size)
{
	struct sf_val *out = sf_val_like(g, x);

	out->shape[dim] = size;
	return out;
}

struct sf_val *
sf_derive_select(struct sf_graph *g, const struct sf_val *x, int dim)
{
	struct sf_val *out = sf_val_like(g, x);

	out->rank--;
	for (int i = dim; i < out->rank; i++) {
		out->shape[i] = x->shape[i + 1];
		out->stride[i] = x->stride[i + 1];
	}
	return out;
}

struct sf_val *
sf_derive_expand(
    struct sf_graph *g, const struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_val_new(g, x->dtype, rank, shape);

	for (int i = 0; i < rank; i++) {
		int own = i - (rank - x->rank);

		out->stride[i] =
		    own < 0 || (x->shape[own] == 1 && shape[i] != 1)
		    ? 0
		    : x->stride[own];
	}
	out->param = x->param;
	out->stored = x->stored;
	return out;
}

struct sf_val *
sf_derive_view(
    struct sf_graph *g, const struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_val_new(g, x->dtype, rank, shape);

	out->param = x->param;
	out->stored = x->stored;
	if (!sf_stride_view(x, out))
		return NULL;
	/* A dimension of size 1 has a stride as well, which others follow. */
	for (int i = 0;
	     g->fake && i < rank && i < x->rank && shape[i] == x->shape[i]; i++)
		out->stride[i] = x->stride[i];
	return out;
}

struct sf_val *
sf_derive_elementwise(struct sf_graph *g, struct sf_val *x, enum sf_dtype dtype)
{
	struct sf_val *out = sf_val_new(g, dtype, x->rank, x->shape);

	sf_stride_elementwise(out, &x, 1);
	return out;
}

/* The size of dimension DIM of RANK when operands are broadcast. */
static int64_t
broadcast_size(struct sf_val *const *operands, int n, int dim, int rank)
{
	int64_t size = 1;

	for (int i = 0; i < n; i++) {
		int own = dim - (rank - operands[i]->rank);

		if (own >= 0 && operands[i]->shape[own] != 1)
			size = operands[i]->shape[own];
	}
	return size;
}

struct sf_val *
sf_derive_broadcast(struct sf_graph *g, struct sf_val *const *operands, int n,
    enum sf_dtype dtype)
{
	int64_t shape[SF_VAL_RANK];
	int rank = 0;
	struct sf_val *out;

	for (int i = 0; i < n; i++)
		if (operands[i]->rank > rank)
			rank = operands[i]->rank;
	for (int d = 0; d < rank; d++)
		shape[d] = broadcast_size(operands, n, d, rank);
	out = sf_val_new(g, dtype, rank, shape);
	sf_stride_elementwise(out, operands, n);
	return out;
}

/* Of two floating-point types the wider wins, and a tensor over a scalar. */
static bool
is_narrow(enum sf_dtype dtype)
{
	return dtype == SF_DT_BF16 || dtype == SF_DT_F16 || dtype == SF_DT_F32;
}

enum sf_dtype
sf_derive_promote(const struct sf_val *x, const struct sf_val *y)
{
	/* Integers have no say beside numbers of a narrower type. */
	if (x->rank != 0 && is_narrow(x->dtype) && y->dtype == SF_DT_I64)
		return x->dtype;
	if (x->rank == 0 || sf_dtype_bits(y->dtype) > sf_dtype_bits(x->dtype))
		return y->dtype;
	return x->dtype;
}

struct sf_val *
sf_derive_last(struct sf_graph *g, const struct sf_val *x, int64_t size)
{
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] = size;
	return sf_val_new(g, x->dtype, x->rank, shape);
}

struct sf_val *
sf_derive_rows(
    struct sf_graph *g, const struct sf_val *table, const struct sf_val *ids)
{
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, ids->shape, sizeof shape);
	shape[ids->rank] = table->shape[1];
	return sf_val_new(g, table->dtype, ids->rank + 1, shape);
}

struct sf_val *
sf_derive_step(
    struct sf_graph *g, const struct sf_val *x, int dim, int64_t start)
{
	struct sf_val *out = sf_val_like(g, x);

	out->shape[dim] = (x->shape[dim] - start + 1) / 2;
	out->stride[dim] *= 2;
	return out;
}

struct sf_val *
sf_derive_stack(struct sf_graph *g, const struct sf_val *x)
{
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank] = 2;
	return sf_val_new(g, x->dtype, x->rank + 1, shape);
}

struct sf_val *
sf_derive_cat(
    struct sf_graph *g, const struct sf_val *x, const struct sf_val *y, int dim)
{
	int64_t shape[SF_VAL_RANK];
	/* The result is of the wider type. */
	bool wide = x->dtype == SF_DT_F32 && x->rank == y->rank;

	memcpy(shape, y->shape, sizeof shape);
	/* An empty cache has the shape [0] and adds nothing. */
	if (x->rank == y->rank) {
		if (dim < 0)
			dim += y->rank;
		shape[dim] += x->shape[dim];
	}
	return sf_val_new(g, wide ? SF_DT_F32 : y->dtype, y->rank, shape);
}

struct sf_val *
sf_derive_matmul(
    struct sf_graph *g, const struct sf_val *x, const struct sf_val *y)
{
	return sf_derive_last(g, x, y->shape[y->rank - 1]);
}

struct sf_val *
sf_derive_convolution(struct sf_graph *g, const struct sf_val *x,
    const struct sf_val *weight, int64_t stride, int64_t padding)
{
	int64_t shape[SF_VAL_RANK] = { x->shape[0], weight->shape[0] };

	for (int i = 2; i < x->rank; i++)
		shape[i] =
		    (x->shape[i] + 2 * padding - weight->shape[i]) / stride + 1;
	return sf_val_new(g, x->dtype, x->rank, shape);
}

struct sf_val *
sf_derive_last_first(struct sf_graph *g, const struct sf_val *x)
{
	struct sf_val *out = sf_val_like(g, x);

	for (int i = 0; i < 3; i++) {
		out->shape[i] = x->shape[(i + 2) % 3];
		out->stride[i] = x->stride[(i + 2) % 3];
	}
	return out;
}

struct sf_val *
sf_derive_cat_all(struct sf_graph *g, struct sf_val *const *x, int n, int dim)
{
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, x[0]->shape, sizeof shape);
	for (int i = 1; i < n; i++)
		shape[dim] += x[i]->shape[dim];
	return sf_val_new(g, x[0]->dtype, x[0]->rank, shape);
}
