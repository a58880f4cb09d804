/* The accelerator, for people: where the time went, and why. */
#include "accel/accel.h"
#include "report/accel-section.h"
#include "report/energy-markdown.h"
#include "report/param.h"
#include "text/human.h"
#include "text/markdown.h"

static void
put_params(
    struct sf_buf *out, const struct sf_accel_report *a, struct sf_arena *arena)
{
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Configuration\n\n");
	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "Parameter");
	sf_grid_label(&grid, "Value");
	for (size_t i = 0; i < a->params.n; i++)
		if (*a->params.v[i].json.p != '{' &&
		    !sf_str_is(a->params.v[i].key, "about"))
			sf_param_cells(
			    &grid, &sf_accel_keys, &a->params.v[i], arena);
	sf_grid_finish(&grid, out);
	for (int i = 0; i < a->accel.nabout; i++) {
		SF_BUF_LIT(out, "- ");
		sf_md_text(out, a->accel.about[i]);
		SF_BUF_LIT(out, "\n");
	}
	if (a->accel.nabout != 0)
		SF_BUF_LIT(out, "\n");
}

static void
put_time(struct sf_grid *grid, double x_s, const struct sf_scale *scale)
{
	sf_human_scaled(sf_grid_cell(grid), x_s, scale);
}

static void
put_share(struct sf_grid *grid, const struct sf_accel_report *a, double x_s)
{
	double share;

	if (sf_accel_share(a, x_s, &share))
		sf_grid_share(grid, share);
	else
		sf_grid_label(grid, "-");
}

static void
put_number(struct sf_grid *grid, const char *label,
    const struct sf_accel_report *a, enum sf_summary_id id)
{
	sf_grid_label(grid, label);
	sf_grid_share(grid, sf_accel_number(a, id));
}

static void
put_count(struct sf_grid *grid, const char *label,
    const struct sf_accel_report *a, enum sf_summary_id id)
{
	if (sf_accel_count(a, id) < 0)
		return;
	sf_grid_label(grid, label);
	sf_grid_int(grid, sf_accel_count(a, id));
}

static void
put_rates(struct sf_grid *grid, const struct sf_accel_report *a,
    const struct sf_totals *totals)
{
	double x;

	sf_grid_label(grid, "Achieved");
	if (sf_accel_flops_per_s(a, &x))
		sf_human_scaled(sf_grid_cell(grid), x, sf_scale_rate(x));
	else
		sf_grid_label(grid, "-");
	sf_grid_label(grid, "Traffic over operator bytes");
	if (sf_accel_traffic(a, totals, &x))
		sf_human_double(sf_grid_cell(grid), x, 2);
	else
		sf_grid_label(grid, "-");
}

static void
put_overview(struct sf_buf *out, const struct sf_accel_report *a,
    const struct sf_subject *s)
{
	struct sf_grid grid;

	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Value");
	sf_grid_label(&grid, "Engine");
	sf_grid_text(&grid, a->summary.v[SF_SUM_ENGINE].s);
	put_count(&grid, "Engine's events", a, SF_SUM_EVENTS);
	put_count(&grid, "Engine's cycles", a, SF_SUM_CYCLES);
	put_count(&grid, "Engine's evaluations", a, SF_SUM_EVALUATIONS);
	sf_grid_label(&grid, "Latency");
	put_time(
	    &grid, sf_accel_number(a, SF_SUM_MAKESPAN), sf_subject_scale(s));
	put_count(&grid, "Operators simulated", a, SF_SUM_OPS);
	sf_grid_label(&grid, "compute-bound");
	sf_grid_int(&grid, a->compute_bound);
	sf_grid_label(&grid, "memory-bound");
	sf_grid_int(&grid, a->memory_bound);
	put_count(&grid, "Tiles", a, SF_SUM_TILES);
	put_count(&grid, "MACs", a, SF_SUM_MACS);
	put_rates(&grid, a, &s->totals);
	put_number(&grid, "PE efficiency", a, SF_SUM_PE_EFFICIENCY);
	put_number(&grid, "Buffer used, mean", a, SF_SUM_BUFFER_MEAN);
	put_number(&grid, "Buffer used, peak", a, SF_SUM_BUFFER_PEAK);
	sf_grid_label(&grid, "Hot-spot");
	sf_grid_text(&grid, a->summary.v[SF_SUM_HOTSPOT].s);
	sf_grid_finish(&grid, out);
	SF_BUF_LIT(out, "Why: ");
	sf_md_text(out, a->summary.v[SF_SUM_WHY].s);
	SF_BUF_LIT(out, "\n\n");
}

/* A part of the block; USED is SF_SUM_COUNT where it has no bandwidth. */
struct component {
	const char *name;
	enum sf_summary_id busy, used;
};

static const struct component components[] = {
	{ "off-chip memory", SF_SUM_BUSY_DRAM, SF_SUM_USED_DRAM },
	{ "NoC read", SF_SUM_BUSY_NOC_READ, SF_SUM_USED_NOC_READ },
	{ "NoC write", SF_SUM_BUSY_NOC_WRITE, SF_SUM_USED_NOC_WRITE },
	{ "load DMA", SF_SUM_BUSY_LOAD_DMA, SF_SUM_COUNT },
	{ "store DMA", SF_SUM_BUSY_STORE_DMA, SF_SUM_COUNT },
	{ "compute array", SF_SUM_BUSY_ARRAY, SF_SUM_COUNT },
	{ "vector unit", SF_SUM_BUSY_VECTOR, SF_SUM_COUNT },
	{ "in-transit stage", SF_SUM_BUSY_TRANSIT, SF_SUM_COUNT },
};

enum {
	COMPONENTS = sizeof components / sizeof components[0]
};

/* What went through it; memory carries both directions. */
static int64_t
bytes_through(const struct sf_accel_report *a, enum sf_summary_id used)
{
	if (used == SF_SUM_USED_NOC_READ)
		return sf_accel_count(a, SF_SUM_READ);
	if (used == SF_SUM_USED_NOC_WRITE)
		return sf_accel_count(a, SF_SUM_WRITTEN);
	return sf_accel_count(a, SF_SUM_READ) +
	    sf_accel_count(a, SF_SUM_WRITTEN);
}

static void
put_components(struct sf_buf *out, const struct sf_accel_report *a)
{
	const struct sf_scale *scale =
	    sf_scale_bytes(bytes_through(a, SF_SUM_USED_DRAM));
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Components\n\n");
	sf_grid_init(&grid, "lrrr");
	sf_grid_label(&grid, "Component");
	sf_grid_label(&grid, "Busy");
	sf_grid_label(&grid, "Bytes");
	sf_grid_label(&grid, "Bandwidth used");
	for (int i = 0; i < COMPONENTS; i++) {
		const struct component *c = &components[i];

		put_number(&grid, c->name, a, c->busy);
		if (c->used == SF_SUM_COUNT) {
			sf_grid_label(&grid, "");
			sf_grid_label(&grid, "");
			continue;
		}
		sf_human_scaled_int(
		    sf_grid_cell(&grid), bytes_through(a, c->used), scale);
		sf_grid_share(&grid, sf_accel_number(a, c->used));
	}
	sf_grid_finish(&grid, out);
}

static void
put_stall(struct sf_grid *grid, const char *label,
    const struct sf_accel_report *a, double x_s, const struct sf_scale *scale)
{
	sf_grid_label(grid, label);
	put_time(grid, x_s, scale);
	put_share(grid, a, x_s);
}

static void
put_stalls(struct sf_buf *out, const struct sf_accel_report *a,
    const struct sf_scale *scale)
{
	static const char *const names[] = { "computing",
		"waiting: load bandwidth", "waiting: buffer full",
		"waiting: dependency", "store tail" };
	double sum = 0;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Where the time goes\n\n");
	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Compute units");
	sf_grid_label(&grid, "Time");
	sf_grid_label(&grid, "Share");
	for (int i = 0; i < 5; i++) {
		double x_s = sf_accel_number(
		    a, (enum sf_summary_id)(SF_SUM_STALL_COMPUTE + i));

		put_stall(&grid, names[i], a, x_s, scale);
		sum += x_s;
	}
	put_stall(&grid, "all", a, sum, scale);
	sf_grid_finish(&grid, out);
}

/* Of several cores what each of their units did. */
static void
put_cores(struct sf_buf *out, const struct sf_accel_report *a)
{
	static const struct {
		const char *label;
		enum sf_summary_id id;
	} columns[] = {
		{ "Load DMA", SF_SUM_BUSY_LOAD_DMA },
		{ "Store DMA", SF_SUM_BUSY_STORE_DMA },
		{ "Compute array", SF_SUM_BUSY_ARRAY },
		{ "Vector unit", SF_SUM_BUSY_VECTOR },
		{ "In transit", SF_SUM_BUSY_TRANSIT },
		{ "PE efficiency", SF_SUM_PE_EFFICIENCY },
		{ "Buffer, mean", SF_SUM_BUFFER_MEAN },
		{ "Buffer, peak", SF_SUM_BUFFER_PEAK },
	};
	const size_t n = sizeof columns / sizeof columns[0];
	struct sf_grid grid;

	if (a->summary.ncores == 0)
		return;
	SF_BUF_LIT(out, "### Cores\n\n");
	sf_grid_init(&grid, "rrrrrrrrrr");
	sf_grid_label(&grid, "Core");
	sf_grid_label(&grid, "Tiles");
	for (size_t i = 0; i < n; i++)
		sf_grid_label(&grid, columns[i].label);
	for (int core = 0; core < a->summary.ncores; core++) {
		const struct sf_summary_value *v = a->summary.cores[core].v;

		sf_grid_int(&grid, core);
		sf_grid_int(&grid, v[SF_SUM_TILES].i);
		for (size_t i = 0; i < n; i++)
			sf_grid_share(&grid, v[columns[i].id].d);
	}
	sf_grid_finish(&grid, out);
	SF_BUF_LIT(out,
	    "Busy, of the latency. What stands above of units and buffers is "
	    "the mean over the cores, and of peaks the highest.\n\n");
}

static void
put_top(struct sf_buf *out, const struct sf_accel_report *a,
    const struct sf_scale *scale)
{
	struct sf_grid grid;

	if (a->top.n == 0)
		return;
	SF_BUF_LIT(out, "### Longest operators\n\n");
	sf_grid_init(&grid, "lrrlr");
	sf_grid_label(&grid, "Operator");
	sf_grid_label(&grid, "Span");
	sf_grid_label(&grid, "Of latency");
	sf_grid_label(&grid, "Bound");
	sf_grid_label(&grid, "Tiled bytes");
	for (size_t i = 0; i < a->top.n; i++) {
		const struct sf_timed *t = &a->top.v[i];
		struct sf_buf *cell = sf_grid_cell(&grid);

		sf_md_text(cell, t->name);
		sf_buf_printf(cell, " #%lld%s", (long long)t->i,
		    t->ideal ? " (ideal)" : "");
		put_time(&grid, t->span_s, scale);
		put_share(&grid, a, t->span_s);
		sf_grid_label(&grid, t->bound);
		sf_grid_int(&grid, t->tiled_bytes);
	}
	sf_grid_finish(&grid, out);
}

static void
put_histogram(struct sf_buf *out, const struct sf_histogram *h,
    const struct sf_scale *scale)
{
	struct sf_grid grid;

	if (h->bins == 0)
		return;
	SF_BUF_LIT(out, "### Operators by span\n\n");
	sf_grid_init(&grid, "rrr");
	sf_grid_label(&grid, "From");
	sf_grid_label(&grid, "To");
	sf_grid_label(&grid, "Operators");
	for (int b = 0; b < h->bins; b++) {
		put_time(&grid, h->edge_s[b], scale);
		put_time(&grid, h->edge_s[b + 1], scale);
		sf_grid_int(&grid, h->ops[b]);
	}
	sf_grid_finish(&grid, out);
}

void
sf_accel_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_accel_report *a = state;

	if (!a->lowered && !a->simulated)
		return;
	SF_BUF_LIT(out, "## Accelerator\n\n");
	if (a->simulated) {
		put_overview(out, a, s);
		put_components(out, a);
		put_stalls(out, a, sf_subject_scale(s));
		put_cores(out, a);
		sf_energy_markdown(out, &a->summary, &a->accel);
		put_top(out, a, sf_subject_scale(s));
		put_histogram(out, &a->histogram, sf_subject_scale(s));
	} else if (s->points == 0) {
		SF_BUF_LIT(out,
		    "**Nothing is simulated**: the stream did not pass "
		    "sf-sim.\n\n");
	} else {
		SF_BUF_LIT(
		    out, "Designs are this one but for what they set.\n\n");
	}
	if (a->lowered)
		put_params(out, a, s->arena);
}
