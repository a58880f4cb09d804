/* The accelerator: what was simulated, where the time went, and why. */
#include <math.h>

#include "base/num.h"
#include "report/histogram.h"
#include "report/human.h"
#include "report/markdown.h"
#include "report/section.h"
#include "report/summary.h"
#include "report/top.h"

struct accel {
	bool lowered;           /* there is an accel record */
	struct sf_pairs params; /* its members */
	bool simulated;         /* there is a summary */
	struct sf_summary summary;
	struct sf_top top;
	struct sf_buf spans; /* a double a simulated operator */
	int64_t compute_bound, memory_bound;
	int64_t tiled_bytes;
	struct sf_histogram histogram; /* once all is read */
};

static void *
begin(struct sf_subject *s)
{
	struct accel *a = sf_arena_calloc(s->arena, 1, sizeof *a);

	sf_top_init(&a->top, (size_t)s->top);
	return a;
}

static void
release(void *state)
{
	struct accel *a = state;

	sf_top_release(&a->top);
	sf_buf_release(&a->spans);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct accel *a = state;
	struct sf_json scan;

	if (kind == SF_K_ACCEL) {
		if (a->lowered)
			sf_stream_die(s->stream, "a second accel record");
		a->lowered = true;
		scan = sf_stream_scan(s->stream);
		a->params = sf_pairs_read(&scan, s->arena);
		sf_stream_check(s->stream, &scan);
	} else if (kind == SF_K_SUMMARY) {
		if (a->simulated)
			sf_stream_die(s->stream, "a second summary");
		a->simulated = true;
		sf_summary_read(&a->summary, s->stream, s->arena);
	}
}

/* ---- the times of an operator ---- */

struct times {
	double start_s, end_s;
	struct sf_str bound;
	int64_t tiled_bytes;
};

static struct times
read_times(struct sf_subject *s, const struct sf_op *op)
{
	struct sf_json scan = { .p = op->sim.p,
		.start = op->sim.p,
		.arena = sf_stream_record_arena(s->stream) };
	struct times t = { .start_s = 0, .end_s = -1, .tiled_bytes = -1 };
	struct sf_str key;

	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "start_s"))
			t.start_s = sf_json_double(&scan);
		else if (SF_KEY(key, "end_s"))
			t.end_s = sf_json_double(&scan);
		else if (SF_KEY(key, "bound"))
			t.bound = sf_json_string(&scan);
		else if (SF_KEY(key, "tiled_bytes"))
			t.tiled_bytes = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	if (scan.error != NULL)
		sf_op_die(s->stream, op, "sim: %s", scan.error);
	if (!(t.start_s >= 0 && t.end_s >= t.start_s) || t.tiled_bytes < 0)
		sf_op_die(s->stream, op,
		    "sim: found '%.*s', expected 0 <= start_s <= end_s and "
		    "tiled_bytes >= 0",
		    SF_STR_ARG(op->sim));
	return t;
}

/* Counts the bound and returns its name, which lives as long as the program. */
static const char *
count_bound(struct accel *a, struct sf_subject *s, const struct sf_op *op,
    struct sf_str bound)
{
	if (sf_str_is(bound, "compute")) {
		a->compute_bound++;
		return "compute";
	}
	if (!sf_str_is(bound, "memory"))
		sf_op_die(s->stream, op,
		    "sim: the bound is '%.*s', expected 'compute' or 'memory'",
		    SF_STR_ARG(bound));
	a->memory_bound++;
	return "memory";
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct accel *a = state;
	struct sf_timed timed;
	struct times t;

	if (op->sim.n == 0 || sf_str_is(op->sim, "null"))
		return;
	t = read_times(s, op);
	timed = (struct sf_timed){ .span_s = t.end_s - t.start_s,
		.i = op->i,
		.name = sf_totals_type(&s->totals, op->name)->name,
		.bound = count_bound(a, s, op, t.bound),
		.tiled_bytes = t.tiled_bytes };
	if (!sf_add(a->tiled_bytes, t.tiled_bytes, &a->tiled_bytes))
		sf_op_die(s->stream, op,
		    "the trace's sum of tiled bytes passes 2^63 - 1");
	sf_top_add(&a->top, &timed);
	sf_buf_put(&a->spans, &timed.span_s, sizeof timed.span_s);
}

static size_t
count_timed(const struct accel *a)
{
	return a->spans.n / sizeof(double);
}

static void
check(void *state, struct sf_subject *s)
{
	struct accel *a = state;
	int64_t ops = a->summary.v[SF_SUM_OPS].i;

	if (!a->simulated && count_timed(a) != 0)
		sf_stream_die(s->stream,
		    "%zu operators carry times, expected a summary after them",
		    count_timed(a));
	if (!a->simulated)
		return;
	if ((int64_t)count_timed(a) != ops)
		sf_stream_die(s->stream,
		    "the summary counts %lld operators, found times on %zu",
		    (long long)ops, count_timed(a));
	sf_top_sort(&a->top);
	sf_histogram_make(&a->histogram,
	    (const double *)(const void *)a->spans.p, count_timed(a));
}

/* ---- what follows from the summary ---- */

static double
number(const struct accel *a, enum sf_summary_id id)
{
	return a->summary.v[id].d;
}

static int64_t
count(const struct accel *a, enum sf_summary_id id)
{
	return a->summary.v[id].i;
}

/* *OUT = NUM / DEN; false when that is no finite number. */
static bool
ratio(double num, double den, double *out)
{
	*out = num / den;
	return isfinite(*out);
}

static bool
share_of_makespan(const struct accel *a, double x_s, double *out)
{
	return ratio(x_s, number(a, SF_SUM_MAKESPAN), out);
}

/* A multiply-add is two FLOPs. */
static bool
achieved_flops_per_s(const struct accel *a, double *out)
{
	return ratio(2.0 * (double)count(a, SF_SUM_MACS),
	    number(a, SF_SUM_MAKESPAN), out);
}

/* Bytes that tiles moved over bytes that operators move. */
static bool
traffic_ratio(
    const struct accel *a, const struct sf_totals *totals, double *out)
{
	return ratio((double)a->tiled_bytes, (double)totals->all.bytes, out);
}

/* ---- for people ---- */

static void
put_params(struct sf_buf *out, const struct accel *a, struct sf_arena *arena)
{
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Configuration\n\n");
	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "Parameter");
	sf_grid_label(&grid, "Value");
	for (size_t i = 0; i < a->params.n; i++) {
		const struct sf_pair *pair = &a->params.v[i];

		sf_grid_text(&grid, pair->key);
		/* A part that the block does not have. */
		if (sf_str_is(pair->json, "null"))
			sf_grid_label(&grid, "off");
		else
			sf_grid_text(&grid, sf_pair_text(pair, arena));
	}
	sf_grid_finish(&grid, out);
}

static void
put_time(struct sf_grid *grid, double x_s, const struct sf_scale *scale)
{
	sf_human_scaled(sf_grid_cell(grid), x_s, scale);
}

static void
put_share(struct sf_grid *grid, const struct accel *a, double x_s)
{
	double share;

	if (share_of_makespan(a, x_s, &share))
		sf_grid_share(grid, share);
	else
		sf_grid_label(grid, "-");
}

static void
put_number(struct sf_grid *grid, const char *label, const struct accel *a,
    enum sf_summary_id id)
{
	sf_grid_label(grid, label);
	if (a->summary.v[id].state == SF_SUM_GIVEN)
		sf_grid_share(grid, number(a, id));
	else
		sf_grid_label(grid, "-");
}

static void
put_count(struct sf_grid *grid, const char *label, const struct accel *a,
    enum sf_summary_id id)
{
	if (a->summary.v[id].state != SF_SUM_GIVEN)
		return;
	sf_grid_label(grid, label);
	sf_grid_int(grid, count(a, id));
}

static void
put_rates(
    struct sf_grid *grid, const struct accel *a, const struct sf_totals *totals)
{
	double x;

	sf_grid_label(grid, "Achieved");
	if (achieved_flops_per_s(a, &x))
		sf_human_scaled(sf_grid_cell(grid), x, sf_scale_rate(x));
	else
		sf_grid_label(grid, "-");
	sf_grid_label(grid, "Traffic over operator bytes");
	if (traffic_ratio(a, totals, &x))
		sf_human_double(sf_grid_cell(grid), x, 2);
	else
		sf_grid_label(grid, "-");
}

static void
put_overview(
    struct sf_buf *out, const struct accel *a, const struct sf_totals *totals)
{
	double makespan = number(a, SF_SUM_MAKESPAN);
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
	put_time(&grid, makespan, sf_scale_time(makespan));
	put_count(&grid, "Operators simulated", a, SF_SUM_OPS);
	sf_grid_label(&grid, "compute-bound");
	sf_grid_int(&grid, a->compute_bound);
	sf_grid_label(&grid, "memory-bound");
	sf_grid_int(&grid, a->memory_bound);
	put_count(&grid, "Tiles", a, SF_SUM_TILES);
	put_count(&grid, "MACs", a, SF_SUM_MACS);
	put_rates(&grid, a, totals);
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
bytes_through(const struct accel *a, enum sf_summary_id used)
{
	if (used == SF_SUM_USED_NOC_READ)
		return count(a, SF_SUM_READ);
	if (used == SF_SUM_USED_NOC_WRITE)
		return count(a, SF_SUM_WRITTEN);
	return count(a, SF_SUM_READ) + count(a, SF_SUM_WRITTEN);
}

static void
put_components(struct sf_buf *out, const struct accel *a)
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
		sf_grid_share(&grid, number(a, c->used));
	}
	sf_grid_finish(&grid, out);
}

static void
put_stall(
    struct sf_grid *grid, const char *label, const struct accel *a, double x_s)
{
	sf_grid_label(grid, label);
	put_time(grid, x_s, sf_scale_time(number(a, SF_SUM_MAKESPAN)));
	put_share(grid, a, x_s);
}

static void
put_stalls(struct sf_buf *out, const struct accel *a)
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
		double x_s =
		    number(a, (enum sf_summary_id)(SF_SUM_STALL_COMPUTE + i));

		put_stall(&grid, names[i], a, x_s);
		sum += x_s;
	}
	put_stall(&grid, "all", a, sum);
	sf_grid_finish(&grid, out);
}

static void
put_top(struct sf_buf *out, const struct accel *a)
{
	const struct sf_scale *scale;
	struct sf_grid grid;

	if (a->top.n == 0)
		return;
	scale = sf_scale_time(a->top.v[0].span_s);
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
		sf_buf_printf(cell, " #%lld", (long long)t->i);
		put_time(&grid, t->span_s, scale);
		put_share(&grid, a, t->span_s);
		sf_grid_label(&grid, t->bound);
		sf_grid_int(&grid, t->tiled_bytes);
	}
	sf_grid_finish(&grid, out);
}

static void
put_histogram(struct sf_buf *out, const struct sf_histogram *h)
{
	const struct sf_scale *scale;
	struct sf_grid grid;

	if (h->bins == 0)
		return;
	scale = sf_scale_time(h->edge_s[h->bins]);
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

static void
markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct accel *a = state;

	if (!a->lowered && !a->simulated)
		return;
	SF_BUF_LIT(out, "## Accelerator\n\n");
	if (a->simulated) {
		put_overview(out, a, &s->totals);
		put_components(out, a);
		put_stalls(out, a);
		put_top(out, a);
		put_histogram(out, &a->histogram);
	} else {
		SF_BUF_LIT(out,
		    "**Nothing is simulated**: the stream did not pass "
		    "sf-sim.\n\n");
	}
	if (a->lowered)
		put_params(out, a, s->arena);
}

/* ---- for programs ---- */

static void
fig_top(struct sf_figures *f, const struct accel *a)
{
	double share;

	sf_fig_open(f, "top", '[');
	for (size_t i = 0; i < a->top.n; i++) {
		const struct sf_timed *t = &a->top.v[i];

		sf_fig_open(f, NULL, '{');
		sf_fig_int(f, "i", t->i, "");
		sf_fig_str(f, "name", t->name);
		sf_fig_double(f, "span_s", t->span_s, "s");
		if (share_of_makespan(a, t->span_s, &share))
			sf_fig_double(f, "share", share, "ratio");
		else
			sf_fig_null(f, "share", "ratio");
		sf_fig_str(f, "bound", sf_str_of(t->bound));
		sf_fig_int(f, "tiled_bytes", t->tiled_bytes, "bytes");
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
fig_rates(
    struct sf_figures *f, const struct accel *a, const struct sf_totals *totals)
{
	double x;

	if (achieved_flops_per_s(a, &x))
		sf_fig_double(f, "flops_per_s", x, "FLOP/s");
	else
		sf_fig_null(f, "flops_per_s", "FLOP/s");
	sf_fig_int(f, "tiled_bytes", a->tiled_bytes, "bytes");
	if (traffic_ratio(a, totals, &x))
		sf_fig_double(f, "traffic", x, "ratio");
	else
		sf_fig_null(f, "traffic", "ratio");
}

static void
figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct accel *a = state;

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

const struct sf_section sf_section_accel = {
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = markdown,
	.figures = figures,
	.release = release,
};
