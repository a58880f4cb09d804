/* Title, legend, panels. */
#include "plot/frame.h"

#include "plot/palette.h"

static const struct sf_font title_font = { 16, SF_INK, true };
static const struct sf_font text_font = { 11, SF_FAINT, false };
static const struct sf_font number_font = { 10, SF_INK, false };

enum {
	MARGIN = 16,
	ROW = 18,   /* of the legend */
	PATCH = 12, /* its coloured squares */
	APART = 16, /* its names */
};

double
sf_frame_title(struct sf_page *page, double width, const char *title,
    const char *explained)
{
	sf_page_name(page, title);
	sf_page_text_within(page, title_font, SF_ALIGN_LEFT, MARGIN, 26,
	    width - 2 * MARGIN, title);
	sf_page_text_within(page, text_font, SF_ALIGN_LEFT, MARGIN, 44,
	    width - 2 * MARGIN, explained);
	return 52;
}

/* How wide a row is, and where it begins: behind AT, or on the next line. */
static double
place_row(struct sf_page *page, const struct sf_legend_row *row, double x,
    double right, double *at, double *y)
{
	double wide =
	    PATCH + 5 + sf_page_text_width(page, number_font, row->name);

	if (*at + wide > right && *at > x) {
		*at = x;
		*y += ROW;
	}
	return wide;
}

double
sf_frame_rows_height(struct sf_page *page, double x, double right,
    const struct sf_legend_row *rows, int n)
{
	double at = x, y = 0;

	for (int i = 0; i < n; i++)
		at += place_row(page, &rows[i], x, right, &at, &y) + APART;
	return y + ROW;
}

double
sf_frame_rows(struct sf_page *page, double x, double y, double right,
    const struct sf_legend_row *rows, int n)
{
	double at = x;

	for (int i = 0; i < n; i++) {
		double wide = place_row(page, &rows[i], x, right, &at, &y);

		sf_page_rect(page, at, y + 3, PATCH, PATCH);
		sf_page_fill_hatched(
		    page, rows[i].look.colour, rows[i].look.hatch);
		sf_page_text(page, number_font, SF_ALIGN_LEFT, at + PATCH + 5,
		    y + 13, rows[i].name);
		at += wide + APART;
	}
	return y + ROW;
}

double
sf_frame_legend(
    struct sf_page *page, double x, double y, double right, uint32_t set)
{
	struct sf_legend_row rows[SF_CAT_COUNT];
	int n = 0;

	for (int i = 0; i < SF_CAT_COUNT; i++)
		if ((set >> i & 1) != 0)
			rows[n++] = (struct sf_legend_row){ sf_look_of(i),
				sf_category_name((enum sf_category)i) };
	return sf_frame_rows(page, x, y, right, rows, n);
}

void
sf_frame_x_lines(struct sf_page *page, const struct sf_box *box,
    const struct sf_axis *axis, const struct sf_ticks *ticks)
{
	for (int64_t mark = ticks->first; mark <= ticks->last; mark++) {
		double x = sf_axis_place(axis, (double)mark * ticks->step);

		sf_page_move(page, x, box->y);
		sf_page_line(page, x, box->y + box->h);
	}
	sf_page_stroke(page, SF_GRID, 1);
}

/* The number of a mark, at its place. */
static void
put_number(struct sf_page *page, enum sf_align align, double x, double y,
    const struct sf_ticks *ticks, int64_t mark, struct sf_tick_unit unit)
{
	struct sf_buf label = { 0 };

	sf_tick_label(&label, ticks, mark, unit);
	sf_buf_putc(&label, '\0');
	sf_page_text(page, number_font, align, x, y, label.p);
	sf_buf_release(&label);
}

void
sf_frame_x_numbers(struct sf_page *page, double y, const struct sf_axis *axis,
    const struct sf_ticks *ticks, struct sf_tick_unit unit)
{
	for (int64_t mark = ticks->first; mark <= ticks->last; mark++) {
		double x = sf_axis_place(axis, (double)mark * ticks->step);

		sf_page_move(page, x, y);
		sf_page_line(page, x, y + 3);
		sf_page_stroke(page, SF_INK, 1);
		put_number(page, SF_ALIGN_CENTRE, x, y + 14, ticks, mark, unit);
	}
}

void
sf_frame_y(struct sf_page *page, const struct sf_box *box,
    const struct sf_axis *axis, const struct sf_ticks *ticks,
    struct sf_tick_unit unit)
{
	for (int64_t mark = ticks->first; mark <= ticks->last; mark++) {
		double y = sf_axis_place(axis, (double)mark * ticks->step);

		sf_page_move(page, box->x, y);
		sf_page_line(page, box->x + box->w, y);
		sf_page_stroke(page, SF_GRID, 1);
		put_number(page, SF_ALIGN_RIGHT, box->x - 6, y + 3.5, ticks,
		    mark, unit);
	}
}

void
sf_frame_outline(struct sf_page *page, const struct sf_box *box)
{
	sf_page_rect(page, box->x, box->y, box->w, box->h);
	sf_page_stroke(page, 0xaaaaaa, 1);
}
