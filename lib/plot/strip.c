/* A lane of a timeline. */
#include "plot/strip.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "plot/palette.h"

enum {
	BINS_A_COLUMN = 4,
	ROOM_A_COLUMN = 3, /* for bars; at most one a column stays */
	LONELY = 12,       /* columns to the next bar */
};

void
sf_strip_init(
    struct sf_strip *s, int columns, int nkinds, const struct sf_range *range)
{
	*s = (struct sf_strip){ .range = *range,
		.columns = columns,
		.nkinds = nkinds,
		.room = ROOM_A_COLUMN * columns };
	s->bars = sf_reallocarray(NULL, (size_t)s->room, sizeof *s->bars);
	sf_bins_init(&s->fine, BINS_A_COLUMN * columns, nkinds, range);
}

void
sf_strip_release(struct sf_strip *s)
{
	free(s->bars);
	sf_bins_release(&s->fine);
}

void
sf_strip_mix(struct sf_strip *s, int of)
{
	s->of = of;
}

/* No bar is near to the I-th, BEFORE being the end of the one before it. */
static bool
is_lonely(const struct sf_strip *s, int i, double before, double column)
{
	const struct sf_bar *bar = &s->bars[i];

	return bar->start - before >= LONELY * column &&
	    (i + 1 == s->n || bar[1].start - bar->end >= LONELY * column);
}

/*
 * Moves bars that are shorter than a column of COLUMN seconds into the bins.
 * Lonely ones may stay: a picture shows them a pixel wide and tells no lie.
 */
static void
merge_short(struct sf_strip *s, double column, bool lonely_stay)
{
	double before = -INFINITY;
	int kept = 0;

	for (int i = 0; i < s->n; i++) {
		struct sf_bar bar = s->bars[i];
		bool stays = bar.end - bar.start >= column ||
		    (lonely_stay && is_lonely(s, i, before, column));

		before = bar.end;
		if (stays) {
			s->bars[kept++] = bar;
			continue;
		}
		sf_bins_add(&s->fine, bar.kind, bar.start, bar.end, 1);
		s->any_fine = true;
	}
	s->n = kept;
}

void
sf_strip_add(struct sf_strip *s, const struct sf_bar *bar)
{
	struct sf_bar part = *bar;

	s->end = bar->end;
	if (s->range.known) {
		part.start = fmax(part.start, s->range.from);
		part.end = fmin(part.end, s->range.to);
	}
	if (part.start >= part.end)
		return;
	s->kinds |= UINT32_C(1) << part.kind;
	if (s->of != 0) {
		sf_bins_add(
		    &s->fine, part.kind, part.start, part.end, 1.0 / s->of);
		s->busy += (part.end - part.start) / s->of;
		s->any_fine = true;
		return;
	}
	s->busy += part.end - part.start;
	/* What is short at the scale so far is short in the end. */
	if (s->n == s->room) {
		double from = s->range.known ? s->range.from : 0;
		double to = s->range.known ? s->range.to : part.end;

		merge_short(s, (to - from) / s->columns, false);
	}
	s->bars[s->n++] = part;
}

/* ---- drawing ---- */

/* Where one kind's part of a column lies. */
struct block {
	double from, to; /* places, TO being the right end */
	double low, high;
};

static void
put_block(struct sf_page *page, const struct block *b)
{
	if (b->high < b->low)
		sf_page_rect(
		    page, b->from, b->high, b->to - b->from, b->low - b->high);
}

/*
 * Columns of merged bars: as high as the share of time that they are busy,
 * stacked by kind. KIND's part is added to the path, neighbours that
 * are equally high as one block.
 */
static void
add_columns(const struct sf_strip *s, struct sf_page *page,
    const struct sf_axis *axis, double y, double height, int kind)
{
	double step = (axis->to - axis->from) / s->columns;
	double wide = axis->size / s->columns;
	struct block last = { 0 };

	for (int c = 0; c < s->columns; c++) {
		double from = axis->from + step * c, below = 0, share;
		struct block block = { .from = axis->at + wide * c };

		for (int k = 0; k < kind; k++)
			below += sf_bins_mean(&s->fine, k, from, from + step);
		share = sf_bins_mean(&s->fine, kind, from, from + step);
		block.to = block.from + wide;
		/* What is there at all is a pixel high. */
		block.low = y + height - nearbyint(height * below * 2) / 2;
		block.high = block.low -
		    (share > 0 ? fmax(nearbyint(height * share * 2) / 2, 1)
			       : 0);
		block.high = fmax(block.high, y);
		if (last.low == block.low && last.high == block.high) {
			last.to = block.to;
			continue;
		}
		put_block(page, &last);
		last = block;
	}
	put_block(page, &last);
}

/* Bars that are wide enough for it have a gap behind them. */
static double
bar_width(double from, double to)
{
	double gap = to - from >= 3 ? 0.6 : 0;

	return fmax(to - from - gap, 1);
}

static void
add_bars(const struct sf_strip *s, struct sf_page *page,
    const struct sf_axis *axis, double y, double height, int kind)
{
	for (int i = 0; i < s->n; i++) {
		double from = sf_axis_place(axis, s->bars[i].start);
		double to = sf_axis_place(axis, s->bars[i].end);

		if (s->bars[i].kind == kind)
			sf_page_rect(
			    page, from, y, bar_width(from, to), height);
	}
}

static void
draw_label(struct sf_page *page, const struct sf_axis *axis,
    const struct sf_bar *bar, double y, double height, struct sf_look look)
{
	struct sf_font font = { .size = 10, .colour = look.ink };
	double from = sf_axis_place(axis, bar->start);
	double room = bar_width(from, sf_axis_place(axis, bar->end)) - 6;

	/* Hatching would strike it through. */
	if (bar->label == NULL || look.hatch != SF_HATCH_NONE || height < 14 ||
	    room < 6 || sf_page_text_width(page, font, bar->label) > room)
		return;
	sf_page_text(page, font, SF_ALIGN_CENTRE, from + 3 + room / 2,
	    y + height / 2 + 3.5, bar->label);
}

void
sf_strip_draw(struct sf_strip *s, struct sf_page *page,
    const struct sf_axis *axis, double y, double height,
    struct sf_look (*look)(int kind))
{
	merge_short(s, (axis->to - axis->from) / s->columns, true);
	for (int kind = 0; kind < s->nkinds; kind++) {
		struct sf_look of = look(kind);

		if (s->any_fine) {
			add_columns(s, page, axis, y, height, kind);
			sf_page_fill(page, of.colour);
		}
		add_bars(s, page, axis, y, height, kind);
		sf_page_fill_hatched(page, of.colour, of.hatch);
	}
	for (int i = 0; i < s->n; i++)
		draw_label(
		    page, axis, &s->bars[i], y, height, look(s->bars[i].kind));
}
