/*
 * The graph that torch.compile hands to a backend behind AOT Autograd, with no
 * decompositions asked for.
 */
#include "model/lower-aten.h"

static const struct sf_aten aten = {
	.transpose = "aten.transpose",
	.t = "aten.t",
	.unsafe_view = "aten._unsafe_view",
	.bmm_view = "aten.view",
	.split = "aten.split",
	.ones = "aten.ones",
	.zeros = "aten.zeros",
	.zeros_like = "aten.zeros_like",
	.floor_divide = "aten.floor_divide",
	.empty_like = "aten.empty_like",
	.functional = true,
	.silu = sf_aten_silu,
	.safe_softmax = sf_aten_safe_softmax,
	.new_ones = sf_aten_new_ones,
};

const struct sf_route sf_route_compile = {
	.name = "compile",
	.lower = &sf_decomposition_aten,
	.aten = &aten,
	.tracing = true,
	.compiling = true,
	.pruned = true,
};
