/*
 * Gated delta nets: the order of calls is that of transformers 5.18's
 * modeling_qwen3_next.py and modeling_qwen3_5.py, where no kernels of others
 * are installed.
 */
#include "model/delta.h"

#include "model/block.h"
#include "model/fuse-state.h"
#include "model/lower-aten-scan.h"
#include "model/ssm.h"

static const char *
part(struct sf_build *b, const char *name, const char *more)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, more);
}

/* What the products give: q, k and v as channels, a gate, and two of heads. */
struct projected {
	struct sf_val *channels, *z, *beta, *step;
};

/* Next's: products of all, whose parts are each key head's. */
static struct projected
project_packed(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_delta *d = b->arch->delta;
	int64_t n = x->shape[0], t = x->shape[1];
	int64_t each = d->value_heads / d->key_heads, wide = each * d->value;
	int64_t sizes[] = { d->key, d->key, wide, wide };
	int64_t heads[] = { each, each };
	int64_t all = d->key_heads * d->key, values = d->value_heads * d->value;
	/* Of each key head, which a kernel reads where they are. */
	struct sf_item channels[] = { SF_ALL, SF_ALL, SF_ALL,
		SF_TO(2 * d->key + wide) };
	struct sf_val *ba, *of_x[4], *of_ba[2];
	struct projected p;

	ba = x;
	x = sf_linear(b, layer, part(b, name, "in_proj_qkvz"), x,
	    2 * (all + values), false);
	ba = sf_linear(b, layer, part(b, name, "in_proj_ba"), ba,
	    2 * d->value_heads, false);
	x = l->view(
	    b, x, 4, (int64_t[]){ n, t, d->key_heads, 2 * (d->key + wide) });
	ba = l->view(b, ba, 4, (int64_t[]){ n, t, d->key_heads, 2 * each });
	l->split(b, x, sizes, 4, of_x);
	l->split(b, ba, heads, 2, of_ba);
	of_x[2] = l->reshape(
	    b, of_x[2], 4, (int64_t[]){ n, t, d->value_heads, d->value });
	p.z = l->reshape(
	    b, of_x[3], 4, (int64_t[]){ n, t, d->value_heads, d->value });
	p.beta =
	    l->reshape(b, of_ba[0], 3, (int64_t[]){ n, t, d->value_heads });
	p.step =
	    l->reshape(b, of_ba[1], 3, (int64_t[]){ n, t, d->value_heads });
	for (int i = 0; i < 3 && !sf_fuses(b); i++)
		of_x[i] = l->reshape(
		    b, of_x[i], 3, (int64_t[]){ n, t, i < 2 ? all : values });
	x = sf_fuses(b) ? l->reshape(b, l->getitem(b, x, 4, channels), 3,
			      (int64_t[]){ n, t, 2 * all + values })
			: sf_aten_cat_all(b, of_x, 3, 2);
	p.channels = l->transpose(b, x, 1, 2);
	return p;
}

/* A product each. */
static struct projected
project(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_delta *d = b->arch->delta;
	int64_t values = d->value_heads * d->value;
	struct projected p;

	p.channels = sf_linear(b, layer, part(b, name, "in_proj_qkv"), x,
	    2 * d->key_heads * d->key + values, false);
	p.channels = l->transpose(b, p.channels, 1, 2);
	p.z = sf_linear(b, layer, part(b, name, "in_proj_z"), x, values, false);
	p.z = l->reshape(b, p.z, 4,
	    (int64_t[]){ x->shape[0], x->shape[1], d->value_heads, d->value });
	p.beta = sf_linear(
	    b, layer, part(b, name, "in_proj_b"), x, d->value_heads, false);
	p.step = sf_linear(
	    b, layer, part(b, name, "in_proj_a"), x, d->value_heads, false);
	return p;
}

/* Tensor.repeat_interleave of heads. */
static struct sf_val *
repeat(struct sf_build *b, struct sf_val *x, int64_t times)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *n = x->shape;

	x = l->unsqueeze(b, x, 3);
	x = l->expand(b, x, 5, (int64_t[]){ n[0], n[1], n[2], times, n[3] });
	return l->view(b, sf_aten_clone(b, x), 4,
	    (int64_t[]){ n[0], n[1], n[2] * times, n[3] });
}

/* How much a token's state decays, as a logarithm. */
static struct sf_val *
decay(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t heads = b->arch->delta->value_heads;
	struct sf_val *a = sf_ssm_decay(b, layer, name, 1, &heads);

	x = l->to_type(b, x, SF_DT_F32);
	x = l->binary(
	    b, SF_CALL_ADD, x, sf_part(b, layer, name, "dt_bias", heads, 0));
	return l->binary(b, SF_CALL_MUL, a, sf_aten_softplus(b, x));
}

static struct sf_val *
gated_norm(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, struct sf_val *gate)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = x->dtype;
	struct sf_val *w = sf_part(b, layer, name, "weight", x->shape[1], 0);
	struct sf_val *in[] = { x, gate }, *scale;
	struct sf_fusion f = sf_fuse_begin(b);
	const char *around = sf_enter(b, layer, name);

	x = l->to_type(b, x, SF_DT_F32);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, x, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	x = l->binary(b, SF_CALL_MUL, x, scale);
	x = l->binary(b, SF_CALL_MUL, w, l->to_type(b, x, dtype));
	gate = l->unary(b, SF_CALL_SILU, l->to_type(b, gate, SF_DT_F32));
	x = l->binary(b, SF_CALL_MUL, x, gate);
	x = l->to_type(b, x, dtype);
	sf_fuse_end(b, f, "gpu.gated_norm", in, 2, &x, 1);
	return sf_leave_with(b, around, x);
}

/* The rule as PyTorch runs it, of heads that are repeated. */
static struct sf_val *
run_rule(struct sf_build *b, int64_t layer, const char *name,
    const struct projected *p, struct sf_delta_input *in)
{
	const struct sf_delta *d = b->arch->delta;
	int64_t each = d->value_heads / d->key_heads;

	in->beta = b->route->lower->unary(b, SF_CALL_SIGMOID, p->beta);
	in->decay = decay(b, layer, name, p->step);
	if (each > 1) {
		in->q = repeat(b, in->q, each);
		in->k = repeat(b, in->k, each);
	}
	return b->work.context != 0 ? sf_delta_one(b, in)
				    : sf_delta_chunks(b, in);
}

/* q, k and v, [batch, tokens, heads, size], of what was convolved. */
static void
split_heads(struct sf_build *b, struct sf_val *x, struct sf_delta_input *in)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_delta *d = b->arch->delta;
	int64_t keys = d->key_heads * d->key,
		values = d->value_heads * d->value;
	int64_t sizes[] = { keys, keys, values };
	int64_t n[] = { x->shape[0], x->shape[1], d->key_heads, d->key };
	struct sf_val *parts[3];

	l->split(b, x, sizes, 3, parts);
	in->q = l->reshape(b, parts[0], 4, n);
	in->k = l->reshape(b, parts[1], 4, n);
	n[2] = d->value_heads;
	n[3] = d->value;
	in->v = l->reshape(b, parts[2], 4, n);
}

struct sf_val *
sf_delta_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_delta *d = b->arch->delta;
	int64_t n = x->shape[0], t = x->shape[1];
	int64_t rows[] = { n * t * d->value_heads, d->value };
	struct projected p;
	struct sf_delta_input in;
	const char *around = sf_enter(b, layer, name);

	p = d->packed ? project_packed(b, layer, name, x)
		      : project(b, layer, name, x);
	x = sf_ssm_convolve(b, layer, part(b, name, "conv1d"), p.channels);
	split_heads(b, l->transpose(b, x, 1, 2), &in);
	in.beta = p.beta;
	in.decay = p.step;
	x = sf_fuses(b) ? sf_fuse_delta(b, layer, name, &in)
			: run_rule(b, layer, name, &p, &in);
	x = l->reshape(b, x, 2, rows);
	x = gated_norm(
	    b, layer, part(b, name, "norm"), x, l->reshape(b, p.z, 2, rows));
	if (d->packed)
		x = l->reshape(
		    b, x, 4, (int64_t[]){ n, t, d->value_heads, d->value });
	x = l->reshape(b, x, 3, (int64_t[]){ n, t, d->value_heads * d->value });
	return sf_leave_with(b, around,
	    sf_linear(b, layer, part(b, name, "out_proj"), x, b->arch->hidden,
		false));
}
