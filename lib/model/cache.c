/* The key/value cache. */
#include "model/mask.h"

#include "model/arch.h"
#include "model/fuse.h"

bool
sf_cache_used(const struct sf_build *b)
{
	return b->route->caching || b->work.context != 0;
}

struct sf_val *
sf_cache_given(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	struct sf_val *held = sf_val_new(&b->graph, dtype, rank, shape);

	held->cache = true;
	return held;
}

void
sf_cache_keep(struct sf_build *b, struct sf_val *held)
{
	held->kept = b->work.kept != SF_KEPT_OUTPUT;
	held->cache = held->cache || held->kept;
}

/* What a layer holds before the call: nothing, or the last of the context. */
static struct sf_val *
held(struct sf_build *b, int64_t window, int64_t size)
{
	const struct sf_arch *arch = b->arch;
	int64_t n = b->work.context, none = 0;

	if (n == 0)
		return sf_val_new(&b->graph, b->work.dtype, 1, &none);
	if (window != 0 && n > window - 1)
		n = window - 1;
	return sf_cache_given(b, b->work.dtype, 4,
	    (int64_t[]){ b->work.batch, arch->kv_heads, n, size });
}

void
sf_cache_layer_init(
    struct sf_build *b, struct sf_cache_layer *layer, int64_t window)
{
	struct sf_val *size;

	*layer = (struct sf_cache_layer){ .window = window };
	if (window == 0 || b->work.context != 0 || sf_fuses(b))
		return;
	size = sf_val_new(&b->graph, SF_DT_I64, 0, NULL);
	layer->window_size = b->route->lower->lift(b, size);
}

/* The newest WINDOW - 1 of them, which is all that a later call will see. */
static void
trim(struct sf_build *b, struct sf_val *x, int64_t window)
{
	struct sf_item items[] = { SF_ALL, SF_ALL, SF_LAST(window - 1),
		SF_ALL };

	b->route->lower->getitem(b, x, 4, items);
}

void
sf_cache_update(struct sf_build *b, struct sf_cache_layer *layer,
    struct sf_val **keys, struct sf_val **values)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t size = b->arch->head_dim;

	if (sf_fuses(b)) {
		sf_fuse_cache(b, layer->window, keys, values);
		return;
	}
	if (layer->window_size != NULL)
		l->move(b, layer->window_size);
	layer->keys = held(b, layer->window, size);
	layer->values = held(b, layer->window,
	    b->arch->value_dim != 0 ? b->arch->value_dim : size);
	*keys = l->cat(b, layer->keys, *keys, -2);
	*values = l->cat(b, layer->values, *values, -2);
	sf_cache_keep(b, *keys);
	sf_cache_keep(b, *values);
	if (layer->window != 0) {
		trim(b, *keys, layer->window);
		trim(b, *values, layer->window);
	}
}

void
sf_cache_update_one(
    struct sf_build *b, struct sf_cache_layer *layer, struct sf_val **keys)
{
	const struct sf_decomposition *l = b->route->lower;

	if (layer->window_size != NULL)
		l->move(b, layer->window_size);
	layer->keys = layer->values = held(b, layer->window, b->arch->head_dim);
	*keys = l->cat(b, layer->keys, *keys, -2);
	sf_cache_keep(b, *keys);
	if (layer->window != 0)
		trim(b, *keys, layer->window);
}

void
sf_cache_cross(
    struct sf_build *b, int64_t n, struct sf_val **keys, struct sf_val **values)
{
	const struct sf_arch *arch = b->arch;
	int64_t shape[] = { b->work.batch, arch->kv_heads, n, arch->head_dim };
	struct sf_cache_layer layer;

	if (b->work.context == 0) {
		if (!sf_cache_used(b))
			return;
		sf_cache_layer_init(b, &layer, 0);
		sf_cache_update(b, &layer, keys, values);
		return;
	}
	if (sf_fuses(b)) {
		sf_fuse_held(b, shape, keys, values);
		return;
	}
	*keys = sf_cache_given(b, b->work.dtype, 4, shape);
	*values = sf_cache_given(b, b->work.dtype, 4, shape);
}

struct sf_cache_layer *
sf_cache_layers(struct sf_build *b, int64_t n)
{
	struct sf_cache_layer *cache;

	if (!sf_cache_used(b))
		return NULL;
	cache = sf_arena_calloc(b->graph.arena, (size_t)n, sizeof *cache);
	for (int64_t i = 0; i < n; i++)
		sf_cache_layer_init(b, &cache[i], sf_arch_window(b->arch, i));
	return cache;
}
