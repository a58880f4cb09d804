/* Calls of vision and audio towers to nodes of ONNX. */
#include "base/die.h"
#include "model/derive.h"
#include "model/onnx-node.h"
#include "model/stride.h"

/* Of two dimensions, or of the one of audio: how far filters move. */
static const char *
window(struct sf_build *b, int n, int64_t stride, int64_t padding)
{
	long long s = (long long)stride, p = (long long)padding;

	if (n == 1)
		return sf_arena_printf(b->graph.arena,
		    "{\"strides\":[%lld],\"pads\":[%lld,%lld]}", s, p, p);
	return sf_arena_printf(b->graph.arena,
	    "{\"strides\":[%lld,%lld],\"pads\":[%lld,%lld,%lld,%lld]}", s, s, p,
	    p, p, p);
}

/* The zeros that stand for a bias that is not there. */
static struct sf_val *
no_bias(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	struct sf_val *sizes, *zero;

	sizes = sf_onnx_1(b, "onnx.Shape", weight, sf_onnx_ints(b, 1));
	sizes = sf_onnx_2(b, "onnx.Expand", sizes, sf_onnx_new_list(b, 1),
	    sf_onnx_ints(b, 1));
	zero = sf_onnx_float(b, 0);
	zero = sf_onnx_2(b, "onnx.CastLike", zero, x,
	    sf_val_new(&b->graph, x->dtype, 0, NULL));
	return sf_onnx_2(b, "onnx.Expand", zero, sizes,
	    sf_val_new(&b->graph, x->dtype, 1, weight->shape));
}

struct sf_val *
sf_onnx_made_convolution(struct sf_build *b, struct sf_val *x,
    struct sf_val *weight, struct sf_val *bias, int64_t stride, int64_t padding)
{
	struct sf_val *in[3] = { x, weight, bias }, *out;

	if (bias == NULL)
		in[2] = no_bias(b, x, weight);
	out = sf_derive_convolution(&b->graph, x, weight, stride, padding);
	sf_onnx_add(b, "onnx.Conv", in, 3, out);
	b->graph.last->attrs = window(b, x->rank - 2, stride, padding);
	return out;
}

struct sf_val *
sf_onnx_made_argmax_last(struct sf_build *b, struct sf_val *x)
{
	return sf_onnx_1(b, "onnx.ArgMax", x,
	    sf_val_new(&b->graph, SF_DT_I64, x->rank - 1, x->shape));
}

/* In FP32, of a dimension that is kept. */
struct sf_val *
sf_onnx_made_sum(struct sf_build *b, struct sf_val *x, int dim, bool keep)
{
	enum sf_dtype dtype = x->dtype;
	struct sf_val *out;

	if (dim != x->rank - 1 || !keep)
		sf_bug("a sum that no export has");
	if (dtype != SF_DT_F32)
		x = sf_onnx_1(b, "onnx.Cast", x,
		    sf_val_new(&b->graph, SF_DT_F32, x->rank, x->shape));
	out = sf_onnx_2(b, "onnx.ReduceSum", x, sf_onnx_new_list(b, 1),
	    sf_derive_last(&b->graph, x, 1));
	if (dtype != SF_DT_F32)
		out = sf_onnx_1(b, "onnx.Cast", out,
		    sf_val_new(&b->graph, dtype, out->rank, out->shape));
	return out;
}

void
sf_onnx_made_unbind_at(
    struct sf_build *b, struct sf_val *x, int dim, int n, struct sf_val **parts)
{
	struct sf_val *in[4] = { x }, *row;
	int own = dim < 0 ? dim + x->rank : dim;

	for (int i = 0; i < n; i++) {
		for (int k = 1; k < 4; k++)
			in[k] = sf_onnx_new_list(b, 1);
		row = sf_onnx_add(b, "onnx.Slice", in, 4,
		    sf_derive_narrow(&b->graph, x, own, 1));
		parts[i] =
		    sf_onnx_2(b, "onnx.Squeeze", row, sf_onnx_list(b, dim),
			sf_derive_select(&b->graph, row, own));
	}
}

void
sf_onnx_made_unbind(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *in[4] = { x }, *row;

	for (int64_t i = 0; i < x->shape[0]; i++) {
		for (int k = 1; k < 4; k++)
			in[k] = sf_onnx_new_list(b, 1);
		row = sf_onnx_add(b, "onnx.Slice", in, 4,
		    sf_derive_narrow(&b->graph, x, 0, 1));
		sf_onnx_2(b, "onnx.Squeeze", row, sf_onnx_list(b, 0),
		    sf_derive_select(&b->graph, row, 0));
		b->graph.last->effect = true;
	}
}

struct sf_val *
sf_onnx_made_mean_dim(struct sf_build *b, struct sf_val *x, int dim)
{
	struct sf_val *axes = sf_onnx_relist(b, sf_onnx_list(b, dim));
	struct sf_val *out = sf_derive_select(&b->graph, x, dim);

	sf_stride_dense(out);
	return sf_onnx_2(b, "onnx.ReduceMean", x, axes, out);
}

struct sf_val *
sf_onnx_made_cat_all(
    struct sf_build *b, struct sf_val *const *x, int n, int dim)
{
	return sf_onnx_add(
	    b, "onnx.Concat", x, n, sf_derive_cat_all(&b->graph, x, n, dim));
}

struct sf_val *
sf_onnx_made_repeat_first(struct sf_build *b, struct sf_val *x, int64_t times)
{
	int64_t once[SF_VAL_RANK], often[SF_VAL_RANK];
	struct sf_val *out;

	for (int i = 0; i < x->rank; i++)
		once[i] = often[i] = 1;
	often[0] = times;
	x = sf_onnx_2(b, "onnx.Expand", x, sf_onnx_list_of(b, x->rank, once),
	    sf_val_like(&b->graph, x));
	out = sf_val_new(&b->graph, x->dtype, x->rank, x->shape);
	out->shape[0] = times;
	sf_stride_dense(out);
	return sf_onnx_2(
	    b, "onnx.Tile", x, sf_onnx_list_of(b, x->rank, often), out);
}

struct sf_val *
sf_onnx_made_squeeze(struct sf_build *b, struct sf_val *x, int dim)
{
	return sf_onnx_2(b, "onnx.Squeeze", x, sf_onnx_list(b, dim),
	    sf_derive_select(&b->graph, x, dim < 0 ? dim + x->rank : dim));
}

/* A sequence stands in the trace as the tensors it holds. */
void
sf_onnx_made_split_rows(struct sf_build *b, struct sf_val *x,
    const int64_t *sizes, int n, struct sf_val **parts)
{
	struct sf_val *in[3] = { x }, *out;

	in[1] = sf_onnx_list_of(b, n, sizes);
	for (int i = 0; i < n; i++) {
		parts[i] = sf_derive_narrow(&b->graph, x, 0, sizes[i]);
		parts[i]->fixed = x->fixed || x->param;
	}
	sf_graph_add(&b->graph, "onnx.SplitToSequence", in, 2, parts, n);
	b->graph.last->folded = x->fixed || x->param;
	in[0] = parts[0];
	in[1] = parts[1];
	for (int i = 0; i < n; i++) {
		in[2] = sf_onnx_int(b, i);
		out = sf_val_like(&b->graph, in[i]);
		parts[i] = sf_onnx_add(b, "onnx.SequenceAt", in, n + 1, out);
	}
}

struct sf_val *
sf_onnx_made_length_last(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *axes = sf_onnx_relist(b, sf_onnx_list(b, -1));

	return sf_onnx_2(
	    b, "onnx.ReduceL2", x, axes, sf_derive_last(&b->graph, x, 1));
}
