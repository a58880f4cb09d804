/* The accelerator: what was simulated, operator by operator and in all. */
#include "report/accel-section.h"

#include <math.h>

#include "accel/accel.h"
#include "accel/lower.h"
#include "accel/sim_record.h"
#include "base/num.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_accel_report *a = sf_arena_calloc(s->arena, 1, sizeof *a);

	sf_top_init(&a->top, (size_t)s->top);
	return a;
}

static void
release(void *state)
{
	struct sf_accel_report *a = state;

	sf_top_release(&a->top);
	sf_buf_release(&a->spans);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_accel_report *a = state;
	struct sf_json scan;

	if (kind == SF_K_ACCEL) {
		a->lowered = true;
		sf_accel_read(s->stream, s->arena, &a->accel);
		/* As it stands: with what a later version put in it. */
		scan = sf_stream_scan(s->stream);
		a->params = sf_pairs_read(&scan, s->arena);
	} else if (kind == SF_K_SUMMARY) {
		a->simulated = true;
		sf_summary_read(&a->summary, s->stream, s->arena);
	}
}

/* An operator of the array whose products nobody stated. */
static bool
is_ideal(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_lower lower;

	if (op->lower.n == 0 || !sf_category_multiplies(op->counts.category))
		return false;
	sf_lower_read(stream, op, &lower);
	return lower.ideal;
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_accel_report *a = state;
	struct sf_timed timed;
	struct sf_sim t;

	if (op->sim.n == 0)
		return;
	sf_sim_read(s->stream, op, &t);
	if (t.bound == SF_SIM_COMPUTE)
		a->compute_bound++;
	else
		a->memory_bound++;
	timed = (struct sf_timed){ .span_s = t.end_s - t.start_s,
		.i = op->i,
		.name = sf_totals_type(&s->totals, op->name)->name,
		.bound = sf_sim_bounds[t.bound],
		.tiled_bytes = t.tiled_bytes,
		.ideal = is_ideal(s->stream, op) };
	a->tiled_bytes += t.tiled_bytes;
	sf_top_add(&a->top, &timed);
	sf_buf_put(&a->spans, &timed.span_s, sizeof timed.span_s);
}

static size_t
count_timed(const struct sf_accel_report *a)
{
	return a->spans.n / sizeof(double);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_accel_report *a = state;

	if (!a->simulated)
		return;
	sf_subject_time(s, sf_accel_number(a, SF_SUM_MAKESPAN));
	sf_top_sort(&a->top);
	sf_histogram_make(&a->histogram,
	    (const double *)(const void *)a->spans.p, count_timed(a));
}

/* ---- what follows from it ---- */

/* *OUT = NUM / DEN; false when that is no finite number. */
static bool
ratio(double num, double den, double *out)
{
	*out = num / den;
	return isfinite(*out);
}

bool
sf_accel_share(const struct sf_accel_report *a, double x_s, double *out)
{
	return ratio(x_s, sf_accel_number(a, SF_SUM_MAKESPAN), out);
}

bool
sf_accel_flops_per_s(const struct sf_accel_report *a, double *out)
{
	return ratio(2.0 * (double)sf_accel_count(a, SF_SUM_MACS),
	    sf_accel_number(a, SF_SUM_MAKESPAN), out);
}

bool
sf_accel_traffic(const struct sf_accel_report *a,
    const struct sf_totals *totals, double *out)
{
	return ratio((double)a->tiled_bytes, (double)totals->all.bytes, out);
}

const struct sf_section sf_section_accel = {
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = sf_accel_markdown,
	.figures = sf_accel_figures,
	.release = release,
};
