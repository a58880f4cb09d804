/* The operators of RNS polynomial products. */
#include "ntt/ntt-trace.h"

#include "stream/trace.h"
#include "trace/op.h"

/* What all rows have in common. */
struct rows {
	struct sf_stream *stream;
	struct sf_arena *arena; /* names of one limb, dropped after it */
	int64_t n;
	struct sf_str butterflies; /* a transform's attributes */
};

static struct sf_tensor
row(struct rows *rows, int64_t product, int64_t limb, const char *what)
{
	return (struct sf_tensor){
		.tid = sf_str_of(sf_arena_printf(rows->arena, "%s.%lld.%lld",
		    what, (long long)product, (long long)limb)),
		.dtype = SF_DT_U64,
		.rank_known = true,
		.rank = 1,
		.shape = &rows->n,
	};
}

static void
put(struct rows *rows, const char *name, struct sf_tensor *in, int nin,
    struct sf_tensor *out, struct sf_str attrs)
{
	sf_op_put(rows->stream,
	    &(struct sf_op){ .name = sf_str_of(name),
		.inputs = in,
		.ninputs = nin,
		.outputs = out,
		.noutputs = 1,
		.attrs = attrs });
}

static void
put_limb(struct rows *rows, int64_t product, int64_t limb)
{
	struct sf_tensor in[2] = { row(rows, product, limb, "a"),
		row(rows, product, limb, "b") };
	struct sf_tensor values[2] = { row(rows, product, limb, "ntt_a"),
		row(rows, product, limb, "ntt_b") };
	struct sf_tensor dot = row(rows, product, limb, "ntt_c");
	struct sf_tensor out = row(rows, product, limb, "c");

	put(rows, "fhe.ntt", &in[0], 1, &values[0], rows->butterflies);
	put(rows, "fhe.ntt", &in[1], 1, &values[1], rows->butterflies);
	put(rows, "fhe.mulmod", values, 2, &dot, SF_STR(""));
	put(rows, "fhe.intt", &dot, 1, &out, rows->butterflies);
	sf_arena_reset(rows->arena);
}

void
sf_ntt_trace(struct sf_stream *stream, const struct sf_ntt_workload *w)
{
	const struct sf_workload_item items[] = { { "log_n", w->log_n },
		{ "limbs", w->limbs }, { "products", w->products } };
	struct rows rows = { .stream = stream,
		.arena = sf_arena_new(),
		.n = INT64_C(1) << w->log_n };

	rows.butterflies = sf_str_of(sf_arena_printf(sf_stream_arena(stream),
	    "{\"butterflies\":%lld}", (long long)(rows.n / 2 * w->log_n)));
	sf_trace_begin(stream,
	    &(struct sf_trace){ .model = SF_STR("ntt"),
		.route = SF_STR("fhe"),
		.workload = items,
		.nworkload = 3 });
	for (int64_t product = 0; product < w->products; product++)
		for (int64_t limb = 0; limb < w->limbs; limb++)
			put_limb(&rows, product, limb);
	sf_trace_end(stream);
	sf_arena_free(rows.arena);
}
