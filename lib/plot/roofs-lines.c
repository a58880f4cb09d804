/* The roofs of devices, and their names. */
#include <math.h>
#include <string.h>

#include "plot/palette.h"
#include "plot/roofs-sheet.h"
#include "text/human.h"

static const struct sf_font small_font = { 10, SF_FAINT, false };

double
sf_roof_ridge(const struct sf_roof *roof)
{
	return roof->flops_per_s / roof->bytes_per_s;
}

static void
add_line(struct sf_roofs_sheet *s, double x0, double y0, double x1, double y1)
{
	s->lines[s->nlines++] = (struct sf_segment){ x0, y0, x1, y1 };
	sf_page_move(s->page, x0, y0);
	sf_page_line(s->page, x1, y1);
}

static void
draw_roof(struct sf_roofs_sheet *s, const struct sf_roof *roof, bool dashed)
{
	double corner_x = sf_axis_place(&s->x, sf_roof_ridge(roof));
	double corner_y = sf_axis_place(&s->y, roof->flops_per_s);

	add_line(s, s->x.at,
	    sf_axis_place(&s->y, s->x.from * roof->bytes_per_s), corner_x,
	    corner_y);
	add_line(s, corner_x, corner_y, s->box.x + s->box.w, corner_y);
	if (dashed)
		sf_page_stroke_dashed(s->page, SF_CURVE, 1.2);
	else
		sf_page_stroke(s->page, SF_CURVE, 1.6);
	add_line(s, corner_x, corner_y, corner_x, s->box.y + s->box.h);
	sf_page_stroke_dashed(s->page, 0xaaaaaa, 1);
}

/* The trace's device, or its host. */
static const struct sf_roof *
roof_at(const struct sf_roofs *r, int i)
{
	return i % 2 == 0 ? &r->v[i / 2].device : &r->v[i / 2].host;
}

/* Whether roof I is there, and no earlier one is the same. */
static bool
is_new(const struct sf_roofs *r, int i)
{
	const struct sf_roof *roof = roof_at(r, i);

	if (roof->name == NULL)
		return false;
	for (int k = 0; k < i; k++) {
		const struct sf_roof *other = roof_at(r, k);

		if (other->name != NULL &&
		    strcmp(other->name, roof->name) == 0 &&
		    other->flops_per_s == roof->flops_per_s &&
		    other->bytes_per_s == roof->bytes_per_s)
			return false;
	}
	return true;
}

/*
 * FLOP/s of products that were costed at a peak which the roof of the first
 * device does not show; 0 where there are none.
 */
static double
other_peak(const struct sf_roofs *r, int peak)
{
	const struct sf_roof_trace *t = &r->v[0];
	const struct sf_roof *roof = &t->device;
	double flops_per_s =
	    roof->tariff->rates[SF_CAT_MATMUL][peak].flops_per_s;
	double used_s = 0;

	for (size_t i = 0; i < t->ntypes; i++)
		if ((int)t->types[i]->peak == peak &&
		    sf_roof_has_point(t->types[i]))
			used_s += t->types[i]->time_s;
	/* One that hardly matters is left out. */
	if (used_s < 0.001 * t->time_s ||
	    fabs(flops_per_s / roof->base.flops_per_s - 1) < 0.01)
		return 0;
	return roof->flops_per_s * (flops_per_s / roof->base.flops_per_s);
}

/* A flat line for each, from the slope on. */
static void
draw_peaks(struct sf_roofs_sheet *s)
{
	const struct sf_roof *roof = &s->roofs->v[0].device;

	for (int p = 0; p < SF_PEAK_COUNT; p++) {
		double rate = other_peak(s->roofs, p);
		double y = sf_axis_place(&s->y, rate);

		if (rate == 0)
			continue;
		add_line(s, sf_axis_place(&s->x, rate / roof->bytes_per_s), y,
		    s->box.x + s->box.w, y);
		sf_page_stroke_dashed(s->page, SF_CURVE, 1);
	}
}

void
sf_roofs_draw_lines(struct sf_roofs_sheet *s)
{
	for (int i = 0; i < 2 * s->roofs->n; i++)
		if (is_new(s->roofs, i))
			draw_roof(s, roof_at(s->roofs, i), i % 2 == 1);
	if (s->roofs->n == 1)
		draw_peaks(s);
}

/* ---- their names, where no point is ---- */

enum {
	TEXT_HEIGHT = 14,
	TEXT_STEP = 8, /* from one place that is tried to the next */
};

/* Above the flat part, as far to the right as there is room. */
static void
name_flat(
    struct sf_roofs_sheet *s, const struct sf_segment *flat, const char *name)
{
	double w = sf_page_text_width(s->page, small_font, name) + 6;
	struct sf_box box = { flat->x1 - w - 3, flat->y0 - 5 - TEXT_HEIGHT, w,
		TEXT_HEIGHT };

	while (!sf_labels_take(&s->labels, &box)) {
		box.x -= TEXT_STEP;
		if (box.x < s->box.x)
			return;
	}
	sf_page_text(
	    s->page, small_font, SF_ALIGN_LEFT, box.x + 3, box.y + 10.5, name);
}

/* Along the slope, as far up as there is room. */
static void
name_slope(
    struct sf_roofs_sheet *s, const struct sf_segment *slope, const char *name)
{
	double w = sf_page_text_width(s->page, small_font, name) + 12;
	double length = hypot(slope->x1 - slope->x0, slope->y0 - slope->y1);
	double along = (slope->x1 - slope->x0) / length;
	double up = (slope->y0 - slope->y1) / length;
	double from_line = 7;
	double box_w = w * along + TEXT_HEIGHT * up;
	double box_h = w * up + TEXT_HEIGHT * along;

	for (double at = length * 0.8; at > 0; at -= TEXT_STEP) {
		/* The middle of the baseline, and of the text. */
		double x = slope->x0 + along * at - up * from_line;
		double y = slope->y0 - up * at - along * from_line;
		const struct sf_box box = { x - up * 4 - box_w / 2,
			y - along * 4 - box_h / 2, box_w, box_h };

		if (!sf_labels_take(&s->labels, &box))
			continue;
		sf_page_text_turned(s->page, small_font, x, y,
		    atan2(up, along) * 180 / acos(-1), name);
		return;
	}
}

/* Beside the ridge's line, as far down as there is room. */
static void
name_ridge(
    struct sf_roofs_sheet *s, const struct sf_segment *line, const char *name)
{
	double w = sf_page_text_width(s->page, small_font, name) + 6;
	struct sf_box box = { line->x0 + 2, line->y1 - 2 - TEXT_HEIGHT, w,
		TEXT_HEIGHT };

	while (!sf_labels_take(&s->labels, &box)) {
		box.y -= TEXT_STEP;
		if (box.y < line->y0)
			return;
	}
	sf_page_text(
	    s->page, small_font, SF_ALIGN_LEFT, box.x + 3, box.y + 10.5, name);
}

static void
name_roof(struct sf_roofs_sheet *s, const struct sf_roof *roof,
    const struct sf_segment *lines)
{
	double at = sf_roof_ridge(roof);
	struct sf_buf text = { 0 };

	sf_buf_printf(&text, "%s, ", roof->name);
	sf_human_scaled(
	    &text, roof->flops_per_s, sf_scale_rate(roof->flops_per_s));
	sf_buf_putc(&text, '\0');
	name_flat(s, &lines[1], text.p);
	text.n = 0;
	sf_human_scaled(&text, roof->bytes_per_s,
	    sf_scale_bytes((int64_t)fmin(roof->bytes_per_s, 9e18)));
	sf_buf_printf(&text, "/s");
	sf_buf_putc(&text, '\0');
	name_slope(s, &lines[0], text.p);
	text.n = 0;
	sf_buf_printf(&text, "ridge ");
	sf_human_double(&text, at, at < 10 ? 2 : at < 100 ? 1 : 0);
	sf_buf_putc(&text, '\0');
	name_ridge(s, &lines[2], text.p);
	sf_buf_release(&text);
}

void
sf_roofs_name_lines(struct sf_roofs_sheet *s)
{
	int at = 0;

	for (int i = 0; i < 2 * s->roofs->n; i++) {
		if (!is_new(s->roofs, i))
			continue;
		name_roof(s, roof_at(s->roofs, i), &s->lines[at]);
		at += 3;
	}
	for (int p = 0; at < s->nlines && p < SF_PEAK_COUNT; p++) {
		double rate = other_peak(s->roofs, p);
		struct sf_buf text = { 0 };

		if (rate == 0)
			continue;
		sf_buf_printf(&text, "%s, ", sf_peak_names[p]);
		sf_human_scaled(&text, rate, sf_scale_rate(rate));
		sf_buf_putc(&text, '\0');
		name_flat(s, &s->lines[at++], text.p);
		sf_buf_release(&text);
	}
}
