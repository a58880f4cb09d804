/*
 * torch.onnx.export(dynamo=True, optimize=False) of torch 2.14 and onnxscript
 * 0.7: each call as the function of onnxscript's torchlib that stands for it.
 */
#include <math.h>

#include "base/die.h"
#include "base/num.h"
#include "model/derive.h"
#include "model/onnx-node.h"
#include "model/stride.h"

enum {
	MAX_PARTS = 3 /* of a split of these models */
};

static const char *const names[] = {
#define SF_CALL(id, aten, onnx) [SF_CALL_##id] = onnx,
#include "model/call.def"
#undef SF_CALL
};

/* ---- elementwise ---- */

static bool
is_comparison(enum sf_call call)
{
	return call == SF_CALL_EQ || call == SF_CALL_LE || call == SF_CALL_GE ||
	    call == SF_CALL_GT || call == SF_CALL_LT;
}

static struct sf_val *
cast(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	return sf_onnx_1(b, "onnx.Cast", x, sf_onnx_like(b, x, dtype));
}

static struct sf_val *
onnx_binary(
    struct sf_build *b, enum sf_call call, struct sf_val *x, struct sf_val *y)
{
	enum sf_dtype dtype = sf_derive_promote(x, y);
	struct sf_val *in[2];

	/* ONNX does not mix types. */
	if (x->dtype != dtype)
		x = cast(b, x, dtype);
	if (y->dtype != dtype)
		y = cast(b, y, dtype);
	in[0] = x;
	in[1] = y;
	if (is_comparison(call))
		dtype = SF_DT_B8;

	return sf_onnx_2(
	    b, names[call], x, y, sf_derive_broadcast(&b->graph, in, 2, dtype));
}

static struct sf_val *
onnx_unary(struct sf_build *b, enum sf_call call, struct sf_val *x)
{
	if (call == SF_CALL_RSQRT)
		return sf_onnx_same(
		    b, "onnx.Reciprocal", sf_onnx_same(b, "onnx.Sqrt", x));
	if (call == SF_CALL_SILU)
		return onnx_binary(
		    b, SF_CALL_MUL, x, sf_onnx_same(b, "onnx.Sigmoid", x));
	return sf_onnx_same(b, names[call], x);
}

static struct sf_val *
onnx_accumulate(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	return onnx_binary(b, SF_CALL_ADD, x, y);
}

/* A number of Python's as an operand for X. */
static struct sf_val *
operand(struct sf_build *b, struct sf_val *x, double number)
{
	struct sf_val *c;

	if (x->dtype == SF_DT_I64)
		return sf_onnx_int(b, sf_int_nearest(number));
	c = x->dtype == SF_DT_I32 ? sf_onnx_int(b, sf_int_nearest(number))
				  : sf_onnx_float(b, number);
	if (x->dtype == SF_DT_F32)
		return c;
	return sf_onnx_1(b, "onnx.Cast", c, sf_onnx_like(b, c, x->dtype));
}

static struct sf_val *
onnx_number(
    struct sf_build *b, enum sf_call call, struct sf_val *x, double number)
{
	if (call == SF_CALL_POW)
		return sf_onnx_2(b, names[call], x, sf_onnx_scalar(b, x->dtype),
		    sf_onnx_like(b, x, x->dtype));
	if (call == SF_CALL_NE) {
		x = onnx_binary(b, SF_CALL_EQ, x, operand(b, x, number));
		return sf_onnx_same(b, "onnx.Not", x);
	}
	/* Integers of Python's are what these models subtract. */
	if (call == SF_CALL_SUB && x->dtype != SF_DT_I64)
		return onnx_binary(b, call, x,
		    cast(b, sf_onnx_int(b, sf_int_nearest(number)), x->dtype));
	return onnx_binary(b, call, x, operand(b, x, number));
}

/*
 * torch.export checks what Tensor.to is given. The check leaves no node, but
 * what it looks at is translated and leaves its constants where it was.
 */
static struct sf_val *
onnx_to_type(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	sf_graph_hold(&b->graph, x);
	return x->dtype == dtype ? x : cast(b, x, dtype);
}

static struct sf_val *
onnx_to_device(struct sf_build *b, struct sf_val *x)
{
	sf_graph_hold(&b->graph, x);
	return x;
}

/* ---- shapes ---- */

static struct sf_val *
onnx_unsqueeze(struct sf_build *b, struct sf_val *x, int dim)
{
	return sf_onnx_2(b, "onnx.Unsqueeze", x, sf_onnx_list(b, dim),
	    sf_derive_unsqueeze(&b->graph, x, dim));
}

static struct sf_val *
onnx_transpose(struct sf_build *b, struct sf_val *x, int i, int j)
{
	return sf_onnx_1(
	    b, "onnx.Transpose", x, sf_derive_transpose(&b->graph, x, i, j));
}

static struct sf_val *
onnx_transpose_matrix(struct sf_build *b, struct sf_val *x)
{
	return onnx_transpose(b, x, 0, 1);
}

static struct sf_val *
onnx_expand(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	return sf_onnx_2(b, "onnx.Expand", x, sf_onnx_sizes(b, rank),
	    sf_derive_expand(&b->graph, x, rank, shape));
}

static struct sf_val *
reshape_to(struct sf_build *b, struct sf_val *x, struct sf_val *out)
{
	return sf_onnx_2(
	    b, "onnx.Reshape", x, sf_onnx_sizes(b, out->rank), out);
}

static struct sf_val *
onnx_view(struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_derive_view(&b->graph, x, rank, shape);

	if (out == NULL)
		sf_bug("a view that would have to copy");
	return reshape_to(b, x, out);
}

/* Tensor.clone, to a dense tensor. */
static struct sf_val *
clone(struct sf_build *b, struct sf_val *x)
{
	return sf_onnx_1(b, "onnx.Identity", x,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

static struct sf_val *
onnx_reshape(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_derive_view(&b->graph, x, rank, shape);

	if (out != NULL)
		return reshape_to(b, x, out);
	return onnx_view(b, clone(b, x), rank, shape);
}

static struct sf_val *
onnx_contiguous(struct sf_build *b, struct sf_val *x)
{
	return sf_stride_is_dense(x) ? x : clone(b, x);
}

/* aten.slice: each number is cast and made a list. */
static struct sf_val *
slice(struct sf_build *b, struct sf_val *x, int dim, int64_t from, int64_t to,
    int64_t size)
{
	int own = dim < 0 ? dim + x->rank : dim;
	struct sf_val *in[5] = { x }, *out;

	in[1] = sf_onnx_int_as_list(b, from);
	in[2] = sf_onnx_int_as_list(b, to);
	in[3] = sf_onnx_int_as_list(b, dim);
	in[4] = sf_onnx_new_list(b, 1);
	out = sf_derive_narrow(&b->graph, x, own, size);
	return sf_onnx_add(b, "onnx.Slice", in, 5, out);
}

/* Every other one from FROM on. */
static struct sf_val *
step(struct sf_build *b, struct sf_val *x, int dim, int64_t from)
{
	struct sf_val *in[5] = { x };

	in[1] = sf_onnx_int_as_list(b, from);
	in[2] = sf_onnx_int_as_list(b, INT64_MAX);
	in[3] = sf_onnx_int_as_list(b, dim);
	in[4] = sf_onnx_int_as_list(b, 2);
	return sf_onnx_add(
	    b, "onnx.Slice", in, 5, sf_derive_step(&b->graph, x, dim, from));
}

static struct sf_val *
index_item(
    struct sf_build *b, struct sf_val *x, int dim, const struct sf_item *item)
{
	int64_t n, at;

	if (item->kind == SF_ITEM_NEW)
		return onnx_unsqueeze(b, x, dim);
	n = x->shape[dim];
	at = item->at < n ? item->at : n;
	if (item->kind == SF_ITEM_STEP)
		return step(b, x, dim, at);
	if (item->kind == SF_ITEM_FROM && at != 0)
		return slice(b, x, dim, item->at, INT64_MAX, n - at);
	if (item->kind == SF_ITEM_TO && at != n)
		return slice(b, x, dim, 0, item->at, at);
	if (item->kind == SF_ITEM_LAST)
		return slice(b, x, dim, -item->at, INT64_MAX, at);
	if (item->kind == SF_ITEM_SPAN)
		return slice(b, x, dim, at, item->end, item->end - at);
	return x;
}

static struct sf_val *
onnx_getitem(
    struct sf_build *b, struct sf_val *x, int n, const struct sf_item *items)
{
	struct sf_val *out = x;

	for (int i = 0; i < n; i++)
		out = index_item(b, out, i, &items[i]);
	if (out == x)
		out =
		    sf_onnx_1(b, "onnx.Identity", x, sf_val_like(&b->graph, x));
	return out;
}

/* One of the two indices, broadcast, as a column of GatherND's. */
static struct sf_val *
index_column(struct sf_build *b, struct sf_val *index, struct sf_val *sizes,
    const struct sf_val *all)
{
	struct sf_val *x = sf_onnx_2(b, "onnx.Expand", index, sizes,
	    sf_derive_expand(&b->graph, index, all->rank, all->shape));

	return sf_onnx_2(b, "onnx.Unsqueeze", x, sf_onnx_list(b, -1),
	    sf_derive_unsqueeze(&b->graph, x, x->rank));
}

static struct sf_val *
onnx_index2(
    struct sf_build *b, struct sf_val *x, struct sf_val *i, struct sf_val *j)
{
	struct sf_graph *g = &b->graph;
	struct sf_val *in[] = { i, j }, *all, *sizes, *index;

	x = sf_onnx_1(b, "onnx.Transpose", x, sf_val_like(g, x));
	all = sf_derive_broadcast(g, in, 2, i->dtype);
	all = sf_onnx_2(b, "onnx.Max", i, j, all);
	sizes = sf_onnx_shape(b, all);
	i = index_column(b, i, sizes, all);
	j = index_column(b, j, sizes, all);
	index = sf_onnx_2(
	    b, "onnx.Concat", i, j, sf_derive_cat(g, i, j, i->rank - 1));
	all = sf_val_new(g, x->dtype, all->rank, all->shape);
	for (int k = 2; k < x->rank; k++)
		all->shape[all->rank++] = x->shape[k];
	sf_stride_dense(all);
	x = sf_onnx_2(b, "onnx.GatherND", x, index, all);
	return sf_onnx_1(b, "onnx.Transpose", x, sf_val_like(g, x));
}

static struct sf_val *
onnx_cat(struct sf_build *b, struct sf_val *x, struct sf_val *y, int dim)
{
	return sf_onnx_2(
	    b, "onnx.Concat", x, y, sf_derive_cat(&b->graph, x, y, dim));
}

static void
onnx_split(struct sf_build *b, struct sf_val *x, const int64_t *sizes, int n,
    struct sf_val **parts)
{
	struct sf_val *in[MAX_PARTS + 1] = { x };
	int64_t size = x->shape[x->rank - 1] / n;

	if (n > MAX_PARTS)
		sf_bug("a split into %d parts", n);
	for (int i = 0; i < n; i++)
		parts[i] = sf_derive_narrow(
		    &b->graph, x, x->rank - 1, sizes != NULL ? sizes[i] : size);
	in[1] =
	    sizes != NULL ? sf_onnx_list_of(b, n, sizes) : sf_onnx_int(b, size);
	/* A sequence stands in the trace as the tensors it holds. */
	sf_graph_add(&b->graph, "onnx.SplitToSequence", in, 2, parts, n);
	for (int i = 0; i < n; i++)
		in[i] = parts[i];
	for (int i = 0; i < n; i++) {
		in[n] = sf_onnx_int(b, i);
		parts[i] = sf_onnx_add(b, "onnx.SequenceAt", in, n + 1,
		    sf_val_like(&b->graph, in[i]));
	}
}

/* ---- making tensors ---- */

static struct sf_val *
onnx_arange(struct sf_build *b, int64_t n)
{
	struct sf_val *in[3];

	in[0] = sf_onnx_float(b, 0);
	in[1] = sf_onnx_int(b, n);
	in[0] = sf_onnx_2(b, "onnx.CastLike", in[0], in[1],
	    sf_onnx_like(b, in[0], SF_DT_I64));
	in[2] = sf_onnx_float(b, 1);
	in[2] = sf_onnx_2(b, "onnx.CastLike", in[2], in[1],
	    sf_onnx_like(b, in[2], SF_DT_I64));
	return sf_onnx_add(
	    b, "onnx.Range", in, 3, sf_val_new(&b->graph, SF_DT_I64, 1, &n));
}

static struct sf_val *
onnx_new_ones(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *one = sf_onnx_scalar(b, SF_DT_F32);

	(void)x;
	one = sf_onnx_2(b, "onnx.Expand", one, sf_onnx_empty_list(b),
	    sf_onnx_like(b, one, SF_DT_F32));
	return cast(b, one, SF_DT_B8);
}

/* ---- reductions ---- */

static struct sf_val *
onnx_mean_last(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *axes = sf_onnx_relist(b, sf_onnx_list(b, -1));

	return sf_onnx_2(
	    b, "onnx.ReduceMean", x, axes, sf_derive_last(&b->graph, x, 1));
}

static struct sf_val *
onnx_type_as(struct sf_build *b, struct sf_val *x, struct sf_val *to)
{
	return sf_onnx_2(
	    b, "onnx.CastLike", x, to, sf_onnx_like(b, x, to->dtype));
}

static struct sf_val *
onnx_gather(struct sf_build *b, struct sf_val *x, struct sf_val *ids)
{
	ids = cast(b, ids, SF_DT_I64);
	return sf_onnx_2(b, "onnx.GatherElements", x, ids,
	    sf_val_new(&b->graph, x->dtype, ids->rank, ids->shape));
}

static struct sf_val *
onnx_select_at(struct sf_build *b, struct sf_val *x, int dim, int64_t at)
{
	return sf_onnx_2(b, "onnx.Gather", x, sf_onnx_int(b, at),
	    sf_derive_select(&b->graph, x, dim));
}

static struct sf_val *
onnx_select(struct sf_build *b, struct sf_val *x, int dim)
{
	return onnx_select_at(b, x, dim, 0);
}

static struct sf_val *
onnx_cumsum(struct sf_build *b, struct sf_val *x, int dim)
{
	if (x->dtype != SF_DT_F32)
		x = cast(b, x, SF_DT_I64);
	return sf_onnx_2(b, "onnx.CumSum", x, sf_onnx_int(b, dim),
	    sf_onnx_like(b, x, x->dtype));
}

static struct sf_val *
onnx_diff_last(struct sf_build *b, struct sf_val *x, struct sf_val *prepend)
{
	struct sf_val *all = onnx_cat(b, prepend, x, -1), *low;
	int64_t n = all->shape[all->rank - 1];

	low = slice(b, all, -1, 0, n - 1, n - 1);
	return onnx_binary(b, SF_CALL_SUB, slice(b, all, -1, 1, n, n - 1), low);
}

/* A weight for a norm that has none, which the exporter must give it. */
static struct sf_val *
ones_of_width(struct sf_build *b, struct sf_val *x, int64_t width)
{
	struct sf_val *one = sf_onnx_scalar(b, x->dtype);
	struct sf_val *shape =
	    sf_onnx_1(b, "onnx.Shape", x, sf_onnx_ints(b, 1));

	return sf_onnx_2(b, "onnx.Expand", one, shape,
	    sf_val_new(&b->graph, x->dtype, 1, &width));
}

static struct sf_val *
onnx_layer_norm(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias)
{
	struct sf_val *in[] = { x, weight, bias };
	int64_t width = x->shape[x->rank - 1];

	if (weight == NULL)
		in[1] = ones_of_width(b, x, width);
	return sf_onnx_add(b, "onnx.LayerNormalization", in,
	    bias == NULL ? 2 : 3,
	    sf_derive_last(&b->graph, x, x->shape[x->rank - 1]));
}

/* ---- products ---- */

static struct sf_val *
onnx_embedding(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	return sf_onnx_2(b, "onnx.Gather", table, ids,
	    sf_derive_rows(&b->graph, table, ids));
}

static struct sf_val *
onnx_matmul(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	return sf_onnx_2(
	    b, "onnx.MatMul", x, y, sf_derive_matmul(&b->graph, x, y));
}

static struct sf_val *
onnx_linear(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias)
{
	struct sf_val *in[] = { x, weight, bias };

	if (x->rank == 2)
		return sf_onnx_add(b, "onnx.Gemm", in, bias != NULL ? 3 : 2,
		    sf_derive_last(&b->graph, x, weight->shape[0]));
	x = onnx_matmul(b, x, onnx_transpose(b, weight, 0, 1));
	return bias == NULL ? x : onnx_binary(b, SF_CALL_ADD, x, bias);
}

static struct sf_val *
onnx_addmm(struct sf_build *b, struct sf_val *bias, struct sf_val *x,
    struct sf_val *weight)
{
	struct sf_val *in[] = { x, weight, bias };

	return sf_onnx_add(
	    b, "onnx.Gemm", in, 3, sf_derive_matmul(&b->graph, x, weight));
}

static const struct sf_decomposition lowering = {
	.unary = onnx_unary,
	.number = onnx_number,
	.binary = onnx_binary,
	.embedding = onnx_embedding,
	.linear = onnx_linear,
	.addmm = onnx_addmm,
	.matmul = onnx_matmul,
	.attention = sf_onnx_made_attention,
	.layer_norm = onnx_layer_norm,
	.mean_last = onnx_mean_last,
	.mean_dim = sf_onnx_made_mean_dim,
	.length_last = sf_onnx_made_length_last,
	.sum = sf_onnx_made_sum,
	.convolution = sf_onnx_made_convolution,
	.argmax_last = sf_onnx_made_argmax_last,
	.unbind = sf_onnx_made_unbind,
	.unbind_at = sf_onnx_made_unbind_at,
	.whole_number = sf_onnx_made_whole_number,
	.true_divide = sf_onnx_made_true_divide,
	.at_most = sf_onnx_made_at_most,
	.where_else = sf_onnx_made_where_else,
	.whole_range = sf_onnx_made_whole_range,
	.zeros = sf_onnx_made_zeros,
	.last_first = sf_onnx_made_last_first,
	.repeat_rows = sf_onnx_made_repeat_rows,
	.repeat_first = sf_onnx_made_repeat_first,
	.split_rows = sf_onnx_made_split_rows,
	.squeeze = sf_onnx_made_squeeze,
	.bmm = onnx_matmul,
	.clamp_within = sf_onnx_made_clamp_within,
	.cumsum = onnx_cumsum,
	.type_as = onnx_type_as,
	.gather = onnx_gather,
	.select = onnx_select,
	.select_at = onnx_select_at,
	.diff_last = onnx_diff_last,
	.arange = onnx_arange,
	.ones = sf_onnx_made_ones,
	.new_ones = onnx_new_ones,
	.to_type = onnx_to_type,
	.to_device = onnx_to_device,
	.view = onnx_view,
	.reshape = onnx_reshape,
	.expand = onnx_expand,
	.unsqueeze = onnx_unsqueeze,
	.transpose = onnx_transpose,
	.transpose_matrix = onnx_transpose_matrix,
	.contiguous = onnx_contiguous,
	.cat = onnx_cat,
	.cat_all = sf_onnx_made_cat_all,
	.getitem = onnx_getitem,
	.stack = sf_onnx_made_stack,
	.repeat_last = sf_onnx_made_repeat_last,
	.index2 = onnx_index2,
	.split = onnx_split,
	.permute = onnx_transpose,
	.constant = sf_onnx_constant,
	.where = sf_onnx_where,
	.index = sf_onnx_made_index,
	.accumulate = onnx_accumulate,
	.number_mask = sf_onnx_number_mask,
	.scale_in_place = sf_onnx_scale,
	.softmax = sf_onnx_softmax,
};

const struct sf_route sf_route_onnx = {
	.name = "onnx",
	.lower = &lowering,
	.tracing = true,
	.exporting = true,
	.pruned = true,
};
