/* The `lower` member of an op: writing it, reading it, refusing nonsense. */
#include "accel/lower.h"
#include "accel/part.h"
#include "base/num.h"

static const char *const where_names[] = {
	[SF_ON_NONE] = "none",
	[SF_ON_ARRAY] = "array",
	[SF_ON_VECTOR] = "vector",
	[SF_ON_TRANSIT] = "transit",
	NULL,
};

const char *
sf_where_name(enum sf_where where)
{
	return where_names[where];
}

enum sf_dtype
sf_lower_type(const struct sf_op *op)
{
	for (int i = 0; i < op->ninputs; i++)
		if (!op->inputs[i].absent)
			return op->inputs[i].dtype;
	return SF_DT_UNKNOWN;
}

static const char *const order_names[] = {
	[SF_ORDER_MNK] = "mnk",
	[SF_ORDER_NMK] = "nmk",
	NULL,
};

static const char *const split_names[] = {
	[SF_SPLIT_NONE] = "none",
	[SF_SPLIT_BATCH] = "batch",
	[SF_SPLIT_N] = "n",
	NULL,
};

/* ---- writing ---- */

static void
put_two(struct sf_jsonw *w, const char *name, const int64_t v[2])
{
	sf_jsonw_key(w, name);
	sf_jsonw_open(w, '[');
	sf_jsonw_int(w, v[0]);
	sf_jsonw_int(w, v[1]);
	sf_jsonw_close(w, ']');
}

static void
put_conv(struct sf_jsonw *w, const struct sf_gemm_conv *c)
{
	sf_jsonw_key(w, "conv");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "images", c->images);
	sf_jsonw_kint(w, "depth", c->depth);
	put_two(w, "out", c->out);
	put_two(w, "kernel", c->kernel);
	put_two(w, "stride", c->stride);
	put_two(w, "dilation", c->dilation);
	sf_jsonw_close(w, '}');
}

static void
put_gemm(struct sf_jsonw *w, const struct sf_gemm *g)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "batch", g->batch);
	sf_jsonw_kint(w, "m", g->m);
	sf_jsonw_kint(w, "k", g->k);
	sf_jsonw_kint(w, "n", g->n);
	sf_jsonw_kint(w, "bb", g->bb);
	sf_jsonw_kint(w, "bm", g->bm);
	sf_jsonw_kint(w, "bk", g->bk);
	sf_jsonw_kint(w, "bn", g->bn);
	sf_jsonw_kint(w, "tiles", g->tiles);
	if (g->b_elements != 0) {
		sf_jsonw_kint(w, "b_bytes", g->b_bytes);
		sf_jsonw_kint(w, "b_elements", g->b_elements);
	}
	if (g->order != SF_ORDER_MNK)
		sf_jsonw_kcstr(w, "order", order_names[g->order]);
	if (g->split != SF_SPLIT_NONE)
		sf_jsonw_kcstr(w, "split", split_names[g->split]);
	if (g->conv.images != 0)
		put_conv(w, &g->conv);
	sf_jsonw_close(w, '}');
}

static void
put_nest(struct sf_jsonw *w, const struct sf_lower *lower)
{
	if (lower->ngemms == 0) {
		sf_jsonw_kint(w, "slices", lower->tiles);
		sf_jsonw_kint(w, "rd", lower->rd);
		sf_jsonw_kint(w, "wr", lower->wr);
		sf_jsonw_kint(w, "work", lower->work);
		sf_jsonw_kint(w, "flops", lower->flops);
		if (lower->ideal) {
			sf_jsonw_key(w, "ideal");
			sf_jsonw_bool(w, true);
		}
		return;
	}
	sf_jsonw_kint(w, "e_in", lower->e_in);
	sf_jsonw_kint(w, "e_out", lower->e_out);
	sf_jsonw_key(w, "gemms");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < lower->ngemms; i++)
		put_gemm(w, &lower->gemms[i]);
	sf_jsonw_close(w, ']');
}

void
sf_lower_write(struct sf_jsonw *w, const struct sf_lower *lower)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "unit", sf_where_name(lower->where));
	sf_jsonw_key(w, "deps");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < lower->ndeps; i++)
		sf_jsonw_int(w, lower->deps[i]);
	sf_jsonw_close(w, ']');
	sf_jsonw_kint(w, "tiles", lower->tiles);
	if (lower->cores > 1 && lower->where != SF_ON_NONE)
		sf_jsonw_kint(w, "cores", lower->cores);
	if (lower->where != SF_ON_NONE)
		put_nest(w, lower);
	sf_jsonw_close(w, '}');
}

void
sf_lower_put(struct sf_stream *stream, const struct sf_lower *lower)
{
	sf_lower_write(sf_stream_extend(stream, "lower"), lower);
}

/* ---- reading ---- */

#define SIZE(field, must) \
	SF_MEMBER_INT(#field, struct sf_gemm, field, must, 1, INT64_MAX)

/* A convolution, whose pairs are arrays that say their length. */
struct conv_text {
	int64_t images, depth;
	int64_t out[2], kernel[2], stride[2], dilation[2];
	int nout, nkernel, nstride, ndilation;
};

static const struct sf_member side = SF_ELEMENT_INT(1, INT64_MAX);

#define PAIR(field)         \
	SF_MEMBER_ARRAY_IN( \
	    #field, struct conv_text, field, n##field, SF_ALWAYS, &side, 2)

static const struct sf_member conv_rows[] = {
	SF_MEMBER_INT(
	    "images", struct conv_text, images, SF_ALWAYS, 1, INT64_MAX),
	SF_MEMBER_INT(
	    "depth", struct conv_text, depth, SF_ALWAYS, 1, INT64_MAX),
	PAIR(out),
	PAIR(kernel),
	PAIR(stride),
	PAIR(dilation),
};
static const struct sf_members conv_members = SF_MEMBERS("conv", conv_rows);

static void
read_conv(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_gemm *g = into;
	struct conv_text t = { 0 };
	const char *value = r->scan.p;

	if (sf_json_peek(&r->scan) != '{') {
		sf_member_refuse(r, m, value, NULL);
		return;
	}
	sf_json_enter(&r->scan, '{');
	sf_members_read(r, &conv_members, &t, 0);
	g->conv = (struct sf_gemm_conv){ .images = t.images,
		.depth = t.depth,
		.out = { t.out[0], t.out[1] },
		.kernel = { t.kernel[0], t.kernel[1] },
		.stride = { t.stride[0], t.stride[1] },
		.dilation = { t.dilation[0], t.dilation[1] } };
}

static const struct sf_member gemm_rows[] = {
	SIZE(batch, SF_ALWAYS),
	SIZE(m, SF_ALWAYS),
	SIZE(k, SF_ALWAYS),
	SIZE(n, SF_ALWAYS),
	SIZE(bb, SF_ALWAYS),
	SIZE(bm, SF_ALWAYS),
	SIZE(bk, SF_ALWAYS),
	SIZE(bn, SF_ALWAYS),
	SIZE(tiles, SF_ALWAYS),
	SIZE(b_bytes, SF_GROUP),
	SIZE(b_elements, SF_GROUP),
	SF_MEMBER_WORD(
	    "order", struct sf_gemm, order, SF_OPTIONAL, order_names),
	SF_MEMBER_WORD(
	    "split", struct sf_gemm, split, SF_OPTIONAL, split_names),
	SF_MEMBER_CALL("conv", SF_OPTIONAL, read_conv, "an object"),
};
static const struct sf_members gemm_members = SF_MEMBERS("gemm", gemm_rows);

static const struct sf_member dep = SF_ELEMENT_INT(0, INT64_MAX);
static const struct sf_member gemm = SF_ELEMENT_OBJECT(&gemm_members);

/* What goes with products, and what with slices. */
enum {
	PRODUCTS = SF_GROUP,
	SLICES
};

#define COUNT(field, must) SF_MEMBER_COUNT(#field, struct sf_lower, field, must)
#define ABOVE_0(field, must) \
	SF_MEMBER_INT(#field, struct sf_lower, field, must, 1, INT64_MAX)

static const struct sf_member rows[] = {
	SF_MEMBER_WORD("unit", struct sf_lower, where, SF_ALWAYS, where_names),
	SF_MEMBER_ARRAY("deps", struct sf_lower, deps, ndeps, SF_ALWAYS, &dep,
	    0, INT64_MAX),
	COUNT(tiles, SF_ALWAYS),
	SF_MEMBER_INT(
	    "cores", struct sf_lower, cores, SF_OPTIONAL, 1, SF_MAX_CORES),
	ABOVE_0(slices, SLICES),
	COUNT(rd, SLICES),
	COUNT(wr, SLICES),
	COUNT(work, SLICES),
	COUNT(flops, SLICES),
	SF_MEMBER_TRUE("ideal", struct sf_lower, ideal, SF_OPTIONAL),
	ABOVE_0(e_in, PRODUCTS),
	ABOVE_0(e_out, PRODUCTS),
	SF_MEMBER_ARRAY_IN(
	    "gemms", struct sf_lower, gemms, ngemms, PRODUCTS, &gemm, 1),
};
static const struct sf_members members = SF_MEMBERS("lower", rows);

/* Blocks of a convolution are whole rows or images, or a part of a row. */
static bool
conv_is_whole(const struct sf_gemm *g)
{
	const struct sf_gemm_conv *c = &g->conv;
	const int64_t places[] = { c->images, c->out[0], c->out[1] };
	const int64_t taps[] = { c->depth, c->kernel[0], c->kernel[1] };
	int64_t m, n;

	return c->images == 0 ||
	    (sf_mul_all(places, 3, &m) && m == g->m &&
		sf_mul_all(taps, 3, &n) &&
		sf_gemm_whole_rows(g, g->bm) == g->bm);
}

/* True when the blocks give CORES cores that many tiles. */
static bool
is_whole(const struct sf_gemm *g, int64_t cores)
{
	int64_t tiles;

	return g->bb <= g->batch && g->bm <= g->m && g->bk <= g->k &&
	    g->bn <= g->n && conv_is_whole(g) &&
	    sf_gemm_parts(g, cores, &tiles) && tiles == g->tiles;
}

static void
check_deps(
    struct sf_stream *stream, const struct sf_op *op, const struct sf_lower *l)
{
	for (int i = 0; i < l->ndeps; i++)
		if (l->deps[i] >= op->i ||
		    (i != 0 && l->deps[i] <= l->deps[i - 1]))
			sf_op_die(stream, op,
			    "lower: deps[%d] is %lld, expected earlier ops in "
			    "rising order",
			    i, (long long)l->deps[i]);
}

static void
check_nest(
    struct sf_stream *stream, const struct sf_op *op, const struct sf_lower *l)
{
	int64_t tiles = l->slices;

	for (int i = 0; i < l->ngemms; i++) {
		if (!is_whole(&l->gemms[i], l->cores))
			sf_op_die(stream, op,
			    "lower: gemms[%d]: its sizes, blocks and tiles do "
			    "not fit together",
			    i);
		if (!sf_add(tiles, l->gemms[i].tiles, &tiles))
			sf_op_die(
			    stream, op, "lower: more than 2^63 - 1 tiles");
	}
	if ((l->where == SF_ON_NONE) != (tiles == 0) || tiles != l->tiles ||
	    (l->ngemms != 0 && (l->slices != 0 || l->where != SF_ON_ARRAY)))
		sf_op_die(stream, op,
		    "lower: the nest has %lld tiles, 'tiles' is %lld, unit %s",
		    (long long)tiles, (long long)l->tiles,
		    sf_where_name(l->where));
}

void
sf_lower_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_lower *lower)
{
	const struct sf_place place = sf_op_place(op);

	*lower = (struct sf_lower){ .where = SF_ON_NONE, .cores = 1 };
	if (op->lower.n == 0)
		sf_op_die(stream, op,
		    "is not lowered, expected a trace from sf-lower");
	sf_object_read(stream, op->lower, &place, &members, NULL, lower);
	lower->type = sf_lower_type(op);
	check_deps(stream, op, lower);
	check_nest(stream, op, lower);
}
