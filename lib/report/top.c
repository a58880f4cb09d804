/* The operators that take longest: a binary heap of a fixed size. */
#include "report/top.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

void
sf_top_init(struct sf_top *top, size_t max)
{
	*top = (struct sf_top){ .max = max };
}

void
sf_top_release(struct sf_top *top)
{
	free(top->v);
	*top = (struct sf_top){ 0 };
}

/* True when A stands before B in the list. */
static bool
before(const struct sf_timed *a, const struct sf_timed *b)
{
	if (a->span_s != b->span_s)
		return a->span_s > b->span_s;
	return a->i < b->i;
}

static void
exchange(struct sf_timed *a, struct sf_timed *b)
{
	struct sf_timed t = *a;

	*a = *b;
	*b = t;
}

static void
sift_up(struct sf_top *top, size_t at)
{
	while (at != 0 && before(&top->v[(at - 1) / 2], &top->v[at])) {
		exchange(&top->v[(at - 1) / 2], &top->v[at]);
		at = (at - 1) / 2;
	}
}

static void
sift_down(struct sf_top *top)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < top->n) {
		if (child + 1 < top->n &&
		    before(&top->v[child], &top->v[child + 1]))
			child++;
		if (!before(&top->v[at], &top->v[child]))
			return;
		exchange(&top->v[at], &top->v[child]);
		at = child;
	}
}

void
sf_top_add(struct sf_top *top, const struct sf_timed *timed)
{
	if (top->n == top->max) {
		if (top->max == 0 || !before(timed, &top->v[0]))
			return;
		top->v[0] = *timed;
		sift_down(top);
		return;
	}
	if (top->n == top->room) {
		top->room = top->room != 0 ? top->room * 2 : 16;
		top->v = sf_reallocarray(top->v, top->room, sizeof *top->v);
	}
	top->v[top->n] = *timed;
	sift_up(top, top->n++);
}

static int
compare(const void *left, const void *right)
{
	return before(left, right) ? -1 : before(right, left);
}

void
sf_top_sort(struct sf_top *top)
{
	if (top->n != 0)
		qsort(top->v, top->n, sizeof *top->v, compare);
}
