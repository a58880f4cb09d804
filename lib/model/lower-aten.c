/* Calls to ATen operators, as PyTorch's dispatcher takes them apart. */
#include "model/lower-aten.h"
#include "model/lower-aten-more.h"

#include <string.h>

#include "base/die.h"
#include "model/derive.h"
#include "model/fuse.h"
#include "model/stride.h"

static const char *const names[] = {
#define SF_CALL(id, aten, onnx) [SF_CALL_##id] = aten,
#include "model/call.def"
#undef SF_CALL
};

void
sf_aten_add(struct sf_build *b, const char *op, struct sf_val *const *in,
    int nin, struct sf_val *const *out, int nout)
{
	sf_graph_add(&b->graph, op, in, nin, out, nout);
}

struct sf_val *
sf_aten_1(
    struct sf_build *b, const char *op, struct sf_val *x, struct sf_val *out)
{
	sf_aten_add(b, op, &x, 1, &out, 1);
	return out;
}

struct sf_val *
sf_aten_2(struct sf_build *b, const char *op, struct sf_val *x,
    struct sf_val *y, struct sf_val *out)
{
	sf_aten_add(b, op, (struct sf_val *[]){ x, y }, 2, &out, 1);
	return out;
}

void
sf_aten_query(struct sf_build *b, struct sf_val *x, int times)
{
	for (int i = 0; i < times && b->route->aten->queries; i++)
		sf_aten_add(b, "prim.device", &x, 1, NULL, 0);
}

/* ---- views ---- */

/* A view of X is a parameter when X is. */
static struct sf_val *
view_of(
    struct sf_build *b, const char *op, struct sf_val *x, struct sf_val *out)
{
	out->param = x->param;
	sf_aten_1(b, op, x, out);
	sf_aten_query(b, x, 1);
	return out;
}

static struct sf_val *
transpose(struct sf_build *b, const char *op, struct sf_val *x, int i, int j)
{
	return view_of(b, op, x, sf_derive_transpose(&b->graph, x, i, j));
}

static struct sf_val *
aten_transpose(struct sf_build *b, struct sf_val *x, int i, int j)
{
	return transpose(b, b->route->aten->transpose, x, i, j);
}

static struct sf_val *
aten_transpose_matrix(struct sf_build *b, struct sf_val *x)
{
	return transpose(b, b->route->aten->t, x, 0, 1);
}

static struct sf_val *
aten_unsqueeze(struct sf_build *b, struct sf_val *x, int dim)
{
	return view_of(
	    b, "aten.unsqueeze", x, sf_derive_unsqueeze(&b->graph, x, dim));
}

static struct sf_val *
slice(struct sf_build *b, struct sf_val *x, int dim, int64_t size)
{
	return view_of(
	    b, "aten.slice", x, sf_derive_narrow(&b->graph, x, dim, size));
}

static struct sf_val *
aten_expand(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	return view_of(
	    b, "aten.expand", x, sf_derive_expand(&b->graph, x, rank, shape));
}

static struct sf_val *
aten_view(struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_derive_view(&b->graph, x, rank, shape);

	if (out == NULL && b->route->fuses)
		out = sf_val_new(&b->graph, x->dtype, rank, shape);
	if (out == NULL)
		sf_bug("a view that would have to copy");
	return view_of(b, "aten.view", x, out);
}

/* Of a tensor that nobody else holds; no view for autograd. */
static struct sf_val *
fresh_view(struct sf_build *b, const char *op, struct sf_val *x, int rank,
    const int64_t *shape)
{
	struct sf_val *out = sf_val_new(&b->graph, x->dtype, rank, shape);

	if (strcmp(op, "aten.view") == 0)
		return view_of(b, op, x, out);
	return sf_aten_1(b, op, x, out);
}

struct sf_val *
sf_aten_clone(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.clone", x,
	    sf_val_new(&b->graph, x->dtype, x->rank, x->shape));
}

static struct sf_val *
aten_reshape(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	struct sf_val *out = sf_derive_view(&b->graph, x, rank, shape);

	/* Kernels of the route gpu read what lies apart. */
	if (out == NULL && b->route->fuses)
		out = sf_val_new(&b->graph, x->dtype, rank, shape);
	if (out == NULL)
		return fresh_view(b, b->route->aten->unsafe_view,
		    sf_aten_clone(b, x), rank, shape);
	/* Is it of XLA, lazy, of an IPU? */
	if (!sf_stride_is_dense(x))
		sf_aten_query(b, x, 3);
	return view_of(b, "aten.view", x, out);
}

static struct sf_val *
aten_contiguous(struct sf_build *b, struct sf_val *x)
{
	if (sf_stride_is_dense(x) || b->route->fuses)
		return x;
	sf_aten_query(b, x, 1);
	return sf_aten_clone(b, x);
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* x[item] in dimension DIM; Python leaves out a slice that is all of it. */
static struct sf_val *
index_item(
    struct sf_build *b, struct sf_val *x, int dim, const struct sf_item *item)
{
	int64_t n, at;

	if (item->kind == SF_ITEM_NEW)
		return aten_unsqueeze(b, x, dim);
	n = x->shape[dim];
	at = least(item->at, n);
	if (item->kind == SF_ITEM_FROM && at != 0)
		return slice(b, x, dim, n - at);
	if (item->kind == SF_ITEM_TO && at != n)
		return slice(b, x, dim, at);
	if (item->kind == SF_ITEM_LAST)
		return slice(b, x, dim, at);
	if (item->kind == SF_ITEM_SPAN)
		return slice(b, x, dim, item->end - at);
	if (item->kind == SF_ITEM_STEP)
		return view_of(
		    b, "aten.slice", x, sf_derive_step(&b->graph, x, dim, at));
	return x;
}

static struct sf_val *
aten_getitem(
    struct sf_build *b, struct sf_val *x, int n, const struct sf_item *items)
{
	struct sf_val *out = x;

	sf_aten_query(b, x, 2);
	for (int i = 0; i < n; i++)
		out = index_item(b, out, i, &items[i]);
	if (out == x)
		out = view_of(b, "aten.alias", x, sf_val_like(&b->graph, x));
	return out;
}

static void
aten_split(struct sf_build *b, struct sf_val *x, const int64_t *sizes, int n,
    struct sf_val **parts)
{
	for (int i = 0; i < n; i++) {
		parts[i] = sf_val_like(&b->graph, x);
		parts[i]->shape[x->rank - 1] =
		    sizes != NULL ? sizes[i] : x->shape[x->rank - 1] / n;
		/* A graph's list of tensors is no view. */
		parts[i]->param = x->param && !b->route->pruned;
	}
	sf_aten_add(b,
	    sizes != NULL ? "aten.split_with_sizes" : b->route->aten->split, &x,
	    1, parts, n);
	sf_aten_query(b, x, n);
}

/* ---- elementwise ---- */

struct sf_val *
sf_aten_like(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	return sf_derive_elementwise(&b->graph, x, dtype);
}

static bool
is_comparison(enum sf_call call)
{
	return call == SF_CALL_NE || call == SF_CALL_EQ || call == SF_CALL_LE ||
	    call == SF_CALL_LT || call == SF_CALL_GE || call == SF_CALL_GT;
}

struct sf_val *
sf_aten_silu(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.silu", x, sf_aten_like(b, x, x->dtype));
}

static struct sf_val *
aten_unary(struct sf_build *b, enum sf_call call, struct sf_val *x)
{
	if (call == SF_CALL_SILU)
		return b->route->aten->silu(b, x);
	return sf_aten_1(b, names[call], x, sf_aten_like(b, x, x->dtype));
}

static struct sf_val *
aten_number(
    struct sf_build *b, enum sf_call call, struct sf_val *x, double number)
{
	(void)number;
	return sf_aten_1(b, names[call], x,
	    sf_aten_like(b, x, is_comparison(call) ? SF_DT_B8 : x->dtype));
}

static struct sf_val *
aten_binary(
    struct sf_build *b, enum sf_call call, struct sf_val *x, struct sf_val *y)
{
	enum sf_dtype dtype =
	    is_comparison(call) ? SF_DT_B8 : sf_derive_promote(x, y);

	return sf_aten_2(b, names[call], x, y,
	    sf_derive_broadcast(
		&b->graph, (struct sf_val *[]){ x, y }, 2, dtype));
}

struct sf_val *
sf_aten_where(struct sf_build *b, struct sf_val *condition, struct sf_val *x,
    struct sf_val *y)
{
	struct sf_val *in[] = { condition, x, y };
	struct sf_val *out = sf_derive_broadcast(&b->graph, in, 3, x->dtype);

	sf_aten_add(b, "aten.where", in, 3, &out, 1);
	return out;
}

struct sf_val *
sf_aten_to_copy(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	return sf_aten_1(b, "aten._to_copy", x, sf_aten_like(b, x, dtype));
}

/* A call of Tensor.to, before it does anything. */
static void
check_to(struct sf_build *b, struct sf_val *x)
{
	if (!b->route->aten->checks)
		return;
	sf_aten_add(b, "aten._assert_tensor_metadata", &x, 1, NULL, 0);
	b->graph.last->effect = true;
}

static struct sf_val *
aten_to_type(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	check_to(b, x);
	if (x->dtype != dtype)
		return sf_aten_to_copy(b, x, dtype);
	sf_aten_query(b, x, 1);
	return x;
}

static struct sf_val *
aten_to_device(struct sf_build *b, struct sf_val *x)
{
	check_to(b, x);
	sf_aten_query(b, x, 2);
	return x;
}

/* ---- making tensors ---- */

struct sf_val *
sf_aten_new_ones(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(
	    b, "aten.new_ones", x, sf_val_new(&b->graph, SF_DT_B8, 0, NULL));
}

static struct sf_val *
aten_new_ones(struct sf_build *b, struct sf_val *x)
{
	return b->route->aten->new_ones(b, x);
}

/* A constant of Python's, which comes out as the tensor that went in. */
static struct sf_val *
aten_lift(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.lift_fresh", x, x);
}

static struct sf_val *
aten_move(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_to_copy(b, x, x->dtype);
}

static struct sf_val *
aten_cat(struct sf_build *b, struct sf_val *x, struct sf_val *y, int dim)
{
	return sf_aten_2(
	    b, "aten.cat", x, y, sf_derive_cat(&b->graph, x, y, dim));
}

static struct sf_val *
aten_embedding(struct sf_build *b, struct sf_val *table, struct sf_val *ids)
{
	return sf_aten_2(b, "aten.embedding", table, ids,
	    sf_derive_rows(&b->graph, table, ids));
}

/* ---- reductions ---- */

static struct sf_val *
aten_select(struct sf_build *b, struct sf_val *x, int dim)
{
	sf_aten_query(b, x, 2);
	return view_of(
	    b, "aten.select", x, sf_derive_select(&b->graph, x, dim));
}

static struct sf_val *
aten_select_at(struct sf_build *b, struct sf_val *x, int dim, int64_t at)
{
	(void)at; /* which one it is leaves no trace */
	return aten_select(b, x, dim);
}

/* torch.diff along the last dimension. */
static struct sf_val *
aten_diff_last(struct sf_build *b, struct sf_val *x, struct sf_val *prepend)
{
	int dim = x->rank - 1;
	struct sf_val *all = aten_cat(b, prepend, x, dim);
	int64_t n = all->shape[dim];
	struct sf_val *low = slice(b, all, dim, n - 1);
	struct sf_val *high = slice(b, all, dim, n - 1);

	return aten_binary(b, SF_CALL_SUB, high, low);
}

/* ---- products ---- */

static struct sf_val *
aten_addmm(struct sf_build *b, struct sf_val *bias, struct sf_val *x,
    struct sf_val *weight)
{
	struct sf_val *in[] = { bias, x, weight };
	struct sf_val *out = sf_val_new(&b->graph, x->dtype, 2,
	    (int64_t[]){ x->shape[0], weight->shape[1] });

	sf_aten_add(b, "aten.addmm", in, 3, &out, 1);
	return out;
}

/* All dimensions but the last made one. */
static struct sf_val *
flatten_rows(struct sf_build *b, struct sf_val *x)
{
	int64_t width = x->shape[x->rank - 1], rows = 1;

	for (int i = 0; i < x->rank - 1; i++)
		rows *= x->shape[i];
	return aten_reshape(b, x, 2, (int64_t[]){ rows, width });
}

/* The same of rows that may have to be copied. */
static struct sf_val *
merge_rows(struct sf_build *b, struct sf_val *x)
{
	int64_t width = x->shape[x->rank - 1];

	if (sf_stride_is_dense(x))
		return flatten_rows(b, x);
	return aten_reshape(
	    b, x, 2, (int64_t[]){ sf_val_numel(x) / width, width });
}

/* A batch of matrices as one tensor of three dimensions. */
static struct sf_val *
batch_of(struct sf_build *b, struct sf_val *x)
{
	int64_t shape[3] = { 1, x->shape[x->rank - 2], x->shape[x->rank - 1] };

	for (int i = 0; i < x->rank - 2; i++)
		shape[0] *= x->shape[i];
	x = aten_expand(b, x, x->rank, x->shape);
	return aten_reshape(b, x, 3, shape);
}

/* True where rows of a batch may be made those of one matrix: see ATen's
 * should_fold, of weights that need no gradients. */
static bool
may_fold(const struct sf_val *x)
{
	if (sf_stride_is_dense(x))
		return true;
	for (int i = 0; i < x->rank - 2; i++)
		if (x->stride[i] != x->stride[i + 1] * x->shape[i + 1])
			return false;
	return true;
}

/* X times the matrix W, which is the same for each of the batch. */
static struct sf_val *
multiply_batches(struct sf_build *b, struct sf_val *x, struct sf_val *w)
{
	struct sf_val *bx = batch_of(b, x), *all, *out;
	int64_t shape[] = { x->shape[0], w->shape[0], w->shape[1] };

	all = sf_derive_unsqueeze(&b->graph, w, 0);
	all = sf_derive_expand(&b->graph, all, 3, shape);
	w = aten_view(b, view_of(b, "aten.expand", w, all), 3, shape);
	shape[1] = x->shape[1];
	out = sf_aten_2(
	    b, "aten.bmm", bx, w, sf_val_new(&b->graph, x->dtype, 3, shape));
	return fresh_view(b, b->route->aten->bmm_view, out, 3, shape);
}

static struct sf_val *
aten_linear(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias)
{
	struct sf_val *t, *rows, *out;
	int64_t shape[SF_VAL_RANK];

	if (b->route->aten->whole_linear)
		return sf_fuse_linear(b, x, weight, bias);
	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] = weight->shape[0];
	if (bias != NULL && x->rank != 2)
		sf_aten_query(b, x, 1);
	if (bias != NULL && x->rank == 3 && !sf_stride_is_dense(x))
		return aten_binary(
		    b, SF_CALL_ADD, aten_linear(b, x, weight, NULL), bias);
	if (bias != NULL) {
		rows = x->rank == 2 ? x : flatten_rows(b, x);
		t = transpose(b, b->route->aten->t, weight, 0, 1);
		out = aten_addmm(b, bias, rows, t);
		return x->rank == 2 ? out : aten_view(b, out, x->rank, shape);
	}
	t = transpose(b, b->route->aten->t, weight, 0, 1);
	if (b->route->exporting && !may_fold(x))
		return multiply_batches(b, x, t);
	rows = x->rank == 2 ? x : merge_rows(b, x);
	out = sf_aten_2(b, "aten.mm", rows, t,
	    sf_val_new(&b->graph, x->dtype, 2,
		(int64_t[]){ rows->shape[0], weight->shape[0] }));
	if (x->rank == 2)
		return out;
	return fresh_view(b, b->route->aten->unsafe_view, out, x->rank, shape);
}

/* torch.matmul of tensors that have the same dimensions, two to four. */
static struct sf_val *
aten_matmul(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	struct sf_val *bx, *by, *out;
	int64_t shape[SF_VAL_RANK];

	if (x->rank == 2)
		return sf_aten_2(
		    b, "aten.mm", x, y, sf_derive_matmul(&b->graph, x, y));
	bx = batch_of(b, x);
	by = batch_of(b, y);
	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] = y->shape[y->rank - 1];
	out = sf_aten_2(b, "aten.bmm", bx, by,
	    sf_val_new(&b->graph, x->dtype, 3,
		(int64_t[]){ bx->shape[0], bx->shape[1], by->shape[2] }));
	return fresh_view(b, b->route->aten->bmm_view, out, x->rank, shape);
}

const struct sf_decomposition sf_decomposition_aten = {
	.unary = aten_unary,
	.number = aten_number,
	.binary = aten_binary,
	.embedding = aten_embedding,
	.linear = aten_linear,
	.addmm = aten_addmm,
	.matmul = aten_matmul,
	.attention = sf_aten_attention,
	.layer_norm = sf_aten_layer_norm,
	.mean_last = sf_aten_mean_last,
	.mean_dim = sf_aten_mean_dim,
	.length_last = sf_aten_length_last,
	.convolution = sf_aten_convolution,
	.argmax_last = sf_aten_argmax_last,
	.unbind = sf_aten_unbind,
	.unbind_at = sf_aten_unbind_at,
	.whole_number = aten_number,
	.true_divide = sf_aten_true_divide,
	.at_most = sf_aten_at_most,
	.where_else = sf_aten_where_else,
	.whole_range = sf_aten_arange,
	.zeros = sf_aten_zeros,
	.last_first = sf_aten_last_first,
	.repeat_rows = sf_aten_repeat_rows,
	.repeat_first = sf_aten_repeat_first,
	.split_rows = sf_aten_split_rows,
	.squeeze = sf_aten_squeeze,
	.bmm = sf_aten_bmm,
	.clamp_within = sf_aten_clamp_within,
	.cumsum = sf_aten_cumsum,
	.type_as = sf_aten_type_as,
	.gather = sf_aten_gather,
	.select = aten_select,
	.select_at = aten_select_at,
	.diff_last = aten_diff_last,
	.arange = sf_aten_arange,
	.ones = sf_aten_ones,
	.new_ones = aten_new_ones,
	.lift = aten_lift,
	.move = aten_move,
	.to_type = aten_to_type,
	.to_device = aten_to_device,
	.view = aten_view,
	.reshape = aten_reshape,
	.expand = aten_expand,
	.unsqueeze = aten_unsqueeze,
	.transpose = aten_transpose,
	.transpose_matrix = aten_transpose_matrix,
	.contiguous = aten_contiguous,
	.cat = aten_cat,
	.cat_all = sf_aten_cat_all,
	.getitem = aten_getitem,
	.stack = sf_aten_stack,
	.repeat_last = sf_aten_repeat_last,
	.merge_sections = sf_aten_merge_sections,
	.index2 = sf_aten_index2,
	.split = aten_split,
	.permute = sf_aten_permute,
	.constant = sf_aten_constant,
	.where = sf_aten_where,
	.number_mask = sf_aten_number_mask,
	.max_last = sf_aten_max_last,
	.clamp = sf_aten_clamp,
	.softmax = sf_aten_softmax,
	.topk = sf_aten_topk,
	.sum = sf_aten_sum,
	.divide = sf_aten_divide,
	.scale_in_place = sf_aten_scale,
	.accumulate = sf_aten_accumulate,
	.sort = sf_aten_sort,
	.floor_divide = sf_aten_floor_divide,
	.index = sf_aten_index,
	.ends = sf_aten_ends,
	.inverse = sf_aten_inverse,
	.grouped_mm = sf_aten_grouped_mm,
};
