/* What a calibration found. */
#include "calibrate/calibrate-report.h"

#include <stdlib.h>

#include "text/figures.h"
#include "text/human.h"
#include "text/markdown.h"

static const struct {
	unsigned term;
	const char *name, *unit;
} terms[] = {
	{ SF_FIT_FLOPS, "flops_eff", "ratio" },
	{ SF_FIT_BYTES, "bw_eff", "ratio" },
	{ SF_FIT_CALL, "call_s", "s" },
};

enum {
	NTERMS = sizeof terms / sizeof terms[0]
};

/* Why a category says nothing of a term; NULL when it does. */
static const char *
silence(const struct sf_calibrated_category *cat, unsigned term)
{
	if (!cat->fitted)
		return cat->why;
	if ((cat->fit.terms & term) != 0)
		return NULL;
	return term == SF_FIT_FLOPS ? "no call is bound by its arithmetic"
	    : term == SF_FIT_BYTES  ? "no call is bound by its bytes"
				    : "no call shows it";
}

/* By the calls that are samples, then by name. */
static int
compare_types(const void *left, const void *right)
{
	const struct sf_calibrated_type *a =
	    *(struct sf_calibrated_type *const *)left;
	const struct sf_calibrated_type *b =
	    *(struct sf_calibrated_type *const *)right;

	if (a->before.measured_s != b->before.measured_s)
		return a->before.measured_s > b->before.measured_s ? -1 : 1;
	return strcmp(a->name.p, b->name.p);
}

static struct sf_calibrated_type **
sorted(const struct sf_calibration *c)
{
	size_t n = c->types.n;
	struct sf_calibrated_type **all =
	    sf_arena_calloc(c->arena, n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = c->types.order[i]->ptr;
	qsort(all, n, sizeof(struct sf_calibrated_type *), compare_types);
	return all;
}

/* ---- for people ---- */

/* A share of 1 as per cent, "-" below 0. */
static void
put_percent(struct sf_grid *grid, double x)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	if (x < 0) {
		sf_buf_putc(cell, '-');
		return;
	}
	sf_human_double(cell, 100 * x, 1);
	SF_BUF_LIT(cell, " %");
}

static void
put_off(struct sf_grid *grid, const struct sf_off *before,
    const struct sf_off *after, const struct sf_off *held_out)
{
	put_percent(grid, sf_off_mean(before));
	put_percent(grid, sf_off_mean(after));
	put_percent(grid, sf_off_mean(held_out));
}

static void
put_heads(struct sf_grid *grid, const char *const *heads, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sf_grid_label(grid, heads[i]);
}

static void
put_term(struct sf_grid *grid, const struct sf_calibration *c,
    enum sf_category category, unsigned term)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	double value;

	if (!sf_calibration_value(c, category, term, &value))
		sf_buf_putc(cell, '-');
	else if (term == SF_FIT_CALL)
		sf_human_scaled(cell, value, sf_scale_time(value));
	else
		sf_human_double(cell, value, 4);
}

static void
put_spread(struct sf_grid *grid, const struct sf_calibrated_category *cat)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	const double spread[] = { cat->low, cat->mid, cat->high };

	for (int i = 0; i < 3; i++) {
		if (i != 0)
			SF_BUF_LIT(cell, ", ");
		if (spread[i] >= 0)
			sf_buf_putc(cell, '+');
		sf_human_double(cell, 100 * spread[i], 0);
		SF_BUF_LIT(cell, " %");
	}
}

static void
put_fits(struct sf_buf *out, const struct sf_calibration *c)
{
	static const char *const heads[] = { "Category", "Calls", "Sizes",
		"flops_eff", "bw_eff", "call", "Before", "After", "Held out",
		"Residuals" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "## Fit\n\n");
	sf_grid_init(&grid, "lrrrrrrrrr");
	put_heads(&grid, heads, sizeof heads / sizeof heads[0]);
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		const struct sf_calibrated_category *cat = &c->categories[i];

		if (cat->calls == 0)
			continue;
		sf_grid_label(&grid, sf_category_name((enum sf_category)i));
		sf_grid_int(&grid, cat->calls);
		sf_grid_int(&grid, (int64_t)cat->sizes.n);
		for (int k = 0; k < NTERMS; k++)
			put_term(&grid, c, (enum sf_category)i, terms[k].term);
		put_off(&grid, &cat->before, &cat->after, &cat->held_out);
		put_spread(&grid, cat);
	}
	sf_grid_label(&grid, "all");
	sf_grid_int(&grid, c->before.calls);
	for (int k = 0; k <= NTERMS; k++)
		sf_grid_label(&grid, "");
	put_off(&grid, &c->before, &c->after, &c->held_out);
	sf_grid_label(&grid, "");
	sf_grid_finish(&grid, out);
	SF_BUF_LIT(out,
	    "Before, After: the mean of |modelled - measured| / measured of "
	    "the calls, with the base and\nwith the fit; Held out: of sizes "
	    "that a second fit has not seen. Residuals: modelled / measured "
	    "- 1,\na tenth, half and nine tenths of the calls being "
	    "below.\n\n");
}

static void
put_types(struct sf_buf *out, const struct sf_calibration *c)
{
	static const char *const heads[] = { "Type", "Category", "Calls",
		"Before", "After", "Held out" };
	struct sf_calibrated_type **types = sorted(c);
	struct sf_grid grid;

	SF_BUF_LIT(out, "## By operator type\n\n");
	sf_grid_init(&grid, "llrrrr");
	put_heads(&grid, heads, sizeof heads / sizeof heads[0]);
	for (size_t i = 0; i < c->types.n; i++) {
		const struct sf_calibrated_type *type = types[i];

		if (type->calls == 0)
			continue;
		sf_grid_text(&grid, type->name);
		sf_grid_label(&grid, sf_category_name(type->category));
		sf_grid_int(&grid, type->calls);
		put_off(&grid, &type->before, &type->after, &type->held_out);
	}
	sf_grid_finish(&grid, out);
}

static void
put_silences(struct sf_buf *out, const struct sf_calibration *c)
{
	SF_BUF_LIT(out, "## Not determined\n\n");
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		const struct sf_calibrated_category *cat = &c->categories[i];
		const char *name = sf_category_name((enum sf_category)i);

		if (i == SF_CAT_VIEW || i == SF_CAT_UNKNOWN)
			continue;
		if (cat->calls == 0) {
			sf_buf_printf(
			    out, "- %s: no call was measured\n", name);
			continue;
		}
		for (int k = 0; k < NTERMS; k++) {
			const char *why = silence(cat, terms[k].term);

			if (why == NULL)
				continue;
			if (!cat->fitted) {
				sf_buf_printf(out, "- %s: %s\n", name, why);
				break;
			}
			sf_buf_printf(
			    out, "- %s: %s: %s\n", name, terms[k].name, why);
		}
	}
	SF_BUF_LIT(out, "\n");
}

static void
put_unseen(struct sf_buf *out, const struct sf_calibration *c)
{
	bool any = false;

	for (size_t i = 0; i < c->types.n; i++) {
		const struct sf_calibrated_type *type = c->types.order[i]->ptr;

		if (type->calls != 0)
			continue;
		if (!any)
			SF_BUF_LIT(out, "## Never seen\n\n");
		any = true;
		SF_BUF_LIT(out, "- ");
		sf_md_text(out, type->name);
		sf_buf_printf(out, ": %lld calls, %s\n", (long long)type->other,
		    type->collective      ? "a collective"
			: type->uncounted ? "not counted"
					  : "not measured");
	}
	if (any)
		SF_BUF_LIT(out, "\n");
}

static void
write_markdown(struct sf_buf *out, const struct sf_calibration *c)
{
	SF_BUF_LIT(out, "# ");
	sf_md_text(out, sf_str_of(c->base->name));
	SF_BUF_LIT(out, ", calibrated\n\n");
	put_fits(out, c);
	put_types(out, c);
	put_silences(out, c);
	put_unseen(out, c);
}

/* ---- for programs ---- */

static void
fig_off(struct sf_figures *f, const char *key, const struct sf_off *off)
{
	sf_fig_open(f, key, '{');
	sf_fig_int(f, "calls", off->calls, "calls");
	if (off->calls != 0) {
		sf_fig_double(f, "deviation", sf_off_mean(off), "ratio");
		sf_fig_double(
		    f, "absolute_error", off->off_s / off->measured_s, "ratio");
	} else {
		sf_fig_null(f, "deviation", "ratio");
		sf_fig_null(f, "absolute_error", "ratio");
	}
	sf_fig_close(f);
}

static void
fig_offs(struct sf_figures *f, const struct sf_off *before,
    const struct sf_off *after, const struct sf_off *held_out)
{
	fig_off(f, "before", before);
	fig_off(f, "after", after);
	fig_off(f, "held_out", held_out);
}

static void
fig_category(struct sf_figures *f, const struct sf_calibration *c, int category)
{
	const struct sf_calibrated_category *cat = &c->categories[category];

	sf_fig_open(f, sf_category_name((enum sf_category)category), '{');
	sf_fig_int(f, "calls", cat->calls, "calls");
	sf_fig_int(f, "sizes", (int64_t)cat->sizes.n, "");
	for (int k = 0; k < NTERMS; k++) {
		double value;

		if (sf_calibration_value(
			c, (enum sf_category)category, terms[k].term, &value))
			sf_fig_double(f, terms[k].name, value, terms[k].unit);
		else
			sf_fig_null(f, terms[k].name, terms[k].unit);
	}
	fig_offs(f, &cat->before, &cat->after, &cat->held_out);
	if (cat->calls != 0) {
		sf_fig_open(f, "residuals", '{');
		sf_fig_double(f, "p10", cat->low, "ratio");
		sf_fig_double(f, "p50", cat->mid, "ratio");
		sf_fig_double(f, "p90", cat->high, "ratio");
		sf_fig_close(f);
	}
	sf_fig_open(f, "refused", '{');
	for (int k = 0; k < NTERMS; k++) {
		const char *why = cat->calls == 0 ? "no call was measured"
						  : silence(cat, terms[k].term);

		if (why != NULL)
			sf_fig_str(f, terms[k].name, sf_str_of(why));
	}
	sf_fig_close(f);
	sf_fig_close(f);
}

static void
fig_types(struct sf_figures *f, const struct sf_calibration *c, bool seen)
{
	struct sf_calibrated_type **types = sorted(c);

	sf_fig_open(f, seen ? "types" : "never_seen", '[');
	for (size_t i = 0; i < c->types.n; i++) {
		if ((types[i]->calls != 0) != seen)
			continue;
		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "name", types[i]->name);
		sf_fig_str(f, "category",
		    sf_str_of(sf_category_name(types[i]->category)));
		if (seen)
			fig_offs(f, &types[i]->before, &types[i]->after,
			    &types[i]->held_out);
		else
			sf_fig_int(f, "calls", types[i]->other, "calls");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
write_figures(struct sf_buf *out, const struct sf_calibration *c, bool csv)
{
	struct sf_figures f;

	sf_figures_begin_alone(
	    &f, out, csv, sf_str_of(c->base->name), "calibration");
	sf_fig_str(&f, "device", sf_str_of(c->base->name));
	sf_fig_int(&f, "traces", c->traces, "");
	sf_fig_int(&f, "ops", c->ops, "");
	fig_offs(&f, &c->before, &c->after, &c->held_out);
	sf_fig_open(&f, "categories", '{');
	for (int i = 0; i < SF_CAT_COUNT; i++)
		if (i != SF_CAT_VIEW && i != SF_CAT_UNKNOWN)
			fig_category(&f, c, i);
	sf_fig_close(&f);
	fig_types(&f, c, true);
	fig_types(&f, c, false);
	sf_figures_end(&f);
	sf_figures_release(&f);
}

void
sf_calibration_report(
    const struct sf_calibration *c, enum sf_format format, struct sf_buf *out)
{
	if (format == SF_FORMAT_MD)
		write_markdown(out, c);
	else
		write_figures(out, c, format == SF_FORMAT_CSV);
}
