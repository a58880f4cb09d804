/* Placing names beside points. */
#include "plot/labels.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

static void
add_line(struct sf_labels *l, const struct sf_segment *line)
{
	if (l->nlines == l->lines_room) {
		l->lines_room = 2 * l->lines_room + 16;
		l->lines = sf_reallocarray(
		    l->lines, (size_t)l->lines_room, sizeof *l->lines);
	}
	l->lines[l->nlines++] = *line;
}

void
sf_labels_init(struct sf_labels *l, const struct sf_box *bounds,
    const struct sf_segment *lines, int nlines)
{
	*l = (struct sf_labels){ .bounds = *bounds };
	for (int i = 0; i < nlines; i++)
		add_line(l, &lines[i]);
}

void
sf_labels_release(struct sf_labels *l)
{
	free(l->taken);
	free(l->lines);
}

static void
take(struct sf_labels *l, const struct sf_box *box)
{
	if (l->n == l->room) {
		l->room = 2 * l->room + 64;
		l->taken = sf_reallocarray(
		    l->taken, (size_t)l->room, sizeof *l->taken);
	}
	l->taken[l->n++] = *box;
}

void
sf_labels_avoid(struct sf_labels *l, double x, double y, double r)
{
	/* The square of the circle's area: corners are air. */
	double half = r * sqrt(acos(-1)) / 2;

	take(l, &(struct sf_box){ x - half, y - half, 2 * half, 2 * half });
	l->npoints = l->n;
}

void
sf_labels_avoid_line(struct sf_labels *l, const struct sf_segment *line)
{
	add_line(l, line);
}

static bool
boxes_meet(const struct sf_box *a, const struct sf_box *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
	    b->y < a->y + a->h;
}

/* Which side of the line through S the point is on. */
static double
side_of(const struct sf_segment *s, double x, double y)
{
	return (s->x1 - s->x0) * (y - s->y0) - (s->y1 - s->y0) * (x - s->x0);
}

static bool
line_meets(const struct sf_segment *s, const struct sf_box *b)
{
	const struct sf_box around = { fmin(s->x0, s->x1), fmin(s->y0, s->y1),
		fabs(s->x1 - s->x0) + 1, fabs(s->y1 - s->y0) + 1 };
	double corner[] = { side_of(s, b->x, b->y),
		side_of(s, b->x + b->w, b->y), side_of(s, b->x, b->y + b->h),
		side_of(s, b->x + b->w, b->y + b->h) };
	int above = 0;

	if (!boxes_meet(&around, b))
		return false;
	for (int i = 0; i < 4; i++)
		above += corner[i] > 0;
	return above != 0 && above != 4;
}

/* Within the bounds, and neither on a point nor on a label. */
static bool
is_empty(const struct sf_labels *l, const struct sf_box *box)
{
	const struct sf_box *in = &l->bounds;

	if (box->x < in->x || box->y < in->y ||
	    box->x + box->w > in->x + in->w || box->y + box->h > in->y + in->h)
		return false;
	for (int i = 0; i < l->n; i++)
		if (boxes_meet(&l->taken[i], box))
			return false;
	return true;
}

bool
sf_labels_take(struct sf_labels *l, const struct sf_box *box)
{
	bool empty = is_empty(l, box);

	if (empty)
		take(l, box);
	return empty;
}

/* Neither does a line cross the label nor its leader another label. */
static bool
is_clear(const struct sf_labels *l, const struct sf_label *label)
{
	for (int i = 0; i < l->nlines; i++)
		if (line_meets(&l->lines[i], &label->box))
			return false;
	if (label->led)
		for (int i = l->npoints; i < l->n; i++)
			if (line_meets(&label->leader, &l->taken[i]))
				return false;
	return true;
}

/* From the point's rim to what is nearest of the label. */
static void
lead(struct sf_label *label, double x, double y, double r)
{
	const struct sf_box *box = &label->box;
	double to_x = fmin(fmax(x, box->x), box->x + box->w);
	double to_y = fmin(fmax(y, box->y), box->y + box->h);
	double length = hypot(to_x - x, to_y - y);

	label->led = length > r + 8;
	if (label->led)
		label->leader =
		    (struct sf_segment){ x + (to_x - x) * r / length,
			    y + (to_y - y) * r / length, to_x, to_y };
}

/* A label whose near edge is D away from the point in direction (DX, DY). */
static struct sf_label
label_at(double x, double y, double r, double d, const double way[2], double w,
    double h)
{
	struct sf_label label = {
		.box = { x + way[0] * d - w / 2 + way[0] * w / 2,
		    y + way[1] * d - h / 2 + way[1] * h / 2, w, h }
	};

	lead(&label, x, y, r);
	return label;
}

bool
sf_labels_place(struct sf_labels *l, double x, double y, double r, double w,
    double h, struct sf_label *label)
{
	/* To the right and below first: that side of a roof is empty. */
	static const double ways[][2] = { { 1, 0 }, { 0.8, 0.6 }, { 0.6, 0.8 },
		{ 0, 1 }, { -1, 0 }, { -0.8, -0.6 }, { -0.6, -0.8 }, { 0, -1 },
		{ 0.95, 0.3 }, { 0.3, 0.95 }, { -0.95, -0.3 }, { -0.3, -0.95 },
		{ 0.8, -0.6 }, { -0.8, 0.6 } };
	enum {
		NEAR = 4,
		STEP = 9,
		FAR = 220,
	};

	for (double d = r + NEAR; d < r + FAR; d += STEP)
		for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
			*label = label_at(x, y, r, d, ways[i], w, h);
			if (!is_empty(l, &label->box) || !is_clear(l, label))
				continue;
			take(l, &label->box);
			if (label->led)
				add_line(l, &label->leader);
			return true;
		}
	return false;
}
