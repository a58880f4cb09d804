/* Calls of experts and of what routes tokens to them, as ATen's dispatcher sees
 * them. */
#include <string.h>

#include "model/derive.h"
#include "model/lower-aten.h"
#include "model/stride.h"

struct sf_val *
sf_aten_softmax(struct sf_build *b, struct sf_val *x, enum sf_softmax how)
{
	bool casts = how == SF_SOFTMAX_FLOAT && x->dtype != SF_DT_F32;

	sf_aten_query(b, x, how == SF_SOFTMAX_PLAIN ? 2 : casts ? 3 : 4);
	if (casts)
		x = sf_aten_to_copy(b, x, SF_DT_F32);
	return sf_aten_1(b, "aten._softmax", x, sf_aten_like(b, x, x->dtype));
}

void
sf_aten_topk(
    struct sf_build *b, struct sf_val *x, int64_t k, struct sf_val *out[2])
{
	out[0] = sf_derive_last(&b->graph, x, k);
	out[1] = sf_derive_last(&b->graph, x, k);
	out[1]->dtype = SF_DT_I64;
	sf_aten_add(b, "aten.topk", &x, 1, out, 2);
}

struct sf_val *
sf_aten_sum(struct sf_build *b, struct sf_val *x, int dim, bool keep)
{
	int64_t shape[SF_VAL_RANK];
	int rank = x->rank;

	memcpy(shape, x->shape, sizeof shape);
	shape[dim] = 1;
	if (!keep) {
		rank--;
		for (int i = dim; i < rank; i++)
			shape[i] = x->shape[i + 1];
	}
	return sf_aten_1(
	    b, "aten.sum", x, sf_val_new(&b->graph, x->dtype, rank, shape));
}

struct sf_val *
sf_aten_divide(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	if (b->route->aten->functional)
		return sf_aten_2(
		    b, "aten.div", x, y, sf_aten_like(b, x, x->dtype));
	return sf_aten_2(b, "aten.div_", x, y, x);
}

struct sf_val *
sf_aten_scale(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	if (b->route->aten->functional)
		return sf_aten_2(
		    b, "aten.mul", x, y, sf_aten_like(b, x, x->dtype));
	return sf_aten_2(b, "aten.mul_", x, y, x);
}

struct sf_val *
sf_aten_accumulate(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	if (b->route->aten->functional)
		return sf_aten_2(
		    b, "aten.add", x, y, sf_aten_like(b, x, x->dtype));
	return sf_aten_2(b, "aten.add_", x, y, x);
}

void
sf_aten_sort(struct sf_build *b, struct sf_val *x, struct sf_val *out[2])
{
	out[0] = sf_aten_like(b, x, x->dtype);
	out[1] = sf_aten_like(b, x, SF_DT_I64);
	sf_aten_add(b, "aten.sort", &x, 1, out, 2);
}

struct sf_val *
sf_aten_floor_divide(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(
	    b, b->route->aten->floor_divide, x, sf_aten_like(b, x, x->dtype));
}

struct sf_val *
sf_aten_index(struct sf_build *b, struct sf_val *x, struct sf_val *rows)
{
	int64_t shape[SF_VAL_RANK];

	int n = rows->rank;

	memcpy(shape, rows->shape, (size_t)n * sizeof *shape);
	for (int i = 1; i < x->rank; i++)
		shape[n++] = x->shape[i];
	sf_aten_query(b, x, 2);
	return sf_aten_2(b, "aten.index", x, rows,
	    sf_val_new(&b->graph, x->dtype, n, shape));
}

struct sf_val *
sf_aten_ends(struct sf_build *b, struct sf_val *x, int64_t n)
{
	enum sf_dtype dtype =
	    b->route->aten->float_counts ? SF_DT_F32 : SF_DT_I32;

	x = b->route->lower->to_type(b, x, dtype);
	x = sf_aten_1(b, "aten.histc", x, sf_val_new(&b->graph, dtype, 1, &n));
	return sf_aten_1(b, "aten.cumsum", x, sf_aten_like(b, x, SF_DT_I32));
}

struct sf_val *
sf_aten_inverse(struct sf_build *b, struct sf_val *x)
{
	const struct sf_aten *aten = b->route->aten;
	struct sf_val *out = sf_aten_like(b, x, x->dtype), *in[3];
	bool made = strcmp(aten->empty_like, "aten.empty_like") != 0;

	sf_aten_add(b, aten->empty_like, &x, made ? 0 : 1, &out, 1);
	if (aten->detaches)
		out = sf_aten_1(
		    b, "aten.detach", out, sf_val_like(&b->graph, out));
	in[1] = x;
	in[2] = b->route->lower->arange(b, x->shape[0]);
	in[0] = out;
	sf_aten_query(b, out, 3);
	if (x->shape[0] == 1) /* Python drops what is broadcast anyway. */
		in[2] = b->route->lower->view(b, in[2], 0, NULL);
	if (aten->functional)
		out = sf_val_like(&b->graph, out);
	sf_aten_add(b, aten->functional ? "aten.index_put" : "aten.index_put_",
	    in, 3, &out, 1);
	return out;
}

bool
sf_aten_grouped_mm_falls_back(const struct sf_build *b)
{
	return b->route->pruned && b->work.dtype != SF_DT_BF16;
}

struct sf_val *
sf_aten_grouped_mm(struct sf_build *b, struct sf_val *x, struct sf_val *w,
    struct sf_val *ends, int64_t unread)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *in[3], *out;

	in[0] = l->to_type(b, x, w->dtype);
	in[1] = w;
	in[2] = ends;
	out = sf_val_new(
	    &b->graph, w->dtype, 2, (int64_t[]){ x->shape[0], w->shape[2] });
	sf_aten_add(b,
	    sf_aten_grouped_mm_falls_back(b)
		? "transformers.grouped_mm_fallback"
		: "aten._grouped_mm",
	    in, 3, &out, 1);
	b->graph.last->partial = 1;
	b->graph.last->unread = unread;
	return out;
}
