/* Gathering and drawing a timeline. */
#include "plot/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/die.h"
#include "plot/curve.h"
#include "plot/frame.h"
#include "plot/palette.h"
#include "plot/strip.h"
#include "text/human.h"
#include "timeline/level.h"

/* Where things are on the page. */
enum {
	LEFT = 112,  /* names of lanes, numbers of axes */
	RIGHT = 84,  /* busy shares */
	BOTTOM = 46, /* numbers of the time axis, a line of text */
	GAP = 6,     /* between lanes */
	PANEL_GAP = 16,
	MARGIN = 16,
};

struct sf_timeline {
	int64_t tiles; /* so far, of the core that is drawn */
	struct sf_picture picture;
	struct sf_range range;
	struct sf_strip lanes[SF_LANES];
	struct sf_curve buffer, fifo;
	struct sf_level buffer_level, fifo_level;
};

static void
tell_curve(void *to, double from, double until, int64_t value)
{
	sf_curve_add(to, from, until, (double)value);
}

struct sf_timeline *
sf_timeline_new(const struct sf_picture *picture, const struct sf_range *range)
{
	struct sf_timeline *t = sf_malloc(sizeof *t);
	int columns = (int)picture->width - LEFT - RIGHT;

	*t = (struct sf_timeline){ .picture = *picture, .range = *range };
	for (int i = 0; i < SF_LANES; i++)
		sf_strip_init(&t->lanes[i], columns, range);
	sf_curve_init(&t->buffer, columns, range);
	sf_curve_init(&t->fifo, columns, range);
	sf_level_init(&t->buffer_level, tell_curve, &t->buffer);
	sf_level_init(&t->fifo_level, tell_curve, &t->fifo);
	return t;
}

void
sf_timeline_free(struct sf_timeline *t)
{
	for (int i = 0; i < SF_LANES; i++)
		sf_strip_release(&t->lanes[i]);
	sf_curve_release(&t->buffer);
	sf_curve_release(&t->fifo);
	sf_level_release(&t->buffer_level);
	sf_level_release(&t->fifo_level);
	free(t);
}

/* The name without its namespace. */
static const char *
short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : name;
}

void
sf_timeline_add(struct sf_timeline *t, const struct sf_timed_tile *tile)
{
	struct sf_stay stays[SF_MAX_STAYS];
	int n;

	/* A picture is of one core, the first. */
	if (tile->core != 0)
		return;
	n = sf_tile_stays(tile, stays);
	t->tiles++;
	for (int i = 0; i < n; i++)
		sf_strip_add(&t->lanes[stays[i].lane],
		    &(struct sf_bar){ stays[i].start, stays[i].end,
			tile->op->category, short_name(tile->op->name) });
	sf_level_tile(&t->buffer_level, &t->fifo_level, tile);
}

/* ---- drawing ---- */

/* What is drawn on: the panels one below the other share the axis of time. */
struct sheet {
	struct sf_page *page;
	struct sf_axis time;
	struct sf_ticks ticks;
	struct sf_tick_unit unit;
	double y; /* where the next panel begins */
};

static double
end_of(const struct sf_timeline *t)
{
	double end = 0;

	for (int i = 0; i < SF_LANES; i++)
		end = fmax(end, t->lanes[i].end);
	return end;
}

/* The time that the picture spans. */
static struct sf_range
span_of(const struct sf_timeline *t)
{
	double end = end_of(t);

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

static void
explain(
    const struct sf_timeline *t, const struct sf_tiles *of, struct sf_buf *out)
{
	double end = end_of(t);

	if (of->accel.preset[0] != '\0')
		sf_buf_printf(out, "%s: ", of->accel.preset);
	sf_human_int(out, t->tiles);
	sf_buf_printf(out, t->tiles == 1 ? " tile in " : " tiles in ");
	sf_human_scaled(out, end, sf_scale_time(end));
	if (of->accel.cores > 1)
		sf_buf_printf(out, " on core 0 of %lld",
		    (long long)of->accel.cores);
	sf_buf_putc(out, '\0');
}

/* The categories that are in sight, one bit each. */
static uint32_t
categories_of(const struct sf_timeline *t)
{
	uint32_t set = 0;

	for (int i = 0; i < SF_LANES; i++)
		set |= t->lanes[i].categories;
	return set;
}

static void
draw_head(
    struct sheet *s, const struct sf_timeline *t, const struct sf_tiles *of)
{
	char *title = sf_picture_title(&t->picture, &of->trace);
	struct sf_buf below = { 0 };
	double width = (double)t->picture.width;

	explain(t, of, &below);
	s->y = sf_frame_title(s->page, width, title, below.p);
	if (categories_of(t) != 0)
		s->y = sf_frame_legend(
		    s->page, LEFT, s->y, width - MARGIN, categories_of(t));
	s->y += 8;
	free(title);
	sf_buf_release(&below);
}

/* A block without the stage has no lane for it. */
static bool
is_there(const struct sf_tiles *of, int lane)
{
	return lane != SF_LANE_TRANSIT || of->accel.transit_ops_per_byte > 0;
}

static void
draw_lane(struct sheet *s, struct sf_strip *strip, const char *name, double h)
{
	const struct sf_font name_font = { 11, SF_INK, false };
	const struct sf_font share_font = { 10, SF_FAINT, false };
	double right = s->time.at + s->time.size;
	struct sf_buf share = { 0 };

	sf_page_rect(s->page, s->time.at, s->y, s->time.size, h);
	sf_page_fill(s->page, 0xf6f6f6);
	sf_frame_x_lines(s->page,
	    &(struct sf_box){ s->time.at, s->y, s->time.size, h }, &s->time,
	    &s->ticks);
	sf_strip_draw(strip, s->page, &s->time, s->y, h);
	sf_page_text(s->page, name_font, SF_ALIGN_RIGHT, s->time.at - 8,
	    s->y + h / 2 + 4, name);
	sf_human_share(&share, strip->busy / (s->time.to - s->time.from));
	sf_buf_put(&share, " busy", sizeof " busy");
	sf_page_text(s->page, share_font, SF_ALIGN_LEFT, right + 8,
	    s->y + h / 2 + 3.5, share.p);
	sf_buf_release(&share);
	s->y += h + GAP;
}

static void
draw_lanes(struct sheet *s, struct sf_timeline *t, const struct sf_tiles *of,
    double height)
{
	int n = 0;

	for (int i = 0; i < SF_LANES; i++)
		n += is_there(of, i);
	for (int i = 0; i < SF_LANES; i++)
		if (is_there(of, i))
			draw_lane(s, &t->lanes[i],
			    sf_lane_name((enum sf_lane)i),
			    (height + GAP) / n - GAP);
	s->y += PANEL_GAP - GAP;
}

/* The frame of a curve of what is counted in UNIT; its axis is in *Y. */
static void
draw_panel(struct sheet *s, double height, const char *name, double most,
    const struct sf_ticks *ticks, struct sf_tick_unit unit, struct sf_axis *y)
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
end_panel(struct sheet *s, double height)
{
	sf_frame_outline(s->page,
	    &(struct sf_box){ s->time.at, s->y, s->time.size, height });
	s->y += height + PANEL_GAP;
}

/* Bytes that are held, below the capacity where that is in sight. */
static void
draw_buffer(struct sheet *s, const struct sf_timeline *t,
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
draw_fifo(struct sheet *s, const struct sf_timeline *t, double height)
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
put_merged(const struct sf_timeline *t, struct sf_buf *out)
{
	bool merged = false;

	for (int i = 0; i < SF_LANES; i++)
		merged |= t->lanes[i].any_fine;
	if (merged)
		sf_buf_printf(out,
		    "Bars below a pixel are merged: as high as the share of "
		    "time in use. ");
	if (sf_curve_is_binned(&t->buffer) || sf_curve_is_binned(&t->fifo))
		sf_buf_printf(out, "Curves: mean and range of a pixel.");
	sf_buf_putc(out, '\0');
}

static void
draw_foot(struct sheet *s, const struct sf_timeline *t)
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
	put_merged(t, &text);
	sf_page_text_within(s->page, small, SF_ALIGN_LEFT, MARGIN, y,
	    s->time.at + s->time.size - MARGIN - 80, text.p);
	sf_buf_release(&text);
}

static void
draw_all(struct sheet *s, struct sf_timeline *t, const struct sf_tiles *of)
{
	double height;

	draw_head(s, t, of);
	height = (double)t->picture.height - s->y - BOTTOM - 2 * PANEL_GAP;
	draw_lanes(s, t, of, height * 0.56);
	draw_buffer(s, t, of, height * 0.24);
	draw_fifo(s, t, height * 0.20);
	draw_foot(s, t);
}

void
sf_timeline_draw(
    struct sf_timeline *t, const struct sf_tiles *of, struct sf_buf *out)
{
	struct sf_range span;
	struct sheet sheet = { 0 };
	double width = (double)t->picture.width - LEFT - RIGHT;

	sf_level_end(&t->buffer_level);
	sf_level_end(&t->fifo_level);
	span = span_of(t);
	sheet.time = (struct sf_axis){ span.from, span.to, LEFT, width, false };
	sheet.ticks = sf_ticks_decimal(span.from, span.to, (int)width / 60);
	sheet.unit = sf_tick_time(span.to);
	sheet.page = sf_picture_open(&t->picture);
	draw_all(&sheet, t, of);
	sf_page_finish(sheet.page, out);
}
