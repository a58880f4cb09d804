/* Measured times beside modelled ones, for programs. */
#include "report/measured-section.h"

static void
fig_error(struct sf_figures *f, const char *key, double measured_s,
    double modelled_s, bool compared)
{
	double error;

	if (compared && sf_beside_error(measured_s, modelled_s, &error))
		sf_fig_double(f, key, error, "ratio");
	else
		sf_fig_null(f, key, "ratio");
}

static void
fig_sum(struct sf_figures *f, const struct sf_beside *sum)
{
	sf_fig_int(f, "calls", sum->calls, "calls");
	sf_fig_double(f, "measured_s", sum->measured_s, "s");
	sf_fig_int(f, "compared", sum->compared, "calls");
	sf_fig_double(f, "compared_s", sum->compared_s, "s");
	sf_fig_double(f, "modelled_s", sum->modelled_s, "s");
	fig_error(
	    f, "error", sum->compared_s, sum->modelled_s, sum->compared != 0);
	if (sum->compared_s > 0)
		sf_fig_double(
		    f, "absolute_error", sum->off_s / sum->compared_s, "ratio");
	else
		sf_fig_null(f, "absolute_error", "ratio");
}

static void
fig_types(struct sf_figures *f, const struct sf_measured_report *m,
    struct sf_arena *arena)
{
	struct sf_type_beside **types = sf_measured_sorted(m, arena);
	struct sf_buf text = { 0 };

	sf_fig_open(f, "types", '[');
	for (size_t i = 0; i < m->types.n; i++) {
		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "name", types[i]->type->name);
		text.n = 0;
		sf_type_categories(&text, types[i]->type);
		sf_fig_str(f, "category", (struct sf_str){ text.p, text.n });
		fig_sum(f, &types[i]->sum);
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_buf_release(&text);
}

void
sf_measured_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_measured_report *m = state;

	if (m->all.calls == 0)
		return;
	sf_fig_open(f, "measured", '{');
	fig_sum(f, &m->all);
	fig_types(f, m, s->arena);
	sf_fig_open(f, "top", '[');
	for (size_t i = 0; i < m->top.n; i++) {
		const struct sf_timed *t = &m->top.v[i];

		sf_fig_open(f, NULL, '{');
		sf_fig_int(f, "op", t->i, "");
		sf_fig_str(f, "name", t->name);
		sf_fig_double(f, "measured_s", t->span_s, "s");
		if (t->modelled_s >= 0)
			sf_fig_double(f, "modelled_s", t->modelled_s, "s");
		else
			sf_fig_null(f, "modelled_s", "s");
		fig_error(f, "error", t->span_s, t->modelled_s, true);
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_fig_close(f);
}
