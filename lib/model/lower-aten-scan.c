/* Calls of models that scan their tokens, as ATen's dispatcher sees them. */
#include "model/lower-aten-scan.h"

#include <string.h>

#include "model/derive.h"
#include "model/stride.h"

struct sf_val *
sf_aten_reorder(struct sf_build *b, struct sf_val *x, const int *dims)
{
	struct sf_val *out = sf_val_like(&b->graph, x);

	for (int i = 0; i < x->rank; i++) {
		out->shape[i] = x->shape[dims[i]];
		out->stride[i] = x->stride[dims[i]];
	}
	sf_aten_1(b, "aten.permute", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

/* ---- padding and convolution ---- */

/* True when X is an image whose channels lie beside each other. */
static bool
channels_last(const struct sf_val *x)
{
	static const int order[] = { 1, 3, 2, 0 };
	int64_t least = 0;

	if (x->rank != 4 || x->stride[1] == 0)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = order[i];

		if (x->shape[d] == 0 || x->stride[d] < least ||
		    (d == 0 && least == x->stride[1]))
			return false;
		least = x->stride[d];
		if (x->shape[d] > 1)
			least *= x->shape[d];
	}
	return true;
}

static void
lay_channels_last(struct sf_val *x)
{
	x->stride[1] = 1;
	x->stride[3] = x->shape[1];
	x->stride[2] = x->stride[3] * x->shape[3];
	x->stride[0] = x->stride[2] * x->shape[2];
}

struct sf_val *
sf_aten_pad(struct sf_build *b, struct sf_val *x, int dim, int64_t before,
    int64_t after)
{
	int64_t shape[SF_VAL_RANK];
	struct sf_val *out;

	memcpy(shape, x->shape, sizeof shape);
	shape[dim] += before + after;
	if (before + after == 0) {
		out = sf_aten_like(b, x, x->dtype);
	} else {
		out = sf_val_new(&b->graph, x->dtype, x->rank, shape);
		if (channels_last(x))
			lay_channels_last(out);
	}
	return sf_aten_1(b, "aten.constant_pad_nd", x, out);
}

struct sf_val *
sf_aten_conv1d(struct sf_build *b, struct sf_val *x, struct sf_val *w,
    struct sf_val *bias, int64_t padding)
{
	struct sf_val *in[] = { x, w, bias }, *out;
	int64_t shape[] = { x->shape[0], w->shape[0],
		x->shape[2] + 2 * padding - w->shape[2] + 1 };

	out = sf_val_new(&b->graph, x->dtype, 3, shape);
	sf_aten_add(b, "aten.convolution", in, bias != NULL ? 3 : 2, &out, 1);
	return out;
}

/* ---- elementwise ---- */

/* Core ATen's: log(1 + exp(x)), and x where it is large. */
static struct sf_val *
core_softplus(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *wide = x, *y, *large, *in[3], *out;

	if (x->dtype != SF_DT_F32)
		wide = sf_aten_to_copy(b, x, SF_DT_F32);
	y = sf_aten_each(b, "aten.log1p", sf_aten_each(b, "aten.exp", wide));
	large = sf_aten_1(b, "aten.gt", wide, sf_aten_like(b, wide, SF_DT_B8));
	in[0] = large;
	in[1] = wide;
	in[2] = y;
	out = sf_aten_like(b, wide, SF_DT_F32);
	sf_aten_add(b, "aten.where", in, 3, &out, 1);
	return x->dtype == SF_DT_F32 ? out : sf_aten_to_copy(b, out, x->dtype);
}

struct sf_val *
sf_aten_softplus(struct sf_build *b, struct sf_val *x)
{
	if (b->route->aten->checks)
		return core_softplus(b, x);
	return sf_aten_each(b, "aten.softplus", x);
}

struct sf_val *
sf_aten_running_sum(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.cumsum", x,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

/* ---- making tensors ---- */

struct sf_val *
sf_aten_ones_of(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	return sf_aten_construct(
	    b, b->route->aten->ones, sf_val_new(&b->graph, dtype, rank, shape));
}

/* Core ATen's: rows and columns are compared. */
static struct sf_val *
core_triangle(struct sf_build *b, struct sf_val *x, enum sf_call compare)
{
	const struct sf_decomposition *l = b->route->lower;
	int n = x->rank;
	struct sf_val *column, *row, *y;

	column = l->unsqueeze(b, l->arange(b, x->shape[n - 1]), 0);
	row = l->unsqueeze(b, l->arange(b, x->shape[n - 2]), 1);
	y = l->binary(b, SF_CALL_SUB, column, row);
	return l->number(b, compare, y, 0);
}

struct sf_val *
sf_aten_tril(struct sf_build *b, struct sf_val *x)
{
	if (b->route->aten->checks)
		return sf_aten_2(b, "aten.logical_and",
		    core_triangle(b, x, SF_CALL_LE), x,
		    sf_val_like(&b->graph, x));
	return sf_aten_each(b, "aten.tril", x);
}

struct sf_val *
sf_aten_triu(struct sf_build *b, struct sf_val *x)
{
	if (b->route->aten->checks)
		return sf_aten_2(b, "aten.logical_and",
		    core_triangle(b, x, SF_CALL_GE), x,
		    sf_val_like(&b->graph, x));
	return sf_aten_each(b, "aten.triu", x);
}

struct sf_val *
sf_aten_lower(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *mask, *zero;

	if (!b->route->aten->checks)
		return sf_aten_each(b, "aten.tril", x);
	mask = core_triangle(b, x, SF_CALL_LE);
	zero = sf_aten_make(
	    b, "aten.scalar_tensor", sf_val_new(&b->graph, x->dtype, 0, NULL));
	return sf_aten_where(b, mask, x, zero);
}

struct sf_val *
sf_aten_eye(struct sf_build *b, int64_t n, enum sf_dtype dtype)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *row, *column, *x;

	if (!b->route->aten->checks)
		return sf_aten_construct(b, "aten.eye",
		    sf_val_new(&b->graph, dtype, 2, (int64_t[]){ n, n }));
	row = sf_aten_make(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_U8, 1, &n));
	column = sf_aten_make(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_U8, 1, &n));
	row = l->unsqueeze(b, row, 1);
	x = l->binary(b, SF_CALL_EQ, row, column);
	return sf_aten_to_copy(b, x, dtype);
}

struct sf_val *
sf_aten_solve(struct sf_build *b, struct sf_val *a, struct sf_val *x)
{
	struct sf_val *in[] = { a, x };
	struct sf_val *out = sf_val_new(&b->graph, x->dtype, x->rank, x->shape);
	int n = x->rank;

	/* Columns lie behind each other. */
	out->stride[n - 2] = 1;
	out->stride[n - 1] = out->shape[n - 2];
	sf_aten_add(b, "aten.linalg_solve_triangular", in, 2, &out, 1);
	return out;
}

/* ---- putting together ---- */

struct sf_val *
sf_aten_cat_all(struct sf_build *b, struct sf_val *const *x, int n, int dim)
{
	struct sf_val *out = sf_derive_cat_all(&b->graph, x, n, dim);

	sf_aten_add(b, "aten.cat", x, n, &out, 1);
	return out;
}

struct sf_val *
sf_aten_stack_all(struct sf_build *b, struct sf_val **x, int n, int dim)
{
	struct sf_val *out;

	if (b->route->aten->checks) {
		for (int i = 0; i < n; i++)
			x[i] = b->route->lower->unsqueeze(b, x[i], dim);
		return sf_aten_cat_all(b, x, n, dim);
	}
	out = sf_derive_unsqueeze(&b->graph, x[0], dim);
	out->shape[dim] = n;
	out = sf_val_new(&b->graph, out->dtype, out->rank, out->shape);
	sf_aten_add(b, "aten.stack", x, n, &out, 1);
	return out;
}

struct sf_val *
sf_aten_copy(struct sf_build *b, struct sf_val *x, struct sf_val *from)
{
	if (!b->route->aten->functional) {
		sf_aten_query(b, x, 1);
		return sf_aten_2(b, "aten.copy_", x, from, x);
	}
	return sf_aten_2(b, "aten.copy", x, from, sf_val_like(&b->graph, x));
}

struct sf_val *
sf_aten_item(
    struct sf_build *b, struct sf_val *x, int dim, const struct sf_item *item)
{
	struct sf_item items[SF_VAL_RANK];

	for (int i = 0; i < x->rank; i++)
		items[i] = (struct sf_item)SF_ALL;
	items[dim] = *item;
	return b->route->lower->getitem(b, x, x->rank, items);
}

void
sf_aten_chunk(
    struct sf_build *b, struct sf_val *x, int dim, int n, struct sf_val **parts)
{
	for (int i = 0; i < n; i++)
		parts[i] =
		    sf_derive_narrow(&b->graph, x, dim, x->shape[dim] / n);
	sf_aten_add(b, b->route->aten->split, &x, 1, parts, n);
	sf_aten_query(b, x, n);
}

struct sf_val *
sf_aten_fold(struct sf_build *b, struct sf_val *x, struct sf_val *w)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { x->shape[0], x->shape[1], w->shape[0] };
	struct sf_val *t, *rows, *out;

	t = sf_derive_transpose(&b->graph, w, 0, 1);
	t->param = w->param;
	sf_aten_1(b, b->route->aten->t, w, t);
	sf_aten_query(b, w, 1);
	rows = l->reshape(
	    b, x, 2, (int64_t[]){ x->shape[0] * x->shape[1], x->shape[2] });
	out = sf_aten_2(b, "aten.mm", rows, t,
	    sf_val_new(&b->graph, x->dtype, 2,
		(int64_t[]){ rows->shape[0], w->shape[0] }));
	return sf_aten_1(b, b->route->aten->unsafe_view, out,
	    sf_val_new(&b->graph, x->dtype, 3, shape));
}

/* ---- types and items ---- */

struct sf_val *
sf_aten_to_dense(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	struct sf_val *out = b->route->lower->to_type(b, x, dtype);

	if (out == x && channels_last(x))
		out = sf_aten_to_copy(b, x, dtype);
	if (out != x)
		sf_stride_dense(out);
	return out;
}

struct sf_val *
sf_aten_to_like(struct sf_build *b, struct sf_val *x, struct sf_val *like)
{
	sf_aten_query(b, like, 1);
	return b->route->lower->to_type(b, x, like->dtype);
}

/* Core ATen's: the item is put where its number is. */
static struct sf_val *
core_put(struct sf_build *b, struct sf_val *x, struct sf_val *item, int dim)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[SF_VAL_RANK], n = x->shape[dim];
	struct sf_val *number, *in[3], *out;

	for (int i = 0; i < x->rank; i++)
		shape[i] = i == dim ? n : 1;
	number = l->view(b, l->arange(b, n), x->rank, shape);
	in[0] = l->number(b, SF_CALL_EQ, number, 0);
	in[1] = l->expand(b, l->unsqueeze(b, item, dim), x->rank, x->shape);
	in[2] = x;
	out = sf_val_new(&b->graph, x->dtype, x->rank, x->shape);
	sf_aten_add(b, "aten.where", in, 3, &out, 1);
	return out;
}

struct sf_val *
sf_aten_put_item(
    struct sf_build *b, struct sf_val *x, struct sf_val *item, int dim)
{
	if (b->route->aten->checks)
		return core_put(b, x, item, dim);
	return sf_aten_2(
	    b, "aten.select_scatter", x, item, sf_val_like(&b->graph, x));
}

struct sf_val *
sf_aten_set_item(
    struct sf_build *b, struct sf_val *x, int dim, struct sf_val *from)
{
	struct sf_val *item;

	sf_aten_query(b, x, 1);
	item = b->route->lower->select(b, x, dim);
	if (!b->route->aten->functional) {
		sf_aten_2(b, "aten.copy_", item, from, item);
		return x;
	}
	item =
	    sf_aten_2(b, "aten.copy", item, from, sf_val_like(&b->graph, item));
	return sf_aten_put_item(b, x, item, dim);
}
