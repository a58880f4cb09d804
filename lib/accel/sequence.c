/* The tiles of a nest, one after the other. */
#include <string.h>

#include "accel/nest.h"

/* What the share of a slice is short of one more. */
static int64_t
carry_at(int64_t rest, int64_t begin, int64_t n)
{
	__extension__ unsigned __int128 carry = (uint64_t)rest;

	return begin == 0
	    ? -n
	    : (int64_t)(carry * (uint64_t)begin % (uint64_t)n) - n;
}

void
sf_nest_rewind(struct sf_nest *nest)
{
	nest->left = nest->tiles;
	nest->gemm = 0;
	for (int d = 0; d <= SF_GEMM_DIMS; d++)
		nest->at[d] = 0;
	for (int d = 0; d < SF_NEST_SHARES; d++)
		nest->share[d].carry =
		    carry_at(nest->share[d].rest, nest->begin, nest->slices);
}

/* The loops around the innermost one take a step, or the next GEMM comes. */
static void
step_outer(struct sf_nest *nest, const struct sf_loops *l)
{
	for (int i = 1; i < l->n; i++) {
		if (++nest->at[i] < l->count[i])
			return;
		nest->at[i] = 0;
	}
	nest->gemm++;
}

/* The table index of the tile where the outer loops are, not the last inside. */
static uint16_t
outer_size(const struct sf_nest *nest, const struct sf_loops *l)
{
	uint16_t size = l->base;

	for (int i = 1; i < l->n; i++)
		if (nest->at[i] == l->count[i] - 1)
			size |= l->bit[i];
	return size;
}

static void
fill(uint16_t *out, uint16_t size, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = size;
}

/* The bit of the first tile of a line, where ROUND is the loop around it. */
static uint16_t
first_bit(const struct sf_loops *l, int64_t round)
{
	return l->first_loops < 2 || round == 0 ? l->first : 0;
}

/* The rest of a line of the innermost loop, or N tiles of it. */
static int
fill_part(struct sf_nest *nest, const struct sf_loops *l, uint16_t *out, int n)
{
	int64_t left = l->count[0] - nest->at[0];
	int64_t now = left > n ? n : left;

	fill(out, outer_size(nest, l), now);
	if (nest->at[0] == 0)
		out[0] |= first_bit(l, nest->at[1]);
	nest->at[0] += now;
	if (left > n)
		return n;
	out[left - 1] |= l->bit[0];
	nest->at[0] = 0;
	step_outer(nest, l);
	return (int)left;
}

/* As many whole lines of LINE tiles as are all alike. */
static int
fill_lines(struct sf_nest *nest, const struct sf_loops *l, uint16_t *out,
    int lines, int line)
{
	uint16_t size = outer_size(nest, l);
	int64_t alike = l->n > 1 ? l->count[1] - 1 - nest->at[1] : 1;

	/* The last round of the loop around is of its own size. */
	if (alike < 1)
		alike = 1;
	if (lines > alike)
		lines = (int)alike;
	for (int i = 0; i < lines; i++) {
		uint16_t *start = out;

		for (int j = 1; j < line; j++)
			*out++ = size;
		*out++ = size | l->bit[0];
		*start |= first_bit(l, nest->at[1] + i);
	}
	nest->at[1] += lines - 1;
	step_outer(nest, l);
	return lines * line;
}

/* At least one tile and at most N of the GEMM that is next. */
static int
fill_gemm(struct sf_nest *nest, uint16_t *out, int n)
{
	const struct sf_loops *l = &nest->loops[nest->gemm];

	if (l->n == 0) {
		*out = l->base;
		nest->gemm++;
		return 1;
	}
	if (nest->at[0] == 0 && l->count[0] <= n)
		return fill_lines(
		    nest, l, out, n / (int)l->count[0], (int)l->count[0]);
	return fill_part(nest, l, out, n);
}

/* 1 when this slice gets one more than the floor, without a branch. */
static inline unsigned
step_share(struct sf_share *s, int64_t n)
{
	unsigned more;

	s->carry += s->rest;
	more = s->carry >= 0;
	s->carry -= more ? n : 0;
	return more;
}

/* N slices when the shares are not all whole. */
static void
fill_uneven(struct sf_nest *nest, uint16_t *out, int n)
{
	/* Copies, which the loop can keep in registers. */
	struct sf_share rd = nest->share[0], wr = nest->share[1];
	struct sf_share work = nest->share[2];
	int64_t slices = nest->slices;

	for (int i = 0; i < n; i++)
		out[i] = (uint16_t)(step_share(&rd, slices) |
		    step_share(&wr, slices) << 1 |
		    step_share(&work, slices) << 2);
	nest->share[0] = rd;
	nest->share[1] = wr;
	nest->share[2] = work;
}

static void
fill_slices(struct sf_nest *nest, uint16_t *out, int n)
{
	bool even = true;

	for (int d = 0; d < SF_NEST_SHARES; d++)
		even = even && nest->share[d].rest == 0;
	if (even)
		memset(out, 0, (size_t)n * sizeof *out);
	else
		fill_uneven(nest, out, n);
	if (n == nest->left)
		out[n - 1] = SF_NEST_LAST;
}

int
sf_nest_next(struct sf_nest *nest, uint16_t out[static SF_NEST_BATCH])
{
	int n = nest->left < SF_NEST_BATCH ? (int)nest->left : SF_NEST_BATCH;

	if (n != 0 && nest->ngemms == 0)
		fill_slices(nest, out, n);
	else
		for (int i = 0; i < n;)
			i += fill_gemm(nest, out + i, n - i);
	nest->left -= n;
	return n;
}
