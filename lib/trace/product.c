/* Products and windows, into the stream. */
#include "trace/product.h"

static void
put_product(struct sf_jsonw *w, const struct sf_product *p)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "batch", p->batch);
	sf_jsonw_kint(w, "m", p->m);
	sf_jsonw_kint(w, "k", p->k);
	sf_jsonw_kint(w, "n", p->n);
	if (p->a >= 0)
		sf_jsonw_kint(w, "a", p->a);
	if (p->b >= 0)
		sf_jsonw_kint(w, "b", p->b);
	if (p->b_elements != 0) {
		sf_jsonw_kint(w, "b_bytes", p->b_bytes);
		sf_jsonw_kint(w, "b_elements", p->b_elements);
	}
	sf_jsonw_close(w, '}');
}

void
sf_products_put(struct sf_stream *stream, const struct sf_products *products)
{
	struct sf_jsonw *w = sf_stream_extend(stream);

	sf_jsonw_kint(w, "macs", products->macs);
	sf_jsonw_key(w, "gemms");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < products->n; i++)
		put_product(w, &products->v[i]);
	sf_jsonw_close(w, ']');
}

/* The members of a window: one size of each dimension. */
enum part {
	IN,
	KERNEL,
	STRIDE,
	DILATION,
	BEFORE,
	AFTER
};

static void
put_sizes(struct sf_jsonw *w, const struct sf_window *window, enum part part)
{
	for (int i = 0; i < window->n; i++) {
		const struct sf_window_dim *d = &window->dims[i];
		const int64_t sizes[] = { [IN] = d->in,
			[KERNEL] = d->kernel,
			[STRIDE] = d->stride,
			[DILATION] = d->dilation,
			[BEFORE] = d->before,
			[AFTER] = d->after };

		sf_jsonw_int(w, sizes[part]);
	}
}

void
sf_window_put(struct sf_stream *stream, const struct sf_window *window)
{
	static const char *const names[] = { "in", "kernel", "stride",
		"dilation", "pads" };
	struct sf_jsonw *w = sf_stream_extend(stream);

	sf_jsonw_key(w, "window");
	sf_jsonw_open(w, '{');
	for (enum part part = IN; part <= BEFORE; part++) {
		sf_jsonw_key(w, names[part]);
		sf_jsonw_open(w, '[');
		put_sizes(w, window, part);
		if (part == BEFORE)
			put_sizes(w, window, AFTER);
		sf_jsonw_close(w, ']');
	}
	sf_jsonw_close(w, '}');
}
