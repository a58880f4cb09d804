/*
 * Scans: torch 2.14's generic associative_scan, which halves the tokens as long
 * as there are two.
 */
#include "model/scan.h"

#include <string.h>

#include "model/lower-aten-scan.h"

/* The factors and the summands of some tokens, along dimension 0. */
struct pair {
	struct sf_val *a, *y;
};

static struct sf_val *
cut(struct sf_build *b, struct sf_val *x, int64_t from, int64_t to, int step)
{
	struct sf_val *out = sf_val_like(&b->graph, x);

	out->shape[0] = (to - from + step - 1) / step;
	out->stride[0] *= step;
	return sf_aten_1(b, "aten.slice", x, out);
}

static struct pair
cut_both(struct sf_build *b, const struct pair *p, int64_t from, int64_t to,
    int step)
{
	struct pair out;

	out.a = cut(b, p->a, from, to, step);
	out.y = cut(b, p->y, from, to, step);
	return out;
}

static struct pair
combine(struct sf_build *b, const struct pair *x, const struct pair *y)
{
	const struct sf_decomposition *l = b->route->lower;
	struct pair out;

	out.a = l->binary(b, SF_CALL_MUL, x->a, y->a);
	out.y = l->binary(b, SF_CALL_MUL, y->a, x->y);
	out.y = l->binary(b, SF_CALL_ADD, out.y, y->y);
	return out;
}

/* Those of EVEN and ODD in turn. */
static struct sf_val *
interleave(struct sf_build *b, struct sf_val *even, struct sf_val *odd)
{
	int64_t n = even->shape[0] + odd->shape[0], shape[SF_VAL_RANK];
	struct sf_val *both[] = { even, odd }, *x;
	bool uneven = even->shape[0] != odd->shape[0];

	if (uneven)
		both[1] = sf_aten_pad(b, odd, 0, 0, 1);
	x = sf_aten_stack_all(b, both, 2, 1);
	memcpy(shape, even->shape, sizeof shape);
	shape[0] *= 2;
	x = b->route->lower->view(b, x, even->rank, shape);
	return uneven ? cut(b, x, 0, n, 1) : x;
}

static struct sf_val *
first_and(struct sf_build *b, struct sf_val *x, struct sf_val *rest)
{
	x = cut(b, x, 0, 1, 1);
	return rest->shape[0] != 0 ? b->route->lower->cat(b, x, rest, 0) : x;
}

static struct pair
scan(struct sf_build *b, struct pair p)
{
	int64_t n = p.a->shape[0];
	struct pair left, right, odd, even;

	if (n < 2)
		return p;
	left = cut_both(b, &p, 0, n - 1, 2);
	right = cut_both(b, &p, 1, n, 2);
	odd = scan(b, combine(b, &left, &right));
	left = n % 2 == 0 ? cut_both(b, &odd, 0, odd.a->shape[0] - 1, 1) : odd;
	right = cut_both(b, &p, 2, n, 2);
	even = combine(b, &left, &right);
	even.a = first_and(b, p.a, even.a);
	even.y = first_and(b, p.y, even.y);
	even.a = interleave(b, even.a, odd.a);
	even.y = interleave(b, even.y, odd.y);
	return even;
}

/* DIM to the front, or, with FRONT false, back. */
static struct sf_val *
move(struct sf_build *b, struct sf_val *x, int dim, bool front)
{
	int dims[SF_VAL_RANK];

	for (int i = 0; i < x->rank; i++) {
		if (front)
			dims[i] = i == 0 ? dim : i <= dim ? i - 1 : i;
		else
			dims[i] = i == dim ? 0 : i < dim ? i + 1 : i;
	}
	return sf_aten_reorder(b, x, dims);
}

struct sf_val *
sf_scan_pairs(struct sf_build *b, struct sf_val *a, struct sf_val *y, int dim)
{
	struct pair p;

	p.a = move(b, a, dim, true);
	p.y = move(b, y, dim, true);
	p = scan(b, p);
	return move(b, p.y, dim, false);
}
