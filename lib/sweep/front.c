/* The Pareto front of what comes by. */
#include "sweep/front.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void
sf_front_init(struct sf_front *f, int columns)
{
	*f = (struct sf_front){ .columns = columns };
}

static void
drop(struct sf_front_point *p)
{
	free(p->v);
	free(p->text);
}

void
sf_front_release(struct sf_front *f)
{
	for (size_t k = 0; k < f->n; k++)
		drop(&f->points[k]);
	free(f->points);
	*f = (struct sf_front){ .columns = f->columns, .extra = f->extra };
}

void
sf_front_cut(struct sf_front *f, size_t n)
{
	for (size_t k = n; k < f->n; k++)
		drop(&f->points[k]);
	if (n < f->n)
		f->n = n;
}

/* How A stands to B. */
enum order {
	EQUAL,
	DOMINATES,
	DOMINATED,
	APART
};

static enum order
compare(const double *a, const double *b, int n)
{
	bool less = false, more = false;

	for (int k = 0; k < n; k++) {
		less |= a[k] < b[k];
		more |= a[k] > b[k];
	}
	if (less && more)
		return APART;
	return less ? DOMINATES : more ? DOMINATED : EQUAL;
}

/* Whether POINT turns vector V of index I away. */
static bool
turns_away(const struct sf_front *f, const struct sf_front_point *point,
    int64_t i, const double *v)
{
	enum order order = compare(v, point->v, f->columns);

	return order == DOMINATED || (order == EQUAL && point->i <= i);
}

static bool
are_numbers(const double *v, int n)
{
	for (int k = 0; k < n; k++)
		if (!(v[k] == v[k]))
			return false;
	return true;
}

static void
add(struct sf_front *f, int64_t i, const double *v, struct sf_str text)
{
	struct sf_front_point *p;
	size_t bytes = (size_t)(f->columns + f->extra) * sizeof *v;

	if (f->n == f->room) {
		f->room = f->room != 0 ? 2 * f->room : 64;
		f->points =
		    sf_reallocarray(f->points, f->room, sizeof *f->points);
	}
	p = &f->points[f->n++];
	*p = (struct sf_front_point){ .i = i,
		.v = sf_malloc(bytes),
		.key = f->extra != 0 ? v[f->columns + f->extra - 1] : 0,
		.text = sf_malloc(text.n),
		.n = text.n };
	memcpy(p->v, v, bytes);
	if (text.n != 0)
		memcpy(p->text, text.p, text.n);
}

bool
sf_front_offer(
    struct sf_front *f, int64_t i, const double *v, struct sf_str text)
{
	size_t kept = 0;

	if (!are_numbers(v, f->columns + f->extra))
		return false;
	if (f->columns == 0) {
		add(f, i, v, text);
		return true;
	}
	/* What turned one away often turns away the next. */
	if (f->last < f->n && turns_away(f, &f->points[f->last], i, v))
		return false;
	for (size_t k = 0; k < f->n; k++)
		if (turns_away(f, &f->points[k], i, v)) {
			f->last = k;
			return false;
		}
	for (size_t k = 0; k < f->n; k++) {
		enum order order = compare(v, f->points[k].v, f->columns);

		if (order == DOMINATES || order == EQUAL)
			drop(&f->points[k]);
		else
			f->points[kept++] = f->points[k];
	}
	f->n = kept;
	add(f, i, v, text);
	return true;
}

static int
by_index(const void *a, const void *b)
{
	const struct sf_front_point *x = a, *y = b;

	return (x->i > y->i) - (x->i < y->i);
}

static int
by_key(const void *a, const void *b)
{
	const struct sf_front_point *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return by_index(a, b);
}

static void
sort(struct sf_front *f, int (*by)(const void *, const void *))
{
	if (f->n != 0)
		qsort(f->points, f->n, sizeof *f->points, by);
	f->last = 0;
}

void
sf_front_sort(struct sf_front *f)
{
	sort(f, by_index);
}

void
sf_front_sort_by_key(struct sf_front *f)
{
	sort(f, by_key);
}
