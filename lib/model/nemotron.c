/*
 * Nemotron-H: layers of states, attention, an MLP or experts, one of them each.
 * The order of calls is that of transformers 5.18's modeling_nemotron_h.py.
 */
#include "model/block.h"
#include "model/experts.h"
#include "model/mlp.h"
#include "model/norm.h"
#include "model/rounds.h"
#include "model/router.h"
#include "model/ssm.h"

#define MIXER "model.layers.%d.mixer"

/* Heads are not rotated: the states know the order of tokens. */
static struct sf_val *
attention(struct sf_build *b, int64_t i, struct sf_val *mask, struct sf_val *x)
{
	const struct sf_arch *a = b->arch;
	struct sf_cache_layer cache;
	struct sf_val *q, *k, *v;
	const char *around = sf_enter(b, i, MIXER);

	q = sf_split_heads(
	    b, sf_linear(b, i, MIXER ".q_proj", x, a->q_size, false));
	k = sf_split_heads(
	    b, sf_linear(b, i, MIXER ".k_proj", x, a->kv_size, false));
	v = sf_split_heads(
	    b, sf_linear(b, i, MIXER ".v_proj", x, a->kv_size, false));
	if (sf_cache_used(b)) {
		sf_cache_layer_init(b, &cache, 0);
		sf_cache_update(b, &cache, &k, &v);
	}
	x = sf_attend(b, i, q, k, v, mask);
	return sf_leave_with(
	    b, around, sf_linear(b, i, MIXER ".o_proj", x, a->hidden, false));
}

/* Experts work in a latent where there is one. */
static struct sf_val *
experts(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t *s = x->shape, latent = a->ssm->latent;
	struct sf_routed c = sf_router_choose(b, i, MIXER ".gate", x);
	struct sf_val *y;
	const char *around = sf_enter(b, i, MIXER);

	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	if (latent != 0)
		y = sf_linear(
		    b, i, MIXER ".fc1_latent_proj", y, latent, a->mlp_bias);
	y = sf_experts_mix(b, i, MIXER ".experts", y, &c);
	if (latent != 0)
		y = sf_linear(
		    b, i, MIXER ".fc2_latent_proj", y, a->hidden, a->mlp_bias);
	y = l->view(b, y, 3, s);
	x = sf_mlp(b, i, MIXER ".shared_experts", x, a->ssm->shared);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, y, x));
}

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *mask, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around = sf_enter(b, i, "model.layers.%d");

	y = sf_ssm_norm(b, i, "model.layers.%d.norm", x);
	switch (b->arch->ssm->kinds[i]) {
	case SF_LAYER_STATES:
		y = sf_mamba2_mix(b, i, MIXER, y);
		break;
	case SF_LAYER_ATTENTION:
		y = attention(b, i, mask, y);
		break;
	case SF_LAYER_EXPERTS:
		y = experts(b, i, y);
		break;
	case SF_LAYER_MLP:
		y = sf_mlp(b, i, MIXER, y, b->arch->inner);
		break;
	}
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_nemotron_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_arena *outer;
	struct sf_val *table, *x, *mask;
	const char *around = sf_enter_base(b);

	table =
	    sf_weight(b, -1, "model.embeddings.weight", a->vocab, a->hidden);
	x = sf_embed(b, "model.embeddings", table, ids);
	mask = sf_mask_causal(b, sf_position_ids(b), SF_MASK_FULL, 0);
	outer = sf_rounds_begin(&b->graph);
	for (int64_t i = 0; i < a->layers; i++) {
		x = layer(b, i, mask, x);
		sf_rounds_next(&b->graph, outer, &x, 1);
	}
	sf_rounds_end(&b->graph, outer);
	x = sf_norm(b, -1, "model.norm_f", x);
	sf_leave(b, around);
	return sf_ssm_logits(b, x, table);
}
