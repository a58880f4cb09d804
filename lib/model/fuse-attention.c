/* Attention and the cache as a serving engine runs them on a GPU. */
#include "model/arch.h"
#include "model/element.h"
#include "model/fuse.h"

/* What a cache holds of the context, in its own type; NULL: nothing. */
static struct sf_val *
past(struct sf_build *b, const struct sf_val *like, int64_t window)
{
	int64_t n = b->work.context;
	int64_t shape[] = { like->shape[0], like->shape[1], n, like->shape[3] };
	struct sf_val *x;

	if (window != 0 && b->arch->chunks)
		shape[2] = n % window;
	else if (window != 0 && n > window - 1)
		shape[2] = window - 1;
	if (shape[2] == 0)
		return NULL;
	x = sf_val_new(&b->graph, sf_element_kv(b), 4, shape);
	sf_element_scale(b, x, b->work.kv);
	sf_cache_keep(b, x);
	if (x->scales != NULL)
		sf_cache_keep(b, x->scales);
	return x;
}

void
sf_fuse_cache(struct sf_build *b, int64_t window, struct sf_val **keys,
    struct sf_val **values)
{
	struct sf_val *in[] = { *keys, *values }, *out[4];
	int n = 2;

	for (int i = 0; i < 2; i++) {
		out[i] =
		    sf_val_new(&b->graph, sf_element_kv(b), 4, in[i]->shape);
		sf_element_scale(b, out[i], b->work.kv);
		sf_cache_keep(b, out[i]);
	}
	for (int i = 0; i < 2; i++)
		if (out[i]->scales != NULL) {
			sf_cache_keep(b, out[i]->scales);
			out[n++] = out[i]->scales;
		}
	sf_graph_add(&b->graph, "gpu.cache_write", in, 2, out, n);
	b->past_keys = past(b, *keys, window);
	b->past_values = past(b, *values, window);
	/* A prefill reads what it has just made. */
	if (b->past_keys == NULL)
		return;
	*keys = out[0];
	*values = out[1];
}

/* "causal":1 and the window or the chunk, where they hide anything. */
static const char *
attributes(struct sf_build *b, int64_t layer)
{
	int64_t window = sf_arch_window(b->arch, layer);

	if (b->arch->bidirectional)
		return NULL;
	if (window == 0)
		return "{\"causal\":1}";
	return sf_arena_printf(b->graph.arena, "{\"causal\":1,\"%s\":%lld}",
	    b->arch->chunks ? "chunk" : "window", (long long)window);
}

struct sf_val *
sf_fuse_attention(struct sf_build *b, int64_t layer, struct sf_val *q,
    struct sf_val *k, struct sf_val *v, struct sf_val *sinks)
{
	struct sf_val *in[10] = { q, k, v, b->past_keys, b->past_values };
	struct sf_val *out = sf_val_new(&b->graph, b->work.dtype, 3,
	    (int64_t[]){ q->shape[0], q->shape[2], q->shape[1] * v->shape[3] });
	struct sf_graph_node *made;
	int n = 5;

	if (sinks != NULL)
		in[n++] = sinks;
	for (int i = 1; i < 5; i++)
		if (in[i] != NULL && in[i]->scales != NULL)
			in[n++] = in[i]->scales;
	if (n == 5 && b->past_keys == NULL)
		n = 3;
	made = sf_graph_add(&b->graph, "gpu.attention", in, n, &out, 1);
	made->attrs = attributes(b, layer);
	b->past_keys = b->past_values = NULL;
	return out;
}
