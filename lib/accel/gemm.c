/* Which GEMMs an array operator is: one row a name, one function a family. */
#include <string.h>

#include "accel/lower.h"
#include "base/num.h"

struct source {
	struct sf_stream *stream;
	const struct sf_op *op;
	const struct sf_tensor *out;
	int first; /* index of the first operand: 1 behind an addend */
};

/* Input I when its shape is known and has from LEAST dimensions up. */
static const struct sf_tensor *
input(const struct source *s, int i, int least)
{
	const struct sf_tensor *t;

	if (i >= s->op->ninputs)
		return NULL;
	t = &s->op->inputs[i];
	return !t->absent && t->resolved && t->rank >= least ? t : NULL;
}

/* Size I, from the back when negative. */
static int64_t
dim(const struct sf_tensor *t, int i)
{
	return t->shape[i < 0 ? t->rank + i : i];
}

static bool
product(const struct sf_tensor *t, int from, int to, int64_t *out)
{
	return sf_product(t->shape + from, (size_t)(to - from), out);
}

static bool
mm(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *a = input(s, s->first, 2);
	const struct sf_tensor *b = input(s, s->first + 1, 2);

	if (a == NULL || b == NULL || a->rank != 2 || b->rank != 2)
		return false;
	l->gemms[l->ngemms++] = (struct sf_gemm){
		.batch = 1, .m = dim(a, 0), .k = dim(a, 1), .n = dim(b, 1)
	};
	return true;
}

static bool
bmm(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *a = input(s, s->first, 3);
	const struct sf_tensor *b = input(s, s->first + 1, 3);

	if (a == NULL || b == NULL || a->rank != 3 || b->rank != 3)
		return false;
	l->gemms[l->ngemms++] = (struct sf_gemm){ .batch = dim(a, 0),
		.m = dim(a, 1),
		.k = dim(a, 2),
		.n = dim(b, 2) };
	return true;
}

/* With broadcasting, so the batch is what the output says. */
static bool
matmul(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *a = input(s, 0, 2), *b = input(s, 1, 2);
	int64_t plane;

	if (a == NULL || b == NULL || !sf_mul(dim(a, -2), dim(b, -1), &plane) ||
	    plane == 0)
		return false;
	l->gemms[l->ngemms++] =
	    (struct sf_gemm){ .batch = s->out->numel / plane,
		    .m = dim(a, -2),
		    .k = dim(a, -1),
		    .n = dim(b, -1) };
	return true;
}

static bool
linear(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *x = input(s, 0, 1), *w = input(s, 1, 2);

	if (x == NULL || w == NULL || w->rank != 2 || dim(x, -1) == 0)
		return false;
	l->gemms[l->ngemms++] = (struct sf_gemm){ .batch = 1,
		.m = x->numel / dim(x, -1),
		.k = dim(x, -1),
		.n = dim(w, 0) };
	return true;
}

static bool
gemm(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *a = input(s, 0, 2);
	int64_t swapped = 0;

	if (a == NULL || a->rank != 2 || s->out->rank != 2)
		return false;
	sf_op_attr_int(s->stream, s->op, "transA", &swapped);
	l->gemms[l->ngemms++] = (struct sf_gemm){ .batch = 1,
		.m = dim(a, swapped != 0 ? 1 : 0),
		.k = dim(a, swapped != 0 ? 0 : 1),
		.n = dim(s->out, -1) };
	return true;
}

/* A transposed convolution has its weight the other way round. */
static bool
is_transposed(const struct source *s)
{
	struct sf_json scan = { .p = s->op->attrs.p,
		.start = s->op->attrs.p,
		.arena = sf_stream_record_arena(s->stream) };
	struct sf_str key;

	if (s->op->attrs.n == 0)
		return false;
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key))
		if (sf_str_eq(sf_json_skip(&scan), SF_STR("true")) &&
		    SF_KEY(key, "transposed"))
			return true;
	return false;
}

/* As an implicit GEMM: one row an output position, one column a channel. */
static bool
convolution(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *x = input(s, 0, 3), *w = input(s, 1, 3);
	struct sf_gemm g;
	int64_t positions;

	if (x == NULL || w == NULL || w->rank != x->rank ||
	    s->out->rank != x->rank || is_transposed(s))
		return false;
	if (dim(w, 1) == 0 || dim(x, 1) == 0 || dim(x, 1) % dim(w, 1) != 0)
		return false;
	g = (struct sf_gemm){ .batch = dim(x, 1) / dim(w, 1) };
	if (dim(w, 0) % g.batch != 0)
		return false;
	g.n = dim(w, 0) / g.batch;
	if (!product(s->out, 2, s->out->rank, &positions) ||
	    !sf_mul(dim(s->out, 0), positions, &g.m) ||
	    !product(w, 1, w->rank, &g.k))
		return false;
	l->gemms[l->ngemms++] = g;
	return true;
}

/* Scores of q and k, then scores and v. */
static bool
attention(const struct source *s, struct sf_lower *l)
{
	const struct sf_tensor *q = input(s, 0, 2), *k = input(s, 1, 2),
			       *v = input(s, 2, 2);
	struct sf_gemm g;

	if (q == NULL || k == NULL || v == NULL)
		return false;
	g = (struct sf_gemm){
		.m = dim(q, -2), .k = dim(q, -1), .n = dim(k, -2)
	};
	if (!product(q, 0, q->rank - 2, &g.batch))
		return false;
	l->gemms[l->ngemms++] = g;
	g.k = dim(k, -2);
	g.n = dim(v, -1);
	l->gemms[l->ngemms++] = g;
	return true;
}

static const struct rule {
	const char *name;
	bool (*gemms)(const struct source *, struct sf_lower *);
	int first;
} rules[] = {
	{ "aten.mm", mm, 0 },
	{ "aten.addmm", mm, 1 },
	{ "aten.bmm", bmm, 0 },
	{ "aten.baddbmm", bmm, 1 },
	{ "aten.matmul", matmul, 0 },
	{ "onnx.MatMul", matmul, 0 },
	{ "aten.linear", linear, 0 },
	{ "onnx.Gemm", gemm, 0 },
	{ "aten.convolution", convolution, 0 },
	{ "aten._convolution", convolution, 0 },
	{ "aten.conv1d", convolution, 0 },
	{ "aten.conv2d", convolution, 0 },
	{ "aten.conv3d", convolution, 0 },
	{ "onnx.Conv", convolution, 0 },
};

static const struct rule *
find_rule(struct sf_str name)
{
	/* An in-place ATen operator computes what its base does. */
	if (sf_str_starts(name, "aten.") && name.p[name.n - 1] == '_')
		name.n--;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (sf_str_is(name, rules[i].name))
			return &rules[i];
	return NULL;
}

/* Whole bytes of an element, 0 when the type has no size. */
static int64_t
element(const struct sf_tensor *t)
{
	return (sf_dtype_bits(t->dtype) + 7) / 8;
}

static bool
all_positive(const struct sf_lower *l)
{
	if (l->e_in < 1 || l->e_out < 1)
		return false;
	for (int i = 0; i < l->ngemms; i++) {
		const struct sf_gemm *g = &l->gemms[i];

		if (g->batch < 1 || g->m < 1 || g->k < 1 || g->n < 1)
			return false;
	}
	return l->ngemms != 0;
}

bool
sf_gemms_of(
    struct sf_stream *stream, const struct sf_op *op, struct sf_lower *lower)
{
	struct source s = { .stream = stream, .op = op };
	const struct rule *rule = find_rule(op->name);
	bool said = false;

	lower->ngemms = 0;
	if (op->noutputs == 0 || op->ninputs == 0 || op->inputs[0].absent ||
	    !op->outputs[0].resolved)
		return false;
	s.out = &op->outputs[0];
	s.first = rule != NULL ? rule->first : 0;
	if (op->counts.category == SF_CAT_ATTENTION)
		said = attention(&s, lower);
	else if (rule != NULL)
		said = rule->gemms(&s, lower);
	lower->e_in = element(&op->inputs[0]);
	lower->e_out = element(s.out);
	if (!said || !all_positive(lower))
		lower->ngemms = 0;
	return lower->ngemms != 0;
}
