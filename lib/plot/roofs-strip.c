/* Time that no point of a roofline stands for. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "plot/palette.h"
#include "plot/roofs-sheet.h"
#include "text/human.h"

enum {
	GAP = 22,     /* from the box to the bar */
	WIDE = 16,    /* the bar */
	APART = 13,   /* labels, from baseline to baseline */
	CAPTION = 18, /* above each bar */
	MARGIN = 8,
	PARTS = 64, /* the largest; others are one */
};

static const struct sf_font label_font = { 10, SF_INK, false };
static const struct sf_font caption_font = { 10, SF_FAINT, false };

/* A part of a bar. */
struct part {
	struct sf_look look;
	const char *name, *why;
	double share;
};

struct parts {
	struct part v[PARTS + 3];
	int n;
};

/* What would be 0.0 % is not said. */
static void
add(struct parts *p, struct part part)
{
	if (part.share >= 0.0005)
		p->v[p->n++] = part;
}

/*
 * What has no point, the largest types by name, as far as there is room for
 * ROOM labels; at last all that is on points.
 */
static void
find_parts(const struct sf_roof_trace *t, int room, struct parts *p)
{
	const struct sf_look grey = { 0x999999, SF_HATCH_CROSSED, SF_INK };
	const struct sf_look light = { SF_RANGE, SF_HATCH_NONE, SF_INK };
	double others = 0, points = 0;

	*p = (struct parts){ .n = 0 };
	add(p,
	    (struct part){ grey, "transfers", "", t->transfer_s / t->time_s });
	for (size_t i = 0; i < t->ntypes; i++) {
		const struct sf_roof_type *type = t->types[i];
		double share = type->time_s / t->time_s;

		if (sf_roof_has_point(type))
			points += share;
		/* Two more labels are of others and of points. */
		else if (p->n + 2 < room && p->n < PARTS && share >= 0.002)
			add(p,
			    (struct part){ sf_look_of((int)type->category),
				sf_roof_type_name(type),
				type->flops > 0 ? ", on chip" : "", share });
		else
			others += share;
	}
	add(p,
	    (struct part){
		{ 0xbbbbbb, SF_HATCH_NONE, SF_INK }, "others", "", others });
	add(p, (struct part){ light, "on points", "", points });
}

static void
draw_label(struct sf_roofs_sheet *s, const struct part *part, double x,
    double from, double y)
{
	struct sf_buf text = { 0 };

	sf_buf_printf(&text, "%.60s%s ", part->name, part->why);
	sf_human_share(&text, part->share);
	sf_buf_putc(&text, '\0');
	sf_page_move(s->page, x + WIDE, from);
	sf_page_line(s->page, x + WIDE + 7, y - 3.5);
	sf_page_stroke(s->page, 0x999999, 0.7);
	sf_page_text_within(s->page, label_font, SF_ALIGN_LEFT, x + WIDE + 10,
	    y, SF_ROOFS_STRIP - GAP - WIDE - 10 - MARGIN, text.p);
	sf_buf_release(&text);
}

/* Baselines that are APART, as near to the middles of parts as they can. */
static void
place_labels(const struct parts *p, double top, double height, double *places)
{
	double at = top, least = top + 9;

	for (int i = 0; i < p->n; i++) {
		double h = p->v[i].share * height;

		places[i] = fmax(at + h / 2 + 3.5, least);
		least = places[i] + APART;
		at += h;
	}
	for (int i = p->n; i-- != 0;) {
		double most = top + height - 2 - APART * (p->n - 1 - i);

		places[i] = fmin(places[i], most);
	}
}

static void
draw_strip(struct sf_roofs_sheet *s, const struct sf_roof_trace *t, double top,
    double height)
{
	double x = s->box.x + s->box.w + GAP, at = top;
	double places[PARTS + 3];
	struct parts parts;

	find_parts(t, (int)(height / APART), &parts);
	place_labels(&parts, top, height, places);
	for (int i = 0; i < parts.n; i++) {
		const struct part *part = &parts.v[i];
		double h = part->share * height;

		sf_page_rect(s->page, x, at, WIDE, h);
		sf_page_fill_hatched(
		    s->page, part->look.colour, part->look.hatch);
		draw_label(s, part, x, at + h / 2, places[i]);
		at += h;
	}
	sf_page_rect(s->page, x, top, WIDE, height);
	sf_page_stroke(s->page, 0xaaaaaa, 1);
}

void
sf_roofs_draw_strips(struct sf_roofs_sheet *s)
{
	int n = s->roofs->n;
	double each = s->box.h / n, x = s->box.x + s->box.w + GAP;

	for (int i = 0; i < n; i++) {
		double top = s->box.y + each * i;

		if (!sf_roof_hides(&s->roofs->v[i]))
			continue;
		sf_page_text(s->page, caption_font, SF_ALIGN_LEFT, x, top + 9,
		    n == 1 ? "all time" : "all time of");
		if (n > 1)
			sf_roofs_mark(s->page, i, x + 68, top + 5, 5,
			    (struct sf_look){ SF_FAINT, SF_HATCH_NONE, 0 });
		draw_strip(s, &s->roofs->v[i], top + CAPTION,
		    each - CAPTION - (i + 1 < n ? MARGIN : 0));
	}
}
