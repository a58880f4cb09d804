/* Sparse attention by blocks: transformers 5.18's MiniMaxM3VLIndexer. */
#include "model/block-index.h"

#include "model/block.h"
#include "model/lower-aten-more.h"
#include "model/lower-aten-scan.h"
#include "model/norm.h"

#define INDEXER "model.layers.%d.self_attn.indexer."

static int64_t
least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* Heads of a product, normed. */
static struct sf_val *
heads_of(struct sf_build *b, int64_t i, struct sf_val *x, const char *product,
    const char *norm, int64_t heads)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t size = b->arch->index_size;

	x = sf_linear(b, i, product, x, heads * size, false);
	x = l->view(
	    b, x, 4, (int64_t[]){ b->work.batch, b->work.tokens, heads, size });
	return l->transpose(b, sf_norm(b, i, norm, x), 1, 2);
}

/* All keys of the indexer that the cache holds. */
static struct sf_val *
keys_of_cache(struct sf_build *b, struct sf_val *k)
{
	struct sf_val *held;

	if (b->work.context == 0)
		return k;
	held = sf_cache_given(b, k->dtype, 4,
	    (int64_t[]){
		b->work.batch, 1, b->work.context, b->arch->index_size });
	return b->route->lower->cat(b, held, k, -2);
}

/* Which keys are behind each of the queries. */
static struct sf_val *
future(struct sf_build *b, int64_t keys, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item row[] = { SF_NEW, SF_NEW, SF_NEW, SF_ALL };
	struct sf_item column[] = { SF_ALL, SF_NEW, SF_ALL, SF_NEW };
	struct sf_val *k = l->arange(b, keys), *q;

	k = l->getitem(b, k, 4, row);
	q = l->getitem(b, positions, 4, column);
	return l->binary(b, SF_CALL_GT, k, q);
}

/* The blocks of each query itself and before it score best. */
static struct sf_val *
favour_local(
    struct sf_build *b, struct sf_val *scores, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { b->work.batch, a->index_heads, b->work.tokens,
		a->index_local };
	struct sf_item last[] = { SF_ALL, SF_ALL, SF_NEW };
	struct sf_val *at = l->floor_divide(b, positions), *local;

	if (a->index_local == 0)
		return scores;
	local = l->arange(b, a->index_local);
	at = l->getitem(b, at, 3, last);
	local = l->view(b, local, 3, (int64_t[]){ 1, 1, a->index_local });
	at = l->clamp(b, l->binary(b, SF_CALL_SUB, at, local));
	at = l->expand(b, l->unsqueeze(b, at, 1), 4, shape);
	return sf_aten_scatter(b, scores, at, true);
}

/* Scores of blocks: of their keys the best, none of which is behind. */
static struct sf_val *
score_blocks(struct sf_build *b, struct sf_val *q, struct sf_val *k,
    struct sf_val *positions, int64_t blocks)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t keys = k->shape[2], size = a->index_block;
	int64_t shape[] = { b->work.batch, a->index_heads, b->work.tokens,
		blocks * size };
	struct sf_val *x;

	q = l->to_type(b, q, SF_DT_F32);
	k = l->transpose(b, l->to_type(b, k, SF_DT_F32), 2, 3);
	x = sf_aten_matmul(b, q, k);
	x = sf_aten_masked_fill(b, x, future(b, keys, positions));
	if (keys % size != 0)
		x = sf_aten_1(b, "aten.constant_pad_nd", x,
		    sf_val_new(&b->graph, x->dtype, 4, shape));
	x = l->view(
	    b, x, 5, (int64_t[]){ shape[0], shape[1], shape[2], blocks, size });
	shape[3] = blocks;
	return sf_aten_1(
	    b, "aten.amax", x, sf_val_new(&b->graph, x->dtype, 4, shape));
}

/* The blocks that score best; those that have no score are none. */
static struct sf_val *
choose(struct sf_build *b, struct sf_val *scores, int64_t blocks)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *best[2], *none;

	l->topk(b, scores, least(b->arch->index_top, blocks), best);
	none = l->number(b, SF_CALL_EQ, best[0], 0);
	return sf_aten_masked_fill(b, best[1], none);
}

/* Each of dimension DIM so many times, Tensor.repeat_interleave. */
static struct sf_val *
repeat(struct sf_build *b, struct sf_val *x, int dim, int64_t times)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t shape[SF_VAL_RANK], merged[SF_VAL_RANK];

	for (int i = 0; i <= x->rank; i++)
		shape[i] = i <= dim ? x->shape[i]
		    : i == dim + 1  ? times
				    : x->shape[i - 1];
	for (int i = 0; i < x->rank; i++)
		merged[i] = i == dim ? x->shape[i] * times : x->shape[i];
	x = l->unsqueeze(b, x, dim + 1);
	x = l->expand(b, x, x->rank, shape);
	x = sf_aten_clone(b, x);
	return l->view(b, x, x->rank - 1, merged);
}

/* Which keys each head's query sees, of the blocks chosen. */
static struct sf_val *
keep(struct sf_build *b, struct sf_val *chosen, int64_t blocks, int64_t keys)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { b->work.batch, a->index_heads, b->work.tokens,
		blocks + 1 };
	struct sf_item in_blocks[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(blocks) };
	struct sf_item in_keys[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(keys) };
	struct sf_val *safe, *x;

	safe = l->number(b, SF_CALL_LT, chosen, 0);
	safe = sf_aten_masked_fill(b, chosen, safe);
	x = sf_aten_new_full(b, chosen, b->work.dtype, 4, shape);
	x = sf_aten_scatter(b, x, safe, true);
	x = l->getitem(b, x, 4, in_blocks);
	x = l->number(b, SF_CALL_EQ, x, 0);
	x = l->getitem(b, repeat(b, x, 3, a->index_block), 4, in_keys);
	return repeat(b, x, 1, a->heads / a->index_heads);
}

/* The indexer itself: the blocks that each of its heads' queries sees. */
static struct sf_val *
choose_blocks(struct sf_build *b, int64_t i, struct sf_val *x,
    const struct sf_rope *r, struct sf_val *positions, int64_t blocks)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item rotated[] = { SF_ALL, SF_ALL, SF_TO(a->index_size) };
	const char *around =
	    sf_enter(b, i, "model.layers.%d.self_attn.indexer");
	struct sf_val *q, *k;
	struct sf_rope own;

	q = heads_of(
	    b, i, x, INDEXER "q_proj", INDEXER "q_norm", a->index_heads);
	k = heads_of(b, i, x, INDEXER "k_proj", INDEXER "k_norm", 1);
	own.cos = l->getitem(b, r->cos, 3, rotated);
	own.sin = l->getitem(b, r->sin, 3, rotated);
	sf_rope_apply(b, &own, &q, &k);
	k = keys_of_cache(b, k);
	x = score_blocks(b, q, k, positions, blocks);
	x = favour_local(b, x, positions);
	return sf_leave_with(b, around, choose(b, x, blocks));
}

struct sf_val *
sf_block_index(struct sf_build *b, int64_t i, struct sf_val *x,
    const struct sf_rope *r, struct sf_val *positions, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t keys = b->work.context + b->work.tokens;
	int64_t blocks = (keys + a->index_block - 1) / a->index_block;
	int64_t each[] = { b->work.batch, b->work.tokens };
	struct sf_val *seen;

	positions = l->expand(b, positions, 2, each);
	x = choose_blocks(b, i, x, r, positions, blocks);
	seen = keep(b, x, blocks, keys);
	if (mask == NULL)
		mask = sf_aten_not(b, future(b, keys, positions));
	seen = l->binary(b, SF_CALL_AND, seen, mask);
	x = sf_aten_zeros(b, b->work.dtype, 4, seen->shape);
	return sf_aten_masked_fill(b, x, sf_aten_not(b, seen));
}
