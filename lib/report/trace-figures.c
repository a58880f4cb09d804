/* The trace, for programs. */
#include "report/trace-section.h"

static void
fig_params(struct sf_figures *f, const struct sf_trace *trace)
{
	if (trace->params_count < 0) {
		sf_fig_null(f, "params", "");
		return;
	}
	sf_fig_open(f, "params", '{');
	sf_fig_int(f, "count", trace->params_count, "");
	sf_fig_int(f, "bytes", trace->params_bytes, "bytes");
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
	{ "macs", NULL, "MAC", offsetof(struct sf_amount, macs) },
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
		if (m->by_category != NULL)
			sf_fig_null(f, m->by_category, m->unit);
		return;
	}
	sf_fig_int(f, m->key, measure(&totals->all, m), m->unit);
	if (m->by_category == NULL)
		return;
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
fig_coverage(struct sf_figures *f, const struct sf_totals *totals)
{
	if (!totals->counted) {
		sf_fig_null(f, "coverage", "");
		return;
	}
	sf_fig_open(f, "coverage", '{');
	sf_fig_int(f, "types", (int64_t)totals->types.n - totals->unknown_types,
	    "types");
	sf_fig_int(f, "calls", totals->ops - totals->unknown_calls, "calls");
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
		sf_type_categories(&categories, type);
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

/* Beside what is stored and what is read: there where a source says it. */
static void
fig_active(struct sf_figures *f, const struct sf_provenance *made_by)
{
	int64_t count, bytes;

	if (!sf_provenance_active(made_by, &count, &bytes))
		return;
	sf_fig_open(f, "active_params", '{');
	sf_fig_int(f, "count", count, "");
	sf_fig_int(f, "bytes", bytes, "bytes");
	sf_fig_close(f);
}

void
sf_trace_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_trace_report *t = state;
	const struct sf_totals *totals = &s->totals;

	sf_fig_trace(f, &s->trace);
	fig_params(f, &s->trace);
	fig_active(f, &t->made_by);
	sf_fig_int(f, "ops", totals->ops, "operators");
	sf_fig_int(f, "op_types", (int64_t)totals->types.n, "types");
	sf_fig_int(f, "folded", totals->folded, "operators");
	sf_fig_int(f, "dead", totals->dead, "operators");
	for (int i = 0; i < MEASURES; i++)
		fig_measure(f, totals, &measures[i]);
	fig_unknown(f, totals);
	fig_coverage(f, totals);
	fig_types(f, s);
	sf_provenance_figures(&t->made_by, f);
}
