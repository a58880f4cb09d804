/* What the blocks of a product come to: bytes, cycles, traffic. */
#include "accel/gemm.h"

#include "base/num.h"

__extension__ typedef unsigned __int128 uint128;

/* ---- convolutions ---- */

static bool
is_conv(const struct sf_gemm *g)
{
	return g->conv.images != 0;
}

int64_t
sf_gemm_taps(const struct sf_gemm *g)
{
	const struct sf_gemm_conv *c = &g->conv;

	return is_conv(g) ? c->depth * c->kernel[0] * c->kernel[1] : 1;
}

static int64_t
image_rows(const struct sf_gemm *g)
{
	return g->conv.out[0] * g->conv.out[1];
}

int64_t
sf_gemm_whole_rows(const struct sf_gemm *g, int64_t rows)
{
	if (!is_conv(g))
		return rows;
	if (rows >= image_rows(g))
		return rows - rows % image_rows(g);
	if (rows >= g->conv.out[1])
		return rows - rows % g->conv.out[1];
	return rows;
}

/* What OUT positions of the result take in along dimension D. */
static bool
reach(const struct sf_gemm_conv *c, int d, int64_t out, int64_t *in)
{
	int64_t kernel;

	return sf_mul(out - 1, c->stride[d], in) &&
	    sf_mul(c->kernel[d] - 1, c->dilation[d], &kernel) &&
	    sf_add(*in, kernel, in) && sf_add(*in, 1, in);
}

/* Positions of the input that a block of ROWS reads, padding among them. */
static bool
positions(const struct sf_gemm *g, int64_t rows, int64_t *out)
{
	const struct sf_gemm_conv *c = &g->conv;
	int64_t images = 1, height = 1, width = rows, side[4];

	if (!is_conv(g)) {
		*out = rows;
		return true;
	}
	if (rows >= c->out[1]) {
		width = c->out[1];
		height = rows / c->out[1];
	}
	if (height >= c->out[0]) {
		images = height / c->out[0];
		height = c->out[0];
	}
	side[0] = images;
	side[1] = c->depth;
	return reach(c, 0, height, &side[2]) && reach(c, 1, width, &side[3]) &&
	    sf_mul_all(side, 4, out);
}

/* ---- blocks ---- */

void
sf_gemm_loops(const struct sf_gemm *g, struct sf_gemm_loop loops[SF_GEMM_DIMS])
{
	int64_t whole[SF_GEMM_DIMS] = { g->batch, g->m, g->n, g->k };
	const int64_t side[SF_GEMM_DIMS] = { g->bb, g->bm, g->bn, g->bk };

	/* Blocks below an image or a row end with it. */
	if (is_conv(g) && g->bm < image_rows(g))
		whole[SF_DIM_M] =
		    g->bm < g->conv.out[1] ? g->conv.out[1] : image_rows(g);
	for (int d = 0; d < SF_GEMM_DIMS; d++) {
		int64_t count = sf_ceil_div(whole[d], side[d]);

		loops[d] = (struct sf_gemm_loop){ .repeats = 1,
			.count = count,
			.full = side[d],
			.last = whole[d] - (count - 1) * side[d] };
	}
	loops[SF_DIM_M].repeats = g->m / whole[SF_DIM_M];
}

/* Blocks of dimension D. */
static bool
blocks_of(const struct sf_gemm_loop loops[SF_GEMM_DIMS], int d, int64_t *out)
{
	return sf_mul(loops[d].repeats, loops[d].count, out);
}

bool
sf_gemm_count(const struct sf_gemm *g, int64_t *tiles)
{
	struct sf_gemm_loop loops[SF_GEMM_DIMS];
	int64_t counts[SF_GEMM_DIMS];

	sf_gemm_loops(g, loops);
	for (int d = 0; d < SF_GEMM_DIMS; d++)
		if (!blocks_of(loops, d, &counts[d]))
			return false;
	return sf_mul_all(counts, SF_GEMM_DIMS, tiles);
}

/* Bytes of ELEMENTS of B, rounded up. */
static bool
b_bytes(const struct sf_gemm *g, int64_t e_in, int64_t elements, int64_t *out)
{
	uint128 bytes;

	if (g->b_elements == 0)
		return sf_mul(elements, e_in, out);
	bytes = (uint128)(uint64_t)elements * (uint64_t)g->b_bytes;
	bytes = (bytes + (uint64_t)g->b_elements - 1) / (uint64_t)g->b_elements;
	*out = (int64_t)bytes;
	return bytes <= INT64_MAX;
}

static bool
a_block(const struct sf_gemm *g, int64_t e_in, const int64_t side[SF_GEMM_DIMS],
    int64_t *out)
{
	int64_t a;

	return positions(g, side[SF_DIM_M], &a) &&
	    sf_mul(a, side[SF_DIM_K], &a) &&
	    sf_mul(a, side[SF_DIM_BATCH], &a) && sf_mul(a, e_in, out);
}

static bool
b_block(const struct sf_gemm *g, int64_t e_in, const int64_t side[SF_GEMM_DIMS],
    int64_t *out)
{
	int64_t b;

	return sf_mul(side[SF_DIM_K], side[SF_DIM_N], &b) &&
	    sf_mul(b, sf_gemm_taps(g), &b) &&
	    sf_mul(b, side[SF_DIM_BATCH], &b) && b_bytes(g, e_in, b, out);
}

bool
sf_gemm_bytes(const struct sf_gemm *g, const struct sf_elements *e,
    const int64_t side[SF_GEMM_DIMS], struct sf_block_bytes *out)
{
	int64_t c;

	return a_block(g, e->in, side, &out->a) &&
	    b_block(g, e->in, side, &out->b) &&
	    sf_mul(side[SF_DIM_M], side[SF_DIM_N], &c) &&
	    sf_mul(c, side[SF_DIM_BATCH], &c) && sf_mul(c, e->chip, &out->c);
}

bool
sf_gemm_cycles(const struct sf_gemm *g, const struct sf_accel *accel,
    const int64_t side[SF_GEMM_DIMS], int64_t *out)
{
	const struct sf_array_work work = { .nb = side[SF_DIM_BATCH],
		.mm = side[SF_DIM_M],
		.nn = side[SF_DIM_N],
		.kk = side[SF_DIM_K],
		.taps = sf_gemm_taps(g) };

	return sf_array_cycles(accel, &work, out);
}

/* ---- traffic ---- */

/* All blocks of A, each once. */
static bool
all_of_a(const struct sf_gemm *g, const struct sf_gemm_loop *m, int64_t e_in,
    int64_t *out)
{
	int64_t full, last;

	return positions(g, m->full, &full) && positions(g, m->last, &last) &&
	    sf_mul(full, m->count - 1, &full) && sf_add(full, last, &full) &&
	    sf_mul(full, m->repeats, &full) && sf_mul(full, g->k, &full) &&
	    sf_mul(full, g->batch, &full) && sf_mul(full, e_in, out);
}

/* The blocks of B with the last, bit by bit, or the others of each loop. */
static bool
add_b_blocks(const struct sf_gemm *g,
    const struct sf_gemm_loop loops[SF_GEMM_DIMS], int64_t e_in, int last,
    int64_t *sum)
{
	static const int dims[] = { SF_DIM_BATCH, SF_DIM_N, SF_DIM_K };
	int64_t side[SF_GEMM_DIMS] = { 0 }, n = 1, bytes;

	for (int i = 0; i < 3; i++) {
		const struct sf_gemm_loop *l = &loops[dims[i]];

		side[dims[i]] = (last >> i & 1) != 0 ? l->last : l->full;
		if ((last >> i & 1) == 0 && !sf_mul(n, l->count - 1, &n))
			return false;
	}
	/* A loop that runs once has no others, whose size says nothing. */
	return n == 0 ||
	    (b_block(g, e_in, side, &bytes) && sf_mul(bytes, n, &bytes) &&
		sf_add(*sum, bytes, sum));
}

/* All blocks of B, each once; each is rounded up to bytes. */
static bool
all_of_b(const struct sf_gemm *g, const struct sf_gemm_loop loops[SF_GEMM_DIMS],
    int64_t e_in, int64_t *out)
{
	const int64_t whole[] = { g->batch, g->n, g->k, sf_gemm_taps(g), e_in };

	if (g->b_elements == 0)
		return sf_mul_all(whole, 5, out);
	*out = 0;
	for (int last = 0; last < 8; last++)
		if (!add_b_blocks(g, loops, e_in, last, out))
			return false;
	return true;
}

bool
sf_gemm_read(const struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e, int64_t *out)
{
	struct sf_gemm_loop loops[SF_GEMM_DIMS];
	int64_t nm, nn, a, b, a_times, b_times;

	sf_gemm_loops(g, loops);
	if (!blocks_of(loops, SF_DIM_M, &nm) ||
	    !all_of_a(g, &loops[SF_DIM_M], e->in, &a) ||
	    !all_of_b(g, loops, e->in, &b))
		return false;
	nn = loops[SF_DIM_N].count;
	a_times = nn;
	b_times = nm;
	/* What does not change while the inner index runs is loaded once. */
	if (accel->reuse && loops[SF_DIM_K].count == 1) {
		if (g->order == SF_ORDER_MNK || nm == 1)
			a_times = 1;
		if (g->order == SF_ORDER_NMK || nn == 1)
			b_times = 1;
	}
	return sf_mul(a, a_times, &a) && sf_mul(b, b_times, &b) &&
	    sf_add(a, b, out);
}

bool
sf_gemm_written(
    const struct sf_gemm *g, const struct sf_elements *e, int64_t *out)
{
	const int64_t sides[] = { g->batch, g->m, g->n, e->out };

	return sf_mul_all(sides, 4, out);
}

bool
sf_gemm_macs(const struct sf_gemm *g, int64_t *out)
{
	const int64_t sides[] = { g->batch, g->m, g->n, g->k, sf_gemm_taps(g) };

	return sf_mul_all(sides, 5, out);
}
