/*
 * Choosing a block by what it comes to: every size that fills the array a whole
 * number of times, or as nearly as the product lets it, is estimated, and the
 * best one is taken. Sizes are those that cut a side into 1, 2, 3... equal
 * parts of whole fills.
 */
#include "accel/gemm.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/num.h"

/* ---- the sizes of a side ---- */

struct sizes {
	int64_t *v;
	size_t n, room;
};

static void
add_size(struct sizes *s, int64_t size)
{
	if (s->n == s->room) {
		s->room = s->room != 0 ? 2 * s->room : 64;
		s->v = sf_reallocarray(s->v, s->room, sizeof *s->v);
	}
	s->v[s->n++] = size;
}

/*
 * min(D, U ceil(Q / j)) x TIMES for j = 1, 2, ... Q, Q = ceil(D / U), each once
 * and largest first: j steps to the next one that changes the quotient.
 */
static void
add_cuts(struct sizes *s, int64_t d, int64_t u, int64_t times)
{
	int64_t q = sf_ceil_div(d, u);

	for (int64_t j = 1; j <= q;) {
		int64_t parts = sf_ceil_div(q, j);

		add_size(s, times * (parts * u < d ? parts * u : d));
		if (parts == 1)
			break;
		/* The least j with ceil(q / j) < parts. */
		j = sf_ceil_div(q, parts - 1);
	}
}

/* Sizes of m: of a convolution images, rows of one image, parts of a row. */
static void
add_rows(struct sizes *s, const struct sf_gemm *g, int64_t unit)
{
	const struct sf_gemm_conv *c = &g->conv;

	if (c->images == 0) {
		add_cuts(s, g->m, unit, 1);
		return;
	}
	add_cuts(s, c->images, 1, c->out[0] * c->out[1]);
	add_cuts(s, c->out[0], 1, c->out[1]);
	add_cuts(s, c->out[1], unit, 1);
}

/* ---- what a block comes to ---- */

/* Cycles of all tiles: those of each size, the last or the others of a loop. */
static bool
all_cycles(const struct sf_gemm *g, const struct sf_accel *accel, int64_t *out)
{
	struct sf_gemm_loop loops[SF_GEMM_DIMS];

	sf_gemm_loops(g, loops);
	*out = 0;
	for (int last = 0; last < 1 << SF_GEMM_DIMS; last++) {
		int64_t side[SF_GEMM_DIMS], n = 1, cycles;

		for (int d = 0; d < SF_GEMM_DIMS && n != 0; d++) {
			const struct sf_gemm_loop *l = &loops[d];
			bool is_last = (last >> d & 1) != 0;

			side[d] = is_last ? l->last : l->full;
			if (!sf_mul(n, l->repeats, &n) ||
			    (!is_last && !sf_mul(n, l->count - 1, &n)))
				return false;
		}
		if (n == 0)
			continue;
		if (!sf_gemm_cycles(g, accel, side, &cycles) ||
		    !sf_mul(cycles, n, &cycles) || !sf_add(*out, cycles, out))
			return false;
	}
	return true;
}

/* Bytes of one full block's operands and of its result in memory. */
static bool
full_block(const struct sf_gemm *g, const struct sf_elements *e,
    int64_t *operands, int64_t *result)
{
	const int64_t side[SF_GEMM_DIMS] = { g->bb, g->bm, g->bn, g->bk };
	const int64_t sides[] = { g->bb, g->bm, g->bn, e->out };
	struct sf_block_bytes bytes;

	return sf_gemm_bytes(g, e, side, &bytes) &&
	    sf_add(bytes.a, bytes.b, operands) && sf_mul_all(sides, 4, result);
}

bool
sf_block_cost_of(const struct sf_gemm *g, const struct sf_accel *a,
    const struct sf_elements *e, struct sf_block_cost *out)
{
	int64_t read, written, operands, result, transfers;
	double memory_bw = a->path_bw * (a->servers == 1 ? 1 : 2);
	double move, compute;

	if (!sf_gemm_count(g, &out->tiles) || !sf_gemm_read(g, a, e, &read) ||
	    !sf_gemm_written(g, e, &written) ||
	    !sf_add(read, written, &out->bytes) ||
	    !all_cycles(g, a, &out->cycles) ||
	    !full_block(g, e, &operands, &result))
		return false;
	transfers = out->tiles + out->tiles / sf_ceil_div(g->k, g->bk);
	move = (double)out->bytes / memory_bw;
	if (a->latency == SF_LATENCY_HELD)
		move += a->wait * (double)transfers;
	compute = (double)out->cycles / a->clock_hz;
	out->estimate = (move > compute ? move : compute) +
	    (a->wait + (double)operands / a->path_bw) +
	    (a->wait + (double)result / a->path_bw);
	return true;
}

/* ---- the best one ---- */

struct search {
	const struct sf_accel *accel;
	const struct sf_elements *e;
	bool found;
	struct sf_gemm best;
	struct sf_block_cost cost;
};

/* -1, 0 or 1 as A is less than, equal to or more than B. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Below 0 when G at COST is better than the best so far. */
static int
against_best(const struct search *s, const struct sf_gemm *g,
    const struct sf_block_cost *cost)
{
	int time = ORDER(cost->estimate, s->cost.estimate);
	int bytes = ORDER(cost->bytes, s->cost.bytes);
	bool by_bytes = s->accel->blocks == SF_BLOCKS_BYTES;
	const int keys[] = { by_bytes ? bytes : time, by_bytes ? time : bytes,
		ORDER(cost->tiles, s->cost.tiles), ORDER(s->best.bm, g->bm),
		ORDER(s->best.bn, g->bn), ORDER(s->best.bk, g->bk),
		ORDER(g->order, s->best.order) };

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (keys[i] != 0)
			return keys[i];
	return 0;
}

/* Weighs the block that G has, in each order of the loops. */
static void
weigh(struct search *s, struct sf_gemm *g)
{
	unsigned orders = s->accel->reuse
	    ? sf_dataflows[s->accel->dataflow]->orders
	    : 1U << SF_ORDER_MNK;
	struct sf_block_cost cost;

	for (int order = 0; order < SF_NORDERS; order++) {
		g->order = (enum sf_loop_order)order;
		if ((orders >> order & 1) == 0 ||
		    !sf_block_cost_of(g, s->accel, s->e, &cost) ||
		    (s->found && against_best(s, g, &cost) >= 0))
			continue;
		s->found = true;
		s->best = *g;
		s->cost = cost;
	}
}

bool
sf_gemm_search(struct sf_gemm *g, const struct sf_accel *accel,
    const struct sf_elements *e)
{
	struct search s = { .accel = accel, .e = e };
	struct sizes m = { 0 }, n = { 0 }, k = { 0 };
	struct sf_gemm try = *g;
	int64_t unit[3];

	sf_dataflows[accel->dataflow]->units(accel, unit);
	add_rows(&m, g, unit[0]);
	add_cuts(&n, g->n, unit[1], 1);
	add_cuts(&k, g->k, unit[2], 1);
	for (size_t i = 0; i < m.n * n.n * k.n; i++) {
		try.bm = m.v[i / k.n / n.n];
		try.bn = n.v[i / k.n % n.n];
		try.bk = k.v[i % k.n];
		try.bb = sf_gemm_fit(&try, accel, e);
		if (try.bb != 0)
			weigh(&s, &try);
	}
	free(m.v);
	free(n.v);
	free(k.v);
	if (s.found)
		*g = s.best;
	return s.found;
}
