/* Names of the points of a roofline. */
#include <string.h>

#include "plot/palette.h"
#include "plot/roofs-sheet.h"
#include "text/human.h"

enum {
	MARGIN = 16,
	TEXT_HEIGHT = 14, /* of a label */
};

static const struct sf_font label_font = { 10, SF_INK, false };
static const struct sf_font small_font = { 10, SF_FAINT, false };

/* Whether the name alone tells it from others that have points. */
static bool
is_told_by_name(const struct sf_roof_trace *t, const struct sf_roof_type *type)
{
	for (size_t i = 0; i < t->ntypes; i++)
		if (t->types[i]->peak != type->peak &&
		    t->types[i]->category == type->category &&
		    strcmp(t->types[i]->name, type->name) == 0)
			return false;
	return true;
}

/* "mul 8.6 %", and how near to its own roof where it is not there. */
static void
put_label(struct sf_buf *out, const struct sf_roof_trace *t,
    const struct sf_roof_type *type)
{
	sf_buf_printf(out, "%.60s ", sf_roof_type_name(type));
	if (type->peak < SF_PEAK_COUNT && !is_told_by_name(t, type))
		sf_buf_printf(out, "%s ", sf_peak_names[type->peak]);
	sf_human_share(out, type->time_s / t->time_s);
	if (sf_roof_reached(type) < 1) {
		SF_BUF_LIT(out, " (at ");
		sf_human_share(out, sf_roof_reached(type));
		sf_buf_putc(out, ')');
	}
	sf_buf_putc(out, '\0');
}

/* False when there was no room. */
static bool
draw_label(struct sf_roofs_sheet *s, const struct sf_roof_trace *t,
    const struct sf_roof_type *type)
{
	double x = sf_axis_place(&s->x, sf_roof_intensity(type));
	double y = sf_axis_place(&s->y, sf_roof_attained(type));
	struct sf_buf text = { 0 };
	struct sf_label label;
	bool placed;

	put_label(&text, t, type);
	placed = sf_labels_place(&s->labels, x, y, sf_roof_radius(s, t, type),
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

/* Shares that round to nothing. */
#define LEAST_SHARE 0.0005

/* The trace whose next type, by AT, takes most of its time; -1 behind the last. */
static int
next_trace(const struct sf_roofs *r, const size_t *at)
{
	double most = -1;
	int found = -1;

	for (int k = 0; k < r->n; k++) {
		const struct sf_roof_trace *t = &r->v[k];

		if (at[k] == t->ntypes ||
		    !(t->types[at[k]]->time_s / t->time_s > most))
			continue;
		most = t->types[at[k]]->time_s / t->time_s;
		found = k;
	}
	return found;
}

/* "No room for names: mul 8.6 %, ...", of several traces each by its number. */
static void
put_unnamed(struct sf_roofs_sheet *s, struct sf_buf *names, int small)
{
	static const char *const which[] = { "first", "second", "third",
		"fourth" };
	const char *before = "No room for names: ";
	struct sf_buf text = { 0 };

	for (int k = 0; k < s->roofs->n; k++) {
		if (names[k].n == 0)
			continue;
		sf_buf_printf(&text, "%s", before);
		if (s->roofs->n > 1)
			sf_buf_printf(&text, "of the %s ", which[k]);
		sf_buf_put(&text, names[k].p, names[k].n);
		before = "; ";
	}
	if (small != 0)
		sf_buf_printf(&text,
		    "%s%d point%s of less than 0.05 %% without a name",
		    text.n != 0 ? "; " : "", small, small == 1 ? "" : "s");
	sf_buf_putc(&text, '\0');
	sf_page_text_within(s->page, small_font, SF_ALIGN_LEFT, MARGIN,
	    s->box.y + s->box.h + SF_ROOFS_BOTTOM - 12,
	    s->box.x + s->box.w - MARGIN, text.p);
	sf_buf_release(&text);
}

/*
 * Names at the points, those of the largest shares first, whosever they are, and
 * a line on those that have none.
 */
void
sf_roofs_draw_names(struct sf_roofs_sheet *s)
{
	struct sf_buf names[SF_ROOFS_TRACES] = { { 0 } };
	size_t at[SF_ROOFS_TRACES] = { 0 };
	int k, small = 0;

	while ((k = next_trace(s->roofs, at)) >= 0) {
		const struct sf_roof_trace *t = &s->roofs->v[k];
		const struct sf_roof_type *type = t->types[at[k]++];

		if (!sf_roof_has_point(type))
			continue;
		if (type->time_s / t->time_s < LEAST_SHARE) {
			small++;
			continue;
		}
		if (draw_label(s, t, type))
			continue;
		if (names[k].n != 0)
			SF_BUF_LIT(&names[k], ", ");
		put_label(&names[k], t, type);
		names[k].n--; /* the NUL */
	}
	put_unnamed(s, names, small);
	for (int i = 0; i < s->roofs->n; i++)
		sf_buf_release(&names[i]);
}
