/* Costs, for people: where the time goes, and how much the device runs. */
#include "report/cost-section.h"
#include "report/param.h"
#include "text/human.h"
#include "text/markdown.h"

/* Everything that the tables of one report share. */
struct page {
	const struct sf_cost_report *cost;
	const struct sf_scale *time, *flops, *bytes;
};

static void
put_time(struct sf_grid *grid, const struct page *page, double x_s)
{
	sf_human_scaled(sf_grid_cell(grid), x_s, page->time);
}

/* The share of all seconds with that many decimals, "-" of none. */
static void
put_share(
    struct sf_grid *grid, const struct page *page, double x_s, int decimals)
{
	double all_s = sf_spent_s(&page->cost->all);
	struct sf_buf *cell = sf_grid_cell(grid);

	if (!(all_s > 0)) {
		sf_buf_putc(cell, '-');
		return;
	}
	sf_human_double(cell, 100 * (x_s / all_s), decimals);
	SF_BUF_LIT(cell, " %");
}

static void
put_part(struct sf_grid *grid, const struct page *page, const char *label,
    double x_s)
{
	sf_grid_label(grid, label);
	put_time(grid, page, x_s);
	put_share(grid, page, x_s, 1);
}

static void
put_time_table(struct sf_buf *out, const struct page *page)
{
	const struct sf_cost_report *c = page->cost;
	struct sf_grid grid;

	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Time");
	sf_grid_label(&grid, "");
	sf_grid_label(&grid, "Share");
	put_part(&grid, page, "compute-bound operators",
	    c->bound_s[SF_BOUND_COMPUTE]);
	put_part(
	    &grid, page, "memory-bound operators", c->bound_s[SF_BOUND_MEMORY]);
	if (c->offload)
		put_part(&grid, page, "transfers", c->all.transfer_s);
	put_part(&grid, page, "total", sf_spent_s(&c->all));
	sf_grid_finish(&grid, out);
}

static void
put_roofline(struct sf_buf *out, const struct page *page)
{
	double compute_s = sf_cost_roofline_s(page->cost, SF_BOUND_COMPUTE);
	double memory_s = sf_cost_roofline_s(page->cost, SF_BOUND_MEMORY);
	bool compute = compute_s >= memory_s;

	SF_BUF_LIT(out,
	    "Whole-trace roofline, max(FLOPs / rate, bytes / "
	    "rate): ");
	sf_human_scaled(out, compute ? compute_s : memory_s, page->time);
	sf_buf_printf(out, ", %s-bound (arithmetic ",
	    sf_bound_names[compute ? SF_BOUND_COMPUTE : SF_BOUND_MEMORY]);
	sf_human_scaled(out, compute_s, page->time);
	SF_BUF_LIT(out, ", memory ");
	sf_human_scaled(out, memory_s, page->time);
	SF_BUF_LIT(out, ").\n\n");
}

/* NUM of DEN with that many decimals, "-" of none. */
static void
put_percent(struct sf_grid *grid, int64_t num, int64_t den, int decimals)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	if (den == 0) {
		sf_buf_putc(cell, '-');
		return;
	}
	sf_human_double(cell, 100.0 * ((double)num / (double)den), decimals);
	SF_BUF_LIT(cell, " %");
}

static void
put_unit(struct sf_grid *grid, const struct page *page, const char *label,
    const struct sf_spent *sum)
{
	sf_grid_label(grid, label);
	put_percent(grid, sum->calls, sf_cost_calls(page->cost), 1);
	put_percent(grid, sum->flops, page->cost->all.flops, 2);
	put_share(grid, page, sum->time_s, 1);
	put_time(grid, page, sum->time_s);
}

/* How much runs where; only of two units is it a question. */
static void
put_coverage(struct sf_buf *out, const struct page *page)
{
	static const char *const heads[] = { "Unit", "Operators", "FLOPs",
		"Time", "" };
	const struct sf_cost_report *c = page->cost;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Device coverage\n\n");
	sf_grid_init(&grid, "lrrrr");
	for (int i = 0; i < 5; i++)
		sf_grid_label(&grid, heads[i]);
	put_unit(&grid, page, "accelerator", &c->by_unit[SF_UNIT_ACCEL]);
	put_unit(&grid, page, "host", &c->by_unit[SF_UNIT_HOST]);
	sf_grid_label(&grid, "transfers");
	sf_grid_label(&grid, "");
	sf_grid_label(&grid, "");
	put_share(&grid, page, c->all.transfer_s, 1);
	put_time(&grid, page, c->all.transfer_s);
	sf_grid_finish(&grid, out);
	SF_BUF_LIT(out,
	    "Of the operators that are not free; transfers count "
	    "against the accelerator.\n\n");
}

static void
put_spent_heads(struct sf_grid *grid, const struct page *page)
{
	sf_grid_label(grid, "Calls");
	sf_grid_label(grid, page->flops->unit);
	sf_grid_label(grid, page->bytes->unit);
	sf_grid_label(grid, "Time");
	sf_grid_label(grid, "Share");
}

/* Time is that of units and transfers. */
static void
put_spent(
    struct sf_grid *grid, const struct page *page, const struct sf_spent *sum)
{
	sf_grid_int(grid, sum->calls);
	sf_human_amount_int(sf_grid_cell(grid), sum->flops, page->flops);
	sf_human_amount_int(sf_grid_cell(grid), sum->bytes, page->bytes);
	put_time(grid, page, sf_spent_s(sum));
	put_share(grid, page, sf_spent_s(sum), 2);
}

static void
put_categories(struct sf_buf *out, const struct page *page)
{
	const struct sf_cost_report *c = page->cost;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Time by category\n\n");
	sf_grid_init(&grid, "lrrrrr");
	sf_grid_label(&grid, "Category");
	put_spent_heads(&grid, page);
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		if (c->by_category[i].calls == 0)
			continue;
		sf_grid_label(&grid, sf_category_name((enum sf_category)i));
		put_spent(&grid, page, &c->by_category[i]);
	}
	sf_grid_label(&grid, "all");
	put_spent(&grid, page, &c->all);
	sf_grid_finish(&grid, out);
}

/* One row for all types that the list has no place for. */
static void
put_other_types(struct sf_grid *grid, const struct page *page,
    struct sf_type_spent **types, size_t n)
{
	struct sf_spent sum = { 0 };

	for (size_t i = 0; i < n; i++)
		sf_spent_add(&sum, &types[i]->sum);
	sf_buf_printf(sf_grid_cell(grid), "(%zu more)", n);
	sf_grid_label(grid, "");
	put_spent(grid, page, &sum);
	sf_grid_label(grid, "");
}

static void
put_types(struct sf_buf *out, const struct page *page, struct sf_subject *s)
{
	struct sf_type_spent **types = sf_cost_sorted(page->cost, s->arena);
	size_t n = page->cost->types.n, shown = n;
	struct sf_grid grid;

	if ((int64_t)shown > s->top)
		shown = (size_t)s->top;
	SF_BUF_LIT(out, "### Time by operator type\n\n");
	sf_grid_init(&grid, "llrrrrrl");
	sf_grid_label(&grid, "Type");
	sf_grid_label(&grid, "Category");
	put_spent_heads(&grid, page);
	sf_grid_label(&grid, "Unit");
	for (size_t i = 0; i < shown; i++) {
		sf_grid_text(&grid, types[i]->type->name);
		sf_type_categories(sf_grid_cell(&grid), types[i]->type);
		put_spent(&grid, page, &types[i]->sum);
		sf_type_units(sf_grid_cell(&grid), types[i]);
	}
	if (shown < n)
		put_other_types(&grid, page, types + shown, n - shown);
	sf_grid_finish(&grid, out);
}

/* What is multiplied, and how fast: the mix of types. */
static void
put_element_types(struct sf_buf *out, const struct page *page)
{
	const struct sf_cost_report *c = page->cost;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Time by element type of the products\n\n");
	sf_grid_init(&grid, "lrrrrrr");
	sf_grid_label(&grid, "Element type");
	put_spent_heads(&grid, page);
	sf_grid_label(&grid, "Peak");
	for (int i = 0; i <= SF_PEAK_COUNT; i++) {
		struct sf_buf *cell;

		if (c->by_type[i].calls == 0)
			continue;
		sf_grid_label(&grid,
		    i == SF_PEAK_COUNT ? "no products" : sf_peak_names[i]);
		put_spent(&grid, page, &c->by_type[i]);
		cell = sf_grid_cell(&grid);
		if (i == SF_PEAK_COUNT)
			sf_buf_putc(cell, '-');
		else if (c->peaks[i] == 0)
			SF_BUF_LIT(cell, "none");
		else
			sf_human_scaled(
			    cell, c->peaks[i], sf_scale_rate(c->peaks[i]));
	}
	sf_grid_finish(&grid, out);
}

static void
put_device(
    struct sf_buf *out, const struct sf_cost_report *c, struct sf_arena *arena)
{
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Device\n\n");
	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Value");
	for (size_t i = 0; i < c->device.n; i++)
		sf_param_cells(&grid, &sf_device_keys, &c->device.v[i], arena);
	sf_grid_finish(&grid, out);
}

static void
put_times(struct sf_buf *out, const struct page *page, struct sf_subject *s)
{
	const struct sf_cost_report *c = page->cost;

	put_time_table(out, page);
	if (c->offload)
		put_coverage(out, page);
	else
		put_roofline(out, page);
	if (c->ideal)
		sf_buf_printf(out,
		    "Ideal: all work is divided among %lld devices, and "
		    "nothing passes between them.\n\n",
		    (long long)c->devices);
	if (c->typed && c->ops != c->by_type[SF_PEAK_NONE].calls)
		put_element_types(out, page);
	if (s->totals.ops != 0) {
		put_categories(out, page);
		put_types(out, page, s);
	}
}

void
sf_cost_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_cost_report *c = state;
	struct page page = { .cost = c,
		.time = sf_subject_scale(s),
		.flops = sf_scale_column_flops(c->all.flops),
		.bytes = sf_scale_column_bytes(c->all.bytes) };

	if (!c->costed)
		return;
	SF_BUF_LIT(out, "## Cost\n\n");
	/* A sweep has times of its designs, and none of operators. */
	if (s->points == 0)
		put_times(out, &page, s);
	put_device(out, c, s->arena);
}
