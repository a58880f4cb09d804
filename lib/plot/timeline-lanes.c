/* Drawing the lanes of engines and of stalls. */
#include <math.h>

#include "plot/timeline-sheet.h"
#include "text/human.h"

enum {
	APART = 6,       /* more between cores than between their lanes */
	CLOSE = 3,       /* between lanes of one of several cores */
	NAME_PITCH = 12, /* from one name to the next */
	SHARED = 24,     /* of a lane of all cores, with what is below it */
	SHARED_LEAST = 14,
	TURNED = 12, /* where the name of a core stands, along its lanes */
};

void
sf_timeline_ground(
    struct sf_timeline_sheet *s, const char *name, double h, uint32_t colour)
{
	const struct sf_font name_font = { 11, SF_INK, false };

	sf_page_rect(s->page, s->time.at, s->y, s->time.size, h);
	sf_page_fill(s->page, colour);
	sf_frame_x_lines(s->page,
	    &(struct sf_box){ s->time.at, s->y, s->time.size, h }, &s->time,
	    &s->ticks);
	if (*name != '\0')
		sf_page_text(s->page, name_font, SF_ALIGN_RIGHT, s->time.at - 8,
		    s->y + h / 2 + 4, name);
}

/* "45.2 % busy" of LENGTH seconds, at the right. */
static void
put_share(
    struct sf_timeline_sheet *s, double h, double length, const char *what)
{
	const struct sf_font font = { 10, SF_FAINT, false };
	struct sf_buf share = { 0 };

	sf_human_share(&share, length / (s->time.to - s->time.from));
	sf_buf_printf(&share, " %s%c", what, 0);
	sf_page_text(s->page, font, SF_ALIGN_LEFT,
	    s->time.at + s->time.size + 8, s->y + h / 2 + 3.5, share.p);
	sf_buf_release(&share);
}

/* ---- engines ---- */

/* A lane, with what stands beside it where that is NAMED. */
static void
draw_row(struct sf_timeline_sheet *s, struct sf_strip *strip, const char *name,
    double h, bool named)
{
	sf_timeline_ground(s, named ? name : "", h, SF_TIMELINE_GROUND);
	sf_strip_draw(strip, s->page, &s->time, s->y, h, sf_look_of);
	if (named)
		put_share(s, h, strip->busy, "busy");
}

/* "core 3", along its lanes, which have ended. */
static void
name_core(struct sf_timeline_sheet *s, int core, double from)
{
	const struct sf_font font = { 11, SF_FAINT, false };
	struct sf_buf name = { 0 };

	sf_buf_printf(&name, "core %d%c", core, 0);
	sf_page_text_turned(
	    s->page, font, TURNED, (from + s->y) / 2, 90, name.p);
	sf_buf_release(&name);
}

/* A lane an engine, core by core. */
static void
draw_engines(struct sf_timeline_sheet *s, struct sf_lanes *l, double height)
{
	bool several = l->ncores > 1;
	double gap = several ? CLOSE : SF_TIMELINE_GAP, from = s->y;
	double apart = several ? l->ncores * APART : 0;
	double h = (height + gap - apart) / l->n - gap;

	for (int i = 0; i < l->n; i++) {
		const struct sf_lanes_row *row = &l->rows[i];
		bool memory = row->what == SF_LANES_MEMORY;

		draw_row(s, &l->rows[i].strip,
		    memory ? "Memory" : sf_lane_name(row->lane), h, true);
		s->y += h;
		if (several && !memory && row[1].core != row->core) {
			name_core(s, row->core, from);
			from = s->y + APART + gap;
		}
		if (several && !memory &&
		    (row[1].what == SF_LANES_MEMORY ||
			row[1].core != row->core))
			s->y += APART;
		s->y += gap;
	}
	s->y += SF_TIMELINE_GAP - gap;
}

/* "core 3", "cores 4 to 7", "Load DMAs". */
static void
name_row(const struct sf_lanes_row *row, struct sf_buf *name)
{
	if (row->what == SF_LANES_MEMORY)
		SF_BUF_LIT(name, "Memory");
	else if (row->what == SF_LANES_ENGINES)
		sf_buf_printf(name, "%s%s", sf_lane_name(row->lane),
		    row->lane == SF_LANE_TRANSIT ? "" : "s");
	else if (row->ncores == 1)
		sf_buf_printf(name, "core %d", row->core);
	else
		sf_buf_printf(name, "cores %d to %d", row->core,
		    row->core + row->ncores - 1);
	sf_buf_putc(name, '\0');
}

static int
computing_rows(const struct sf_lanes *l)
{
	return (l->ncores + l->fold - 1) / l->fold;
}

/* A lane a core, or for several, among those of all cores. */
static void
draw_folded(struct sf_timeline_sheet *s, struct sf_lanes *l, double height)
{
	int rows = computing_rows(l), shared = l->n - rows;
	double shared_pitch = fmin(SHARED, height / (shared + 2));
	double pitch = (height - shared * shared_pitch) / rows;
	double gap = fmin(pitch / 5, CLOSE);
	int every = (int)ceil(NAME_PITCH / pitch);

	for (int i = 0; i < l->n; i++) {
		struct sf_lanes_row *row = &l->rows[i];
		bool computes = row->what == SF_LANES_COMPUTES;
		int number = computes ? row->core / l->fold : 0;
		struct sf_buf name = { 0 };
		double h = computes ? pitch - gap
				    : shared_pitch - SF_TIMELINE_GAP / 2.0;

		name_row(row, &name);
		draw_row(s, &row->strip, name.p, h,
		    number % every == 0 && number + every <= rows + every - 1);
		s->y += computes ? pitch : shared_pitch;
		sf_buf_release(&name);
	}
	s->y += SF_TIMELINE_GAP / 2.0;
}

void
sf_timeline_lanes(
    struct sf_timeline_sheet *s, struct sf_lanes *lanes, double height)
{
	if (lanes->fold != 0)
		draw_folded(s, lanes, height);
	else
		draw_engines(s, lanes, height);
}

double
sf_timeline_lanes_height(const struct sf_lanes *l, double space, double panels)
{
	const double most = 0.75, usual = 0.56 / (0.56 + panels);
	double least = l->n * SF_LANES_PITCH, wanted = l->n * 20;

	if (l->ncores == 1)
		return usual * space;
	if (l->fold != 0) {
		int rows = computing_rows(l), shared = l->n - rows;

		least = rows * SF_LANES_THIN + shared * SHARED_LEAST;
		wanted = rows * 8 + shared * SHARED;
	}
	if (least > most * space)
		return space;
	return fmax(usual * space, fmin(wanted, most * space));
}

/* ---- stalls ---- */

/* "load bandwidth 45.2 %" of each that there is. */
void
sf_timeline_name_waits(const struct sf_timeline_sheet *s,
    const struct sf_timeline *t, struct sf_timeline_waits *w)
{
	*w = (struct sf_timeline_waits){ .n = 0 };
	for (int i = 0; i < SF_WAITS; i++) {
		struct sf_buf *name = &w->names[w->n];

		if (!(t->waited[i] > 0))
			continue;
		sf_buf_printf(name, "%s ", sf_wait_name(i));
		sf_human_share(name,
		    t->waited[i] / t->ncores / (s->time.to - s->time.from));
		sf_buf_putc(name, '\0');
		w->rows[w->n++] =
		    (struct sf_legend_row){ sf_look_of_wait(i), name->p };
	}
	w->height = sf_frame_rows_height(
	    s->page, s->time.at, s->time.at + s->time.size, w->rows, w->n);
}

/* What the compute units wait for, and when. */
void
sf_timeline_stalls(struct sf_timeline_sheet *s, struct sf_timeline *t,
    struct sf_timeline_waits *w)
{
	sf_timeline_ground(s, "Stalls", SF_TIMELINE_WAITS, SF_TIMELINE_OTHER);
	sf_strip_draw(&t->waits, s->page, &s->time, s->y, SF_TIMELINE_WAITS,
	    sf_look_of_wait);
	put_share(s, SF_TIMELINE_WAITS, t->waits.busy, "waits");
	s->y += SF_TIMELINE_WAITS;
	sf_frame_rows(s->page, s->time.at, s->y, s->time.at + s->time.size,
	    w->rows, w->n);
	s->y += w->height;
	while (w->n-- != 0)
		sf_buf_release(&w->names[w->n]);
}
