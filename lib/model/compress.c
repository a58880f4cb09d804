/*
 * Compressed tokens: the order of calls is that of transformers 5.18's
 * modeling_deepseek_v4.py.
 */
#include "model/compress.h"

#include "model/block.h"
#include "model/lower-aten-more.h"
#include "model/lower-aten-scan.h"
#include "model/norm.h"
#include "model/rope.h"

#define COMPRESSOR "model.layers.%d.self_attn.compressor"

/* One of a layer's two: its module, the size of an entry, and its rate. */
struct module {
	const char *name;
	int64_t size, rate;
	bool overlaps;
	struct sf_val *inv; /* its own frequencies */
};

/* ---- rotary embedding ---- */

struct sf_val *
sf_compress_frequencies(struct sf_build *b)
{
	int64_t pairs = b->arch->rotary_dim / 2;
	struct sf_val *x = sf_val_new(&b->graph, SF_DT_F32, 1, &pairs);

	x->fixed = true; /* a buffer */
	return x;
}

struct sf_rope
sf_compress_angles(
    struct sf_build *b, struct sf_val *inv, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item column[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	int64_t shape[] = { positions->shape[0], inv->shape[0], 1 };
	double scale = b->arch->rotary_scale;
	struct sf_val *x, *y;
	struct sf_rope r;
	const char *around = sf_enter_part(b, "rotary_emb");

	x = l->to_type(b, l->getitem(b, inv, 3, column), SF_DT_F32);
	x = l->to_device(b, l->expand(b, x, 3, shape));
	y = l->to_type(b, l->getitem(b, positions, 3, row), SF_DT_F32);
	x = l->to_type(b, x, SF_DT_F32);
	y = l->to_type(b, y, SF_DT_F32);
	x = l->transpose(b, l->matmul(b, x, y), 1, 2);
	r.cos = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_COS, x), scale);
	r.sin = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_SIN, x), scale);
	r.cos = l->to_type(b, r.cos, b->work.dtype);
	r.sin = l->to_type(b, r.sin, b->work.dtype);
	sf_leave(b, around);
	return r;
}

struct sf_val *
sf_compress_rotate(
    struct sf_build *b, const struct sf_rope *r, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t size = b->arch->rotary_dim;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL,
		SF_TO(x->shape[3] - size) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_LAST(size) };
	struct sf_item even[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(0) };
	struct sf_item odd[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(1) };
	struct sf_val *cos, *sin, *pass, *rope, *y, *z;

	cos = l->unsqueeze(b, l->repeat_last(b, r->cos), 1);
	sin = l->unsqueeze(b, l->repeat_last(b, r->sin), 1);
	pass = l->getitem(b, x, 4, low);
	rope = l->getitem(b, x, 4, high);
	y = l->to_type(b, rope, SF_DT_F32);
	y = l->binary(b, SF_CALL_MUL, y, cos);
	z = l->getitem(b, rope, 4, even);
	x = l->unary(b, SF_CALL_NEG, l->getitem(b, rope, 4, odd));
	z = l->reshape(b, l->stack(b, x, z), 4, rope->shape);
	z = l->to_type(b, z, SF_DT_F32);
	z = l->binary(b, SF_CALL_MUL, z, sin);
	y = l->binary(b, SF_CALL_ADD, y, z);
	return l->cat(b, pass, l->to_type(b, y, rope->dtype), -1);
}

/* ---- what is compressed ---- */

static const char *
part(struct sf_build *b, const struct module *m, const char *more)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", m->name, more);
}

/* What a cache kept of tokens that filled no entry, with those of X. */
static struct sf_val *
with_rest(struct sf_build *b, const struct module *m, struct sf_val *x)
{
	int64_t shape[] = { x->shape[0], b->work.context % m->rate,
		x->shape[2] };

	if (shape[1] == 0)
		return x;
	return b->route->lower->cat(
	    b, sf_val_new(&b->graph, x->dtype, 3, shape), x, 1);
}

/* The tokens of KV and GATE that fill entries; the rest is kept. */
static void
take(struct sf_build *b, const struct module *m, struct sf_val **kv,
    struct sf_val **gate)
{
	struct sf_item first, rest;
	int64_t usable;

	if (sf_cache_used(b)) {
		*kv = with_rest(b, m, *kv);
		*gate = with_rest(b, m, *gate);
	}
	usable = (*kv)->shape[1] / m->rate * m->rate;
	first = (struct sf_item)SF_TO(usable);
	rest = (struct sf_item)SF_FROM(usable);
	if (sf_cache_used(b)) {
		sf_cache_keep(b, sf_aten_item(b, *kv, 1, &rest));
		sf_cache_keep(b, sf_aten_item(b, *gate, 1, &rest));
	}
	*kv = sf_aten_item(b, *kv, 1, &first);
	*gate = sf_aten_item(b, *gate, 1, &first);
}

/* The last entry's first half, for the entry behind it. */
static void
keep_overlap(struct sf_build *b, struct sf_val *x, int64_t size)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *last = l->select(b, x, 1);

	/* It is of the same subscript. */
	last = sf_aten_narrow(b, last, 2, size);
	sf_cache_keep(b, sf_aten_clone(b, last));
}

/* Each entry's tokens behind those of the entry before it. */
static void
overlap(struct sf_build *b, const struct module *m, struct sf_val **kv,
    struct sf_val **gate)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x[] = { *kv, *gate }, *new[2], *y;
	int64_t n = x[0]->shape[1];
	int64_t shape[] = { x[0]->shape[0], n, 2 * m->rate, m->size };
	struct sf_item own[] = { SF_ALL, SF_ALL, SF_FROM(m->rate) };
	struct sf_item second[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(m->size) };
	struct sf_item before[] = { SF_ALL, SF_FROM(1), SF_TO(m->rate) };
	struct sf_item shifted[] = { SF_ALL, SF_TO(n - 1), SF_ALL,
		SF_TO(m->size) };

	new[0] = sf_aten_new_zeros(b, x[0], 4, shape);
	new[1] = sf_aten_new_full(b, x[1], x[1]->dtype, 4, shape);
	for (int i = 0; i < 2; i++) {
		y = l->getitem(b, x[i], 4, second);
		new[i] = sf_aten_set_slices(b, new[i], 3, own, y);
	}
	for (int i = 0; i < 2 && n > 1; i++) {
		y = l->getitem(b, x[i], 4, shifted);
		new[i] = sf_aten_set_slices(b, new[i], 3, before, y);
	}
	for (int i = 0; i < 2 && sf_cache_used(b); i++)
		keep_overlap(b, x[i], m->size);
	for (int i = 0; i < 2 && b->work.context >= m->rate; i++) {
		int64_t old[] = { shape[0], m->rate, m->size };

		y = sf_cache_given(b, b->work.dtype, 3, old);
		y = l->to_type(b, y, b->work.dtype);
		sf_aten_set_first(b, new[i], m->rate, y);
	}
	*kv = new[0];
	*gate = new[1];
}

/* Entries, each the weighted sum of its tokens, normed and rotated. */
static struct sf_val *
sum_entries(struct sf_build *b, int64_t layer, const struct module *m,
    struct sf_val *kv, struct sf_val *gate)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = kv->shape[1] / m->rate;
	int64_t shape[] = { kv->shape[0], n, m->rate, kv->shape[2] };
	struct sf_val *bias, *x, *places;
	struct sf_rope r;

	kv = l->view(b, kv, 4, shape);
	gate = l->view(b, gate, 4, shape);
	bias = sf_tensor_part(b, layer, part(b, m, "position_bias"), 2,
	    (int64_t[]){ m->rate, shape[3] });
	gate = l->binary(b, SF_CALL_ADD, gate, bias);
	if (m->overlaps)
		overlap(b, m, &kv, &gate);
	gate = l->to_type(b, l->softmax(b, gate, SF_SOFTMAX_FLOAT), kv->dtype);
	x = l->sum(b, l->binary(b, SF_CALL_MUL, kv, gate), 2, false);
	x = sf_norm(b, layer, part(b, m, "kv_norm"), x);
	places = l->number(b, SF_CALL_MUL, l->arange(b, n), (double)m->rate);
	places = l->number(b, SF_CALL_ADD, places, 0);
	places = l->expand(b, l->unsqueeze(b, places, 0), 2, shape);
	r = sf_compress_angles(b, m->inv, places);
	x = sf_compress_rotate(b, &r, l->unsqueeze(b, x, 1));
	return sf_aten_squeeze(b, x, 1);
}

/* Those of the cache and new ones. */
static struct sf_val *
with_entries(struct sf_build *b, const struct module *m, struct sf_val *x)
{
	int64_t old[] = { x->shape[0], b->work.context / m->rate, m->size };
	struct sf_val *held;

	if (!sf_cache_used(b))
		return x;
	if (b->work.context != 0) {
		held = sf_cache_given(b, x->dtype, 3, old);
		x = x->shape[1] == 0 ? held
				     : b->route->lower->cat(b, held, x, 1);
	}
	sf_cache_keep(b, x);
	return x;
}

/* All entries of a module, [batch, entries, size]. */
static struct sf_val *
entries(
    struct sf_build *b, int64_t layer, const struct module *m, struct sf_val *x)
{
	int64_t width = m->overlaps ? 2 * m->size : m->size;
	struct sf_val *kv, *gate;

	kv = sf_linear(b, layer, part(b, m, "kv_proj"), x, width, false);
	gate = sf_linear(b, layer, part(b, m, "gate_proj"), x, width, false);
	take(b, m, &kv, &gate);
	if (kv->shape[1] > 0) {
		x = sum_entries(b, layer, m, kv, gate);
	} else {
		/* The parameters are there all the same. */
		sf_tensor_part(b, layer, part(b, m, "position_bias"), 2,
		    (int64_t[]){ m->rate, width });
		sf_part(b, layer, part(b, m, "kv_norm"), "weight", m->size, 0);
		x = sf_aten_new_zeros(
		    b, kv, 3, (int64_t[]){ kv->shape[0], 0, m->size });
	}
	return with_entries(b, m, x);
}

/* ---- which of them a token sees ---- */

/* How many entries are complete for each token. */
static struct sf_val *
complete(struct sf_build *b, const struct sf_compressor *c, int64_t rate)
{
	struct sf_val *x =
	    b->route->lower->number(b, SF_CALL_ADD, c->positions, 1);

	(void)rate;
	return b->route->lower->floor_divide(b, x);
}

/* All that are complete. */
static struct sf_val *
bias_of_heavy(struct sf_build *b, const struct sf_compressor *c,
    struct sf_val *entries, int64_t rate)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = entries->shape[2];
	int64_t shape[] = { entries->shape[0], 1, b->work.tokens, n };
	struct sf_val *number, *limit, *bias;

	if (b->work.tokens == 1 || n == 0)
		return NULL;
	number = l->arange(b, n);
	limit = complete(b, c, rate);
	bias = sf_aten_new_zeros(b, entries, 4, shape);
	number = l->view(b, number, 4, (int64_t[]){ 1, 1, 1, n });
	limit = l->unsqueeze(b, l->unsqueeze(b, limit, 1), 3);
	number = l->binary(b, SF_CALL_GE, number, limit);
	return sf_aten_masked_fill(b, bias, number);
}

/* The indexer's scores of entries. */
static struct sf_val *
score(struct sf_build *b, const struct sf_compressor *c, const struct module *m,
    struct sf_val *entries)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_compression *k = b->arch->compression;
	struct sf_rope r = sf_compress_angles(b, m->inv, c->positions);
	struct sf_val *q, *x, *weights;
	const char *around;

	q = sf_linear(b, c->layer, part(b, m, "q_b_proj"), c->latent,
	    k->index_heads * m->size, false);
	q = l->view(b, q, 4,
	    (int64_t[]){ q->shape[0], q->shape[1], k->index_heads, m->size });
	q = sf_compress_rotate(b, &r, l->transpose(b, q, 1, 2));
	q = l->transpose(b, q, 1, 2);
	around = sf_enter_part(b, "scorer");
	q = l->to_type(b, q, SF_DT_F32);
	x = l->to_type(b, l->transpose(b, entries, 1, 2), SF_DT_F32);
	x = sf_aten_matmul(b, q, l->unsqueeze(b, x, 1));
	x = l->unary(b, SF_CALL_RELU, x);
	x = l->number(b, SF_CALL_MUL, x, 1);
	weights = sf_linear(b, c->layer, part(b, m, "scorer.weights_proj"),
	    c->x, k->index_heads, false);
	weights = l->to_type(b, weights, SF_DT_F32);
	weights = l->number(b, SF_CALL_MUL, weights, 1);
	weights = l->unsqueeze(b, weights, 3);
	x = l->sum(b, l->binary(b, SF_CALL_MUL, x, weights), 2, false);
	return sf_leave_with(b, around, x);
}

/* The entries that a token sees, or -1 in their place. */
static struct sf_val *
choose(
    struct sf_build *b, const struct sf_compressor *c, const struct module *m)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *all;
	struct sf_val *scores, *limit, *x, *best[2];
	int64_t n, top = b->arch->compression->index_top;
	const char *around = sf_enter(b, c->layer, m->name);

	all = entries(b, c->layer, m, c->x);
	scores = score(b, c, m, all);
	n = all->shape[1];
	if (top > n)
		top = n;
	if (n == 0) {
		l->topk(b, scores, top, best);
		return sf_leave_with(b, around, best[1]);
	}
	limit = complete(b, c, m->rate);
	x = l->view(b, l->arange(b, n), 3, (int64_t[]){ 1, 1, n });
	x = l->binary(b, SF_CALL_GE, x, l->unsqueeze(b, limit, 2));
	scores = sf_aten_masked_fill(b, scores, x);
	l->topk(b, scores, top, best);
	x = l->binary(b, SF_CALL_GE, best[1], l->unsqueeze(b, limit, 2));
	return sf_leave_with(b, around,
	    sf_aten_where(b, x, sf_aten_full_like(b, best[1]), best[1]));
}

static struct sf_val *
bias_of_sparse(struct sf_build *b, const struct sf_compressor *c,
    const struct module *m, struct sf_val *entries)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = entries->shape[2];
	int64_t shape[] = { entries->shape[0], 1, b->work.tokens, n + 1 };
	struct sf_item seen = SF_TO(n);
	struct sf_val *ids = choose(b, c, m), *valid, *x;

	valid = l->number(b, SF_CALL_GE, ids, 0);
	ids = sf_aten_where(b, valid, ids, sf_aten_full_like(b, ids));
	x = sf_aten_new_full(b, entries, entries->dtype, 4, shape);
	x = sf_aten_scatter(b, x, l->unsqueeze(b, ids, 1), true);
	/* A view of what was changed in place is made where it is needed. */
	return b->route->pruned ? x : sf_aten_item(b, x, 3, &seen);
}

struct sf_val *
sf_compress(
    struct sf_build *b, const struct sf_compressor *c, struct sf_val **bias)
{
	const struct sf_compression *k = b->arch->compression;
	bool sparse = k->kinds[c->layer] == SF_COMPRESSED_SPARSE;
	struct module m = { .name = COMPRESSOR,
		.size = b->arch->head_dim,
		.rate = sparse ? k->sparse_rate : k->heavy_rate,
		.overlaps = sparse,
		.inv = sf_compress_frequencies(b) };
	struct module indexer = { .name = COMPRESSOR ".indexer",
		.size = k->index_size,
		.rate = k->sparse_rate,
		.overlaps = true,
		.inv = sf_compress_frequencies(b) };
	struct sf_val *x;
	const char *around = sf_enter(b, c->layer, COMPRESSOR);

	x = entries(b, c->layer, &m, c->x);
	x = b->route->lower->unsqueeze(b, x, 1);
	*bias = sparse ? bias_of_sparse(b, c, &indexer, x)
		       : bias_of_heavy(b, c, x, m.rate);
	return sf_leave_with(b, around, x);
}
