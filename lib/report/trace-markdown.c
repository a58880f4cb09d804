/* The trace, for people: what it adds up to, and what no rule counts. */
#include "report/trace-section.h"
#include "text/human.h"
#include "text/markdown.h"

static void
put_workload(struct sf_grid *grid, const struct sf_subject *s)
{
	struct sf_buf *cell;

	sf_grid_label(grid, "Workload");
	cell = sf_grid_cell(grid);
	if (s->trace.nworkload == 0)
		SF_BUF_LIT(cell, "-");
	for (int i = 0; i < s->trace.nworkload; i++) {
		const struct sf_workload_item *item = &s->trace.workload[i];

		if (i != 0)
			SF_BUF_LIT(cell, ", ");
		sf_md_text(cell, sf_str_of(item->name));
		SF_BUF_LIT(cell, " ");
		sf_buf_int(cell, item->value);
	}
	sf_grid_label(grid, "");
}

/* A count that has no rounded form. */
static void
put_count(struct sf_grid *grid, const char *label, int64_t x)
{
	sf_grid_label(grid, label);
	sf_grid_int(grid, x);
	sf_grid_label(grid, "");
}

static void
put_amount(struct sf_grid *grid, const char *label, int64_t x,
    const struct sf_scale *scale)
{
	sf_grid_label(grid, label);
	sf_grid_int(grid, x);
	sf_human_scaled_int(sf_grid_cell(grid), x, scale);
}

static void
put_part(struct sf_grid *grid, const char *label, int64_t part, int64_t all)
{
	struct sf_buf *cell;

	sf_grid_label(grid, label);
	cell = sf_grid_cell(grid);
	sf_human_int(cell, part);
	SF_BUF_LIT(cell, " of ");
	sf_human_int(cell, all);
	sf_grid_percent(grid, part, all);
}

static void
put_params(struct sf_grid *grid, const struct sf_trace *trace)
{
	if (trace->params_count < 0)
		return;
	put_count(grid, "Parameters", trace->params_count);
	put_amount(grid, "Parameter bytes", trace->params_bytes,
	    sf_scale_bytes(trace->params_bytes));
}

/* What a token is multiplied with, beside what is stored and what is read. */
static void
put_active(struct sf_grid *grid, const struct sf_provenance *made_by)
{
	int64_t count, bytes;

	if (!sf_provenance_active(made_by, &count, &bytes))
		return;
	put_count(grid, "Active parameters", count);
	put_amount(
	    grid, "Active parameter bytes", bytes, sf_scale_bytes(bytes));
}

static void
put_sums(struct sf_grid *grid, const struct sf_totals *totals)
{
	const struct sf_amount *all = &totals->all;
	int64_t types = (int64_t)totals->types.n;

	put_amount(grid, "FLOPs", all->flops, sf_scale_flops(all->flops));
	put_amount(grid, "Bytes moved", all->bytes, sf_scale_bytes(all->bytes));
	put_amount(grid, "Weight bytes read", all->weight_bytes,
	    sf_scale_bytes(all->weight_bytes));
	put_part(
	    grid, "Rule coverage, types", types - totals->unknown_types, types);
	put_part(grid, "Rule coverage, calls",
	    totals->ops - totals->unknown_calls, totals->ops);
}

/* Sums that leave something out must not look as if they did not. */
static void
put_warning(struct sf_buf *out, const struct sf_totals *totals)
{
	if (!totals->counted) {
		SF_BUF_LIT(out,
		    "**Nothing is counted**: the stream did not pass sf-rules, "
		    "so FLOPs, bytes and weights are not known.\n\n");
	} else if (totals->unknown_calls != 0) {
		SF_BUF_LIT(out, "**Not all is counted**: ");
		sf_human_int(out, totals->unknown_calls);
		SF_BUF_LIT(out,
		    " of the calls add nothing to the sums; they are named "
		    "below.\n\n");
	}
}

static void
put_overview(struct sf_buf *out, const struct sf_subject *s,
    const struct sf_provenance *made_by)
{
	const struct sf_totals *totals = &s->totals;
	struct sf_grid grid;

	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Value");
	sf_grid_label(&grid, "Rounded");
	sf_grid_label(&grid, "Route");
	sf_grid_text(&grid, s->trace.route);
	sf_grid_label(&grid, "");
	put_workload(&grid, s);
	put_params(&grid, &s->trace);
	put_active(&grid, made_by);
	if (s->points == 0) {
		put_count(&grid, "Operators", totals->ops);
		put_count(&grid, "Operator types", (int64_t)totals->types.n);
		put_count(&grid, "Folded operators", totals->folded);
		put_count(&grid, "Dead operators", totals->dead);
	}
	if (totals->counted)
		put_sums(&grid, totals);
	sf_grid_finish(&grid, out);
	if (s->points == 0)
		put_warning(out, totals);
}

static void
put_amount_cells(struct sf_grid *grid, const struct sf_amount *sum,
    const struct sf_amount *all)
{
	sf_grid_int(grid, sum->calls);
	sf_grid_int(grid, sum->flops);
	sf_grid_percent(grid, sum->flops, all->flops);
	sf_grid_int(grid, sum->bytes);
	sf_grid_percent(grid, sum->bytes, all->bytes);
	sf_grid_int(grid, sum->weight_bytes);
}

static void
put_amount_heads(struct sf_grid *grid)
{
	static const char *const heads[] = { "Calls", "FLOPs", "Share", "Bytes",
		"Share", "Weight bytes" };

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(grid, heads[i]);
}

static void
put_categories(struct sf_buf *out, const struct sf_totals *totals)
{
	struct sf_grid grid;

	SF_BUF_LIT(out, "### By category\n\n");
	sf_grid_init(&grid, "lrrrrrr");
	sf_grid_label(&grid, "Category");
	put_amount_heads(&grid);
	for (int c = 0; c < SF_CAT_COUNT; c++) {
		const struct sf_amount *sum = &totals->by_category[c];

		if (sum->calls == 0)
			continue;
		sf_grid_label(&grid, sf_category_name((enum sf_category)c));
		put_amount_cells(&grid, sum, &totals->all);
	}
	sf_grid_label(&grid, "all");
	put_amount_cells(&grid, &totals->all, &totals->all);
	sf_grid_finish(&grid, out);
}

static void
put_type(struct sf_grid *grid, const struct sf_type *type,
    const struct sf_totals *totals)
{
	sf_grid_text(grid, type->name);
	if (!totals->counted) {
		sf_grid_int(grid, type->sum.calls);
		return;
	}
	sf_type_categories(sf_grid_cell(grid), type);
	put_amount_cells(grid, &type->sum, &totals->all);
}

/* One row for all types that the list has no place for. */
static void
put_other_types(struct sf_grid *grid, struct sf_type **types, size_t n,
    const struct sf_totals *totals)
{
	struct sf_amount sum = { 0 };

	for (size_t i = 0; i < n; i++)
		sf_amount_add(&sum, &types[i]->sum);
	sf_buf_printf(sf_grid_cell(grid), "(%zu more)", n);
	if (!totals->counted) {
		sf_grid_int(grid, sum.calls);
		return;
	}
	sf_grid_label(grid, "");
	put_amount_cells(grid, &sum, &totals->all);
}

static void
put_types(struct sf_buf *out, const struct sf_subject *s)
{
	const struct sf_totals *totals = &s->totals;
	struct sf_type **types = sf_totals_sorted(totals, s->arena);
	size_t n = totals->types.n, shown = n;
	struct sf_grid grid;

	if ((int64_t)shown > s->top)
		shown = (size_t)s->top;
	SF_BUF_LIT(out, "### By operator type\n\n");
	sf_grid_init(&grid, totals->counted ? "llrrrrrr" : "lr");
	sf_grid_label(&grid, "Type");
	if (totals->counted) {
		sf_grid_label(&grid, "Category");
		put_amount_heads(&grid);
	} else {
		sf_grid_label(&grid, "Calls");
	}
	for (size_t i = 0; i < shown; i++)
		put_type(&grid, types[i], totals);
	if (shown < n)
		put_other_types(&grid, types + shown, n - shown, totals);
	sf_grid_finish(&grid, out);
}

static void
put_unresolved(struct sf_grid *grid, const struct sf_type *type)
{
	struct sf_buf *cell;

	sf_grid_text(grid, type->name);
	sf_grid_int(grid, type->unresolved);
	cell = sf_grid_cell(grid);
	SF_BUF_LIT(cell, "unresolved: ");
	sf_md_text(cell, type->reason);
	if (type->reasons_differ)
		SF_BUF_LIT(cell, " (the first of several)");
}

/* Every one is named, whatever --top says. */
static void
put_unknown(struct sf_buf *out, const struct sf_totals *totals)
{
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Not counted\n\n");
	sf_grid_init(&grid, "lrl");
	sf_grid_label(&grid, "Type");
	sf_grid_label(&grid, "Calls");
	sf_grid_label(&grid, "Reason");
	for (size_t i = 0; i < totals->types.n; i++) {
		const struct sf_type *type = totals->types.order[i]->ptr;

		if (type->no_rule != 0) {
			sf_grid_text(&grid, type->name);
			sf_grid_int(&grid, type->no_rule);
			sf_grid_label(&grid, "no rule");
		}
		if (type->unresolved != 0)
			put_unresolved(&grid, type);
	}
	sf_grid_finish(&grid, out);
}

void
sf_trace_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_trace_report *t = state;

	SF_BUF_LIT(out, "## Trace\n\n");
	put_overview(out, s, &t->made_by);
	if (s->totals.ops != 0) {
		if (s->totals.counted)
			put_categories(out, &s->totals);
		put_types(out, s);
	}
	if (s->totals.unknown_calls != 0)
		put_unknown(out, &s->totals);
	sf_provenance_markdown(&t->made_by, out);
}
