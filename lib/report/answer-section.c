/* The answer: gathered from costs, a simulation and what is live. */
#include "report/answer-section.h"

#include <math.h>

#include "accel/accel.h"
#include "base/num.h"
#include "cost/op_cost.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_answer *a = sf_arena_calloc(s->arena, 1, sizeof *a);

	sf_table_init(&a->spent, s->arena);
	sf_footprint_init(&a->live, s->arena, s->footprint.consumed);
	return a;
}

static void
release(void *state)
{
	struct sf_answer *a = state;

	sf_table_release(&a->spent);
	sf_footprint_release(&a->live);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_answer *a = state;
	struct sf_accel accel;

	if (kind == SF_K_DEVICE) {
		a->costed = true;
		sf_device_record_read(s->stream, s->arena, &a->device);
		a->weighed = a->device.mode == SF_MODE_ROOFLINE &&
		    a->device.device.memory_bytes > 0;
	} else if (kind == SF_K_ACCEL) {
		a->lowered = true;
		sf_accel_read(s->stream, s->arena, &accel);
		a->on = sf_str_of(accel.preset);
		a->peak_macs = accel.peak_macs;
	} else if (kind == SF_K_PARTITION) {
		a->partitioned = true;
		sf_ep_result_read(s->stream, s->arena, &a->partition);
	} else if (kind == SF_K_SUMMARY) {
		a->simulated = true;
		sf_summary_read(&a->summary, s->stream, s->arena);
	}
}

static void
spend(struct sf_answer *a, struct sf_subject *s, struct sf_str type,
    double time_s)
{
	struct sf_entry *entry = sf_table_add(&a->spent, type);
	double *spent;

	if (entry->ptr == NULL)
		entry->ptr = sf_arena_calloc(s->arena, 1, sizeof *spent);
	spent = entry->ptr;
	*spent += time_s;
}

static void
take_cost(struct sf_answer *a, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_op_cost cost;
	enum sf_precision used;

	sf_op_cost_read(s->stream, op, &cost);
	a->time_s += cost.time_s;
	a->transfer_s += cost.transfer_s;
	a->bound_s[cost.bound] += cost.time_s;
	if (op->counted)
		a->at_peak_s += sf_cost_flops(&op->counts) /
		    sf_device_peak(&a->device.device, cost.peak, &used) /
		    (double)a->device.devices;
	spend(a, s, op->name, cost.time_s + cost.transfer_s);
}

/* Of a trace that is not costed this is all that is known of its time. */
static void
take_measured(struct sf_answer *a, struct sf_subject *s, const struct sf_op *op)
{
	a->measured = true;
	a->measured_s += op->measured_s;
	spend(a, s, op->name, op->measured_s);
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_answer *a = state;

	if (a->costed && op->cost.n != 0)
		take_cost(a, s, op);
	else if (!a->costed && op->measured)
		take_measured(a, s, op);
	if (a->weighed)
		sf_footprint_add(&a->live, op);
}

/* ---- the trace is whole ---- */

static void
of_simulation(struct sf_answer *a)
{
	double macs = (double)a->summary.v[SF_SUM_MACS].i;

	a->latency_s = a->summary.v[SF_SUM_MAKESPAN].d;
	a->hotspot = a->summary.v[SF_SUM_HOTSPOT].s;
	a->why = a->summary.v[SF_SUM_WHY].s;
	if (a->latency_s > 0 && a->peak_macs > 0)
		a->peak_share = macs / a->latency_s / a->peak_macs;
}

static void
put_longest_type(struct sf_answer *a)
{
	if (!(a->latency_s > 0))
		return;
	for (size_t i = 0; i < a->spent.n; i++) {
		const struct sf_entry *entry = a->spent.order[i];
		double share = *(const double *)entry->ptr / a->latency_s;

		if (share <= a->hotspot_share)
			continue;
		a->hotspot = entry->name;
		a->hotspot_share = share;
	}
}

static void
of_costs(struct sf_answer *a, struct sf_arena *arena)
{
	const struct sf_device_record *d = &a->device;

	a->on = sf_str_of(d->mode == SF_MODE_OFFLOAD
		? sf_arena_printf(
		      arena, "%s beside %s", d->device.name, d->host.name)
		: d->devices != 1 ? sf_arena_printf(arena, "%lld x %s",
					(long long)d->devices, d->device.name)
				  : sf_arena_strdup(arena, d->device.name));
	a->latency_s = a->time_s + a->transfer_s;
	a->parts[0] =
	    (struct sf_answer_part){ "compute", a->bound_s[SF_BOUND_COMPUTE] };
	a->parts[1] =
	    (struct sf_answer_part){ "memory", a->bound_s[SF_BOUND_MEMORY] };
	a->parts[2] = (struct sf_answer_part){ "transfers", a->transfer_s };
	if (d->mode == SF_MODE_ROOFLINE && a->latency_s > 0)
		a->peak_share = a->at_peak_s / a->latency_s;
	put_longest_type(a);
}

/* One side after the other, as sf-ep adds them. */
static void
of_partition(struct sf_answer *a, struct sf_arena *arena)
{
	const struct sf_ep_result *p = &a->partition;

	a->on = sf_str_of(sf_arena_printf(arena, "%.*s beside %.*s",
	    SF_STR_ARG(p->preset), SF_STR_ARG(p->host.name)));
	a->latency_s = sf_ep_total_s(p);
	a->parts[0] = (struct sf_answer_part){ "device", p->device_s };
	a->parts[1] = (struct sf_answer_part){ "host", p->host_s };
	a->parts[2] = (struct sf_answer_part){ "link", p->link_s };
}

static void
of_measured(struct sf_answer *a)
{
	a->latency_s = a->measured_s;
	put_longest_type(a);
}

/* The answer of a sweep is its fastest design. */
static void
of_sweep(struct sf_answer *a, const struct sf_subject *s)
{
	if (a->costed)
		of_costs(a, s->arena);
	a->costed = a->weighed = false;
	a->latency_s = s->fastest_s;
	a->on = sf_str_of(sf_arena_printf(s->arena,
	    "design %lld, the fastest of %lld from %.*s", (long long)s->fastest,
	    (long long)s->points, SF_STR_ARG(a->on)));
}

/* A size of the workload, 0 when the trace does not say. */
static int64_t
size_of(const struct sf_trace *trace, const char *name)
{
	for (int i = 0; i < trace->nworkload; i++)
		if (strcmp(trace->workload[i].name, name) == 0)
			return trace->workload[i].value;
	return 0;
}

/* Tokens of all sequences, or else inputs of a batch, or else whole runs. */
static void
put_rate(struct sf_answer *a, const struct sf_trace *trace)
{
	int64_t batch = size_of(trace, "batch");
	int64_t tokens = size_of(trace, "tokens");
	double work = 1;

	a->unit = tokens > 0 ? "tokens" : batch > 0 ? "inputs" : "runs";
	if (tokens > 0)
		work *= (double)tokens;
	if (batch > 0)
		work *= (double)batch;
	if (a->latency_s > 0 && isfinite(work / a->latency_s))
		a->per_s = work / a->latency_s;
}

static void
put_memory(struct sf_answer *a, struct sf_subject *s)
{
	int64_t has = (int64_t)a->device.device.memory_bytes;
	struct sf_high_water most;

	a->has = a->device.device.memory_bytes * (double)a->device.devices;
	if (!s->totals.counted || a->live.unknown != 0 ||
	    s->trace.params_bytes < 0 || !sf_footprint_peak(&a->live, &most) ||
	    !sf_add(s->trace.params_bytes, most.bytes, &a->memory)) {
		a->memory = -1;
		return;
	}
	a->weights = s->trace.params_bytes;
	a->cache = most.cache;
	a->activations = most.bytes - most.cache;
	a->devices = has > 0 ? sf_ceil_div(a->memory, has) : 0;
	if ((double)a->memory <= a->has)
		return;
	sf_note("%.*s needs %.3g GB and %.*s has %.3g GB: %lld such devices "
		"would have it",
	    SF_STR_ARG(s->trace.model), (double)a->memory / 1e9,
	    SF_STR_ARG(a->on), a->has / 1e9, (long long)a->devices);
	if (s->strict)
		sf_stream_say_no(s->stream);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_answer *a = state;

	a->latency_s = a->per_s = a->peak_share = a->hotspot_share = -1;
	a->memory = -1;
	a->measured = a->measured && !a->simulated && !a->partitioned;
	if (s->points != 0)
		of_sweep(a, s);
	else if (a->simulated)
		of_simulation(a);
	else if (a->costed)
		of_costs(a, s->arena);
	else if (a->partitioned)
		of_partition(a, s->arena);
	else if (a->measured)
		of_measured(a);
	put_rate(a, &s->trace);
	if (a->weighed)
		put_memory(a, s);
}

const struct sf_section sf_section_answer = {
	.first = true,
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = sf_answer_markdown,
	.figures = sf_answer_figures,
	.release = release,
};
