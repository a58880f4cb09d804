/* Attention and the cache as a serving engine runs them on a GPU. */
#include "model/arch.h"
#include "model/element.h"
#include "model/fuse.h"

/* A tensor of the cache, in its own type and with its scales. */
static struct sf_val *
cached(struct sf_build *b, const int64_t *shape)
{
	struct sf_val *x = sf_cache_given(b, sf_element_kv(b), 4, shape);

	sf_element_scale(b, x, b->work.kv);
	sf_cache_keep(b, x);
	if (x->scales != NULL)
		sf_cache_keep(b, x->scales);
	return x;
}

void
sf_fuse_held(struct sf_build *b, const int64_t *shape, struct sf_val **keys,
    struct sf_val **values)
{
	*keys = cached(b, shape);
	*values = cached(b, shape);
}

/* What a cache holds of the context; NULL: nothing. */
static struct sf_val *
past(struct sf_build *b, const struct sf_val *like, int64_t window)
{
	int64_t n = b->work.context;
	int64_t shape[] = { like->shape[0], like->shape[1], n, like->shape[3] };

	if (window != 0 && b->arch->chunks)
		shape[2] = n % window;
	else if (window != 0 && n > window - 1)
		shape[2] = window - 1;
	return shape[2] != 0 ? cached(b, shape) : NULL;
}

void
sf_fuse_cache(struct sf_build *b, int64_t window, struct sf_val **keys,
    struct sf_val **values)
{
	struct sf_val *in[] = { *keys, *values }, *out[4];
	int n = 2;

	for (int i = 0; i < 2; i++)
		out[i] = cached(b, in[i]->shape);
	for (int i = 0; i < 2; i++)
		if (out[i]->scales != NULL)
			out[n++] = out[i]->scales;
	sf_graph_add(&b->graph, "gpu.cache_write", in, 2, out, n);
	b->past_keys = past(b, *keys, window);
	b->past_values = past(b, *values, window);
	/* A prefill reads what it has just made. */
	if (b->past_keys == NULL)
		return;
	*keys = out[0];
	*values = out[1];
}

/*
 * "causal":1 and the window or the chunk, or what is near on both sides, where
 * they hide anything.
 */
static const char *
attributes(struct sf_build *b, int64_t layer)
{
	int64_t window = sf_arch_window(b->arch, layer);

	if (b->arch->bidirectional && window == 0)
		return NULL;
	if (b->arch->bidirectional)
		return sf_arena_printf(
		    b->graph.arena, "{\"near\":%lld}", (long long)window);
	if (window == 0)
		return "{\"causal\":1}";
	return sf_arena_printf(b->graph.arena, "{\"causal\":1,\"%s\":%lld}",
	    b->arch->chunks ? "chunk" : "window", (long long)window);
}

/* MORE is read beside queries, keys and values; NULL: nothing. */
static struct sf_val *
attend(struct sf_build *b, const struct sf_attention *a, struct sf_val *more,
    const char *attrs)
{
	struct sf_val *in[10] = { a->q, a->k, a->v, b->past_keys,
		b->past_values };
	int64_t *s = a->q->shape;
	struct sf_val *out = sf_val_new(&b->graph, b->work.dtype, 3,
	    (int64_t[]){ s[0], s[2], s[1] * a->v->shape[3] });
	struct sf_graph_node *made;
	int n = 5;

	if (more != NULL)
		in[n++] = more;
	for (int i = 1; i < 5; i++)
		if (in[i] != NULL && in[i]->scales != NULL)
			in[n++] = in[i]->scales;
	if (n == 5 && b->past_keys == NULL)
		n = 3;
	made = sf_graph_add(&b->graph, "gpu.attention", in, n, &out, 1);
	made->attrs = attrs;
	b->past_keys = b->past_values = NULL;
	return out;
}

struct sf_val *
sf_fuse_attention(struct sf_build *b, int64_t layer, struct sf_val *q,
    struct sf_val *k, struct sf_val *v, struct sf_val *sinks)
{
	return attend(b, &(struct sf_attention){ .q = q, .k = k, .v = v },
	    sinks, attributes(b, layer));
}

struct sf_val *
sf_fuse_attend(struct sf_build *b, const struct sf_attention *a)
{
	return attend(b, a, a->mask, a->causal ? "{\"causal\":1}" : NULL);
}
