/* The queue of sf-fifo over time. */
#include "plot/fifo-plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/die.h"
#include "base/whole.h"
#include "plot/curve.h"
#include "plot/frame.h"
#include "plot/palette.h"

enum {
	CASES = 2,
	SHOWN = 100,  /* mean times of the slower side */
	COLUMN = 540, /* width of a panel with its margins */
	ROW = 92,
	LEFT = 64,
	RIGHT = 92,
	TOP = 92,
	BOTTOM = 48,
	GAP = 18,
	MARGIN = 16,
};

/* One run. */
struct panel {
	const struct sf_fifo_case *of;
	int64_t depth;
	double span; /* the time that is shown */
	struct sf_curve curve;
	struct sf_fifo_run figures;
};

struct sf_fifo_plot {
	struct sf_picture picture;
	int ncases, ndepths, n; /* panels so far */
	struct panel panels[CASES * SF_FIFO_PLOT_DEPTHS];
};

struct sf_fifo_plot *
sf_fifo_plot_new(const struct sf_picture *picture, int ncases, size_t ndepths)
{
	struct sf_fifo_plot *p;

	if (ndepths > SF_FIFO_PLOT_DEPTHS)
		sf_die(SF_EX_USAGE,
		    "option '--plot' with %zu depths, expected at most %d",
		    ndepths, SF_FIFO_PLOT_DEPTHS);
	p = sf_malloc(sizeof *p);
	*p = (struct sf_fifo_plot){
		.picture = *picture, .ncases = ncases, .ndepths = (int)ndepths
	};
	p->picture.width = COLUMN * ncases + MARGIN;
	p->picture.height = TOP + BOTTOM + ROW * p->ndepths;
	return p;
}

static void
tell_panel(void *to, double from, double until, int64_t level)
{
	struct panel *panel = to;

	sf_curve_add(&panel->curve, from, until, (double)level);
}

struct sf_fifo_watch
sf_fifo_plot_watch(
    struct sf_fifo_plot *p, const struct sf_fifo_case *c, int64_t depth)
{
	struct panel *panel = &p->panels[p->n];

	*panel = (struct panel){ .of = c,
		.depth = depth,
		.span = SHOWN * fmax(c->produce, c->consume) };
	sf_curve_init(&panel->curve, COLUMN - LEFT - RIGHT,
	    &(struct sf_range){ 0, panel->span, true });
	return (struct sf_fifo_watch){ tell_panel, panel };
}

void
sf_fifo_plot_ran(struct sf_fifo_plot *p, const struct sf_fifo_run *run)
{
	p->panels[p->n++].figures = *run;
}

/* ---- drawing ---- */

static void
draw_figures(
    struct sf_page *page, const struct panel *panel, double x, double y)
{
	const struct sf_font font = { 11, SF_INK, false };
	const struct sf_font small = { 10, SF_FAINT, false };
	struct sf_buf text = { 0 };

	sf_buf_printf(&text, "depth %lld%c", (long long)panel->depth, 0);
	sf_page_text(page, font, SF_ALIGN_LEFT, x, y + 14, text.p);
	text.n = 0;
	sf_buf_printf(&text, "L %.3f%c", panel->figures.mean_depth, 0);
	sf_page_text(page, small, SF_ALIGN_LEFT, x, y + 30, text.p);
	text.n = 0;
	sf_buf_printf(&text, "%.4f /time%c", panel->figures.throughput, 0);
	sf_page_text(page, small, SF_ALIGN_LEFT, x, y + 44, text.p);
	sf_buf_release(&text);
}

static void
draw_panel(struct sf_page *page, const struct panel *panel,
    const struct sf_box *box, const struct sf_axis *x,
    const struct sf_ticks *ticks)
{
	double top = (double)panel->depth;
	struct sf_axis y = { 0, top * 1.15, box->y + box->h, -box->h, false };
	struct sf_ticks levels = { top, 0, 1 };

	sf_frame_x_lines(page, box, x, ticks);
	sf_frame_y(page, box, &y, &levels, (struct sf_tick_unit){ "items", 1 });
	sf_curve_draw(&panel->curve, page, x, &y);
	sf_page_move(page, box->x, sf_axis_place(&y, top));
	sf_page_line(page, box->x + box->w, sf_axis_place(&y, top));
	sf_page_stroke_dashed(page, SF_LIMIT, 1.2);
	sf_frame_outline(page, box);
	draw_figures(page, panel, box->x + box->w + 8, box->y);
}

static void
name_case(struct sf_page *page, const struct sf_fifo_case *c, double x)
{
	const struct sf_font font = { 11, SF_INK, true };
	struct sf_buf text = { 0 };

	sf_buf_printf(&text, "%s: produce %g, consume %g, burst %lld%c",
	    c->name, c->produce, c->consume, (long long)c->burst, 0);
	sf_page_text_within(page, font, SF_ALIGN_LEFT, x, TOP - 12,
	    COLUMN - LEFT - MARGIN, text.p);
	sf_buf_release(&text);
}

/* One case: its depths, one below the other. */
static void
draw_case(struct sf_page *page, const struct panel *panels, int n, double left)
{
	const struct sf_font font = { 11, SF_INK, false };
	const struct sf_tick_unit unit = { "", 1 };
	struct sf_box box = { left + LEFT, 0, COLUMN - LEFT - RIGHT,
		ROW - GAP };
	struct sf_axis x = { 0, panels->span, box.x, box.w, false };
	struct sf_ticks ticks = sf_ticks_decimal(0, panels->span, 7);
	double bottom = TOP + ROW * n - GAP;

	name_case(page, panels->of, box.x);
	for (int i = 0; i < n; i++) {
		box.y = TOP + ROW * i;
		draw_panel(page, &panels[i], &box, &x, &ticks);
	}
	sf_frame_x_numbers(page, bottom, &x, &ticks, unit);
	sf_page_text(page, font, SF_ALIGN_RIGHT, box.x + box.w, bottom + 32,
	    "time, in the unit of the mean times");
}

void
sf_fifo_plot_write(struct sf_fifo_plot *p)
{
	struct sf_page *page = sf_picture_open(&p->picture);
	struct sf_buf file = { 0 };

	sf_frame_title(page, (double)p->picture.width,
	    "A bounded FIFO: items in the queue over time",
	    "The beginning of each run; L and items a unit of time are those "
	    "of the whole run");
	for (int i = 0; i < p->ncases; i++)
		draw_case(page, &p->panels[i * p->ndepths], p->ndepths,
		    (double)COLUMN * i);
	sf_page_finish(page, &file);
	sf_write_whole(p->picture.path, &file);
	sf_buf_release(&file);
	for (int i = 0; i < p->n; i++)
		sf_curve_release(&p->panels[i].curve);
	free(p);
}
