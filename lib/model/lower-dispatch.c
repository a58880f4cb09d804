/* What the dispatcher runs, on the meta device and under fake CPU tensors. */
#include "model/lower-aten.h"

/* What both devices run alike. */
#define EAGER                                                                 \
	.transpose = "aten.transpose", .t = "aten.t",                         \
	.unsafe_view = "aten._unsafe_view", .bmm_view = "aten._unsafe_view",  \
	.split = "aten.split", .ones = "aten.ones", .zeros = "aten.zeros",    \
	.zeros_like = "aten.zeros_like", .floor_divide = "aten.floor_divide", \
	.empty_like = "aten.empty_like", .detaches = true,                    \
	.silu = sf_aten_silu, .safe_softmax = sf_aten_safe_softmax,           \
	.new_ones = sf_aten_new_ones

static const struct sf_aten meta = { EAGER };

static const struct sf_aten cpu = {
	EAGER,
	.queries = true,
	.fused_attention = true,
	.own_type_stats = true,
	.float_counts = true,
};

const struct sf_route sf_route_dispatch_meta = {
	.name = "dispatch",
	.lower = &sf_decomposition_aten,
	.aten = &meta,
	.caching = true,
};

const struct sf_route sf_route_dispatch_cpu = {
	.name = "dispatch",
	.lower = &sf_decomposition_aten,
	.aten = &cpu,
	.tracing = true,
};

/* As a serving engine runs it on a GPU: parts that are one kernel, see fuse.h. */
static const struct sf_aten gpu = { EAGER, .whole_linear = true };

const struct sf_route sf_route_gpu = {
	.name = "gpu",
	.lower = &sf_decomposition_aten,
	.aten = &gpu,
	.caching = true,
	.fuses = true,
};
