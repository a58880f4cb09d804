/* torch.export and run_decompositions(): Core ATen. */
#include "model/lower-aten.h"

static struct sf_val *
to_copy(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	if (x->dtype == dtype)
		return x;
	return sf_aten_1(b, "aten._to_copy", x, sf_aten_like(b, x, dtype));
}

/* x sigmoid(x), in FP32. */
static struct sf_val *
core_silu(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *wide = to_copy(b, x, SF_DT_F32), *s;

	s = sf_aten_1(
	    b, "aten.sigmoid", wide, sf_aten_like(b, wide, wide->dtype));
	s = sf_aten_2(
	    b, "aten.mul", wide, s, sf_aten_like(b, wide, wide->dtype));
	return to_copy(b, s, x->dtype);
}

/* A softmax that gives zeros for a row that is masked out as a whole. */
static struct sf_val *
core_safe_softmax(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *soft, *masked, *all, *zeros;

	soft = sf_aten_1(b, "aten._softmax", x, sf_aten_like(b, x, x->dtype));
	masked = sf_aten_1(b, "aten.eq", x, sf_aten_like(b, x, SF_DT_B8));
	masked = sf_aten_1(
	    b, "aten.logical_not", masked, sf_aten_like(b, masked, SF_DT_B8));
	all = sf_val_new(&b->graph, SF_DT_B8, x->rank,
	    (int64_t[]){ x->shape[0], x->shape[1], x->shape[2], 1 });
	all = sf_aten_1(b, "aten.any", masked, all);
	all = sf_aten_1(
	    b, "aten.logical_not", all, sf_aten_like(b, all, SF_DT_B8));
	zeros = sf_aten_1(
	    b, "aten.full_like", soft, sf_aten_like(b, soft, soft->dtype));
	return sf_aten_where(b, all, zeros, soft);
}

static struct sf_val *
core_new_ones(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out = sf_val_new(&b->graph, SF_DT_B8, 0, NULL);

	(void)x;
	sf_graph_add(&b->graph, "aten.full", NULL, 0, &out, 1);
	return out;
}

static const struct sf_aten aten = {
	.transpose = "aten.permute",
	.t = "aten.permute",
	.unsafe_view = "aten.view",
	.bmm_view = "aten.view",
	.split = "aten.split_with_sizes",
	.ones = "aten.full",
	.zeros = "aten.full",
	.zeros_like = "aten.full_like",
	.floor_divide = "aten.div",
	.empty_like = "aten.empty_permuted",
	.functional = true,
	.checks = true,
	.silu = core_silu,
	.safe_softmax = core_safe_softmax,
	.new_ones = core_new_ones,
};

const struct sf_route sf_route_export = {
	.name = "export",
	.lower = &sf_decomposition_aten,
	.aten = &aten,
	.tracing = true,
	.exporting = true,
	.pruned = true,
};
