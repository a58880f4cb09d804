/* A pair of traces that differ, for people. */
#include "diff/diff.h"

#include "text/human.h"
#include "text/markdown.h"

/* "+1,234", "-5", "0". */
static void
put_change(struct sf_grid *grid, int64_t x)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	if (x > 0)
		sf_buf_putc(cell, '+');
	sf_human_int(cell, x);
}

static void
put_figure(struct sf_grid *grid, const char *label, int64_t a, int64_t b)
{
	sf_grid_label(grid, label);
	sf_grid_int(grid, a);
	sf_grid_int(grid, b);
	put_change(grid, b - a);
}

static void
put_sums(const struct sf_difference *d, struct sf_buf *out)
{
	const struct sf_totals *a = &d->a->totals, *b = &d->b->totals;
	struct sf_grid grid;

	sf_grid_init(&grid, "lrrr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "A");
	sf_grid_label(&grid, "B");
	sf_grid_label(&grid, "Change");
	put_figure(&grid, "FLOPs", a->all.flops, b->all.flops);
	put_figure(&grid, "Weight bytes read", a->all.weight_bytes,
	    b->all.weight_bytes);
	put_figure(&grid, "Operators", a->ops, b->ops);
	put_figure(&grid, "Bytes moved", a->all.bytes, b->all.bytes);
	put_figure(
	    &grid, "Operators not counted", a->unknown_calls, b->unknown_calls);
	sf_grid_finish(&grid, out);
}

static void
put_amount(struct sf_grid *grid, const struct sf_amount *by)
{
	put_change(grid, by->calls);
	put_change(grid, by->flops);
	put_change(grid, by->weight_bytes);
	put_change(grid, by->bytes);
}

static void
put_changes(const struct sf_difference *d, int64_t top, struct sf_buf *out)
{
	static const char *const heads[] = { "Operator", "Calls", "FLOPs",
		"Weight bytes", "Bytes" };
	struct sf_amount rest = { 0 };
	struct sf_grid grid;
	size_t shown = d->nchanges;

	if ((int64_t)shown > top)
		shown = (size_t)top;
	sf_grid_init(&grid, "lrrrr");
	for (int i = 0; i < 5; i++)
		sf_grid_label(&grid, heads[i]);
	for (size_t i = 0; i < d->nchanges; i++) {
		if (i >= shown) {
			sf_amount_add(&rest, &d->changes[i].by);
			continue;
		}
		sf_grid_text(&grid, d->changes[i].name);
		put_amount(&grid, &d->changes[i].by);
	}
	if (shown < d->nchanges) {
		sf_buf_printf(
		    sf_grid_cell(&grid), "(%zu more)", d->nchanges - shown);
		put_amount(&grid, &rest);
	}
	sf_grid_finish(&grid, out);
}

static void
put_side(struct sf_buf *out, const struct sf_side_of_diff *side)
{
	sf_md_text(out, side->model);
	SF_BUF_LIT(out, " (");
	sf_md_text(out, side->route);
	SF_BUF_LIT(out, ")");
}

void
sf_difference_markdown(
    const struct sf_difference *d, int64_t top, struct sf_buf *out)
{
	SF_BUF_LIT(out, "# ");
	put_side(out, d->a);
	SF_BUF_LIT(out, " and ");
	put_side(out, d->b);
	if (d->verdict == SF_DIFFERS)
		SF_BUF_LIT(out, ": the arithmetic differs\n\n");
	else
		SF_BUF_LIT(out, ": the same arithmetic, other operators\n\n");
	put_sums(d, out);
	SF_BUF_LIT(
	    out, "What B has more than A, the biggest changes first:\n\n");
	put_changes(d, top, out);
}
