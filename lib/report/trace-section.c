/* The trace: what it is, what it adds up to, what no rule counts. */
#include "base/num.h"
#include "report/human.h"
#include "report/markdown.h"
#include "report/provenance.h"
#include "report/section.h"

struct trace {
	struct sf_provenance made_by;
	bool has_params;
	int64_t params_count, params_bytes;
};

static void
read_params(struct trace *t, struct sf_subject *s)
{
	const struct sf_pair *pair = sf_pairs_find(&s->trace, "params");
	struct sf_json scan;
	struct sf_str key;

	if (pair == NULL)
		return;
	t->has_params = true;
	scan = (struct sf_json){
		.p = pair->json.p, .start = pair->json.p, .arena = s->arena
	};
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "count"))
			t->params_count = sf_json_int(&scan);
		else if (SF_KEY(key, "bytes"))
			t->params_bytes = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	if (scan.error != NULL)
		sf_stream_die(s->stream, "params: %s", scan.error);
}

static void *
begin(struct sf_subject *s)
{
	struct trace *t = sf_arena_calloc(s->arena, 1, sizeof *t);

	read_params(t, s);
	sf_provenance_init(&t->made_by, s->arena);
	return t;
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct trace *t = state;

	if (kind == SF_K_TOOL)
		sf_provenance_add_tool(&t->made_by, s->stream);
	else if (kind == SF_K_NOTE)
		sf_provenance_add_note(&t->made_by, s->stream);
}

static void
release(void *state)
{
	struct trace *t = state;

	sf_provenance_release(&t->made_by);
}

/* ---- for people ---- */

static void
put_workload(struct sf_grid *grid, const struct sf_subject *s)
{
	struct sf_buf *cell;

	sf_grid_label(grid, "Workload");
	cell = sf_grid_cell(grid);
	if (s->workload.n == 0)
		SF_BUF_LIT(cell, "-");
	for (size_t i = 0; i < s->workload.n; i++) {
		struct sf_pair *pair = &s->workload.v[i];

		if (i != 0)
			SF_BUF_LIT(cell, ", ");
		sf_md_text(cell, pair->key);
		SF_BUF_LIT(cell, " ");
		sf_md_text(cell, sf_pair_text(pair, s->arena));
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
put_params(struct sf_grid *grid, const struct trace *t)
{
	if (!t->has_params)
		return;
	put_count(grid, "Parameters", t->params_count);
	put_amount(grid, "Parameter bytes", t->params_bytes,
	    sf_scale_bytes(t->params_bytes));
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
	put_part(grid, "Types with a rule", types - totals->types_without_rule,
	    types);
	put_part(grid, "Calls with a rule",
	    totals->ops - totals->calls_without_rule, totals->ops);
	put_part(grid, "Calls with known shapes",
	    totals->ops - totals->calls_unresolved, totals->ops);
}

static void
put_overview(
    struct sf_buf *out, const struct trace *t, const struct sf_subject *s)
{
	const struct sf_totals *totals = &s->totals;
	struct sf_grid grid;

	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Value");
	sf_grid_label(&grid, "Rounded");
	sf_grid_label(&grid, "Route");
	sf_grid_text(&grid, s->route.n != 0 ? s->route : SF_STR("-"));
	sf_grid_label(&grid, "");
	put_workload(&grid, s);
	put_params(&grid, t);
	put_count(&grid, "Operators", totals->ops);
	put_count(&grid, "Operator types", (int64_t)totals->types.n);
	put_count(&grid, "Folded operators", totals->folded);
	put_count(&grid, "Dead operators", totals->dead);
	if (totals->counted)
		put_sums(&grid, totals);
	sf_grid_finish(&grid, out);
	if (!totals->counted)
		SF_BUF_LIT(out,
		    "**Nothing is counted**: the stream did not pass sf-rules, "
		    "so FLOPs, bytes and weights are not known.\n\n");
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

/* The categories of a type's calls: one, but for calls that are unknown. */
static void
put_type_categories(struct sf_buf *out, const struct sf_type *type)
{
	const char *comma = "";

	for (int c = 0; c < SF_CAT_COUNT; c++) {
		if ((type->categories >> c & 1) == 0)
			continue;
		sf_buf_printf(
		    out, "%s%s", comma, sf_category_name((enum sf_category)c));
		comma = ", ";
	}
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
	put_type_categories(sf_grid_cell(grid), type);
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
	SF_BUF_LIT(cell, "unresolved shapes: ");
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

static void
markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct trace *t = state;

	if (s->number > 1)
		sf_buf_putc(out, '\n');
	SF_BUF_LIT(out, "# ");
	sf_md_text(out, s->model.n != 0 ? s->model : SF_STR("(no name)"));
	SF_BUF_LIT(out, "\n\n## Trace\n\n");
	put_overview(out, t, s);
	if (s->totals.ops != 0) {
		if (s->totals.counted)
			put_categories(out, &s->totals);
		put_types(out, s);
	}
	if (s->totals.calls_without_rule + s->totals.calls_unresolved != 0)
		put_unknown(out, &s->totals);
	sf_provenance_markdown(&t->made_by, out);
}

/* ---- for programs ---- */

static void
fig_text(struct sf_figures *f, const char *key, struct sf_str text)
{
	if (text.n != 0)
		sf_fig_str(f, key, text);
	else
		sf_fig_null(f, key, "");
}

static void
fig_params(struct sf_figures *f, const struct trace *t)
{
	if (!t->has_params) {
		sf_fig_null(f, "params", "");
		return;
	}
	sf_fig_open(f, "params", '{');
	sf_fig_int(f, "count", t->params_count, "");
	sf_fig_int(f, "bytes", t->params_bytes, "bytes");
	sf_fig_close(f);
}

/* One of the sums: over all operators, and by category. */
struct measure {
	const char *key, *by_category, *unit;
	size_t offset; /* in struct sf_amount */
};

static const struct measure measures[] = {
	{ "flops", "flops_by_category", "FLOP",
	    offsetof(struct sf_amount, flops) },
	{ "bytes", "bytes_by_category", "bytes",
	    offsetof(struct sf_amount, bytes) },
	{ "weight_bytes", "weight_bytes_by_category", "bytes",
	    offsetof(struct sf_amount, weight_bytes) },
};

enum {
	MEASURES = sizeof measures / sizeof measures[0]
};

static int64_t
measure(const struct sf_amount *sum, const struct measure *m)
{
	return *(const int64_t *)(const void *)((const char *)sum + m->offset);
}

static void
fig_measure(struct sf_figures *f, const struct sf_totals *totals,
    const struct measure *m)
{
	if (!totals->counted) {
		sf_fig_null(f, m->key, m->unit);
		sf_fig_null(f, m->by_category, m->unit);
		return;
	}
	sf_fig_int(f, m->key, measure(&totals->all, m), m->unit);
	sf_fig_open(f, m->by_category, '{');
	for (int c = 0; c < SF_CAT_COUNT; c++)
		if (totals->by_category[c].calls != 0)
			sf_fig_int(f, sf_category_name((enum sf_category)c),
			    measure(&totals->by_category[c], m), m->unit);
	sf_fig_close(f);
}

static void
fig_unknown(struct sf_figures *f, const struct sf_totals *totals)
{
	if (!totals->counted) {
		sf_fig_null(f, "unknown", "calls");
		return;
	}
	sf_fig_open(f, "unknown", '{');
	for (size_t i = 0; i < totals->types.n; i++) {
		const struct sf_type *type = totals->types.order[i]->ptr;
		int64_t calls = type->no_rule + type->unresolved;

		if (calls != 0)
			sf_fig_int(f, type->name.p, calls, "calls");
	}
	sf_fig_close(f);
}

static void
fig_type(struct sf_figures *f, const struct sf_type *type, bool counted)
{
	struct sf_buf categories = { 0 };

	sf_fig_open(f, NULL, '{');
	sf_fig_str(f, "name", type->name);
	sf_fig_int(f, "calls", type->sum.calls, "calls");
	if (counted) {
		put_type_categories(&categories, type);
		sf_fig_str(f, "category",
		    (struct sf_str){ categories.p, categories.n });
		sf_buf_release(&categories);
		for (int i = 0; i < MEASURES; i++)
			sf_fig_int(f, measures[i].key,
			    measure(&type->sum, &measures[i]),
			    measures[i].unit);
		sf_fig_int(f, "no_rule", type->no_rule, "calls");
		sf_fig_int(f, "unresolved", type->unresolved, "calls");
	}
	sf_fig_close(f);
}

static void
fig_types(struct sf_figures *f, const struct sf_subject *s)
{
	struct sf_type **types = sf_totals_sorted(&s->totals, s->arena);

	sf_fig_open(f, "types", '[');
	for (size_t i = 0; i < s->totals.types.n; i++)
		fig_type(f, types[i], s->totals.counted);
	sf_fig_close(f);
}

static void
figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct trace *t = state;
	const struct sf_totals *totals = &s->totals;

	fig_text(f, "model", s->model);
	fig_text(f, "route", s->route);
	sf_fig_pairs(f, "workload", &s->workload, s->arena);
	fig_params(f, t);
	sf_fig_int(f, "ops", totals->ops, "operators");
	sf_fig_int(f, "op_types", (int64_t)totals->types.n, "types");
	sf_fig_int(f, "folded", totals->folded, "operators");
	sf_fig_int(f, "dead", totals->dead, "operators");
	for (int i = 0; i < MEASURES; i++)
		fig_measure(f, totals, &measures[i]);
	fig_unknown(f, totals);
	fig_types(f, s);
	sf_provenance_figures(&t->made_by, f);
}

const struct sf_section sf_section_trace = {
	.begin = begin,
	.record = record,
	.markdown = markdown,
	.figures = figures,
	.release = release,
};
