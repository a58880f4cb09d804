/*
 * Streams: transformers 5.18's DeepseekV4HyperConnection and
 * DeepseekV4HyperHead.
 */
#include "model/streams.h"

#include "base/num.h"
#include "model/block.h"
#include "model/lower-aten-scan.h"
#include "model/norm.h"

static const char *
part(struct sf_build *b, const char *name, const char *more)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, more);
}

/* All streams of a token in FP32, normed, through a layer of WIDTH outputs. */
static struct sf_val *
weigh(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *s = x->shape, all = s[2] * s[3];
	struct sf_val *w;

	x = l->view(b, x, 3, (int64_t[]){ s[0], s[1], all });
	x = sf_norm_unweighted(b, "input_norm", l->to_type(b, x, SF_DT_F32));
	w = sf_weight(b, layer, name, width, all);
	return l->linear(b, x, l->to_type(b, w, SF_DT_F32), NULL);
}

/* X divided by its sums along DIM. */
static struct sf_val *
balance(struct sf_build *b, struct sf_val *x, int dim)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *sum = l->sum(b, x, dim, true);

	sum = l->number(b, SF_CALL_ADD, sum, 1e-6);
	return l->binary(b, SF_CALL_DIV, x, sum);
}

static struct sf_val *
scaled(struct sf_build *b, struct sf_val *x, struct sf_val *scale,
    struct sf_val *base)
{
	const struct sf_decomposition *l = b->route->lower;

	x = l->binary(b, SF_CALL_MUL, x, scale);
	return l->binary(b, SF_CALL_ADD, x, base);
}

/* The streams X, weighted, as one. */
static struct sf_val *
collapse(struct sf_build *b, struct sf_val *weights, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->unsqueeze(b, weights, 3);

	y = l->sum(b, l->binary(b, SF_CALL_MUL, y, x), 2, false);
	return l->to_type(b, y, x->dtype);
}

struct sf_mixing
sf_streams_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = x->shape[2], sizes[] = { n, n, sf_mul_most(n, n) };
	int64_t all = sf_mul_most(sf_add_most(2, n), n);
	struct sf_val *w[3], *base[3], *scale[3], *pre;
	struct sf_mixing m;
	const char *around = sf_enter(b, layer, name);

	pre = weigh(b, layer, part(b, name, "fn"), x, all);
	l->split(b, pre, sizes, 3, w);
	l->split(b, sf_weight(b, layer, part(b, name, "base"), all, 0), sizes,
	    3, base);
	sf_aten_unbind_to(
	    b, sf_weight(b, layer, part(b, name, "scale"), 3, 0), 3, scale);
	w[2] =
	    l->view(b, w[2], 4, (int64_t[]){ x->shape[0], x->shape[1], n, n });
	base[2] = l->view(b, base[2], 2, (int64_t[]){ n, n });
	pre = l->unary(b, SF_CALL_SIGMOID, scaled(b, w[0], scale[0], base[0]));
	pre = l->number(b, SF_CALL_ADD, pre, 1e-6);
	m.post =
	    l->unary(b, SF_CALL_SIGMOID, scaled(b, w[1], scale[1], base[1]));
	m.post = l->number(b, SF_CALL_MUL, m.post, 2);
	m.comb =
	    l->softmax(b, scaled(b, w[2], scale[2], base[2]), SF_SOFTMAX_PLAIN);
	m.comb = l->number(b, SF_CALL_ADD, m.comb, 1e-6);
	m.comb = balance(b, m.comb, 2);
	for (int64_t i = 1; i < b->arch->compression->balances; i++)
		m.comb = balance(b, balance(b, m.comb, 3), 2);
	m.one = collapse(b, pre, x);
	sf_leave(b, around);
	return m;
}

struct sf_val *
sf_streams_join(struct sf_build *b, const struct sf_mixing *m, struct sf_val *y,
    struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *z;

	z = l->unsqueeze(b, l->to_type(b, m->post, x->dtype), 3);
	y = l->binary(b, SF_CALL_MUL, z, l->unsqueeze(b, y, 2));
	z = l->transpose(b, l->to_type(b, m->comb, x->dtype), 2, 3);
	return l->binary(b, SF_CALL_ADD, y, l->matmul(b, z, x));
}

struct sf_val *
sf_streams_open(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { x->shape[0], x->shape[1],
		b->arch->compression->streams, x->shape[2] };

	x = l->expand(b, l->unsqueeze(b, x, 2), 4, shape);
	return l->contiguous(b, x);
}

struct sf_val *
sf_streams_close(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = x->shape[2];
	struct sf_val *y, *scale, *base;
	const char *around = sf_enter(b, -1, "model.hc_head");

	y = weigh(b, -1, "model.hc_head.hc_fn", x, n);
	scale = sf_weight(b, -1, "model.hc_head.hc_scale", 1, 0);
	scale = l->to_type(b, scale, SF_DT_F32);
	y = l->binary(b, SF_CALL_MUL, y, scale);
	base = sf_weight(b, -1, "model.hc_head.hc_base", n, 0);
	base = l->to_type(b, base, SF_DT_F32);
	y = l->unary(b, SF_CALL_SIGMOID, l->binary(b, SF_CALL_ADD, y, base));
	return sf_leave_with(
	    b, around, collapse(b, l->number(b, SF_CALL_ADD, y, 1e-6), x));
}
