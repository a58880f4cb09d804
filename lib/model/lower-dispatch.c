/* What the dispatcher runs, on the meta device and under fake CPU tensors. */
#include "model/lower-aten.h"

static const struct sf_aten meta = {
	.transpose = "aten.transpose",
	.t = "aten.t",
	.unsafe_view = "aten._unsafe_view",
	.bmm_view = "aten._unsafe_view",
	.split = "aten.split",
	.detaches = true,
	.silu = sf_aten_silu,
	.safe_softmax = sf_aten_safe_softmax,
	.new_ones = sf_aten_new_ones,
};

static const struct sf_aten cpu = {
	.transpose = "aten.transpose",
	.t = "aten.t",
	.unsafe_view = "aten._unsafe_view",
	.bmm_view = "aten._unsafe_view",
	.split = "aten.split",
	.detaches = true,
	.queries = true,
	.fused_attention = true,
	.own_type_stats = true,
	.silu = sf_aten_silu,
	.safe_softmax = sf_aten_safe_softmax,
	.new_ones = sf_aten_new_ones,
};

const struct sf_route sf_route_dispatch_meta = {
	.name = "dispatch",
	.lower = &sf_lowering_aten,
	.aten = &meta,
	.caching = true,
};

const struct sf_route sf_route_dispatch_cpu = {
	.name = "dispatch",
	.lower = &sf_lowering_aten,
	.aten = &cpu,
	.tracing = true,
};
