/*
 * Routers, in the order of calls of the families' modeling_*.py. A router is
 * never quantised.
 */
#include "model/router.h"

#include "model/block.h"
#include "model/fuse.h"
#include "model/router-group.h"
#include "model/router-sparse.h"

static struct sf_val *
logits_of(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;

	return b->route->lower->linear(b, x,
	    sf_part(b, layer, name, "weight", a->experts, a->hidden), NULL);
}

/* The weights divided by what they sum to. */
static struct sf_val *
normed(struct sf_build *b, struct sf_val *weights)
{
	const struct sf_decomposition *l = b->route->lower;

	return l->divide(b, weights, l->sum(b, weights, 1, true));
}

/* A softmax over all experts, of which the largest are taken. */
static struct sf_routed
by_softmax(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	bool casts = a->family->router == SF_ROUTER_CAST;
	struct sf_val *logits, *probabilities, *best[2];
	struct sf_routed c = { .in_place = a->norm_top_k };

	x = l->reshape(b, x, 2, (int64_t[]){ x->shape[0], a->hidden });
	logits = logits_of(b, layer, name, x);
	if (casts)
		probabilities = l->softmax(b, logits, SF_SOFTMAX_FLOAT);
	else
		probabilities = l->softmax(
		    b, l->to_type(b, logits, SF_DT_F32), SF_SOFTMAX_PLAIN);
	l->topk(b, probabilities, a->top_k, best);
	c.weights = best[0];
	c.ids = best[1];
	if (a->norm_top_k)
		c.weights = normed(b, c.weights);
	if (casts) {
		c.in_place = c.in_place && logits->dtype == SF_DT_F32;
		c.weights = l->to_type(b, c.weights, logits->dtype);
	}
	return c;
}

/* MiniMax's: sigmoids, chosen by what a buffer makes of them. */
static struct sf_routed
by_sigmoid(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *scores, *bias, *best[2];
	struct sf_routed c = { .in_place = true };

	x = l->reshape(b, x, 2, (int64_t[]){ x->shape[0], a->hidden });
	x = l->to_type(b, x, b->work.dtype);
	scores = l->to_type(b, logits_of(b, layer, name, x), SF_DT_F32);
	scores = l->unary(b, SF_CALL_SIGMOID, scores);
	bias = sf_val_new(&b->graph, b->work.dtype, 1, &a->experts);
	bias->name = sf_block_name(b, layer,
	    sf_arena_printf(
		b->graph.arena, "%s.%s", name, "e_score_correction_bias"));
	bias->fixed = true; /* a buffer */
	l->topk(b, l->binary(b, SF_CALL_ADD, scores, bias), a->top_k, best);
	c.ids = best[1];
	c.weights = normed(b, l->gather(b, scores, c.ids));
	return c;
}

/* GPT-OSS's: the largest logits, and a softmax over those. */
static struct sf_routed
by_logits(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *w, *bias, *best[2];

	w = sf_part(b, layer, name, "weight", a->experts, a->hidden);
	bias = sf_part(b, layer, name, "bias", a->experts, 0);
	l->topk(b, l->linear(b, x, w, bias), a->top_k, best);
	return (struct sf_routed){
		.weights = l->softmax(b, best[0], SF_SOFTMAX_OWN),
		.ids = best[1],
	};
}

/* LFM2's: sigmoids, which a buffer in FP32 may correct for the choice. */
static struct sf_routed
by_biased(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *logits = logits_of(b, layer, name, x);
	struct sf_val *scores, *bias, *best[2], *sum;
	struct sf_routed c = { .in_place = false };

	scores = l->unary(b, SF_CALL_SIGMOID, logits);
	if (a->corrects) {
		bias = sf_val_new(&b->graph, SF_DT_F32, 1, &a->experts);
		bias->fixed = true; /* a buffer */
		bias = l->binary(b, SF_CALL_ADD, scores, bias);
		l->topk(b, bias, a->top_k, best);
		c.weights = l->gather(b, scores, best[1]);
		c.weights = l->type_as(b, c.weights, logits);
	} else {
		l->topk(b, scores, a->top_k, best);
		c.weights = best[0];
	}
	c.ids = best[1];
	if (a->norm_top_k) {
		sum = l->sum(b, c.weights, 1, true);
		sum = l->number(b, SF_CALL_ADD, sum, 1e-6);
		c.weights = l->binary(b, SF_CALL_DIV, c.weights, sum);
	}
	c.weights = l->number(b, SF_CALL_MUL, c.weights, 1);
	return c;
}

/* GraniteMoe's: the same of logits in FP32. */
static struct sf_routed
by_chosen(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *best[2], *y;

	y = l->to_type(b, logits_of(b, layer, name, x), SF_DT_F32);
	l->topk(b, y, b->arch->top_k, best);
	y = l->softmax(b, best[0], SF_SOFTMAX_PLAIN);
	return (struct sf_routed){
		.weights = l->type_as(b, y, x),
		.ids = best[1],
	};
}

static struct sf_routed
choose(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	switch (b->arch->family->router) {
	case SF_ROUTER_SIGMOID:
		return by_sigmoid(b, layer, name, x);
	case SF_ROUTER_LOGITS:
		return by_logits(b, layer, name, x);
	case SF_ROUTER_BIASED:
		return by_biased(b, layer, name, x);
	case SF_ROUTER_CHOSEN:
		return by_chosen(b, layer, name, x);
	case SF_ROUTER_GROUPS:
	case SF_ROUTER_CORRECTED:
	case SF_ROUTER_CLAMPED:
		return sf_router_grouped(b, layer, name, x);
	case SF_ROUTER_SPARSE:
		return sf_router_sparse(b, layer, name, x);
	case SF_ROUTER_HASHED:
	case SF_ROUTER_NONE:
	case SF_ROUTER_CAST:
	case SF_ROUTER_FLOAT:
		break;
	}
	return by_softmax(b, layer, name, x);
}

struct sf_routed
sf_router_choose(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const char *around = sf_enter(b, layer, name);
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_routed c = choose(b, layer, name, x);

	sf_fuse_end(b, f, "gpu.router", &x, 1,
	    (struct sf_val *[]){ c.weights, c.ids }, 2);
	sf_leave(b, around);
	return c;
}
