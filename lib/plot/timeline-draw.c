/* Drawing a timeline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "plot/timeline-sheet.h"
#include "text/human.h"

/* Where things are on the page. */
enum {
	BOTTOM = 46, /* numbers of the time axis, a line of text */
	PANEL_GAP = 16,
	MARGIN = 16,
	MODULES = 16, /* heights of lanes that do not grow with the page */
	OPS = 22,
	SMALL = 480, /* a page that has room for one row of modules */
};

/* The time that the picture spans. */
static struct sf_range
span_of(const struct sf_timeline *t)
{
	double end = t->stored;

	if (!t->range.known)
		/* Nothing happened: any span shows that. */
		return (struct sf_range){ 0, end > 0 ? end : 1e-6, true };
	if (end <= t->range.from)
		sf_die(SF_EX_USAGE,
		    "option '--window': begins at %g s, the trace ends at "
		    "%g s",
		    t->range.from, end);
	return t->range;
}

/* ---- what stands above ---- */

static void
put_title(
    const struct sf_timeline *t, const struct sf_tiles *of, struct sf_buf *out)
{
	const struct sf_scale *scale = sf_scale_time(t->stored);
	char *title =
	    sf_picture_title(&t->picture, &of->trace, of->accel.preset);

	sf_buf_printf(out, "%s", title);
	if (t->picture.title == NULL && t->range.known) {
		SF_BUF_LIT(out, ", ");
		sf_human_double(
		    out, t->range.from / scale->size, scale->decimals);
		SF_BUF_LIT(out, " to ");
		sf_human_scaled(out, t->range.to, scale);
	}
	sf_buf_putc(out, '\0');
	free(title);
}

/* " on 4 cores, 12.3 to 45.6 % computing" */
static void
put_cores(const struct sf_timeline *t, double length, struct sf_buf *out)
{
	double least, most;

	sf_lanes_extremes(&t->lanes, &least, &most);
	sf_buf_printf(out, " on %d cores, ", t->ncores);
	if (100 * (most - least) / length >= 0.1)
		sf_buf_printf(out, "%.1f to ", 100 * least / length);
	sf_human_share(out, most / length);
	sf_buf_printf(out, " computing");
}

static void
explain(const struct sf_timeline_sheet *s, const struct sf_timeline *t,
    const struct sf_tiles *of, struct sf_buf *out)
{
	sf_human_int(out, t->tiles);
	sf_buf_printf(out, t->tiles == 1 ? " tile in " : " tiles in ");
	sf_human_scaled(out, t->stored, sf_scale_time(t->stored));
	if (t->ncores > 1)
		put_cores(t, s->time.to - s->time.from, out);
	if (t->tiles != 0)
		sf_buf_printf(out, "; hot-spot %s: %s", of->hotspot, of->why);
	sf_buf_putc(out, '\0');
}

static void
draw_head(struct sf_timeline_sheet *s, const struct sf_timeline *t,
    const struct sf_tiles *of)
{
	double width = (double)t->picture.width;
	struct sf_buf title = { 0 }, below = { 0 };

	put_title(t, of, &title);
	explain(s, t, of, &below);
	s->y = sf_frame_title(s->page, width, title.p, below.p);
	if (sf_lanes_kinds(&t->lanes) != 0)
		s->y = sf_frame_legend(s->page, SF_TIMELINE_LEFT, s->y,
		    width - MARGIN, sf_lanes_kinds(&t->lanes));
	s->y += 8;
	sf_buf_release(&title);
	sf_buf_release(&below);
}

/* ---- operators ---- */

static void
draw_modules(struct sf_timeline_sheet *s, const struct sf_timeline *t,
    const char *name, int depth)
{
	sf_timeline_ground(s, name, MODULES, SF_TIMELINE_OTHER);
	sf_op_lane_draw_modules(
	    &t->ops, s->page, &s->time, s->y, MODULES, depth);
	s->y += MODULES + 2;
}

/* Modules, and those they lie in, where there are such; operators. */
static void
draw_ops(struct sf_timeline_sheet *s, struct sf_timeline *t)
{
	int depth = sf_op_lane_depth(&t->ops, s->page, &s->time);

	if (depth > 1 && t->picture.height >= SMALL &&
	    sf_op_lane_groups(&t->ops, &s->time, depth - 1) > 1) {
		draw_modules(s, t, "Modules", depth - 1);
		draw_modules(s, t, "", depth);
	} else if (depth != 0) {
		draw_modules(s, t, "Modules", depth);
	}
	sf_timeline_ground(s, "Operators", OPS, SF_TIMELINE_OTHER);
	sf_op_lane_draw(&t->ops, s->page, &s->time, s->y, OPS);
	s->y += OPS + SF_TIMELINE_GAP;
}

/* ---- panels ---- */

/* The frame of a curve of what is counted in UNIT; its axis is in *Y. */
static void
draw_panel(struct sf_timeline_sheet *s, double height, const char *name,
    double most, const struct sf_ticks *ticks, struct sf_tick_unit unit,
    struct sf_axis *y)
{
	const struct sf_font font = { 11, SF_INK, false };
	const struct sf_box box = { s->time.at, s->y, s->time.size, height };
	double middle = s->y + height / 2;

	*y = (struct sf_axis){
		.to = most, .at = s->y + height, .size = -height
	};
	sf_frame_x_lines(s->page, &box, &s->time, &s->ticks);
	sf_frame_y(s->page, &box, y, ticks, unit);
	sf_page_text(s->page, font, SF_ALIGN_LEFT, MARGIN, middle - 3, name);
	sf_page_text(
	    s->page, font, SF_ALIGN_LEFT, MARGIN, middle + 11, unit.name);
}

/* How many marks an axis of that height has room for. */
static int
marks_in(double height)
{
	int n = (int)height / 16;

	return n < 2 ? 2 : n > 5 ? 5 : n;
}

static void
end_panel(struct sf_timeline_sheet *s, double height)
{
	sf_frame_outline(s->page,
	    &(struct sf_box){ s->time.at, s->y, s->time.size, height });
	s->y += height + PANEL_GAP;
}

/* Bytes that are held, below the capacity where that is in sight. */
static void
draw_buffer(struct sf_timeline_sheet *s, const struct sf_timeline *t,
    const struct sf_tiles *of, double height)
{
	const struct sf_font font = { 10, SF_FAINT, false };
	double right = s->time.at + s->time.size;
	double capacity = (double)of->accel.buffer_bytes;
	double peak = fmax(t->buffer.most, 1);
	double most = peak > capacity / 4 ? capacity : peak;
	struct sf_tick_unit unit = sf_tick_bytes(most);
	struct sf_ticks ticks = sf_ticks_binary(0, most, marks_in(height));
	struct sf_buf text = { 0 };
	struct sf_axis y;

	draw_panel(s, height, "Buffer", most * 1.06, &ticks, unit, &y);
	sf_curve_draw(&t->buffer, s->page, &s->time, &y);
	if (most == capacity) {
		sf_page_move(s->page, s->time.at, sf_axis_place(&y, capacity));
		sf_page_line(s->page, right, sf_axis_place(&y, capacity));
		sf_page_stroke_dashed(s->page, SF_LIMIT, 1.2);
	}
	SF_BUF_LIT(&text, "peak ");
	sf_human_share(&text, t->buffer.most / capacity);
	sf_buf_putc(&text, '\0');
	sf_page_text(
	    s->page, font, SF_ALIGN_LEFT, right + 8, s->y + 10, text.p);
	sf_buf_release(&text);
	end_panel(s, height);
}

static void
draw_fifo(
    struct sf_timeline_sheet *s, const struct sf_timeline *t, double height)
{
	const struct sf_tick_unit unit = { "tiles", 1 };
	double most = fmax(t->fifo.most, 1);
	struct sf_ticks ticks = sf_ticks_decimal(0, most, marks_in(height));
	struct sf_axis y;

	/* There is no half of a tile. */
	if (ticks.step < 1)
		ticks = (struct sf_ticks){ 1, 0, (int64_t)most };
	draw_panel(s, height, "Ready", most * 1.1, &ticks, unit, &y);
	sf_curve_draw(&t->fifo, s->page, &s->time, &y);
	end_panel(s, height);
}

/* Says what is not drawn one by one. */
static void
put_merged(const struct sf_timeline *t, bool curves, struct sf_buf *out)
{
	curves &=
	    sf_curve_is_binned(&t->buffer) || sf_curve_is_binned(&t->fifo);
	if (t->ncores > 1)
		SF_BUF_LIT(out,
		    "What is of several cores, and bars below a pixel, is as "
		    "high as the share of time in use. ");
	else if (t->waits.any_fine || t->ops.strip.any_fine ||
	    sf_lanes_any_fine(&t->lanes))
		SF_BUF_LIT(out,
		    "Bars below a pixel are merged: as high as the share of "
		    "time in use. ");
	if (curves && t->ncores > 1)
		SF_BUF_LIT(out, "Curves: mean and range of all cores.");
	else if (curves)
		SF_BUF_LIT(out, "Curves: mean and range of a pixel.");
	sf_buf_putc(out, '\0');
}

static void
draw_foot(struct sf_timeline_sheet *s, const struct sf_timeline *t, bool curves)
{
	const struct sf_font font = { 11, SF_INK, false };
	const struct sf_font small = { 10, SF_FAINT, false };
	double y = (double)t->picture.height - 10;
	struct sf_buf text = { 0 };

	sf_frame_x_numbers(
	    s->page, s->y - PANEL_GAP, &s->time, &s->ticks, s->unit);
	sf_buf_printf(&text, "time, %s", s->unit.name);
	sf_buf_putc(&text, '\0');
	sf_page_text(s->page, font, SF_ALIGN_RIGHT, s->time.at + s->time.size,
	    y, text.p);
	text.n = 0;
	put_merged(t, curves, &text);
	sf_page_text_within(s->page, small, SF_ALIGN_LEFT, MARGIN, y,
	    s->time.at + s->time.size - MARGIN - 80, text.p);
	sf_buf_release(&text);
}

/* Heights of what grows with the page; 0: it is left out. */
struct heights {
	double lanes, buffer, fifo;
};

/*
 * A panel that would be empty, or for which a small page has no room, leaves its
 * own to the others.
 */
static struct heights
share_out(const struct sf_timeline *t, double space)
{
	enum {
		ROOMY = 200 /* pixels, for panels beside lanes */
	};
	struct heights h = { 0, t->buffer.most > 0 ? 0.24 : 0,
		t->fifo.most > 0 ? 0.20 : 0 };
	double rest = space -
	    ((h.buffer > 0 ? PANEL_GAP : 0) + (h.fifo > 0 ? PANEL_GAP : 0));
	double sum = h.buffer + h.fifo;

	if (space >= ROOMY && sum > 0)
		h.lanes = sf_timeline_lanes_height(&t->lanes, rest, sum);
	if (h.lanes == 0 || h.lanes == rest)
		return (struct heights){ .lanes = space };
	rest -= h.lanes;
	return (struct heights){ h.lanes, rest * h.buffer / sum,
		rest * h.fifo / sum };
}

static void
draw_all(struct sf_timeline_sheet *s, struct sf_timeline *t,
    const struct sf_tiles *of)
{
	struct sf_timeline_waits waits;
	struct heights heights;

	draw_head(s, t, of);
	sf_timeline_name_waits(s, t, &waits);
	draw_ops(s, t);
	heights = share_out(t,
	    (double)t->picture.height - s->y - BOTTOM - SF_TIMELINE_GAP -
		SF_TIMELINE_WAITS - waits.height);
	sf_timeline_lanes(s, &t->lanes, heights.lanes);
	sf_timeline_stalls(s, t, &waits);
	s->y += PANEL_GAP;
	if (heights.buffer > 0)
		draw_buffer(s, t, of, heights.buffer);
	if (heights.fifo > 0)
		draw_fifo(s, t, heights.fifo);
	draw_foot(s, t, heights.buffer > 0 || heights.fifo > 0);
}

void
sf_timeline_draw(
    struct sf_timeline *t, const struct sf_tiles *of, struct sf_buf *out)
{
	struct sf_range span;
	struct sf_timeline_sheet sheet = { 0 };
	double width =
	    (double)t->picture.width - SF_TIMELINE_LEFT - SF_TIMELINE_RIGHT;

	sf_timeline_end(t, of);
	span = span_of(t);
	sheet.time = (struct sf_axis){ span.from, span.to, SF_TIMELINE_LEFT,
		width, false };
	sheet.ticks = sf_ticks_decimal(span.from, span.to, (int)width / 60);
	sheet.unit = sf_tick_time(span.to);
	sheet.page = sf_picture_open(&t->picture);
	draw_all(&sheet, t, of);
	sf_page_finish(sheet.page, out);
}
