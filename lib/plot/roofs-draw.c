/* Drawing a roofline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/frame.h"
#include "plot/labels.h"
#include "plot/palette.h"
#include "plot/roofs.h"
#include "text/human.h"

enum {
	LEFT = 76,
	RIGHT = 24,
	BOTTOM = 64,
	MARGIN = 16,
	LARGEST = 30, /* radius of the point that takes all the time */
};

static const struct sf_font label_font = { 10, SF_INK, false };
static const struct sf_font small_font = { 10, SF_FAINT, false };

/* What is drawn, and on what. */
struct sheet {
	const struct sf_roofs *roofs;
	struct sf_page *page;
	struct sf_box box;
	struct sf_axis x, y;        /* FLOP/byte, FLOP/s */
	struct sf_segment lines[6]; /* slope, flat and ridge of each roof */
	int nlines;
	struct sf_labels labels;
};

/* Points of a logarithmic axis need both. */
static bool
has_point(const struct sf_roof_type *type)
{
	return type->flops > 0 && type->bytes > 0;
}

static double
intensity(const struct sf_roof_type *type)
{
	return type->flops / type->bytes;
}

static double
attained(const struct sf_roof_type *type)
{
	return type->flops / type->time_s;
}

static double
ridge(const struct sf_roof *roof)
{
	return roof->flops_per_s / roof->bytes_per_s;
}

static double
radius(const struct sheet *s, const struct sf_roof_type *type)
{
	double largest = fmin(LARGEST, s->box.h / 10);

	return fmax(largest * sqrt(type->time_s / s->roofs->time_s), 2.5);
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
choose_axes(struct sheet *s)
{
	const struct sf_roofs *r = s->roofs;

	s->x = (struct sf_axis){ INFINITY, 0, s->box.x, s->box.w, true };
	s->y = (struct sf_axis){ INFINITY, 0, s->box.y + s->box.h, -s->box.h,
		true };
	include(&s->x, ridge(&r->device));
	include(&s->x, ridge(&r->device) * 4);
	include(&s->x, ridge(&r->device) / 100);
	include(&s->y, r->device.flops_per_s);
	if (r->host.name != NULL) {
		include(&s->x, ridge(&r->host));
		include(&s->y, r->host.flops_per_s);
	}
	for (size_t i = 0; i < r->ntypes; i++)
		if (has_point(r->types[i])) {
			include(&s->x, intensity(r->types[i]));
			include(&s->y, attained(r->types[i]));
		}
	include(&s->y, s->x.from * r->device.bytes_per_s * 2);
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
draw_x(struct sheet *s)
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
draw_y(struct sheet *s)
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

/* ---- roofs ---- */

static void
add_line(struct sheet *s, double x0, double y0, double x1, double y1)
{
	s->lines[s->nlines++] = (struct sf_segment){ x0, y0, x1, y1 };
	sf_page_move(s->page, x0, y0);
	sf_page_line(s->page, x1, y1);
}

static void
draw_roof(struct sheet *s, const struct sf_roof *roof, bool dashed)
{
	double corner_x = sf_axis_place(&s->x, ridge(roof));
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

/* ---- their names, where no point is ---- */

enum {
	TEXT_HEIGHT = 14,
	TEXT_STEP = 8, /* from one place that is tried to the next */
};

/* Above the flat part, as far to the right as there is room. */
static void
name_flat(struct sheet *s, const struct sf_segment *flat, const char *name)
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
name_slope(struct sheet *s, const struct sf_segment *slope, const char *name)
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
name_ridge(struct sheet *s, const struct sf_segment *line, const char *name)
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
name_roof(
    struct sheet *s, const struct sf_roof *roof, const struct sf_segment *lines)
{
	double at = ridge(roof);
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

/* ---- points ---- */

static void
draw_point(struct sheet *s, const struct sf_roof_type *type)
{
	struct sf_look look = sf_look_of(type->category);
	double x = sf_axis_place(&s->x, intensity(type));
	double y = sf_axis_place(&s->y, attained(type));
	double r = radius(s, type);

	sf_page_circle(s->page, x, y, r);
	sf_page_fill_hatched(s->page, look.colour, look.hatch);
	sf_page_circle(s->page, x, y, r);
	sf_page_stroke(s->page, 0xffffff, 1);
}

static void
put_label(
    struct sf_buf *out, const struct sheet *s, const struct sf_roof_type *type)
{
	const char *dot = strrchr(type->name, '.');

	sf_buf_printf(out, "%.60s ",
	    dot != NULL && dot[1] != '\0' ? dot + 1 : type->name);
	sf_human_share(out, type->time_s / s->roofs->time_s);
	sf_buf_putc(out, '\0');
}

/* False when there was no room. */
static bool
draw_label(struct sheet *s, const struct sf_roof_type *type)
{
	double x = sf_axis_place(&s->x, intensity(type));
	double y = sf_axis_place(&s->y, attained(type));
	struct sf_buf text = { 0 };
	struct sf_label label;
	bool placed;

	put_label(&text, s, type);
	placed = sf_labels_place(&s->labels, x, y, radius(s, type),
	    sf_page_text_width(s->page, label_font, text.p) + 6, TEXT_HEIGHT,
	    &label);
	if (placed && label.led) {
		sf_page_move(s->page, label.leader.x0, label.leader.y0);
		sf_page_line(s->page, label.leader.x1, label.leader.y1);
		sf_page_stroke(s->page, 0x999999, 0.7);
	}
	if (placed)
		sf_page_text(s->page, label_font, SF_ALIGN_LEFT,
		    label.box.x + 3, label.box.y + 10.5, text.p);
	sf_buf_release(&text);
	return placed;
}

static void
draw_points(struct sheet *s)
{
	const struct sf_roofs *r = s->roofs;

	for (size_t i = 0; i < r->ntypes; i++) {
		const struct sf_roof_type *type = r->types[i];

		if (!has_point(type))
			continue;
		draw_point(s, type);
		sf_labels_avoid(&s->labels,
		    sf_axis_place(&s->x, intensity(type)),
		    sf_axis_place(&s->y, attained(type)), radius(s, type));
	}
}

/* Adds a type to a list that begins with what they have in common. */
static void
put_rest(struct sf_buf *list, const char *what, const struct sheet *s,
    const struct sf_roof_type *type)
{
	sf_buf_printf(list, "%s", list->n == 0 ? what : ", ");
	put_label(list, s, type);
	list->n--; /* the NUL */
}

/* Names at the points, and a line on those that have none. */
static void
draw_labels(struct sheet *s)
{
	const struct sf_roofs *r = s->roofs;
	struct sf_buf unplaced = { 0 }, unnamed = { 0 };

	for (size_t i = 0; i < r->ntypes; i++)
		if (!has_point(r->types[i]))
			put_rest(
			    &unplaced, "No FLOPs, not shown: ", s, r->types[i]);
		else if (!draw_label(s, r->types[i]))
			put_rest(
			    &unnamed, "No room for names: ", s, r->types[i]);
	if (unplaced.n != 0 && unnamed.n != 0)
		sf_buf_printf(&unnamed, ". ");
	sf_buf_put(&unnamed, unplaced.p, unplaced.n);
	sf_buf_putc(&unnamed, '\0');
	sf_page_text_within(s->page, small_font, SF_ALIGN_LEFT, MARGIN,
	    s->box.y + s->box.h + BOTTOM - 12, s->box.x + s->box.w - MARGIN,
	    unnamed.p);
	sf_buf_release(&unplaced);
	sf_buf_release(&unnamed);
}

/* ---- the page ---- */

static void
explain(const struct sf_roofs *r, struct sf_buf *out)
{
	sf_buf_printf(out, "%s", r->device.name);
	if (r->memory[0] != '\0')
		sf_buf_printf(out, ", memory %s", r->memory);
	sf_buf_printf(out, ": ");
	sf_human_scaled(out, r->time_s, sf_scale_time(r->time_s));
	sf_buf_printf(out, "; areas are shares of it");
	sf_buf_putc(out, '\0');
}

static double
draw_head(struct sheet *s, const struct sf_picture *picture)
{
	const struct sf_roofs *r = s->roofs;
	double width = (double)picture->width, y;
	struct sf_buf below = { 0 };
	char *title = sf_picture_title(picture, &r->trace);
	uint32_t set = 0;

	explain(r, &below);
	y = sf_frame_title(s->page, width, title, below.p);
	for (size_t i = 0; i < r->ntypes; i++)
		if (has_point(r->types[i]))
			set |= UINT32_C(1) << r->types[i]->category;
	if (set != 0)
		y = sf_frame_legend(s->page, LEFT, y, width - MARGIN, set);
	free(title);
	sf_buf_release(&below);
	return y + 8;
}

static void
draw_all(struct sheet *s)
{
	const struct sf_roofs *r = s->roofs;
	bool host = r->host.name != NULL;

	draw_x(s);
	draw_y(s);
	sf_page_clip(s->page, s->box.x, s->box.y, s->box.w, s->box.h);
	draw_roof(s, &r->device, false);
	if (host)
		draw_roof(s, &r->host, true);
	sf_page_unclip(s->page);
	sf_frame_outline(s->page, &s->box);
	sf_labels_init(&s->labels, &s->box, s->lines, s->nlines);
	draw_points(s);
	name_roof(s, &r->device, &s->lines[0]);
	if (host)
		name_roof(s, &r->host, &s->lines[3]);
	draw_labels(s);
	sf_labels_release(&s->labels);
}

void
sf_roofs_draw(const struct sf_roofs *roofs, const struct sf_picture *picture,
    struct sf_buf *out)
{
	double width = (double)picture->width, height = (double)picture->height;
	struct sheet s = { .roofs = roofs };
	double top;

	s.page = sf_picture_open(picture);
	top = draw_head(&s, picture);
	s.box = (struct sf_box){ LEFT, top, width - LEFT - RIGHT,
		height - top - BOTTOM };
	choose_axes(&s);
	draw_all(&s);
	sf_page_finish(s.page, out);
}
