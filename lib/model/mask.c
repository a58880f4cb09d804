/* Attention masks. */
#include "model/mask.h"

#include "model/arch.h"
#include "model/lower-aten.h"

/* What the four indices of an element of the mask are. */
struct indices {
	struct sf_val *batch, *q, *kv;
};

/* Where one sequence of a packed batch begins, the next sequence's number. */
static struct sf_val *
packed_sequences(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item first[] = { SF_ALL, SF_TO(1) };
	int64_t shape[] = { b->work.batch, positions->shape[1] };
	struct sf_val *before, *step;

	if (b->work.batch != positions->shape[0])
		positions = l->expand(b, positions, 2, shape);
	before = l->getitem(b, positions, 2, first);
	before = l->number(b, SF_CALL_SUB, before, 1);
	step = l->diff_last(b, positions, before);
	step = l->number(b, SF_CALL_NE, step, 1);
	return l->cumsum(b, step, -1);
}

/* 0, 1, ... as dimension DIM of four. */
static struct sf_val *
along(struct sf_build *b, struct sf_val *range, int dim)
{
	struct sf_item items[] = { SF_NEW, SF_NEW, SF_NEW, SF_NEW };

	items[dim].kind = SF_ITEM_ALL;
	return b->route->lower->getitem(b, range, 4, items);
}

static struct indices
make_indices(struct sf_build *b, int64_t keys, int64_t first_key)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *batch = l->arange(b, b->work.batch);
	struct sf_val *head = l->arange(b, 1);
	struct sf_val *q = l->arange(b, b->work.tokens), *kv;
	struct indices x;

	q = l->number(b, SF_CALL_ADD, q, (double)b->work.context);
	kv = l->arange(b, keys);
	kv = l->number(b, SF_CALL_ADD, kv, (double)first_key);
	x.batch = along(b, batch, 0);
	along(b, head, 1); /* no mask of these models depends on it */
	x.q = along(b, q, 2);
	x.kv = along(b, kv, 3);
	return x;
}

static struct sf_val *
both(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;

	return l->binary(b, SF_CALL_AND, x, l->to_device(b, y));
}

static struct sf_val *
not_later(struct sf_build *b, const struct indices *x)
{
	return b->route->lower->binary(b, SF_CALL_LE, x->kv, x->q);
}

static struct sf_val *
in_window(struct sf_build *b, const struct indices *x, int64_t window)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *oldest = l->number(b, SF_CALL_SUB, x->q, (double)window);

	return l->binary(b, SF_CALL_GT, x->kv, oldest);
}

/* Which chunk each of INDEX is in, that begin behind a sequence's padding. */
static struct sf_val *
chunk_of(struct sf_build *b, const struct indices *x, struct sf_val *index,
    struct sf_val *padding)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *before = l->index(b, padding, x->batch);

	return l->floor_divide(b, l->binary(b, SF_CALL_SUB, index, before));
}

/* PADDING is of a mask of chunks, else NULL. */
static struct sf_val *
window_mask(struct sf_build *b, const struct indices *x, int64_t window,
    struct sf_val *padding)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *mask, *chunk;

	if (padding != NULL) {
		mask = l->new_ones(b, x->q);
		chunk = chunk_of(b, x, x->kv, padding);
		chunk = l->binary(
		    b, SF_CALL_EQ, chunk, chunk_of(b, x, x->q, padding));
		mask = both(b, mask, chunk);
		return both(b, mask, not_later(b, x));
	}
	if (window == SF_MASK_FULL)
		return not_later(b, x);
	mask = l->new_ones(b, x->q);
	mask = both(b, mask, in_window(b, x, window));
	return both(b, mask, not_later(b, x));
}

static struct sf_val *
same_sequence(
    struct sf_build *b, const struct indices *x, struct sf_val *packed)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *q = l->index2(b, packed, x->batch, x->q);
	struct sf_val *kv = l->index2(b, packed, x->batch, x->kv);

	return l->binary(b, SF_CALL_EQ, q, kv);
}

/* How many keys the cache will show to this call, and the first of them. */
static int64_t
count_keys(const struct sf_build *b, int64_t cached, int64_t *first)
{
	int64_t context = b->work.context;

	if (cached == 0 || context < cached) {
		*first = 0;
		return context + b->work.tokens;
	}
	*first = context - cached + 1;
	return cached - 1 + b->work.tokens;
}

/* True when is_causal, or no mask for a single token, does the same. */
static bool
may_skip(const struct sf_build *b, int64_t window, int64_t keys)
{
	if (b->route->exporting || b->arch->always_masks ||
	    (window != SF_MASK_FULL && keys >= window))
		return false;
	return b->work.tokens == 1 || keys == b->work.tokens;
}

static struct sf_val *
make_mask(struct sf_build *b, struct sf_val *positions, int64_t window,
    int64_t cached, bool chunked)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *packed = NULL, *padding = NULL, *mask;
	int64_t first, keys = count_keys(b, cached, &first);
	struct indices x;

	if (b->route->fuses)
		return NULL;
	if (positions != NULL && b->route->tracing && !sf_cache_used(b))
		packed = packed_sequences(b, positions);
	if (chunked) /* what padding there is before each sequence */
		padding = sf_aten_zeros(b, SF_DT_I64, 1, &b->work.batch);
	if (packed == NULL && !b->arch->family->eager &&
	    may_skip(b, window, keys))
		return NULL;
	x = make_indices(b, keys, first);
	if (packed == NULL) {
		mask = window_mask(b, &x, window, padding);
	} else {
		mask = l->new_ones(b, x.q);
		mask = both(b, mask, window_mask(b, &x, window, padding));
		mask = both(b, mask, same_sequence(b, &x, packed));
	}
	mask = l->expand(
	    b, mask, 4, (int64_t[]){ b->work.batch, 1, b->work.tokens, keys });
	if (b->arch->family->eager)
		mask = l->number_mask(b, mask, b->work.dtype);
	return mask;
}

struct sf_val *
sf_mask_causal(struct sf_build *b, struct sf_val *positions, int64_t window,
    int64_t cached)
{
	return make_mask(b, positions, window, cached, false);
}

struct sf_val *
sf_mask_chunked(struct sf_build *b, struct sf_val *positions, int64_t chunk)
{
	return make_mask(b, positions, chunk, chunk, true);
}

struct sf_val *
sf_mask_padded(struct sf_build *b, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t keys = mask->shape[1];
	struct sf_val *seen, *out;
	struct indices x;

	mask = l->to_type(b, mask, SF_DT_B8);
	x = make_indices(b, keys, 0);
	out = l->new_ones(b, x.q);
	out = both(b, out, not_later(b, &x));
	seen = l->index2(b, mask, x.batch, x.kv);
	out = both(b, out, seen);
	out = l->expand(
	    b, out, 4, (int64_t[]){ b->work.batch, 1, b->work.tokens, keys });
	return b->arch->family->eager ? l->number_mask(b, out, b->work.dtype)
				      : out;
}

struct sf_val *
sf_mask_bidirectional(struct sf_build *b)
{
	return sf_mask_across(b, b->work.tokens);
}

struct sf_val *
sf_mask_near(struct sf_build *b, int64_t window)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = b->work.tokens;
	struct sf_val *mask, *far;
	struct indices x;

	if (!b->route->exporting && n < window)
		return NULL;
	x = make_indices(b, n, 0);
	mask = l->new_ones(b, x.q);
	far = l->binary(b, SF_CALL_SUB, x.q, x.kv);
	far = l->unary(b, SF_CALL_ABS, far);
	mask = both(b, mask, l->number(b, SF_CALL_LE, far, (double)window));
	mask = both(b, mask, l->number(b, SF_CALL_GE, x.q, 0));
	return l->expand(b, mask, 4, (int64_t[]){ b->work.batch, 1, n, n });
}

struct sf_val *
sf_mask_across(struct sf_build *b, int64_t n)
{
	const struct sf_decomposition *l = b->route->lower;
	struct indices x;
	struct sf_val *mask;

	if (!b->route->exporting)
		return NULL;
	x = make_indices(b, n, 0);
	mask = l->number(b, SF_CALL_GE, x.q, 0);
	return l->expand(
	    b, mask, 4, (int64_t[]){ b->work.batch, 1, b->work.tokens, n });
}

struct sf_val *
sf_position_range(struct sf_build *b)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *ids = l->arange(b, b->work.tokens);

	return l->number(b, SF_CALL_ADD, ids, (double)b->work.context);
}

struct sf_val *
sf_position_ids(struct sf_build *b)
{
	struct sf_val *x = b->arch->family->from_zero
	    ? b->route->lower->arange(b, b->work.tokens)
	    : sf_position_range(b);

	return b->route->lower->unsqueeze(b, x, 0);
}
