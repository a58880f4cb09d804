/* Measured times beside modelled ones, for people. */
#include "report/measured-section.h"
#include "text/human.h"
#include "text/markdown.h"

/* "+12.3 %", or "-" where there is nothing to compare with. */
static void
put_error(struct sf_grid *grid, double measured_s, double modelled_s)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	double error;

	if (!sf_beside_error(measured_s, modelled_s, &error)) {
		sf_buf_putc(cell, '-');
		return;
	}
	if (error >= 0)
		sf_buf_putc(cell, '+');
	sf_human_double(cell, 100 * error, 1);
	SF_BUF_LIT(cell, " %");
}

static void
put_time(struct sf_grid *grid, double x_s, const struct sf_scale *scale)
{
	sf_human_scaled(sf_grid_cell(grid), x_s, scale);
}

/* Calls, measured, of which compared, modelled, the two errors. */
static void
put_sum(struct sf_grid *grid, const struct sf_beside *sum,
    const struct sf_scale *scale)
{
	bool any = sum->compared != 0;

	sf_grid_int(grid, sum->calls);
	put_time(grid, sum->measured_s, scale);
	put_time(grid, sum->compared_s, scale);
	put_time(grid, sum->modelled_s, scale);
	put_error(grid, sum->compared_s, any ? sum->modelled_s : -1);
	if (sum->compared_s > 0) {
		sf_human_double(sf_grid_cell(grid),
		    100 * (sum->off_s / sum->compared_s), 1);
		sf_buf_put(&grid->text, " %", 2);
	} else {
		sf_grid_label(grid, "-");
	}
}

static void
put_sum_heads(struct sf_grid *grid)
{
	static const char *const heads[] = { "Calls", "Measured", "Compared",
		"Modelled", "Error", "Absolute" };

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(grid, heads[i]);
}

/* One row for all types that the list has no place for. */
static void
put_other_types(struct sf_grid *grid, struct sf_type_beside **types, size_t n,
    const struct sf_scale *scale)
{
	struct sf_beside sum = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct sf_beside *one = &types[i]->sum;

		sum.calls += one->calls;
		sum.measured_s += one->measured_s;
		sum.compared += one->compared;
		sum.compared_s += one->compared_s;
		sum.modelled_s += one->modelled_s;
		sum.off_s += one->off_s;
	}
	sf_buf_printf(sf_grid_cell(grid), "(%zu more)", n);
	sf_grid_label(grid, "");
	put_sum(grid, &sum, scale);
}

static void
put_types(struct sf_buf *out, const struct sf_measured_report *m,
    struct sf_subject *s, const struct sf_scale *scale)
{
	struct sf_type_beside **types = sf_measured_sorted(m, s->arena);
	size_t n = m->types.n, shown = n;
	struct sf_grid grid;

	if ((int64_t)shown > s->top)
		shown = (size_t)s->top;
	sf_grid_init(&grid, "llrrrrrr");
	sf_grid_label(&grid, "Type");
	sf_grid_label(&grid, "Category");
	put_sum_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		sf_grid_text(&grid, types[i]->type->name);
		sf_type_categories(sf_grid_cell(&grid), types[i]->type);
		put_sum(&grid, &types[i]->sum, scale);
	}
	if (shown < n)
		put_other_types(&grid, types + shown, n - shown, scale);
	sf_grid_label(&grid, "all");
	sf_grid_label(&grid, "");
	put_sum(&grid, &m->all, scale);
	sf_grid_finish(&grid, out);
}

static void
put_top(struct sf_buf *out, const struct sf_measured_report *m,
    const struct sf_scale *scale)
{
	static const char *const heads[] = { "Op", "Type", "Measured",
		"Modelled", "Error" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Operators measured longest\n\n");
	sf_grid_init(&grid, "rlrrr");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(&grid, heads[i]);
	for (size_t i = 0; i < m->top.n; i++) {
		const struct sf_timed *t = &m->top.v[i];

		sf_grid_int(&grid, t->i);
		sf_grid_text(&grid, t->name);
		put_time(&grid, t->span_s, scale);
		if (t->modelled_s >= 0)
			put_time(&grid, t->modelled_s, scale);
		else
			sf_grid_label(&grid, "-");
		put_error(&grid, t->span_s, t->modelled_s);
	}
	sf_grid_finish(&grid, out);
}

void
sf_measured_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_measured_report *m = state;

	if (m->all.calls == 0)
		return;
	SF_BUF_LIT(out, "## Measured\n\n");
	put_types(out, m, s, sf_subject_scale(s));
	SF_BUF_LIT(out,
	    "Compared: the part of what was measured that has a modelled "
	    "time; of it, the error of the\nsum, and the absolute errors of "
	    "the operators.\n\n");
	put_top(out, m, sf_subject_scale(s));
}
