/* Drawing rooflines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/palette.h"
#include "plot/roofs-sheet.h"
#include "text/human.h"

enum {
	LEFT = 76,
	RIGHT = 24,
	BOTTOM = SF_ROOFS_BOTTOM,
	MARGIN = 16,
	LARGEST = 30, /* radius of the point that takes all the time */
	ROW = 18,     /* of a legend */
};

static const struct sf_font label_font = { 10, SF_INK, false };

double
sf_roof_intensity(const struct sf_roof_type *type)
{
	return type->flops / type->bytes;
}

double
sf_roof_attained(const struct sf_roof_type *type)
{
	return type->flops / type->time_s;
}

/* At its own roof, which overheads keep it below. */
static double
own_roof(const struct sf_roof_type *type)
{
	return type->flops / fmin(type->roof_s, type->time_s);
}

double
sf_roof_reached(const struct sf_roof_type *type)
{
	double share = type->roof_s / type->time_s;

	return share > 0.995 ? 1 : share;
}

double
sf_roof_radius(const struct sf_roofs_sheet *s, const struct sf_roof_trace *t,
    const struct sf_roof_type *type)
{
	double largest = fmin(LARGEST, s->box.h / 10);

	return fmax(largest * sqrt(type->time_s / t->time_s), 2.5);
}

const char *
sf_roof_type_name(const struct sf_roof_type *type)
{
	const char *dot = strrchr(type->name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : type->name;
}

/* ---- axes ---- */

/* Widens the axis so that X is at least a third of a decade from its ends. */
static void
include(struct sf_axis *axis, double x)
{
	axis->from = fmin(axis->from, x / 2);
	axis->to = fmax(axis->to, x * 2);
}

static void
include_trace(struct sf_roofs_sheet *s, const struct sf_roof_trace *t)
{
	include(&s->x, sf_roof_ridge(&t->device));
	include(&s->x, sf_roof_ridge(&t->device) * 4);
	include(&s->x, sf_roof_ridge(&t->device) / 100);
	include(&s->y, t->device.flops_per_s);
	if (t->host.name != NULL) {
		include(&s->x, sf_roof_ridge(&t->host));
		include(&s->y, t->host.flops_per_s);
	}
	for (size_t i = 0; i < t->ntypes; i++)
		if (sf_roof_has_point(t->types[i])) {
			include(&s->x, sf_roof_intensity(t->types[i]));
			include(&s->y, sf_roof_attained(t->types[i]));
			include(&s->y, own_roof(t->types[i]));
		}
}

static void
choose_axes(struct sf_roofs_sheet *s)
{
	const struct sf_roofs *r = s->roofs;

	s->x = (struct sf_axis){ INFINITY, 0, s->box.x, s->box.w, true };
	s->y = (struct sf_axis){ INFINITY, 0, s->box.y + s->box.h, -s->box.h,
		true };
	for (int i = 0; i < r->n; i++)
		include_trace(s, &r->v[i]);
	include(&s->y, s->x.from * r->v[0].device.bytes_per_s * 2);
}

/* "10 G" of 1e10. */
static void
put_prefixed(struct sf_buf *out, int power)
{
	static const char prefixes[] = "fpnum kMGTPEZ";
	int group = (int)floor(power / 3.0);

	if (group < -5 || group > 7)
		sf_buf_printf(out, "1e%d", power);
	else if (group == 0)
		sf_buf_printf(out, "%g", pow(10, power));
	else
		sf_buf_printf(out, "%g %c", pow(10, power - 3 * group),
		    prefixes[group + 5]);
	sf_buf_putc(out, '\0');
}

/* "0.001", "1,000". */
static void
put_plain(struct sf_buf *out, int power)
{
	if (power < -4 || power > 6)
		sf_buf_printf(out, "1e%d", power);
	else
		sf_human_double(out, pow(10, power), power < 0 ? -power : 0);
	sf_buf_putc(out, '\0');
}

/* Powers of ten, not so many that their numbers meet. */
static int
decades_apart(const struct sf_axis *axis, double room)
{
	double decades = log10(axis->to / axis->from);

	return (int)fmax(1, ceil(decades * room / fabs(axis->size)));
}

static void
draw_x(struct sf_roofs_sheet *s)
{
	int apart = decades_apart(&s->x, 60);
	double bottom = s->box.y + s->box.h;
	struct sf_buf text = { 0 };

	for (int p = (int)ceil(log10(s->x.from)); p <= log10(s->x.to); p++) {
		double x = sf_axis_place(&s->x, pow(10, p));

		sf_page_move(s->page, x, s->box.y);
		sf_page_line(s->page, x, bottom);
		sf_page_stroke(s->page, SF_GRID, 1);
		if (p % apart != 0)
			continue;
		text.n = 0;
		put_plain(&text, p);
		sf_page_text(s->page, label_font, SF_ALIGN_CENTRE, x,
		    bottom + 15, text.p);
	}
	sf_buf_release(&text);
	sf_page_text(s->page, (struct sf_font){ 11, SF_INK, false },
	    SF_ALIGN_CENTRE, s->box.x + s->box.w / 2, bottom + 32,
	    "arithmetic intensity, FLOP/byte");
}

static void
draw_y(struct sf_roofs_sheet *s)
{
	int apart = decades_apart(&s->y, 20);
	struct sf_buf text = { 0 };

	for (int p = (int)ceil(log10(s->y.from)); p <= log10(s->y.to); p++) {
		double y = sf_axis_place(&s->y, pow(10, p));

		sf_page_move(s->page, s->box.x, y);
		sf_page_line(s->page, s->box.x + s->box.w, y);
		sf_page_stroke(s->page, SF_GRID, 1);
		if (p % apart != 0)
			continue;
		text.n = 0;
		put_prefixed(&text, p);
		sf_page_text(s->page, label_font, SF_ALIGN_RIGHT, s->box.x - 6,
		    y + 3.5, text.p);
	}
	sf_buf_release(&text);
	sf_page_text_turned(s->page, (struct sf_font){ 11, SF_INK, false },
	    MARGIN + 8, s->box.y + s->box.h / 2, 90, "attained, FLOP/s");
}

/* ---- points ---- */

/* Side of the square that is as large as a circle. */
static double
side_of(double r)
{
	return r * sqrt(acos(-1));
}

static void
add_shape(struct sf_page *page, bool square, double x, double y, double r)
{
	double side = side_of(r);

	if (square)
		sf_page_rect(page, x - side / 2, y - side / 2, side, side);
	else
		sf_page_circle(page, x, y, r);
}

/* Disks, squares, rings and frames. */
void
sf_roofs_mark(struct sf_page *page, int trace, double x, double y, double r,
    struct sf_look look)
{
	bool square = trace % 2 == 1;

	add_shape(page, square, x, y, r);
	sf_page_fill_hatched(page, look.colour, look.hatch);
	if (trace >= 2) {
		add_shape(page, square, x, y, 0.55 * r);
		sf_page_fill(page, 0xffffff);
	}
	add_shape(page, square, x, y, r);
	sf_page_stroke(page, 0xffffff, 1);
}

/* From the point up to where its own roof is. */
static void
draw_own_roof(struct sf_roofs_sheet *s, const struct sf_roof_type *type)
{
	double x = sf_axis_place(&s->x, sf_roof_intensity(type));
	double y = sf_axis_place(&s->y, own_roof(type));
	double from = sf_axis_place(&s->y, sf_roof_attained(type));

	if (sf_roof_reached(type) == 1)
		return;
	sf_labels_avoid_line(&s->labels, &(struct sf_segment){ x, from, x, y });
	sf_page_move(s->page, x, from);
	sf_page_line(s->page, x, y);
	sf_page_stroke(s->page, 0x999999, 1);
	sf_page_move(s->page, x - 5, y);
	sf_page_line(s->page, x + 5, y);
	sf_page_stroke(s->page, SF_CURVE, 1.6);
}

static void
draw_point(struct sf_roofs_sheet *s, int trace, const struct sf_roof_type *type)
{
	double x = sf_axis_place(&s->x, sf_roof_intensity(type));
	double y = sf_axis_place(&s->y, sf_roof_attained(type));
	double r = sf_roof_radius(s, &s->roofs->v[trace], type);

	draw_own_roof(s, type);
	sf_roofs_mark(s->page, trace, x, y, r, sf_look_of((int)type->category));
	sf_labels_avoid(&s->labels, x, y, r);
}

static void
draw_points(struct sf_roofs_sheet *s)
{
	for (int k = 0; k < s->roofs->n; k++) {
		const struct sf_roof_trace *t = &s->roofs->v[k];

		for (size_t i = 0; i < t->ntypes; i++)
			if (sf_roof_has_point(t->types[i]))
				draw_point(s, k, t->types[i]);
	}
}

/* ---- what stands above ---- */

static bool
same_model(const struct sf_roof_trace *a, const struct sf_roof_trace *b)
{
	return sf_str_eq(a->trace.model, b->trace.model) &&
	    sf_str_eq(a->trace.route, b->trace.route);
}

/* What all traces have in common. */
struct common {
	bool model, device;
};

static struct common
common_of(const struct sf_roofs *r)
{
	struct common c = { true, true };

	for (int i = 1; i < r->n; i++) {
		c.model &= same_model(&r->v[0], &r->v[i]);
		c.device &=
		    strcmp(r->v[0].device.name, r->v[i].device.name) == 0;
	}
	return c;
}

static char *
title_of(const struct sf_roofs *r, const struct sf_picture *picture)
{
	struct common c = common_of(r);
	struct sf_buf title = { 0 };

	if (r->n == 1 && r->v[0].host.name != NULL)
		sf_buf_printf(&title, "%s and %s", r->v[0].device.name,
		    r->v[0].host.name);
	else
		sf_buf_printf(&title, "%s", r->v[0].device.name);
	if (r->n == 1 || picture->title != NULL) {
		char *whole;

		sf_buf_putc(&title, '\0');
		whole = sf_picture_title(picture, &r->v[0].trace, title.p);
		sf_buf_release(&title);
		return whole;
	}
	title.n = 0;
	if (c.model)
		sf_buf_printf(&title, "%.*s (%.*s)",
		    SF_STR_ARG(r->v[0].trace.model),
		    SF_STR_ARG(r->v[0].trace.route));
	else
		sf_buf_printf(&title, "%d traces", r->n);
	if (c.device)
		sf_buf_printf(&title, ", on %s", r->v[0].device.name);
	sf_buf_putc(&title, '\0');
	return title.p;
}

static void
explain(const struct sf_roofs *r, struct sf_buf *out)
{
	const struct sf_roof_trace *t = &r->v[0];
	bool below = false, hides = false;

	if (r->n == 1) {
		sf_human_scaled(out, t->time_s, sf_scale_time(t->time_s));
		sf_buf_printf(out, ", memory %s; ", sf_memory_modes[t->memory]);
	}
	SF_BUF_LIT(out, "areas are shares of the time");
	for (int k = 0; k < r->n; k++) {
		hides |= sf_roof_hides(&r->v[k]);
		for (size_t i = 0; i < r->v[k].ntypes; i++)
			below |= sf_roof_has_point(r->v[k].types[i]) &&
			    sf_roof_reached(r->v[k].types[i]) < 1;
	}
	if (hides)
		SF_BUF_LIT(out, ", of which the bar at the right has all");
	if (below)
		SF_BUF_LIT(out, "; a tick is the operator's own roof");
	sf_buf_putc(out, '\0');
}

/* Of several traces, what tells them apart: "prefill of 2,048 tokens, 9 ms". */
static void
put_trace(struct sf_buf *out, const struct sf_roof_trace *t, struct common c,
    double longest_s)
{
	size_t from = out->n;

	if (!c.model)
		sf_buf_printf(out, ", %.*s (%.*s)", SF_STR_ARG(t->trace.model),
		    SF_STR_ARG(t->trace.route));
	sf_picture_workload(&t->trace, out);
	if (!c.device)
		sf_buf_printf(out, ", on %s", t->device.name);
	SF_BUF_LIT(out, ", ");
	sf_human_scaled(out, t->time_s, sf_scale_time(longest_s));
	sf_buf_putc(out, '\0');
	memmove(out->p + from, out->p + from + 2, out->n - from - 2);
}

static double
draw_traces(struct sf_roofs_sheet *s, double y, double right)
{
	struct common c = common_of(s->roofs);
	double longest_s = 0;

	for (int i = 0; i < s->roofs->n; i++)
		longest_s = fmax(longest_s, s->roofs->v[i].time_s);
	for (int i = 0; i < s->roofs->n; i++) {
		struct sf_buf text = { 0 };

		put_trace(&text, &s->roofs->v[i], c, longest_s);
		sf_roofs_mark(s->page, i, LEFT + 6, y + 9, 6,
		    (struct sf_look){ SF_FAINT, SF_HATCH_NONE, 0 });
		sf_page_text_within(s->page, label_font, SF_ALIGN_LEFT,
		    LEFT + 17, y + 13, right - LEFT - 17, text.p);
		sf_buf_release(&text);
		y += ROW;
	}
	return y;
}

static double
draw_head(struct sf_roofs_sheet *s, const struct sf_picture *picture)
{
	const struct sf_roofs *r = s->roofs;
	double width = (double)picture->width, y;
	struct sf_buf below = { 0 };
	char *title = title_of(r, picture);
	uint32_t set = 0;

	explain(r, &below);
	y = sf_frame_title(s->page, width, title, below.p);
	if (r->n > 1)
		y = draw_traces(s, y, width - MARGIN);
	for (int k = 0; k < r->n; k++)
		for (size_t i = 0; i < r->v[k].ntypes; i++)
			set |= UINT32_C(1) << r->v[k].types[i]->category;
	if (set != 0)
		y = sf_frame_legend(s->page, LEFT, y, width - MARGIN, set);
	free(title);
	sf_buf_release(&below);
	return y + 8;
}

/* ---- the page ---- */

static void
draw_all(struct sf_roofs_sheet *s)
{
	draw_x(s);
	draw_y(s);
	sf_page_clip(s->page, s->box.x, s->box.y, s->box.w, s->box.h);
	sf_roofs_draw_lines(s);
	sf_page_unclip(s->page);
	sf_frame_outline(s->page, &s->box);
	sf_labels_init(&s->labels, &s->box, s->lines, s->nlines);
	draw_points(s);
	sf_roofs_name_lines(s);
	sf_roofs_draw_names(s);
	sf_roofs_draw_strips(s);
	sf_labels_release(&s->labels);
}

void
sf_roofs_draw(const struct sf_roofs *roofs, const struct sf_picture *picture,
    struct sf_buf *out)
{
	double width = (double)picture->width, height = (double)picture->height;
	struct sf_roofs_sheet s = { .roofs = roofs };
	double top, right = RIGHT;

	for (int i = 0; i < roofs->n; i++)
		if (sf_roof_hides(&roofs->v[i]))
			right = SF_ROOFS_STRIP;
	s.page = sf_picture_open(picture);
	top = draw_head(&s, picture);
	s.box = (struct sf_box){ LEFT, top, width - LEFT - right,
		height - top - BOTTOM };
	choose_axes(&s);
	draw_all(&s);
	sf_page_finish(s.page, out);
}
