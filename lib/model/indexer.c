/* Sparse attention: transformers 5.18's DeepseekV32Indexer. */
#include "model/indexer.h"

#include "model/block.h"
#include "model/fuse-latent.h"
#include "model/lower-aten-more.h"
#include "model/lower-aten.h"
#include "model/mask.h"

#define INDEXER "model.layers.%d.self_attn.indexer."

/* Rotates the first of the two parts of Q and of K, [batch, tokens, heads]. */
static void
rotate(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	struct sf_val *in[] = { *q, *k, r->cos, r->sin };
	struct sf_fusion f = sf_fuse_begin(b);

	if (b->arch->family->latent == SF_LATENT_SHARED)
		sf_rope_neighbours(b, r, 2, q, k);
	else
		sf_rope_halves(b, r, 2, q, k);
	sf_fuse_end(
	    b, f, "gpu.rotary", in, 4, (struct sf_val *[]){ *q, *k }, 2);
}

/* Both parts as one, which they are still where rotation is in place. */
static struct sf_val *
join(struct sf_build *b, struct sf_val *parts[2], struct sf_val *whole)
{
	struct sf_val *x = parts[0];

	if (!sf_fuses(b))
		return b->route->lower->cat(b, x, parts[1], -1);
	return sf_aten_1(b, "aten.view", x, sf_val_like(&b->graph, whole));
}

static struct sf_val *
keys_of_cache(struct sf_build *b, struct sf_val *k)
{
	int64_t none = 0;
	struct sf_val *held;

	if (!sf_cache_used(b) || sf_fuses(b))
		return k;
	if (b->work.context == 0)
		held = sf_val_new(&b->graph, k->dtype, 1, &none);
	else
		held = sf_cache_given(b, k->dtype, 3,
		    (int64_t[]){ k->shape[0], b->work.context, k->shape[2] });
	k = b->route->lower->cat(b, held, k, 1);
	sf_cache_keep(b, k);
	return k;
}

/* The indexer's own keys, and its queries in Q, both rotated. */
static struct sf_val *
project(struct sf_build *b, int64_t i, struct sf_val *x, struct sf_val *latent,
    const struct sf_rope *r, struct sf_val **q)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_mla *m = b->arch->mla;
	int64_t sizes[] = { m->rope, m->index_size - m->rope };
	struct sf_val *of_q[2], *of_k[2], *k;
	const char *around;

	*q = sf_linear(b, i, INDEXER "wq_b", latent,
	    m->index_heads * m->index_size, false);
	*q = l->view(b, *q, 4,
	    (int64_t[]){
		x->shape[0], x->shape[1], m->index_heads, m->index_size });
	l->split(b, *q, sizes, 2, of_q);
	k = sf_linear(b, i, INDEXER "wk", x, m->index_size, false);
	around = sf_enter(b, i, INDEXER "k_norm");
	k = l->layer_norm(b, k,
	    sf_part(b, i, INDEXER "k_norm", "weight", m->index_size, 0),
	    sf_part(b, i, INDEXER "k_norm", "bias", m->index_size, 0));
	sf_leave(b, around);
	k = l->unsqueeze(b, k, 2);
	l->split(b, k, sizes, 2, of_k);
	rotate(b, r, &of_q[0], &of_k[0]);
	*q = join(b, of_q, *q);
	k = join(b, of_k, k);
	return keys_of_cache(b, sf_aten_squeeze(b, k, 2));
}

static struct sf_val *
index_keys(struct sf_build *b, int64_t i, struct sf_val *x,
    struct sf_val *latent, const struct sf_rope *r, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_mla *m = b->arch->mla;
	struct sf_val *q, *k, *scores, *weights, *best[2];
	int64_t top = m->index_top;

	if (sf_fuses(b)) {
		k = project(b, i, x, latent, r, &q);
		weights = sf_linear(
		    b, i, INDEXER "weights_proj", x, m->index_heads, false);
		return sf_fuse_index(b, q, k, weights, top);
	}
	k = project(b, i, x, latent, r, &q);
	q = l->to_type(b, q, SF_DT_F32);
	k = l->to_type(b, l->transpose(b, k, 1, 2), SF_DT_F32);
	scores = sf_aten_matmul(b, q, l->unsqueeze(b, k, 1));
	scores = l->number(b, SF_CALL_MUL, scores, 1);
	scores = l->unary(b, SF_CALL_RELU, scores);
	x = l->to_type(b, x, b->work.dtype);
	weights =
	    sf_linear(b, i, INDEXER "weights_proj", x, m->index_heads, false);
	weights = l->to_type(b, weights, SF_DT_F32);
	weights = l->number(b, SF_CALL_MUL, weights, 1);
	scores = sf_aten_matmul(b, l->unsqueeze(b, weights, 2), scores);
	scores = sf_aten_squeeze(b, scores, 2);
	mask = sf_aten_not(b, mask);
	scores = sf_aten_masked_fill(b, scores, mask);
	if (top > scores->shape[2])
		top = scores->shape[2];
	l->topk(b, scores, top, best);
	return l->to_type(b, best[1], SF_DT_I32);
}

struct sf_val *
sf_indexer(struct sf_build *b, int64_t i, struct sf_val *x,
    struct sf_val *latent, const struct sf_rope *r, struct sf_val *mask)
{
	const char *around;

	if (!sf_fuses(b))
		mask = b->route->lower->select(b, mask, 1);
	around = sf_enter(b, i, "model.layers.%d.self_attn.indexer");
	x = index_keys(b, i, x, latent, r, mask);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_indexer_mask(struct sf_build *b, struct sf_val *indices, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[] = { indices->shape[0], indices->shape[1],
		mask->shape[3] };
	struct sf_val *x;

	x = sf_aten_new_ones_of(b, indices, SF_DT_B8, 3, shape);
	indices = l->to_type(b, indices, SF_DT_I64);
	x = l->unsqueeze(b, sf_aten_scatter(b, x, indices, false), 1);
	x = sf_aten_not(b, x);
	return l->binary(b, SF_CALL_AND, mask, x);
}
