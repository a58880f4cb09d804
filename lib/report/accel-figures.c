/* The accelerator, for programs. */
#include "report/accel-section.h"

static void
fig_top(struct sf_figures *f, const struct sf_accel_report *a)
{
	double share;

	sf_fig_open(f, "top", '[');
	for (size_t i = 0; i < a->top.n; i++) {
		const struct sf_timed *t = &a->top.v[i];

		sf_fig_open(f, NULL, '{');
		sf_fig_int(f, "i", t->i, "");
		sf_fig_str(f, "name", t->name);
		sf_fig_double(f, "span_s", t->span_s, "s");
		if (sf_accel_share(a, t->span_s, &share))
			sf_fig_double(f, "share", share, "ratio");
		else
			sf_fig_null(f, "share", "ratio");
		sf_fig_str(f, "bound", sf_str_of(t->bound));
		sf_fig_int(f, "tiled_bytes", t->tiled_bytes, "bytes");
		if (t->ideal)
			sf_fig_str(f, "cut", SF_STR("ideal"));
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
fig_histogram(struct sf_figures *f, const struct sf_histogram *h)
{
	sf_fig_open(f, "histogram", '[');
	for (int b = 0; b < h->bins; b++) {
		sf_fig_open(f, NULL, '{');
		sf_fig_double(f, "from_s", h->edge_s[b], "s");
		sf_fig_double(f, "to_s", h->edge_s[b + 1], "s");
		sf_fig_int(f, "ops", h->ops[b], "operators");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
fig_rates(struct sf_figures *f, const struct sf_accel_report *a,
    const struct sf_totals *totals)
{
	double x;

	if (sf_accel_flops_per_s(a, &x))
		sf_fig_double(f, "flops_per_s", x, "FLOP/s");
	else
		sf_fig_null(f, "flops_per_s", "FLOP/s");
	sf_fig_int(f, "tiled_bytes", a->tiled_bytes, "bytes");
	if (sf_accel_traffic(a, totals, &x))
		sf_fig_double(f, "traffic", x, "ratio");
	else
		sf_fig_null(f, "traffic", "ratio");
}

void
sf_accel_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_accel_report *a = state;

	if (a->lowered)
		sf_fig_pairs(f, "accel", &a->params, s->arena);
	if (!a->simulated)
		return;
	sf_fig_open(f, "sim", '{');
	sf_summary_figures(&a->summary, f);
	fig_rates(f, a, &s->totals);
	sf_fig_int(f, "compute_bound", a->compute_bound, "operators");
	sf_fig_int(f, "memory_bound", a->memory_bound, "operators");
	fig_top(f, a);
	fig_histogram(f, &a->histogram);
	sf_fig_close(f);
}
