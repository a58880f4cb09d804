/* A sweep, for programs. */
#include "report/sweep-section.h"

void
sf_sweep_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_sweep_report *r = state;

	if (r->run + r->refused == 0)
		return;
	sf_fig_open(f, "sweep", '{');
	sf_fig_int(f, "run", r->run, "designs");
	sf_fig_int(f, "refused", r->refused, "designs");
	if (r->best.n != 0) {
		sf_fig_double(f, "fastest_s", r->best.points[0].key, "s");
		sf_fig_double(f, "slowest_s", r->slowest_s, "s");
	} else {
		sf_fig_null(f, "fastest_s", "s");
		sf_fig_null(f, "slowest_s", "s");
	}
	sf_fig_open(f, "top", '[');
	for (size_t i = 0; i < r->best.n && (int64_t)i < s->top; i++) {
		const struct sf_front_point *p = &r->best.points[i];
		struct sf_pairs set = sf_sweep_set(p, s->arena);

		sf_fig_open(f, NULL, '{');
		sf_fig_int(f, "i", p->i, "");
		sf_fig_double(f, "time_s", p->key, "s");
		sf_fig_pairs(f, "set", &set, s->arena);
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_fig_close(f);
}
