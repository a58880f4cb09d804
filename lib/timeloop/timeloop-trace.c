/* From a problem to an operator. */
#include "timeloop/timeloop-trace.h"

#include "base/die.h"
#include "base/num.h"
#include "base/opt.h"
#include "stream/trace.h"
#include "timeloop/problem.h"
#include "trace/op.h"

/* Shapes of the input, the weights, the result. */
struct shapes {
	int64_t in[4], weight[4], out[4];
	int rank;
};

/* What so many places of the result take in of the input; false past 2^63 - 1. */
static bool
reach(const struct sf_timeloop_problem *p, int i, int64_t *in)
{
	int64_t kernel;

	return sf_mul(p->out[i] - 1, p->stride[i], in) &&
	    sf_mul(p->kernel[i] - 1, p->dilation[i], &kernel) &&
	    sf_add(*in, kernel, in) && sf_add(*in, 1, in);
}

static bool
shape_conv(struct shapes *s, const struct sf_timeloop_problem *p)
{
	s->rank = 2 + p->places;
	s->in[0] = s->out[0] = p->images;
	s->weight[1] = p->channels;
	for (int i = 0; i < p->places; i++) {
		s->weight[2 + i] = p->kernel[i];
		s->out[2 + i] = p->out[i];
		if (!reach(p, i, &s->in[2 + i]))
			return false;
	}
	return sf_mul(p->groups, p->channels, &s->in[1]) &&
	    sf_mul(p->groups, p->filters, &s->weight[0]) &&
	    sf_mul(p->groups, p->filters, &s->out[1]);
}

static void
shape_product(struct shapes *s, const struct sf_timeloop_problem *p)
{
	int at = p->groups != 1;

	s->rank = 2 + at;
	s->in[0] = s->weight[0] = s->out[0] = p->groups;
	s->in[at] = s->out[at] = p->images;
	s->in[at + 1] = s->weight[at] = p->channels;
	s->weight[at + 1] = s->out[at + 1] = p->filters;
}

static struct sf_tensor
tensor(const char *name, const struct shapes *s, const int64_t *sizes)
{
	return (struct sf_tensor){ .tid = sf_str_of(name),
		.dtype = SF_DT_I8,
		.rank_known = true,
		.rank = s->rank,
		.shape = sizes };
}

static void
put_list(struct sf_buf *out, const char *name, const int64_t *v, int n)
{
	sf_buf_printf(out, "%s\"%s\":[", out->n == 1 ? "" : ",", name);
	for (int i = 0; i < n; i++)
		sf_buf_printf(
		    out, "%s%lld", i != 0 ? "," : "", (long long)v[i]);
	sf_buf_putc(out, ']');
}

static void
put_attrs(struct sf_buf *out, const struct sf_timeloop_problem *p)
{
	sf_buf_putc(out, '{');
	put_list(out, "kernel_shape", p->kernel, p->places);
	put_list(out, "strides", p->stride, p->places);
	put_list(out, "dilations", p->dilation, p->places);
	sf_buf_printf(out, ",\"group\":%lld}", (long long)p->groups);
}

static void
put_op(struct sf_stream *stream, const struct sf_timeloop_problem *p,
    const struct shapes *s)
{
	struct sf_buf attrs = { 0 };
	struct sf_tensor in[2], out = tensor("out", s, s->out);

	in[0] = tensor("in", s, s->in);
	in[1] = tensor("weight", s, s->weight);
	in[1].param = true;
	if (p->conv)
		put_attrs(&attrs, p);
	sf_op_put(stream,
	    &(struct sf_op){
		.name = p->conv ? SF_STR("onnx.Conv") : SF_STR("onnx.MatMul"),
		.node = p->name,
		.inputs = in,
		.ninputs = 2,
		.outputs = &out,
		.noutputs = 1,
		.attrs = { attrs.p != NULL ? attrs.p : "", attrs.n },
	    });
	sf_buf_release(&attrs);
}

static struct sf_str
model_of(const char *path)
{
	struct sf_str name = sf_str_of(sf_path_base(path));

	if (name.n > 5 && memcmp(name.p + name.n - 5, ".yaml", 5) == 0)
		name.n -= 5;
	return sf_str_is(name, "-") ? SF_STR("stdin") : name;
}

void
sf_timeloop_trace(struct sf_stream *stream, const char *path)
{
	struct sf_timeloop_problem problem;
	struct shapes s = { .rank = 0 };
	struct sf_yaml yaml;
	const yaml_node_t *root = sf_yaml_open(&yaml, stream, path);
	int64_t weights, other;
	bool fits = true;

	sf_timeloop_problem_read(&yaml, root, &problem);
	if (problem.conv)
		fits = shape_conv(&s, &problem);
	else
		shape_product(&s, &problem);
	if (!fits || !sf_mul_all(s.weight, (size_t)s.rank, &weights) ||
	    !sf_mul_all(s.in, (size_t)s.rank, &other) ||
	    !sf_mul_all(s.out, (size_t)s.rank, &other))
		sf_die(SF_EX_INPUT, "%s: its sizes pass 2^63 - 1 bytes", path);
	sf_trace_begin(stream,
	    &(struct sf_trace){ .model = model_of(path),
		.route = SF_STR("timeloop"),
		.params_count = weights,
		.params_bytes = weights });
	sf_yaml_note_others(&yaml, root);
	put_op(stream, &problem, &s);
	sf_trace_end(stream);
	sf_yaml_close(&yaml);
}
