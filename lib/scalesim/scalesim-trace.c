/* From layers to operators. */
#include "scalesim/scalesim-trace.h"

#include "base/crc32.h"
#include "base/num.h"
#include "base/opt.h"
#include "scalesim/scalesim-file.h"
#include "scalesim/topology.h"
#include "stream/trace.h"
#include "trace/op.h"

/* What the operators of a file are made with. */
struct maker {
	struct sf_stream *stream;
	struct sf_arena *arena; /* of one operator */
	const char *path;
	int64_t i;    /* of the operator */
	int64_t past; /* layers with a filter that reaches past its input */
	const char *first_past;
};

/* One layer: shapes of the input, the weights, the result. */
struct shapes {
	int64_t in[4], weight[4], out[4];
	int rank;
	int64_t pads[2];
};

static void
shape_conv(struct shapes *s, const int64_t *n)
{
	*s = (struct shapes){
		.in = { 1, n[SF_LAYER_CONV_CHANNELS], n[SF_LAYER_CONV_H],
		    n[SF_LAYER_CONV_W] },
		.weight = { n[SF_LAYER_CONV_FILTERS], n[SF_LAYER_CONV_CHANNELS],
		    n[SF_LAYER_CONV_FILTER_H], n[SF_LAYER_CONV_FILTER_W] },
		.out = { 1, n[SF_LAYER_CONV_FILTERS] },
		.rank = 4,
	};
	for (int i = 0; i < 2; i++)
		s->out[2 + i] = sf_topology_positions(n[SF_LAYER_CONV_H + i],
		    n[SF_LAYER_CONV_FILTER_H + i], n[SF_LAYER_CONV_STRIDE],
		    &s->pads[i]);
}

static void
shape_gemm(struct shapes *s, const int64_t *n)
{
	*s = (struct shapes){
		.in = { n[SF_LAYER_GEMM_M], n[SF_LAYER_GEMM_K] },
		.weight = { n[SF_LAYER_GEMM_K], n[SF_LAYER_GEMM_N] },
		.out = { n[SF_LAYER_GEMM_M], n[SF_LAYER_GEMM_N] },
		.rank = 2,
	};
}

static struct shapes
shape(const struct sf_topology *topology, const struct sf_topology_layer *layer)
{
	struct shapes s;

	if (topology->gemm)
		shape_gemm(&s, layer->n);
	else
		shape_conv(&s, layer->n);
	return s;
}

static struct sf_tensor
tensor(struct maker *m, const char *what, const struct shapes *s,
    const int64_t *sizes)
{
	return (struct sf_tensor){
		.tid = sf_str_of(
		    sf_arena_printf(m->arena, "%s%lld", what, (long long)m->i)),
		.dtype = SF_DT_I8,
		.rank_known = true,
		.rank = s->rank,
		.shape = sizes,
	};
}

static struct sf_str
attrs_of(struct maker *m, const struct sf_topology_layer *layer,
    const struct shapes *s)
{
	const int64_t *n = layer->n;
	long long stride = (long long)n[SF_LAYER_CONV_STRIDE];

	return sf_str_of(sf_arena_printf(m->arena,
	    "{\"kernel_shape\":[%lld,%lld],\"strides\":[%lld,%lld],"
	    "\"pads\":[0,0,%lld,%lld]}",
	    (long long)n[SF_LAYER_CONV_FILTER_H],
	    (long long)n[SF_LAYER_CONV_FILTER_W], stride, stride,
	    (long long)s->pads[0], (long long)s->pads[1]));
}

static struct sf_str
node_of(struct maker *m, const struct sf_topology_layer *layer, int64_t repeat)
{
	if (layer->repeats == 1)
		return layer->name;
	return sf_str_of(sf_arena_printf(m->arena, "%.*sChannel_%lld",
	    SF_STR_ARG(layer->name), (long long)repeat));
}

static void
put_layer(struct maker *m, const struct sf_topology *topology,
    const struct sf_topology_layer *layer)
{
	struct shapes s = shape(topology, layer);

	for (int64_t repeat = 0; repeat < layer->repeats; repeat++) {
		struct sf_tensor in[2], out;

		in[0] = tensor(m, "x", &s, s.in);
		in[1] = tensor(m, "w", &s, s.weight);
		in[1].param = true;
		out = tensor(m, "y", &s, s.out);
		sf_op_put(m->stream,
		    &(struct sf_op){
			.name = topology->gemm ? SF_STR("onnx.MatMul")
					       : SF_STR("onnx.Conv"),
			.node = node_of(m, layer, repeat),
			.inputs = in,
			.ninputs = 2,
			.outputs = &out,
			.noutputs = 1,
			.attrs = topology->gemm ? SF_STR("")
						: attrs_of(m, layer, &s),
		    });
		m->i++;
		sf_arena_reset(m->arena);
	}
}

/* ---- before them ---- */

/* Adds up weights, of a byte each, and finds sizes that are too large. */
static bool
measure(struct maker *m, const struct sf_topology *topology,
    const struct sf_topology_layer *layer, int64_t *params)
{
	struct shapes s = shape(topology, layer);
	int64_t weights, other;

	if ((s.pads[0] != 0 || s.pads[1] != 0) && m->past++ == 0)
		m->first_past = sf_arena_strndup(
		    sf_stream_arena(m->stream), layer->name.p, layer->name.n);
	return sf_mul_all(s.weight, (size_t)s.rank, &weights) &&
	    sf_mul_all(s.in, (size_t)s.rank, &other) &&
	    sf_mul_all(s.out, (size_t)s.rank, &other) &&
	    sf_mul(weights, layer->repeats, &weights) &&
	    sf_add(*params, weights, params);
}

static void
begin(struct maker *m, int64_t params)
{
	struct sf_str name = sf_str_of(sf_path_base(m->path));

	if (name.n > 4 && memcmp(name.p + name.n - 4, ".csv", 4) == 0)
		name.n -= 4;
	if (sf_str_is(name, "-"))
		name = SF_STR("stdin");
	sf_trace_begin(m->stream,
	    &(struct sf_trace){ .model = name,
		.route = SF_STR("scalesim"),
		.params_count = params,
		.params_bytes = params });
	if (m->past != 0)
		sf_stream_note(m->stream,
		    "SCALE-Sim rounds the positions of a filter up: %lld "
		    "layers are padded at the end, where it reaches past its "
		    "input; the first: %s",
		    (long long)m->past, m->first_past);
}

static void
write_all(struct maker *m, const struct sf_topology *topology)
{
	size_t n;
	const struct sf_topology_layer *layers =
	    sf_topology_layers(topology, &n);
	int64_t params = 0;

	for (size_t i = 0; i < n; i++)
		if (!measure(m, topology, &layers[i], &params))
			sf_die(SF_EX_INPUT,
			    "%s: layer '%.*s': its sizes pass 2^63 - 1 bytes",
			    m->path, SF_STR_ARG(layers[i].name));
	begin(m, params);
	for (size_t i = 0; i < n; i++)
		put_layer(m, topology, &layers[i]);
	sf_trace_end(m->stream);
}

void
sf_scalesim_trace(struct sf_stream *stream, const char *path)
{
	struct maker m = {
		.stream = stream, .arena = sf_arena_new(), .path = path
	};
	struct sf_topology topology;
	struct sf_error error;
	struct sf_map map;
	int64_t line;

	sf_scalesim_open(&map, path);
	if (!sf_topology_parse(&topology, map.bytes, map.len,
		sf_stream_arena(stream), &line, &error))
		sf_scalesim_die(path, line, &error);
	sf_stream_add_input(stream, path, sf_crc32(0, map.bytes, map.len));
	write_all(&m, &topology);
	sf_topology_release(&topology);
	sf_map_close(&map);
	sf_arena_free(m.arena);
}
