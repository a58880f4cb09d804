/* Calls that a few models make, as ATen's dispatcher sees them. */
#include "model/lower-aten-more.h"

#include <string.h>

#include "model/derive.h"
#include "model/stride.h"

struct sf_val *
sf_aten_each(struct sf_build *b, const char *op, struct sf_val *x)
{
	return sf_aten_1(b, op, x, sf_aten_like(b, x, x->dtype));
}

struct sf_val *
sf_aten_not(struct sf_build *b, struct sf_val *x)
{
	sf_aten_query(b, x, 1);
	return sf_aten_each(b, "aten.bitwise_not", x);
}

struct sf_val *
sf_aten_type(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	sf_aten_query(b, x, 1);
	return b->route->lower->to_type(b, x, dtype);
}

/* A constructor of Python's, which Core ATen has as full_like. */
static struct sf_val *
like(struct sf_build *b, const char *op, struct sf_val *x)
{
	const struct sf_aten *aten = b->route->aten;

	x = sf_aten_each(b, aten->checks ? "aten.full_like" : op, x);
	return aten->detaches
	    ? sf_aten_1(b, "aten.detach", x, sf_val_like(&b->graph, x))
	    : x;
}

struct sf_val *
sf_aten_zeros_like(struct sf_build *b, struct sf_val *x)
{
	return like(b, "aten.zeros_like", x);
}

struct sf_val *
sf_aten_ones_like(struct sf_build *b, struct sf_val *x)
{
	return like(b, "aten.ones_like", x);
}

struct sf_val *
sf_aten_polar(struct sf_build *b, struct sf_val *size, struct sf_val *angle)
{
	return sf_aten_2(
	    b, "aten.polar", size, angle, sf_aten_like(b, size, SF_DT_C64));
}

struct sf_val *
sf_aten_as_complex(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out = sf_derive_select(&b->graph, x, x->rank - 1);

	out->dtype = SF_DT_C64;
	for (int i = 0; i < out->rank; i++)
		out->stride[i] /= 2;
	return sf_aten_1(b, "aten.view_as_complex", x, out);
}

struct sf_val *
sf_aten_as_real(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out = sf_derive_unsqueeze(&b->graph, x, x->rank);

	out->dtype = SF_DT_F32;
	out->shape[x->rank] = 2;
	for (int i = 0; i < x->rank; i++)
		out->stride[i] *= 2;
	out->stride[x->rank] = 1;
	return sf_aten_1(b, "aten.view_as_real", x, out);
}

struct sf_val *
sf_aten_max(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out[2];

	out[0] = sf_val_new(&b->graph, x->dtype, x->rank - 1, x->shape);
	out[1] = sf_val_new(&b->graph, SF_DT_I64, x->rank - 1, x->shape);
	sf_aten_add(b, "aten.max", &x, 1, out, 2);
	return out[0];
}

struct sf_val *
sf_aten_squeeze(struct sf_build *b, struct sf_val *x, int dim)
{
	struct sf_val *out =
	    sf_derive_select(&b->graph, x, dim < 0 ? dim + x->rank : dim);

	out->param = x->param;
	sf_aten_1(b, "aten.squeeze", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

struct sf_val *
sf_aten_masked_fill(struct sf_build *b, struct sf_val *x, struct sf_val *mask)
{
	struct sf_val *out;

	if (b->route->aten->checks) {
		out = sf_aten_make(b, "aten.scalar_tensor",
		    sf_val_new(&b->graph, x->dtype, 0, NULL));
		out = sf_aten_where(b, mask, out, x);
		return sf_stride_is_dense(out) ? out : sf_aten_clone(b, out);
	}
	out = sf_derive_broadcast(
	    &b->graph, (struct sf_val *[]){ x, mask }, 2, x->dtype);
	sf_stride_dense(out);
	return sf_aten_2(b, "aten.masked_fill", x, mask, out);
}

struct sf_val *
sf_aten_scatter(
    struct sf_build *b, struct sf_val *x, struct sf_val *ids, bool in_place)
{
	if (in_place && !b->route->aten->functional)
		return sf_aten_2(b, "aten.scatter_", x, ids, x);
	return sf_aten_2(b, "aten.scatter", x, ids,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

struct sf_val *
sf_aten_scatter_from(struct sf_build *b, struct sf_val *x, struct sf_val *ids,
    struct sf_val *from)
{
	struct sf_val *in[] = { x, ids, from }, *out = x;
	bool functional = b->route->aten->functional;

	if (functional)
		out = sf_val_new(&b->graph, x->dtype, x->rank, x->shape);
	sf_aten_add(
	    b, functional ? "aten.scatter" : "aten.scatter_", in, 3, &out, 1);
	return out;
}

struct sf_val *
sf_aten_full_like(struct sf_build *b, struct sf_val *x)
{
	return like(b, "aten.full_like", x);
}

struct sf_val *
sf_aten_repeat(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	return sf_aten_1(
	    b, "aten.repeat", x, sf_val_new(&b->graph, x->dtype, rank, shape));
}

struct sf_val *
sf_aten_repeat_rows(struct sf_build *b, struct sf_val *x, int64_t times)
{
	return sf_aten_repeat(
	    b, x, 2, (int64_t[]){ times * x->shape[0], x->shape[1] });
}

struct sf_val *
sf_aten_new_empty(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_val_new(&b->graph, x->dtype, rank, shape);

	if (b->route->aten->checks)
		return sf_aten_make(b, "aten.empty", out);
	return sf_aten_1(b, "aten.new_empty", x, out);
}

struct sf_val *
sf_aten_new_ones_of(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype,
    int rank, const int64_t *shape)
{
	struct sf_val *out = sf_val_new(&b->graph, dtype, rank, shape);

	if (b->route->aten->checks)
		return sf_aten_make(b, "aten.full", out);
	return sf_aten_1(b, "aten.new_ones", x, out);
}

struct sf_val *
sf_aten_new_full(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype,
    int rank, const int64_t *shape)
{
	struct sf_val *out = sf_val_new(&b->graph, dtype, rank, shape);

	if (b->route->aten->checks)
		return sf_aten_make(b, "aten.full", out);
	return sf_aten_1(b, "aten.new_full", x, out);
}

struct sf_val *
sf_aten_copy_into(struct sf_build *b, struct sf_val *x,
    const struct sf_item *item, struct sf_val *from)
{
	struct sf_item items[SF_VAL_RANK];
	struct sf_val *part;

	for (int i = 0; i < x->rank; i++)
		items[i] = (struct sf_item)SF_ALL;
	items[x->rank - 1] = *item;
	part = b->route->lower->getitem(b, x, x->rank, items);
	if (!b->route->aten->functional) {
		sf_aten_query(b, part, 1);
		sf_aten_2(b, "aten.copy_", part, from, part);
		return x;
	}
	part =
	    sf_aten_2(b, "aten.copy", part, from, sf_val_like(&b->graph, part));
	return sf_aten_2(
	    b, "aten.slice_scatter", x, part, sf_val_like(&b->graph, x));
}

/* Matrices of X, as many as OUT has, as one batch. */
static struct sf_val *
batch_as(struct sf_build *b, struct sf_val *x, const struct sf_val *out)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[SF_VAL_RANK];
	int n = x->rank;
	int64_t three[] = { 1, x->shape[n - 2], x->shape[n - 1] };

	memcpy(shape, out->shape, sizeof shape);
	shape[n - 2] = three[1];
	shape[n - 1] = three[2];
	for (int i = 0; i < n - 2; i++)
		three[0] *= shape[i];
	return l->reshape(b, l->expand(b, x, n, shape), 3, three);
}

struct sf_val *
sf_aten_matmul(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const char *view = b->route->aten->bmm_view;
	int n = x->rank;
	struct sf_val *out = sf_derive_broadcast(
			  &b->graph, (struct sf_val *[]){ x, y }, 2, x->dtype),
		      *product;

	out->shape[n - 2] = x->shape[n - 2];
	out->shape[n - 1] = y->shape[n - 1];
	out = sf_val_new(&b->graph, x->dtype, n, out->shape);
	x = batch_as(b, x, out);
	y = batch_as(b, y, out);
	product = sf_val_new(&b->graph, x->dtype, 3,
	    (int64_t[]){ x->shape[0], x->shape[1], y->shape[2] });
	product = sf_aten_2(b, "aten.bmm", x, y, product);
	if (strcmp(view, "aten.view") == 0)
		return b->route->lower->view(b, product, n, out->shape);
	return sf_aten_1(b, view, product, out);
}

struct sf_val *
sf_aten_product(struct sf_build *b, struct sf_val *x, struct sf_val *w)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t width = x->shape[x->rank - 1], shape[SF_VAL_RANK];
	int64_t product[] = { sf_val_numel(x) / width, w->shape[0] };
	struct sf_val *out;

	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] = w->shape[0];
	w = l->permute(b, w, 0, 1);
	out = l->reshape(b, x, 2, (int64_t[]){ product[0], width });
	out = sf_aten_2(
	    b, "aten.mm", out, w, sf_val_new(&b->graph, x->dtype, 2, product));
	return sf_aten_1(b, b->route->aten->unsafe_view, out,
	    sf_val_new(&b->graph, x->dtype, x->rank, shape));
}

struct sf_val *
sf_aten_pick(struct sf_build *b, struct sf_val *x, int dim)
{
	struct sf_val *in[SF_VAL_RANK] = { x }, *index, *out;

	sf_aten_query(b, x, 3);
	index = sf_val_new(&b->graph, SF_DT_I64, 1, (int64_t[]){ 1 });
	index->fixed = true;
	if (b->route->aten->queries)
		index = sf_aten_1(b, "aten.lift_fresh", index,
		    sf_val_new(&b->graph, SF_DT_I64, 1, index->shape));
	in[dim + 1] = index;
	out = sf_derive_narrow(&b->graph, x, dim, 1);
	sf_stride_dense(out);
	sf_aten_add(b, "aten.index", in, dim + 2, &out, 1);
	return out;
}

/* What the product of two batches of matrices is like. */
static struct sf_val *
product_of(struct sf_build *b, const struct sf_val *x, const struct sf_val *y)
{
	return sf_val_new(&b->graph, x->dtype, 3,
	    (int64_t[]){ x->shape[0], x->shape[1], y->shape[2] });
}

struct sf_val *
sf_aten_bmm(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	return sf_aten_2(b, "aten.bmm", x, y, product_of(b, x, y));
}

struct sf_val *
sf_aten_baddbmm(
    struct sf_build *b, struct sf_val *bias, struct sf_val *x, struct sf_val *y)
{
	struct sf_val *in[] = { bias, x, y }, *out = product_of(b, x, y);

	if (b->route->aten->checks) {
		out = sf_aten_2(b, "aten.bmm", x, y, out);
		out = sf_aten_each(b, "aten.mul", out);
		return b->route->lower->binary(b, SF_CALL_ADD, bias, out);
	}
	sf_aten_add(b, "aten.baddbmm", in, 3, &out, 1);
	return out;
}

void
sf_aten_split_rows(struct sf_build *b, struct sf_val *x, const int64_t *sizes,
    int n, struct sf_val **parts)
{
	for (int i = 0; i < n; i++) {
		parts[i] = sf_derive_narrow(&b->graph, x, 0, sizes[i]);
		/* A graph's list of tensors is no view. */
		parts[i]->param = x->param && !b->route->pruned;
	}
	sf_aten_add(b, "aten.split_with_sizes", &x, 1, parts, n);
	sf_aten_query(b, x, n);
}

struct sf_val *
sf_aten_repeat_first(struct sf_build *b, struct sf_val *x, int64_t times)
{
	int64_t shape[SF_VAL_RANK];

	memcpy(shape, x->shape, sizeof shape);
	shape[0] = times;
	return sf_aten_repeat(b, x, x->rank, shape);
}
