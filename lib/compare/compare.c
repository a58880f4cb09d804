/* Comparing traces: gathers each, and its rows against those of the first. */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "accel/accel.h"
#include "base/num.h"
#include "compare/part.h"
#include "cost/device_record.h"
#include "cost/op_cost.h"
#include "ep/record.h"
#include "report/rows.h"
#include "trace/footprint.h"
#include "trace/totals.h"

struct sf_compare {
	struct sf_stream *stream;
	struct sf_compare_request request;
	struct sf_arena *kept;    /* what is written at the end */
	struct sf_arena *passing; /* of the trace that is read */
	struct sf_buf traces;     /* struct sf_compared pointers */
	struct sf_rows first, rows;
	/* The trace that is read. */
	struct sf_compared *now;
	struct sf_trace trace;
	struct sf_footprint live;
	struct sf_totals totals;
	double time_s, bound_s[SF_BOUND_COUNT], transfer_s, measured_s;
	bool begun;
};

struct sf_compare *
sf_compare_new(
    struct sf_stream *stream, const struct sf_compare_request *request)
{
	struct sf_compare *c = sf_malloc(sizeof *c);

	*c = (struct sf_compare){ .stream = stream, .request = *request };
	c->kept = sf_arena_new();
	c->passing = sf_arena_new();
	sf_rows_init(&c->first, request->by, 0);
	sf_rows_init(&c->rows, request->by, 0);
	return c;
}

static void
release_passing(struct sf_compare *c)
{
	if (!c->begun)
		return;
	sf_footprint_release(&c->live);
	sf_totals_release(&c->totals);
	c->begun = false;
}

void
sf_compare_free(struct sf_compare *c)
{
	release_passing(c);
	sf_rows_release(&c->first);
	sf_rows_release(&c->rows);
	sf_buf_release(&c->traces);
	sf_arena_free(c->passing);
	sf_arena_free(c->kept);
	free(c);
}

static struct sf_str
keep(struct sf_compare *c, struct sf_str text)
{
	return (
	    struct sf_str){ sf_arena_strndup(c->kept, text.p, text.n), text.n };
}

static size_t
count(const struct sf_compare *c)
{
	return c->traces.n / sizeof(struct sf_compared *);
}

static const struct sf_compared *const *
all(const struct sf_compare *c)
{
	return (const struct sf_compared *const *)(const void *)c->traces.p;
}

/* The rows that the current trace fills. */
static struct sf_rows *
filling(struct sf_compare *c)
{
	return count(c) == 0 ? &c->first : &c->rows;
}

/* ---- the records of a trace ---- */

static void
begin_trace(struct sf_compare *c)
{
	struct sf_compared *now = sf_arena_calloc(c->kept, 1, sizeof *c->now);

	sf_arena_reset(c->passing);
	sf_trace_read(c->stream, c->passing, &c->trace);
	sf_rows_begin(filling(c), c->stream);
	sf_footprint_init(&c->live, c->passing, false);
	sf_totals_init(&c->totals, c->passing);
	c->begun = true;
	memset(c->bound_s, 0, sizeof c->bound_s);
	c->time_s = c->transfer_s = c->measured_s = 0;
	now->model = keep(c, c->trace.model);
	now->route = keep(c, c->trace.route);
	now->workload = keep(c, sf_trace_workload(&c->trace, c->passing));
	now->latency_s = now->bound_share = -1;
	c->now = now;
}

/* "h100", "h100 x 4", "npu and host": what the costs are of. */
static void
take_device(struct sf_compare *c)
{
	struct sf_device_record d;
	char *on;

	sf_device_record_read(c->stream, c->passing, &d);
	if (d.mode == SF_MODE_OFFLOAD)
		on = sf_arena_printf(
		    c->kept, "%s, host %s", d.device.name, d.host.name);
	else if (d.devices != 1)
		on = sf_arena_printf(
		    c->kept, "%s x %lld", d.device.name, (long long)d.devices);
	else
		on = sf_arena_strdup(c->kept, d.device.name);
	c->now->on = sf_str_of(on);
	if (d.device.memory_bytes > 0)
		c->now->has = d.device.memory_bytes * (double)d.devices;
}

/* A trace that is costed, too, is told by its accelerator. */
static void
take_accel(struct sf_compare *c)
{
	struct sf_accel accel;

	sf_accel_read(c->stream, c->passing, &accel);
	c->now->on = keep(c, sf_str_of(accel.preset));
}

static void
take_summary(struct sf_compare *c)
{
	c->now->simulated = true;
	sf_summary_read(&c->now->summary, c->stream, c->kept);
}

/* One side after the other; no operator has a time of its own. */
static void
take_partition(struct sf_compare *c)
{
	struct sf_compared *now = c->now;
	struct sf_ep_result p;

	sf_ep_result_read(c->stream, c->passing, &p);
	now->on = sf_str_of(sf_arena_printf(c->kept, "%.*s, host %.*s",
	    SF_STR_ARG(p.preset), SF_STR_ARG(p.host.name)));
	now->latency_s = sf_ep_total_s(&p);
	now->bound = p.device_s >= p.host_s && p.device_s >= p.link_s
	    ? SF_STR("device")
	    : p.host_s >= p.link_s ? SF_STR("host")
				   : SF_STR("link");
	if (now->latency_s > 0)
		now->bound_share =
		    fmax(p.device_s, fmax(p.host_s, p.link_s)) / now->latency_s;
}

static void
take_op(struct sf_compare *c)
{
	struct sf_op_cost cost;
	struct sf_op op;

	sf_op_read(c->stream, &op);
	sf_totals_add(&c->totals, &op);
	sf_footprint_add(&c->live, &op);
	sf_rows_add(filling(c), c->stream);
	if (op.measured)
		c->measured_s += op.measured_s;
	if (op.cost.n == 0)
		return;
	sf_op_cost_read(c->stream, &op, &cost);
	c->time_s += cost.time_s;
	c->bound_s[cost.bound] += cost.time_s;
	c->transfer_s += cost.transfer_s;
}

/* ---- a trace that is whole ---- */

/* Sums in the order of the run, so that sf-report says the same. */
static void
put_latency(struct sf_compare *c, const struct sf_rows *rows)
{
	struct sf_compared *now = c->now;

	if (now->latency_s < 0)
		now->bound = SF_STR("");
	if (now->simulated) {
		now->latency_s = now->summary.v[SF_SUM_MAKESPAN].d;
		now->bound = now->summary.v[SF_SUM_HOTSPOT].s;
	} else if (rows->costed) {
		now->latency_s = c->time_s + c->transfer_s;
	} else if (rows->measured && now->latency_s < 0) {
		now->latency_s = c->measured_s;
	}
}

/* What bounds most of a costed trace. */
static void
put_bound(struct sf_compare *c)
{
	struct sf_compared *now = c->now;
	double most = c->transfer_s;

	now->bound = SF_STR("transfers");
	for (int b = SF_BOUND_COMPUTE; b <= SF_BOUND_MEMORY; b++) {
		if (c->bound_s[b] < most)
			continue;
		most = c->bound_s[b];
		now->bound = sf_str_of(sf_bound_names[b]);
	}
	if (now->latency_s > 0)
		now->bound_share = most / now->latency_s;
}

static void
put_memory(struct sf_compare *c)
{
	struct sf_compared *now = c->now;
	struct sf_high_water peak;

	now->memory = -1;
	if (c->totals.counted && c->live.unknown == 0 &&
	    c->trace.params_bytes >= 0 && sf_footprint_peak(&c->live, &peak) &&
	    !sf_add(c->trace.params_bytes, peak.bytes, &now->memory))
		now->memory = -1;
}

/* ---- what moved ---- */

static struct sf_beside_first
side_of(const struct sf_rows *rows, const struct sf_row *row)
{
	if (row == NULL)
		return (struct sf_beside_first){ .dtype = SF_STR(""),
			.unit = SF_STR(""),
			.bound = SF_STR("") };
	return (struct sf_beside_first){ .stalled = rows->stalled,
		.compute_s = row->stalls.compute_s,
		.waits_s = { row->stalls.load_s, row->stalls.buffer_s,
		    row->stalls.dependency_s, row->store_tail_s },
		.dtype = row->dtype,
		.calls = row->calls,
		.flops = row->flops,
		.bytes = row->bytes_read + row->bytes_written,
		.time_s = sf_row_weight(rows, row),
		.unit = row->unit,
		.bound = row->bound };
}

static unsigned
bit(enum sf_cause cause, bool set)
{
	return set ? 1u << cause : 0;
}

/* Nothing is said of a side whose operators differ. */
static bool
is_other(struct sf_str was, struct sf_str is)
{
	return was.n != 0 && is.n != 0 && !sf_str_eq(was, is);
}

/* The wait that moved furthest, COUNT where computing moved as far. */
static enum sf_waiting
moved_wait(const struct sf_beside_first *was, const struct sf_beside_first *is)
{
	enum sf_waiting most = SF_WAITING_COUNT;
	double far = fabs(is->compute_s - was->compute_s);

	if (!was->stalled || !is->stalled)
		return most;
	for (int i = 0; i < SF_WAITING_COUNT; i++) {
		double by = fabs(is->waits_s[i] - was->waits_s[i]);

		if (by <= far)
			continue;
		far = by;
		most = (enum sf_waiting)i;
	}
	return most;
}

static unsigned
causes_of(const struct sf_beside_first *was, const struct sf_beside_first *is,
    enum sf_waiting wait)
{
	unsigned causes;

	if (was->calls == 0 || is->calls == 0)
		return bit(SF_CAUSE_NEW, was->calls == 0) |
		    bit(SF_CAUSE_GONE, is->calls == 0);
	causes = bit(SF_CAUSE_CALLS, was->calls != is->calls) |
	    bit(SF_CAUSE_FLOPS, was->flops != is->flops) |
	    bit(SF_CAUSE_BYTES, was->bytes != is->bytes) |
	    bit(SF_CAUSE_TYPE, is_other(was->dtype, is->dtype)) |
	    bit(SF_CAUSE_UNIT, is_other(was->unit, is->unit)) |
	    bit(SF_CAUSE_BOUND, is_other(was->bound, is->bound)) |
	    bit(SF_CAUSE_STALL, wait != SF_WAITING_COUNT);
	return causes != 0 ? causes : bit(SF_CAUSE_RATE, true);
}

static void
add_move(struct sf_compare *c, struct sf_buf *moves, struct sf_str name,
    const struct sf_row *was, const struct sf_row *is)
{
	struct sf_move move = { .name = name,
		.was = side_of(&c->first, was),
		.is = side_of(&c->rows, is) };

	if (move.was.time_s == move.is.time_s)
		return;
	move.wait = moved_wait(&move.was, &move.is);
	move.causes = causes_of(&move.was, &move.is, move.wait);
	sf_buf_put(moves, &move, sizeof move);
}

static int
compare_moves(const void *left, const void *right)
{
	const struct sf_move *a = left, *b = right;
	double x = fabs(a->is.time_s - a->was.time_s);
	double y = fabs(b->is.time_s - b->was.time_s);
	size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	order = memcmp(a->name.p, b->name.p, n);
	return order != 0 ? order
			  : (a->name.n > b->name.n) - (a->name.n < b->name.n);
}

static void
keep_moves(struct sf_compare *c, struct sf_buf *buf)
{
	struct sf_move *v = (struct sf_move *)(void *)buf->p, *kept;
	size_t n = buf->n / sizeof *v;

	c->now->moved = n;
	if (n == 0)
		return;
	qsort(v, n, sizeof *v, compare_moves);
	if ((uint64_t)c->request.top < n)
		n = (size_t)c->request.top;
	kept = sf_arena_calloc(c->kept, n + 1, sizeof *kept);
	for (size_t i = 0; i < n; i++) {
		kept[i] = v[i];
		kept[i].name = keep(c, v[i].name);
		kept[i].was.dtype = keep(c, v[i].was.dtype);
		kept[i].is.dtype = keep(c, v[i].is.dtype);
		kept[i].was.unit = keep(c, v[i].was.unit);
		kept[i].was.bound = keep(c, v[i].was.bound);
		kept[i].is.unit = keep(c, v[i].is.unit);
		kept[i].is.bound = keep(c, v[i].is.bound);
	}
	c->now->moves = kept;
	c->now->nmoves = n;
}

/* Whether what rows weigh is time. */
static bool
has_times(const struct sf_rows *rows)
{
	return rows->simulated || rows->costed || rows->measured;
}

/* Rows of both traces that have one name, and those of one of them. */
static void
find_moves(struct sf_compare *c)
{
	enum sf_rows_by by = c->request.by;
	struct sf_table now; /* name -> row */
	struct sf_table was;
	struct sf_buf moves = { 0 };

	sf_table_init(&now, c->passing);
	sf_table_init(&was, c->passing);
	for (size_t i = 0; i < c->rows.n; i++)
		sf_table_add(&now, sf_row_key(by, &c->rows.v[i]))->ptr =
		    &c->rows.v[i];
	for (size_t i = 0; i < c->first.n; i++) {
		struct sf_str name = sf_row_key(by, &c->first.v[i]);
		const struct sf_entry *other = sf_table_find(&now, name);

		sf_table_add(&was, name);
		add_move(c, &moves, name, &c->first.v[i],
		    other != NULL ? other->ptr : NULL);
	}
	for (size_t i = 0; i < c->rows.n; i++) {
		struct sf_str name = sf_row_key(by, &c->rows.v[i]);

		if (sf_table_find(&was, name) == NULL)
			add_move(c, &moves, name, NULL, &c->rows.v[i]);
	}
	keep_moves(c, &moves);
	sf_buf_release(&moves);
	sf_table_release(&now);
	sf_table_release(&was);
}

static void
judge(struct sf_compare *c)
{
	const struct sf_compared *first = count(c) != 0 ? all(c)[0] : NULL;

	if (c->request.tolerance < 0)
		return;
	if (c->now->latency_s < 0)
		sf_stream_die(c->stream,
		    "the trace has no times, expected one that was costed or "
		    "simulated");
	if (first != NULL &&
	    c->now->latency_s > first->latency_s * (1 + c->request.tolerance))
		sf_stream_say_no(c->stream);
}

static void
end_trace(struct sf_compare *c)
{
	struct sf_compared *now = c->now;
	struct sf_rows *rows = filling(c);
	bool counted = c->totals.counted;

	sf_rows_finish(rows, c->stream);
	put_latency(c, rows);
	if (rows->costed && !now->simulated)
		put_bound(c);
	put_memory(c);
	now->ops = c->totals.ops;
	now->uncounted = counted ? c->totals.unknown_calls : 0;
	now->flops = counted ? c->totals.all.flops : -1;
	now->bytes = counted ? c->totals.all.bytes : -1;
	now->beside = count(c) != 0 && has_times(&c->first) && has_times(rows);
	if (now->beside)
		find_moves(c);
	judge(c);
	sf_buf_put(&c->traces, &now, sizeof now);
	release_passing(c);
}

void
sf_compare_record(struct sf_compare *c, enum sf_kind kind)
{
	if (kind == SF_K_TRACE)
		begin_trace(c);
	else if (kind == SF_K_DEVICE)
		take_device(c);
	else if (kind == SF_K_ACCEL)
		take_accel(c);
	else if (kind == SF_K_OP)
		take_op(c);
	else if (kind == SF_K_SUMMARY)
		take_summary(c);
	else if (kind == SF_K_PARTITION)
		take_partition(c);
	else if (kind == SF_K_END)
		end_trace(c);
}

const char *
sf_cause_name(enum sf_cause cause)
{
	static const char *const names[] = { "new", "gone", "calls", "FLOPs",
		"bytes", "type", "unit", "bound", "stall", "rate" };

	return names[cause];
}

const char *
sf_waiting_name(enum sf_waiting wait)
{
	return sf_summary_rows[SF_SUM_STALL_LOAD + wait].name;
}

void
sf_compare_write(struct sf_compare *c)
{
	struct sf_comparison comparison = { all(c), count(c), c->request.by,
		c->kept };
	struct sf_buf *out = sf_stream_text(c->stream);

	if (c->request.tolerance >= 0 && count(c) == 1)
		sf_die(SF_EX_INPUT,
		    "one trace in all, expected others that '--tolerance' "
		    "holds against it");
	if (c->request.format == SF_FORMAT_MD)
		sf_comparison_markdown(&comparison, out);
	else if (c->request.format == SF_FORMAT_CSV)
		sf_comparison_csv(&comparison, out);
	else
		sf_comparison_json(&comparison, out);
}
