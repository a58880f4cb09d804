/* Drawing the designs of a sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/accel.h"
#include "cost/device.h"
#include "plot/designs.h"
#include "plot/frame.h"
#include "plot/palette.h"
#include "sweep/front.h"
#include "text/human.h"

enum {
	LEFT = 92,
	RIGHT = 24,
	BOTTOM = 64,
	MARGIN = 16,
	SHADES = 12, /* of the third column */
	FEW = 300,   /* designs, which have larger points */
};

static const struct sf_font number_font = { 10, SF_INK, false };
static const struct sf_font name_font = { 11, SF_INK, false };

struct sheet {
	const struct sf_designs *d;
	struct sf_page *page;
	struct sf_box box;
	struct sf_axis x, y;
	double least, most; /* of the third column */
};

/* ---- axes ---- */

/* From the least to the greatest of column K, with a little around. */
static struct sf_axis
axis_of(const struct sf_designs *d, int k, double at, double size)
{
	double least = d->points[0][k], most = least, around;
	struct sf_axis axis = { .at = at, .size = size };

	for (size_t i = 1; i < d->npoints; i++) {
		least = fmin(least, d->points[i][k]);
		most = fmax(most, d->points[i][k]);
	}
	/* What is less has no room below it, and is 0 beside the others. */
	axis.log = least > 1e-200 && most > 10 * least;
	if (axis.log) {
		around = pow(most / least, 0.04);
		axis.from = least / around;
		axis.to = most * around;
		return axis;
	}
	around = most > least ? 0.04 * (most - least)
	    : most != 0       ? 0.1 * fabs(most)
			      : 1;
	axis.from = least - around;
	axis.to = most + around;
	return axis;
}

/* What a column is counted in, "B/s", or "" where nothing says it. */
static const char *
unit_of(const struct sf_designs *d, int k)
{
	static const char *const units[] = { [SF_UNIT_BYTES] = "B",
		[SF_UNIT_BYTES_PER_S] = "B/s",
		[SF_UNIT_S] = "s",
		[SF_UNIT_HZ] = "Hz",
		[SF_UNIT_FLOPS] = "FLOP/s" };
	const char *text = d->columns.texts[k];
	struct sf_str name = sf_str_of(text);
	const struct sf_key *key = sf_keys_find(&sf_accel_keys, name);
	size_t n = strcspn(text, ".");

	/* A sum of what has units may have any. */
	if (d->formulas[k].nnames != 1 ||
	    !sf_str_eq(d->formulas[k].names[0], name))
		return "";
	if (key == NULL)
		key = sf_keys_find(&sf_device_keys, name);
	if (key != NULL && (size_t)key->unit < sizeof units / sizeof units[0] &&
	    units[key->unit] != NULL)
		return units[key->unit];
	/* A result, or one in an object: makespan_s, stalls_s.compute. */
	return n > 2 && strncmp(text + n - 2, "_s", 2) == 0 ? "s" : "";
}

/* "512 KiB" */
static void
spell_bytes(double x, char out[32])
{
	struct sf_buf text = { 0 };

	sf_quantity_format(&text, x, SF_UNIT_BYTES);
	snprintf(out, 32, "%.*s", (int)text.n, text.p);
	sf_buf_release(&text);
}

/*
 * "50 us" of 5e-5: three digits at most stand before the point. Without a unit
 * numbers that are short stand as they are.
 */
static void
spell(double x, const char *unit, char out[32])
{
	static const char *const prefixes[] = { "p", "n", "u", "m", "", "k",
		"M", "G", "T", "P" };
	int power = x != 0 ? (int)floor(log10(fabs(x)) + 1e-9) : 0;
	int group = (int)floor(power / 3.0);

	if (strcmp(unit, "B") == 0) {
		spell_bytes(x, out);
		return;
	}
	if ((power >= (*unit != '\0' ? 0 : -3) &&
		power < (*unit != '\0' ? 3 : 4)) ||
	    group < -4 || group > 5)
		snprintf(
		    out, 32, "%.6g%s%s", x, *unit != '\0' ? " " : "", unit);
	else
		snprintf(out, 32, "%.6g %s%s", x / pow(1000, group),
		    prefixes[group + 4], unit);
}

/* 1, 2 and 5 times powers of ten from the one of FIRST on. */
static int
marks_between(const struct sf_axis *axis, int first, double *marks, int most)
{
	static const int times[] = { 1, 2, 5 };
	int n = 0;

	for (int p = first; pow(10, p) < axis->to && n < most; p++)
		for (int k = 0; k < 3 && n < most; k++) {
			double x = times[k] * pow(10, p);

			if (x >= axis->from && x <= axis->to)
				marks[n++] = x;
		}
	return n;
}

/* There is no half of a device: column K has whole numbers alone. */
static bool
is_whole(const struct sf_designs *d, int k)
{
	for (size_t i = 0; i < d->npoints; i++)
		if (d->points[i][k] != floor(d->points[i][k]))
			return false;
	return true;
}

/* The values of column K that are marked: at most MOST; returns how many. */
static int
marks_of(const struct sf_designs *d, int k, const struct sf_axis *axis,
    double *marks, int most)
{
	bool bytes = strcmp(unit_of(d, k), "B") == 0;
	struct sf_ticks ticks;
	int n = 0;

	if (axis->log && bytes) {
		int first = (int)ceil(log2(axis->from));
		int last = (int)floor(log2(axis->to));
		int apart = (last - first) / most + 1;

		for (int p = first; p <= last && n < most; p += apart)
			marks[n++] = exp2(p);
		return n;
	}
	if (axis->log) {
		int first = (int)ceil(log10(axis->from));
		int last = (int)floor(log10(axis->to));
		int apart = (last - first) / most + 1;

		if (last - first < 2)
			return marks_between(axis, first - 1, marks, most);

		for (int p = first; p <= last && n < most; p += apart)
			marks[n++] = pow(10, p);
		return n;
	}
	ticks = bytes ? sf_ticks_binary(axis->from, axis->to, most)
		      : sf_ticks_decimal(axis->from, axis->to, most);
	if (ticks.step < 1 && is_whole(d, k))
		ticks = (struct sf_ticks){ 1, (int64_t)ceil(axis->from),
			(int64_t)floor(axis->to) };
	for (; ticks.first + n <= ticks.last && n < most; n++)
		marks[n] = (double)(ticks.first + n) * ticks.step;
	return n;
}

/* "makespan_s", and which way is better where that is up. */
static void
put_name(const struct sf_designs *d, int k, char *out, size_t size)
{
	snprintf(out, size, "%s%s", d->columns.texts[k],
	    d->columns.signs[k] < 0 ? " (more is better)" : "");
}

static void
draw_x(struct sheet *s)
{
	double marks[8], bottom = s->box.y + s->box.h;
	int n = marks_of(s->d, 0, &s->x, marks, 8);
	char text[200];

	for (int i = 0; i < n; i++) {
		double x = sf_axis_place(&s->x, marks[i]);

		sf_page_move(s->page, x, s->box.y);
		sf_page_line(s->page, x, bottom);
		sf_page_stroke(s->page, SF_GRID, 1);
		spell(marks[i], unit_of(s->d, 0), text);
		sf_page_text(s->page, number_font, SF_ALIGN_CENTRE, x,
		    bottom + 15, text);
	}
	put_name(s->d, 0, text, sizeof text);
	sf_page_text_within(s->page, name_font, SF_ALIGN_CENTRE,
	    s->box.x + s->box.w / 2, bottom + 32, s->box.w, text);
}

static void
draw_y(struct sheet *s)
{
	double marks[8];
	int n = marks_of(s->d, 1, &s->y, marks, 8);
	char text[200];

	for (int i = 0; i < n; i++) {
		double y = sf_axis_place(&s->y, marks[i]);

		sf_page_move(s->page, s->box.x, y);
		sf_page_line(s->page, s->box.x + s->box.w, y);
		sf_page_stroke(s->page, SF_GRID, 1);
		spell(marks[i], unit_of(s->d, 1), text);
		sf_page_text(s->page, number_font, SF_ALIGN_RIGHT, s->box.x - 6,
		    y + 3.5, text);
	}
	put_name(s->d, 1, text, sizeof text);
	sf_page_text_turned(
	    s->page, name_font, MARGIN + 8, s->box.y + s->box.h / 2, 90, text);
}

/* ---- colours ---- */

/* Of shades from blue over grey to orange, which everybody tells apart. */
static uint32_t
shade(int i)
{
	static const int ends[3][3] = { { 0x00, 0x72, 0xb2 },
		{ 0xb8, 0xb8, 0xb8 }, { 0xd5, 0x5e, 0x00 } };
	double at = 2.0 * i / (SHADES - 1);
	int k = at >= 1 ? 1 : 0;
	uint32_t colour = 0;

	at -= k;
	for (int c = 0; c < 3; c++)
		colour = colour << 8 |
		    (uint32_t)lround(
			ends[k][c] + at * (ends[k + 1][c] - ends[k][c]));
	return colour;
}

static int
shade_of(const struct sheet *s, double value)
{
	double share =
	    s->most > s->least ? (value - s->least) / (s->most - s->least) : 0;

	return (int)fmin(SHADES - 1, floor(share * SHADES));
}

/* What the colours are of, at the top right. */
static void
draw_scale(struct sheet *s, double y)
{
	double right = s->box.x + s->box.w, w = 10;
	double x = right - SHADES * w - 70;
	char text[200];

	for (int i = 0; i < SHADES; i++) {
		sf_page_rect(s->page, x + i * w, y, w, 10);
		sf_page_fill(s->page, shade(i));
	}
	spell(s->most, unit_of(s->d, 2), text);
	sf_page_text(
	    s->page, number_font, SF_ALIGN_LEFT, right - 66, y + 9, text);
	spell(s->least, unit_of(s->d, 2), text);
	sf_page_text(s->page, number_font, SF_ALIGN_RIGHT, x - 4, y + 9, text);
	put_name(s->d, 2, text, sizeof text);
	sf_page_text_within(s->page, number_font, SF_ALIGN_RIGHT, x - 64, y + 9,
	    x - 64 - s->box.x, text);
}

/* ---- points ---- */

static void
draw_points(struct sheet *s)
{
	const struct sf_designs *d = s->d;
	int shades = d->n > 2 ? SHADES : 1;
	double r = d->npoints > FEW ? 2 : 4;

	for (int i = 0; i < shades; i++) {
		for (size_t k = 0; k < d->npoints; k++)
			if (shades == 1 || shade_of(s, d->points[k][2]) == i)
				sf_page_circle(s->page,
				    sf_axis_place(&s->x, d->points[k][0]),
				    sf_axis_place(&s->y, d->points[k][1]), r);
		sf_page_fill(s->page, shade(i));
	}
}

static int
by_x(const void *left, const void *right)
{
	const struct sf_front_point *a = left, *b = right;

	return (a->v[0] > b->v[0]) - (a->v[0] < b->v[0]);
}

/* Those that no other beats, along the first axis. */
static void
find_front(const struct sf_designs *d, struct sf_front *front)
{
	sf_front_init(front, 2);
	for (size_t k = 0; k < d->npoints; k++) {
		const double v[2] = { d->columns.signs[0] * d->points[k][0],
			d->columns.signs[1] * d->points[k][1] };

		sf_front_offer(front, (int64_t)k, v, SF_STR(""));
	}
	qsort(front->points, front->n, sizeof *front->points, by_x);
}

/* The front as a stair, as far as any design of it is beaten by none. */
static void
draw_front(struct sheet *s, const struct sf_front *front)
{
	const struct sf_designs *d = s->d;
	double before = 0;

	for (size_t k = 0; k < front->n; k++) {
		const double *v = front->points[k].v;
		double x = sf_axis_place(&s->x, d->columns.signs[0] * v[0]);
		double y = sf_axis_place(&s->y, d->columns.signs[1] * v[1]);

		if (k == 0)
			sf_page_move(s->page, x, y);
		else
			sf_page_line(s->page, x, before);
		sf_page_line(s->page, x, y);
		before = y;
	}
	sf_page_stroke(s->page, SF_CURVE, 1.4);
	for (size_t k = 0; k < front->n; k++)
		sf_page_circle(s->page,
		    sf_axis_place(
			&s->x, d->columns.signs[0] * front->points[k].v[0]),
		    sf_axis_place(
			&s->y, d->columns.signs[1] * front->points[k].v[1]),
		    d->npoints > FEW ? 3.5 : 6);
	sf_page_stroke(s->page, SF_CURVE, 1.4);
}

/* ---- the page ---- */

/* Title, and how many designs there are; returns where they end. */
static double
draw_head(struct sheet *s, const struct sf_picture *picture, size_t on_front)
{
	const struct sf_designs *d = s->d;
	struct sf_buf on = { 0 }, text = { 0 };
	char *title;
	double end;

	if (*d->base_name != '\0')
		sf_buf_printf(&on, "designs from %s", d->base_name);
	sf_buf_putc(&on, '\0');
	title = sf_picture_title(picture, &d->trace, on.p);
	sf_human_int(&text, (int64_t)d->npoints);
	sf_buf_printf(&text, d->npoints == 1 ? " design, " : " designs, ");
	sf_human_int(&text, (int64_t)on_front);
	SF_BUF_LIT(&text, " on the line, which is the front of the two axes");
	if (d->refused != 0) {
		SF_BUF_LIT(&text, "; ");
		sf_human_int(&text, d->refused);
		sf_buf_printf(&text,
		    d->refused == 1 ? " more was refused and is not shown"
				    : " more were refused and are not shown");
	}
	sf_buf_putc(&text, '\0');
	end = sf_frame_title(s->page, (double)picture->width, title, text.p);
	sf_buf_release(&on);
	sf_buf_release(&text);
	free(title);
	return end;
}

void
sf_designs_draw(const struct sf_designs *d, const struct sf_picture *picture,
    struct sf_buf *out)
{
	double w = (double)picture->width, h = (double)picture->height;
	struct sheet s = { .d = d, .page = sf_picture_open(picture) };
	struct sf_front front;
	double top;

	find_front(d, &front);
	top = draw_head(&s, picture, front.n) + 24;
	s.box =
	    (struct sf_box){ LEFT, top, w - LEFT - RIGHT, h - top - BOTTOM };
	s.x = axis_of(d, 0, s.box.x, s.box.w);
	s.y = axis_of(d, 1, s.box.y + s.box.h, -s.box.h);
	draw_x(&s);
	draw_y(&s);
	sf_frame_outline(s.page, &s.box);
	if (d->n > 2) {
		s.least = s.most = d->points[0][2];
		for (size_t k = 0; k < d->npoints; k++) {
			s.least = fmin(s.least, d->points[k][2]);
			s.most = fmax(s.most, d->points[k][2]);
		}
		draw_scale(&s, top - 18);
	}
	sf_page_clip(s.page, s.box.x, s.box.y, s.box.w, s.box.h);
	draw_points(&s);
	draw_front(&s, &front);
	sf_page_unclip(s.page);
	sf_page_finish(s.page, out);
	sf_front_release(&front);
}
