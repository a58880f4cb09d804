/* A product and a window make a convolution. */
#include "accel/conv.h"

#include "base/num.h"

/* Positions of a window along one dimension; 0 when it does not fit. */
static int64_t
positions_of(const struct sf_op_window_dim *d)
{
	int64_t padded, reach;

	if (!sf_add(d->in, d->before, &padded) ||
	    !sf_add(padded, d->after, &padded) ||
	    !sf_mul(d->kernel - 1, d->dilation, &reach) || padded <= reach)
		return 0;
	return (padded - reach - 1) / d->stride + 1;
}

/*
 * The last two dimensions are rows and columns; what is outside of them makes
 * planes, each of which reads as many as the kernel is deep.
 */
static bool
shape_of(const struct sf_op_window *w, struct sf_gemm_conv *c)
{
	*c = (struct sf_gemm_conv){ .images = 1,
		.depth = 1,
		.out = { 1, 1 },
		.kernel = { 1, 1 },
		.stride = { 1, 1 },
		.dilation = { 1, 1 } };
	for (int i = 0; i < w->n; i++) {
		const struct sf_op_window_dim *d = &w->dims[i];
		int64_t out = positions_of(d);
		int at = i - (w->n - 2);

		if (out == 0)
			return false;
		if (at < 0) {
			if (!sf_mul(c->images, out, &c->images) ||
			    !sf_mul(c->depth, d->kernel, &c->depth))
				return false;
			continue;
		}
		c->out[at] = out;
		c->kernel[at] = d->kernel;
		c->stride[at] = d->stride;
		c->dilation[at] = d->dilation;
	}
	return true;
}

void
sf_conv_read(struct sf_stream *stream, const struct sf_op *op,
    const struct sf_product *p, struct sf_gemm_conv *conv, int64_t *channels)
{
	const struct sf_place place = sf_op_place(op);
	struct sf_op_window window;
	struct sf_gemm_conv c;
	int64_t plane, rows, taps;

	if (op->window.n == 0)
		return;
	sf_op_window_read(stream, op->window, &place,
	    sf_stream_record_arena(stream), &window);
	if (!shape_of(&window, &c) || !sf_mul(c.out[0], c.out[1], &plane) ||
	    !sf_mul(plane, c.images, &rows) ||
	    !sf_mul(c.kernel[0], c.kernel[1], &taps) ||
	    !sf_mul(taps, c.depth, &taps) || p->m % rows != 0 ||
	    p->k % taps != 0)
		return;
	c.images = p->m / plane;
	*conv = c;
	*channels = p->k / taps;
}
