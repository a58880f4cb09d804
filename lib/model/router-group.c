/*
 * Routers that score experts, and mask groups of them: the order of calls is
 * that of transformers 5.18's DeepseekV2TopkRouter and DeepseekV3TopkRouter.
 */
#include "model/router-group.h"

#include "model/block.h"
#include "model/experts.h"
#include "model/lower-aten-more.h"
#include "model/mlp.h"

/* The scores of groups to those of the groups that are chosen. */
static struct sf_val *
mask_groups(struct sf_build *b, struct sf_val *scores, struct sf_val *groups)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t tokens = scores->shape[0], size = a->experts / a->groups;
	struct sf_val *best[2], *mask;

	l->topk(b, groups, a->top_groups, best);
	mask = sf_aten_zeros_like(b, groups);
	mask = sf_aten_scatter(b, mask, best[1], true);
	mask = l->unsqueeze(b, mask, 2);
	mask = l->expand(b, mask, 3, (int64_t[]){ tokens, a->groups, size });
	mask = l->reshape(b, mask, 2, (int64_t[]){ tokens, a->experts });
	mask = l->to_type(b, mask, SF_DT_B8);
	mask = sf_aten_not(b, mask);
	return sf_aten_masked_fill(b, scores, mask);
}

static struct sf_val *
in_groups(struct sf_build *b, struct sf_val *scores)
{
	const struct sf_arch *a = b->arch;

	return b->route->lower->view(b, scores, 3,
	    (int64_t[]){ scores->shape[0], a->groups, a->experts / a->groups });
}

/* The logits of all experts, in FP32. */
static struct sf_val *
score(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t width = x->shape[x->rank - 1];
	struct sf_val *w;

	x = l->view(b, x, 2, (int64_t[]){ sf_val_numel(x) / width, width });
	x = sf_aten_type(b, x, SF_DT_F32);
	w = sf_part(b, layer, name, "weight", b->arch->experts, width);
	return l->linear(b, x, sf_aten_type(b, w, SF_DT_F32), NULL);
}

/* The softmax, of which groups may be masked. */
static struct sf_routed
choose_softmax(struct sf_build *b, struct sf_val *logits)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *scores = l->softmax(b, logits, SF_SOFTMAX_FLOAT);
	struct sf_val *best[2];

	if (b->arch->groups != 0)
		scores = mask_groups(
		    b, scores, sf_aten_max(b, in_groups(b, scores)));
	l->topk(b, scores, b->arch->top_k, best);
	return (struct sf_routed){
		.weights = l->number(b, SF_CALL_MUL, best[0], 1),
		.ids = best[1],
	};
}

/* The sigmoid, and a bias for the choice alone. */
static struct sf_routed
choose_sigmoid(struct sf_build *b, const char *name, struct sf_val *logits)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *scores = l->unary(b, SF_CALL_SIGMOID, logits);
	struct sf_val *bias, *biased, *groups, *best[2];
	struct sf_routed c = { .in_place = false };

	(void)name;
	bias = sf_val_new(&b->graph,
	    (a->family->glm_experts && !a->family->own_correction) ||
		    (a->mla != NULL && a->mla->index_heads != 0)
		? SF_DT_F32
		: b->work.dtype,
	    1, &a->experts);
	bias->fixed = true; /* a buffer */
	biased = l->binary(b, SF_CALL_ADD, scores, bias);
	l->topk(b, in_groups(b, biased), 2, best);
	groups = l->sum(b, best[0], 2, false);
	biased = mask_groups(b, biased, groups);
	l->topk(b, biased, a->top_k, best);
	c.ids = best[1];
	c.weights = l->gather(b, scores, c.ids);
	if (a->norm_top_k)
		c.weights = l->divide(b, c.weights,
		    l->number(
			b, SF_CALL_ADD, l->sum(b, c.weights, 1, true), 1e-20));
	c.weights = l->number(b, SF_CALL_MUL, c.weights, 1);
	return c;
}

/*
 * ERNIE's: a softmax, a parameter for the choice alone, and a sum of some size.
 * Both parameters are in FP32, whatever the others are.
 */
static struct sf_routed
choose_clamped(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_arena *arena = b->graph.arena;
	int64_t experts = b->arch->experts;
	struct sf_val *w, *scores, *bias, *best[2], *y;
	const char *around;

	y = l->to_type(b, x, SF_DT_F32);
	w = sf_graph_param(&b->graph,
	    sf_block_name(b, layer, sf_arena_printf(arena, "%s.weight", name)),
	    SF_DT_F32, 2, (int64_t[]){ experts, x->shape[1] });
	y = l->linear(b, y, l->to_type(b, w, SF_DT_F32), NULL);
	scores = l->softmax(b, y, SF_SOFTMAX_FLOAT);
	name = sf_arena_printf(
	    arena, "%s.moe_statics.e_score_correction_bias", name);
	bias = sf_graph_param(&b->graph, sf_block_name(b, layer, name),
	    SF_DT_F32, 2, (int64_t[]){ 1, experts });
	around = sf_enter_part(b, "moe_statics");
	bias = sf_aten_squeeze(b, bias, 0);
	bias = l->binary(b, SF_CALL_ADD, scores, bias);
	sf_leave(b, around);
	l->topk(b, bias, b->arch->top_k, best);
	y = l->gather(b, scores, best[1]);
	y = l->binary(b, SF_CALL_DIV, y, l->clamp(b, l->sum(b, y, 1, true)));
	return (struct sf_routed){
		.weights = l->to_type(b, y, x->dtype),
		.ids = best[1],
	};
}

struct sf_routed
sf_router_grouped(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	struct sf_val *logits;

	if (b->arch->family->router == SF_ROUTER_CLAMPED)
		return choose_clamped(b, layer, name, x);
	logits = score(b, layer, name, x);
	if (b->arch->family->router == SF_ROUTER_GROUPS)
		return choose_softmax(b, logits);
	return choose_sigmoid(b, name, logits);
}

struct sf_val *
sf_experts_shared(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_arena *arena = b->graph.arena;
	int64_t *s = x->shape;
	struct sf_routed c;
	struct sf_val *y;
	const char *around = sf_enter(b, layer, name);

	c = sf_router_choose(
	    b, layer, sf_arena_printf(arena, "%s.gate", name), x);
	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	y = sf_experts_mix(
	    b, layer, sf_arena_printf(arena, "%s.experts", name), y, &c);
	y = l->view(b, y, 3, s);
	x = sf_mlp(b, layer, sf_arena_printf(arena, "%s.shared_experts", name),
	    x, b->arch->shared_inner);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, y, x));
}
