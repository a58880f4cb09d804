/* Products and windows, into the stream; products, back from it. */
#include "trace/product.h"

#include "base/num.h"

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
	struct sf_jsonw *w;

	if (products->stated)
		sf_jsonw_int(sf_stream_extend(stream, "macs"), products->macs);
	w = sf_stream_extend(stream, "gemms");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < products->n; i++)
		put_product(w, &products->v[i]);
	sf_jsonw_close(w, ']');
}

/* ---- reading ---- */

static const struct sf_member product_rows[] = {
	SF_MEMBER_INT(
	    "batch", struct sf_product, batch, SF_ALWAYS, 1, INT64_MAX),
	SF_MEMBER_INT("m", struct sf_product, m, SF_ALWAYS, 1, INT64_MAX),
	SF_MEMBER_INT("k", struct sf_product, k, SF_ALWAYS, 1, INT64_MAX),
	SF_MEMBER_INT("n", struct sf_product, n, SF_ALWAYS, 1, INT64_MAX),
	SF_MEMBER_INT("a", struct sf_product, a, SF_OPTIONAL, 0, INT64_MAX),
	SF_MEMBER_INT("b", struct sf_product, b, SF_OPTIONAL, 0, INT64_MAX),
	SF_MEMBER_COUNT("b_bytes", struct sf_product, b_bytes, SF_GROUP),
	SF_MEMBER_INT("b_elements", struct sf_product, b_elements, SF_GROUP, 1,
	    INT64_MAX),
};

static const struct sf_members product_members =
    SF_MEMBERS("product", product_rows);

static void
check_product(struct sf_reading *r, const struct sf_product *p)
{
	const int64_t sides[] = { p->batch, p->m, p->k, p->n };
	int64_t macs;

	if (!sf_mul_all(sides, 4, &macs))
		sf_reading_fail(r,
		    "found more than 2^63 - 1 multiply-accumulates, expected "
		    "fewer");
}

static void
read_product(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_product *p = into;
	const char *value = r->scan.p;

	*p = (struct sf_product){ .a = -1, .b = -1 };
	if (sf_json_peek(&r->scan) != '{') {
		sf_member_refuse(r, m, value, NULL);
		return;
	}
	sf_json_enter(&r->scan, '{');
	sf_members_read(r, &product_members, p, 0);
	if (r->scan.error == NULL)
		check_product(r, p);
}

static const struct sf_member product_element = {
	.type = SF_M_CALL, .read = read_product, .expected = "an object"
};

static const struct sf_member gemms_row = SF_MEMBER_ARRAY_IN(
    "gemms", struct sf_products, v, n, SF_ALWAYS, &product_element, 0);

void
sf_products_read(struct sf_stream *stream, struct sf_str gemms,
    const struct sf_place *up, int inputs, struct sf_products *out)
{
	struct sf_reading r = { .scan = { .p = gemms.p,
				    .start = gemms.p,
				    .arena = sf_stream_record_arena(stream) },
		.stream = stream,
		.place = up };

	out->stated = true;
	out->macs = 0;
	sf_member_read(&r, &gemms_row, out);
	sf_stream_read_part(stream, gemms);
	for (int i = 0; i < out->n; i++) {
		const struct sf_product *p = &out->v[i];

		if (p->a >= inputs || p->b >= inputs)
			sf_reading_fail(&r,
			    "gemms[%d]: found operand %lld, expected one of "
			    "the op's %d inputs",
			    i, (long long)(p->a >= inputs ? p->a : p->b),
			    inputs);
	}
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
put_sizes(struct sf_jsonw *w, const struct sf_op_window *window, enum part part)
{
	for (int i = 0; i < window->n; i++) {
		const struct sf_op_window_dim *d = &window->dims[i];
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
sf_window_put(struct sf_stream *stream, const struct sf_op_window *window)
{
	static const char *const names[] = { "in", "kernel", "stride",
		"dilation", "pads" };
	struct sf_jsonw *w = sf_stream_extend(stream, "window");

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

/* ---- a window, back ---- */

/* Its members, each with a number for each dimension. */
struct lists {
	const int64_t *in, *kernel, *stride, *dilation, *pads;
	int nin, nkernel, nstride, ndilation, npads;
};

static const struct sf_member size = SF_ELEMENT_INT(0, INT64_MAX);
static const struct sf_member step = SF_ELEMENT_INT(1, INT64_MAX);
static const struct sf_member pad = SF_ELEMENT_INT(INT64_MIN, INT64_MAX);

#define LIST(name, row)  \
	SF_MEMBER_ARRAY( \
	    #name, struct lists, name, n##name, SF_ALWAYS, row, 1, INT64_MAX)

static const struct sf_member window_rows[] = {
	LIST(in, &size),
	LIST(kernel, &step),
	LIST(stride, &step),
	LIST(dilation, &step),
	LIST(pads, &pad),
};
static const struct sf_members window_members =
    SF_MEMBERS("window", window_rows);

void
sf_op_window_read(struct sf_stream *stream, struct sf_str window,
    const struct sf_place *up, struct sf_arena *arena, struct sf_op_window *out)
{
	struct lists l = { 0 };
	struct sf_op_window_dim *dims;
	int n;

	sf_object_read(stream, window, up, &window_members, NULL, &l);
	n = l.nin;
	if (l.nkernel != n || l.nstride != n || l.ndilation != n ||
	    l.npads != 2 * n)
		sf_stream_die(stream,
		    "op %lld: window: found %d sizes in 'in', %d in 'kernel', "
		    "%d in 'stride', %d in 'dilation', %d in 'pads', expected "
		    "one for each dimension and two pads",
		    (long long)up->index, n, l.nkernel, l.nstride, l.ndilation,
		    l.npads);
	dims = sf_arena_calloc(arena, (size_t)n, sizeof *dims);
	for (int i = 0; i < n; i++)
		dims[i] = (struct sf_op_window_dim){ .in = l.in[i],
			.kernel = l.kernel[i],
			.stride = l.stride[i],
			.dilation = l.dilation[i],
			.before = l.pads[i],
			.after = l.pads[n + i] };
	*out = (struct sf_op_window){ n, dims };
}
