/* A quantity over time. */
#include "plot/curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "plot/palette.h"

enum {
	BINS_A_COLUMN = 4,
	STRETCHES_A_COLUMN = 1,
};

void
sf_curve_init(struct sf_curve *c, int columns, const struct sf_range *range)
{
	*c = (struct sf_curve){ .range = *range,
		.columns = columns,
		.room = STRETCHES_A_COLUMN * columns };
	c->stretches =
	    sf_reallocarray(NULL, (size_t)c->room, sizeof *c->stretches);
	sf_bins_init(&c->bins, BINS_A_COLUMN * columns, 1, range);
}

void
sf_curve_release(struct sf_curve *c)
{
	free(c->stretches);
	sf_bins_release(&c->bins);
}

void
sf_curve_mix(struct sf_curve *c, int of)
{
	c->of = of;
	free(c->stretches);
	c->stretches = NULL;
}

void
sf_curve_add(struct sf_curve *c, double from, double until, double value)
{
	if (c->range.known) {
		from = fmax(from, c->range.from);
		until = fmin(until, c->range.to);
	}
	if (from >= until)
		return;
	c->most = fmax(c->most, value);
	sf_bins_add(&c->bins, 0, from, until, value);
	if (c->stretches == NULL)
		return;
	if (c->n == c->room) {
		free(c->stretches);
		c->stretches = NULL;
		return;
	}
	c->stretches[c->n++] = (struct sf_stretch){ from, until, value };
}

bool
sf_curve_is_binned(const struct sf_curve *c)
{
	return c->stretches == NULL;
}

/* ---- drawing ---- */

/* The outline of all steps, down to 0 where nothing is said. */
static void
add_steps(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y)
{
	double floor_at = sf_axis_place(y, 0), end = x->at;

	sf_page_move(page, end, floor_at);
	for (int i = 0; i < c->n; i++) {
		const struct sf_stretch *s = &c->stretches[i];
		double from = sf_axis_place(x, s->from);
		double level = sf_axis_place(y, s->value);

		if (from > end + 0.01) {
			sf_page_line(page, end, floor_at);
			sf_page_line(page, from, floor_at);
		}
		sf_page_line(page, from, level);
		end = sf_axis_place(x, s->until);
		sf_page_line(page, end, level);
	}
	sf_page_line(page, end, floor_at);
}

static void
draw_steps(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y)
{
	add_steps(c, page, x, y);
	sf_page_close(page);
	sf_page_fill(page, SF_BAND);
	add_steps(c, page, x, y);
	sf_page_stroke(page, SF_CURVE, 1);
}

/* What a column of pixels shows. */
enum shown {
	LOW,
	HIGH,
	MEAN
};

static double
shown_of(const struct sf_curve *c, double from, double until, enum shown what)
{
	double low, high;

	if (what == MEAN)
		return sf_bins_mean(&c->bins, 0, from, until) /
		    (c->of != 0 ? c->of : 1);
	if (!sf_bins_extremes(&c->bins, from, until, &low, &high))
		return 0;
	return what == LOW ? low : high;
}

/* Half a pixel is as fine as it need be; neighbours then often are equal. */
static double
level_of(const struct sf_axis *y, double value)
{
	return nearbyint(sf_axis_place(y, value) * 2) / 2;
}

/* A line through all columns; points between equal ones are left out. */
static void
add_columns(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y, enum shown what)
{
	double step = (x->to - x->from) / c->columns;
	double wide = x->size / c->columns;
	double before = NAN, level = NAN;

	for (int i = 0; i <= c->columns; i++) {
		double from = x->from + step * i, last = level;

		level = i == c->columns
		    ? NAN
		    : level_of(y, shown_of(c, from, from + step, what));
		if (i != 0 && !(before == last && last == level))
			sf_page_line(page, x->at + wide * (i - 0.5), last);
		before = last;
	}
}

/* The area down to 0. */
static void
fill_columns(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y, enum shown what,
    uint32_t colour)
{
	double half = x->size / c->columns / 2;

	sf_page_move(page, x->at + half, sf_axis_place(y, 0));
	add_columns(c, page, x, y, what);
	sf_page_line(page, x->at + x->size - half, sf_axis_place(y, 0));
	sf_page_close(page);
	sf_page_fill(page, colour);
}

static void
draw_means(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y)
{
	fill_columns(c, page, x, y, HIGH, SF_RANGE);
	fill_columns(c, page, x, y, LOW, SF_BAND);
	add_columns(c, page, x, y, MEAN);
	sf_page_stroke(page, SF_CURVE, 1);
}

void
sf_curve_draw(const struct sf_curve *c, struct sf_page *page,
    const struct sf_axis *x, const struct sf_axis *y)
{
	if (sf_curve_is_binned(c))
		draw_means(c, page, x, y);
	else
		draw_steps(c, page, x, y);
}
