/*
 * PhiMoE's router: the two largest, each by a softmax over those that are near
 * it. The order of calls is that of transformers 5.18's sparsemixer.
 */
#include "model/router-sparse.h"

#include "model/block.h"
#include "model/derive.h"
#include "model/lower-aten-more.h"

enum {
	CHOSEN = 2
};

/*
 * The largest of LEFT, which are the scores without those that were chosen
 * before: its place in *ID, and its weight.
 */
static struct sf_val *
choose(struct sf_build *b, struct sf_val *scores, struct sf_val *left,
    struct sf_val **id)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *best[2], *scale, *far;

	best[0] = sf_derive_last(&b->graph, left, 1);
	best[1] = sf_derive_last(&b->graph, left, 1);
	best[1]->dtype = SF_DT_I64;
	sf_aten_add(b, "aten.max", &left, 1, best, 2);
	scale = l->unary(b, SF_CALL_ABS, scores);
	scale = sf_aten_2(b, "aten.clamp", scale, best[0],
	    sf_aten_like(b, scale, scale->dtype));
	far = l->binary(b, SF_CALL_SUB, best[0], scores);
	far = l->binary(b, SF_CALL_DIV, far, scale);
	far = l->number(b, SF_CALL_GT, far, 1);
	left = sf_aten_masked_fill(b, left, far);
	left = l->softmax(b, left, SF_SOFTMAX_PLAIN);
	*id = best[1];
	return l->gather(b, left, best[1]);
}

struct sf_routed
sf_router_sparse(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *scores, *left, *weights[CHOSEN], *ids[CHOSEN];

	scores = l->linear(b, x,
	    sf_part(b, layer, name, "weight", a->experts, a->hidden), NULL);
	weights[0] = choose(b, scores, scores, &ids[0]);
	left = sf_aten_scatter(b, scores, ids[0], false);
	weights[1] = choose(b, scores, left, &ids[1]);
	return (struct sf_routed){
		.weights = l->cat(b, weights[0], weights[1], -1),
		.ids = l->cat(b, ids[0], ids[1], -1),
	};
}
