/* Attention through a latent as a serving engine runs it on a GPU. */
#include "model/fuse-latent.h"

#include "base/num.h"
#include "model/arch.h"
#include "model/block.h"
#include "model/element.h"

/* What the cache held of K, and what it holds of it from now on in *K. */
static struct sf_val *
cached(struct sf_build *b, struct sf_val **k)
{
	int64_t *s = (*k)->shape, shape[] = { s[0], b->work.context, s[2] };
	struct sf_val *out[2], *past;

	out[0] = sf_val_new(&b->graph, sf_element_kv(b), 3, s);
	sf_element_scale(b, out[0], b->work.kv);
	sf_cache_keep(b, out[0]);
	out[1] = out[0]->scales;
	if (out[1] != NULL)
		sf_cache_keep(b, out[1]);
	sf_graph_add(
	    &b->graph, "gpu.cache_write", k, 1, out, out[1] != NULL ? 2 : 1);
	if (b->work.context == 0)
		return NULL;
	past = sf_cache_given(b, sf_element_kv(b), 3, shape);
	sf_element_scale(b, past, b->work.kv);
	sf_cache_keep(b, past);
	if (past->scales != NULL)
		sf_cache_keep(b, past->scales);
	*k = out[0];
	return past;
}

struct sf_val *
sf_fuse_index(struct sf_build *b, struct sf_val *q, struct sf_val *k,
    struct sf_val *weights, int64_t top)
{
	struct sf_val *past = cached(b, &k), *scores, *chosen;
	struct sf_val *in[6] = { q, k, weights, past };
	int64_t shape[] = { q->shape[0], q->shape[1],
		b->work.context + k->shape[1] };
	int n = 4;

	for (int i = 1; i < 4; i += 2)
		if (in[i] != NULL && in[i]->scales != NULL)
			in[n++] = in[i]->scales;
	if (n == 4 && past == NULL)
		n = 3;
	scores = sf_val_new(&b->graph, SF_DT_F32, 3, shape);
	sf_graph_add(&b->graph, "gpu.index_scores", in, n, &scores, 1);
	if (top < shape[2])
		shape[2] = top;
	chosen = sf_val_new(&b->graph, SF_DT_I32, 3, shape);
	sf_graph_add(&b->graph, "gpu.choose", &scores, 1, &chosen, 1);
	return chosen;
}

/* The projection NAME of latents to keys and values of all heads. */
static struct sf_val *
matrix(struct sf_build *b, int64_t layer, const char *name)
{
	const struct sf_arch *a = b->arch;
	const struct sf_mla *m = a->mla;
	int64_t rows = sf_mul_most(a->heads, sf_add_most(m->pass, m->value));
	struct sf_val *w = sf_part(b, layer, name, "weight", rows, m->kv_rank);

	if (!a->quant.experts_only)
		sf_store_weight(b, layer, name, w, 1, rows, m->kv_rank);
	return w;
}

/* ---- keys and values of all heads ---- */

/* What the latents KV are for each head: keys, without a part, and values. */
static void
expand(struct sf_build *b, struct sf_val *kv, struct sf_val *w,
    struct sf_val *out[2])
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	const struct sf_mla *m = a->mla;
	int64_t sizes[] = { m->pass, m->value };
	struct sf_val *x = l->linear(b, kv, w, NULL);

	x = l->view(b, x, 4,
	    (int64_t[]){
		kv->shape[0], kv->shape[2], a->heads, m->pass + m->value });
	l->split(b, l->transpose(b, x, 1, 2), sizes, 2, out);
}

static struct sf_val *
attend_expanded(struct sf_build *b, int64_t layer, const char *name,
    const struct sf_latent_parts *at)
{
	struct sf_val *w = matrix(b, layer, name), *heads[2], *past[2], *out;
	struct sf_val *kv = at->kv, *rope = at->rope, *in[8];
	int64_t *s = at->q->shape;
	int n = 5;

	sf_fuse_cache(b, 0, &kv, &rope);
	expand(b, at->kv, w, heads);
	in[0] = at->q;
	in[1] = at->q_rope;
	in[2] = heads[0];
	in[3] = rope;
	in[4] = heads[1];
	if (b->past_keys != NULL) {
		expand(b, b->past_keys, w, past);
		in[n++] = past[0];
		in[n++] = b->past_values;
		in[n++] = past[1];
	}
	out = sf_val_new(&b->graph, b->work.dtype, 3,
	    (int64_t[]){ s[0], s[2], s[1] * heads[1]->shape[3] });
	sf_graph_add(&b->graph, "gpu.expanded_attention", in, n, &out, 1)
	    ->attrs = "{\"causal\":1}";
	b->past_keys = b->past_values = NULL;
	return out;
}

/* ---- the latents themselves ---- */

/* X through each head's matrix of W, of which UNREAD bytes are another's. */
static struct sf_val *
head_linear(struct sf_build *b, struct sf_val *x, struct sf_val *w,
    int64_t unread, int rank, const int64_t *shape)
{
	struct sf_val *in[] = { x, w };
	struct sf_val *out = sf_val_new(&b->graph, b->work.dtype, rank, shape);
	struct sf_graph_node *made;

	made = sf_graph_add(&b->graph, "gpu.head_linear", in, 2, &out, 1);
	made->partial = 1;
	made->unread = unread;
	return out;
}

/* How many bytes of W are those of values. */
static int64_t
value_bytes(const struct sf_mla *m, const struct sf_val *w)
{
	return sf_val_stored(w) / (m->pass + m->value) * m->value;
}

static const char *
attributes(struct sf_build *b, const struct sf_val *indices)
{
	if (indices == NULL)
		return "{\"causal\":1}";
	return sf_arena_printf(b->graph.arena, "{\"causal\":1,\"top\":%lld}",
	    (long long)b->arch->mla->index_top);
}

static struct sf_val *
attend_latent(struct sf_build *b, int64_t layer, const char *name,
    const struct sf_latent_parts *at)
{
	const struct sf_mla *m = b->arch->mla;
	struct sf_val *w = matrix(b, layer, name), *in[11] = { NULL }, *out;
	int64_t *s = at->q->shape, shape[] = { s[0], s[1], s[2], m->kv_rank };
	int64_t values = value_bytes(m, w);
	struct sf_val *kv = at->kv, *rope = at->rope;
	int n = 6;

	in[0] = head_linear(b, at->q, w, values, 4, shape);
	in[1] = at->q_rope;
	sf_fuse_cache(b, 0, &kv, &rope);
	in[2] = kv;
	in[3] = rope;
	in[4] = b->past_keys;
	in[5] = b->past_values;
	for (int i = 2; i < 6; i++)
		if (in[i] != NULL && in[i]->scales != NULL)
			in[n++] = in[i]->scales;
	if (at->indices != NULL)
		in[n++] = at->indices;
	if (n == 6 && b->past_keys == NULL)
		n = 4;
	out = sf_val_new(&b->graph, b->work.dtype, 4, shape);
	sf_graph_add(&b->graph, "gpu.latent_attention", in, n, &out, 1)->attrs =
	    attributes(b, at->indices);
	b->past_keys = b->past_values = NULL;
	return head_linear(b, out, w, sf_val_stored(w) - values, 3,
	    (int64_t[]){ s[0], s[2], s[1] * m->value });
}

struct sf_val *
sf_fuse_latent(struct sf_build *b, int64_t layer, const char *name,
    const struct sf_latent_parts *in)
{
	bool one = b->work.context != 0 && b->work.tokens == 1;

	return one || in->indices != NULL ? attend_latent(b, layer, name, in)
					  : attend_expanded(b, layer, name, in);
}
