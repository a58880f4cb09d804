/* Costs, for programs. */
#include "report/cost-section.h"

/* PART / ALL, null when there is nothing. */
static void
fig_share(struct sf_figures *f, const char *key, double part, double all)
{
	if (all > 0)
		sf_fig_double(f, key, part / all, "ratio");
	else
		sf_fig_null(f, key, "ratio");
}

static void
fig_spent(struct sf_figures *f, const struct sf_spent *sum,
    const struct sf_cost_report *c)
{
	sf_fig_int(f, "calls", sum->calls, "calls");
	sf_fig_int(f, "flops", sum->flops, "FLOP");
	sf_fig_int(f, "bytes", sum->bytes, "bytes");
	sf_fig_double(f, "time_s", sum->time_s, "s");
	sf_fig_double(f, "transfer_s", sum->transfer_s, "s");
	fig_share(f, "share", sf_spent_s(sum), sf_spent_s(&c->all));
}

static void
fig_bounds(struct sf_figures *f, const struct sf_cost_report *c)
{
	double all_s = sf_spent_s(&c->all);

	sf_fig_open(f, "time_s", '{');
	sf_fig_double(f, "compute", c->bound_s[SF_BOUND_COMPUTE], "s");
	sf_fig_double(f, "memory", c->bound_s[SF_BOUND_MEMORY], "s");
	sf_fig_double(f, "transfer", c->all.transfer_s, "s");
	sf_fig_close(f);
	sf_fig_open(f, "share", '{');
	fig_share(f, "compute", c->bound_s[SF_BOUND_COMPUTE], all_s);
	fig_share(f, "memory", c->bound_s[SF_BOUND_MEMORY], all_s);
	fig_share(f, "transfer", c->all.transfer_s, all_s);
	sf_fig_close(f);
}

static void
fig_roofline(struct sf_figures *f, const struct sf_cost_report *c)
{
	double compute_s = sf_cost_roofline_s(c, SF_BOUND_COMPUTE);
	double memory_s = sf_cost_roofline_s(c, SF_BOUND_MEMORY);

	if (c->offload) {
		sf_fig_null(f, "roofline", "");
		return;
	}
	sf_fig_open(f, "roofline", '{');
	sf_fig_double(f, "compute_s", compute_s, "s");
	sf_fig_double(f, "memory_s", memory_s, "s");
	sf_fig_double(
	    f, "total_s", compute_s >= memory_s ? compute_s : memory_s, "s");
	sf_fig_close(f);
}

/* What products multiply; null where the device has one peak for all. */
static void
fig_element_types(struct sf_figures *f, const struct sf_cost_report *c)
{
	if (!c->typed) {
		sf_fig_null(f, "by_element_type", "");
		return;
	}
	sf_fig_open(f, "by_element_type", '{');
	for (int i = 0; i <= SF_PEAK_COUNT; i++) {
		if (c->by_type[i].calls == 0)
			continue;
		sf_fig_open(
		    f, i == SF_PEAK_COUNT ? "none" : sf_peak_names[i], '{');
		fig_spent(f, &c->by_type[i], c);
		if (i != SF_PEAK_COUNT && c->peaks[i] != 0)
			sf_fig_double(f, "peak_flops", c->peaks[i], "FLOP/s");
		else
			sf_fig_null(f, "peak_flops", "FLOP/s");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
fig_categories(struct sf_figures *f, const struct sf_cost_report *c)
{
	sf_fig_open(f, "by_category", '{');
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		if (c->by_category[i].calls == 0)
			continue;
		sf_fig_open(f, sf_category_name((enum sf_category)i), '{');
		fig_spent(f, &c->by_category[i], c);
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

/* Of the costed operators, of the FLOPs, and of the time with transfers. */
static void
fig_unit(struct sf_figures *f, const char *key, const struct sf_spent *sum,
    const struct sf_cost_report *c)
{
	sf_fig_open(f, key, '{');
	sf_fig_int(f, "calls", sum->calls, "calls");
	sf_fig_int(f, "flops", sum->flops, "FLOP");
	sf_fig_double(f, "time_s", sum->time_s, "s");
	fig_share(
	    f, "calls_share", (double)sum->calls, (double)sf_cost_calls(c));
	fig_share(f, "flops_share", (double)sum->flops, (double)c->all.flops);
	fig_share(f, "time_share", sum->time_s, sf_spent_s(&c->all));
	sf_fig_close(f);
}

static void
fig_coverage(struct sf_figures *f, const struct sf_cost_report *c)
{
	int first = c->offload ? SF_UNIT_ACCEL : SF_UNIT_DEVICE;
	int last = c->offload ? SF_UNIT_HOST : SF_UNIT_DEVICE;

	sf_fig_open(f, "coverage", '{');
	for (int u = first; u <= last; u++)
		fig_unit(f, sf_cost_units[u], &c->by_unit[u], c);
	sf_fig_close(f);
}

static void
fig_types(struct sf_figures *f, const struct sf_cost_report *c,
    struct sf_arena *arena)
{
	struct sf_type_spent **types = sf_cost_sorted(c, arena);
	struct sf_buf text = { 0 };

	sf_fig_open(f, "types", '[');
	for (size_t i = 0; i < c->types.n; i++) {
		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "name", types[i]->type->name);
		text.n = 0;
		sf_type_categories(&text, types[i]->type);
		sf_fig_str(f, "category", (struct sf_str){ text.p, text.n });
		fig_spent(f, &types[i]->sum, c);
		text.n = 0;
		sf_type_units(&text, types[i]);
		sf_fig_str(f, "unit", (struct sf_str){ text.p, text.n });
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_buf_release(&text);
}

static void
fig_times(struct sf_figures *f, const struct sf_cost_report *c,
    struct sf_arena *arena)
{
	sf_fig_double(f, "total_s", sf_spent_s(&c->all), "s");
	fig_bounds(f, c);
	fig_roofline(f, c);
	fig_coverage(f, c);
	fig_element_types(f, c);
	fig_categories(f, c);
	fig_types(f, c, arena);
}

void
sf_cost_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_cost_report *c = state;

	if (!c->costed)
		return;
	sf_fig_open(f, "cost", '{');
	sf_fig_pairs(f, "device", &c->device, s->arena);
	/* A sweep has times of its designs, and none of operators. */
	if (s->points == 0)
		fig_times(f, c, s->arena);
	sf_fig_close(f);
}
