/* Rows: from each op record what it says, and sums of those of a kind. */
#include "report/rows.h"

#include <stdlib.h>

#include "accel/lower.h"
#include "accel/summary_record.h"
#include "base/num.h"
#include "cost/op_cost.h"
#include "trace/op-text.h"

const char *const sf_rows_words[] = { "op", "node", "module", "type", NULL };

void
sf_rows_init(struct sf_rows *rows, enum sf_rows_by by, int64_t depth)
{
	*rows = (struct sf_rows){ .by = by, .depth = depth };
	rows->arena = sf_arena_new();
	sf_table_init(&rows->strings, rows->arena);
	sf_table_init(&rows->owners, rows->arena);
}

void
sf_rows_release(struct sf_rows *rows)
{
	sf_table_release(&rows->strings);
	sf_table_release(&rows->owners);
	sf_arena_free(rows->arena);
	free(rows->v);
}

void
sf_rows_begin(struct sf_rows *rows, struct sf_stream *stream)
{
	sf_table_clear(&rows->strings);
	sf_table_clear(&rows->owners);
	sf_arena_reset(rows->arena);
	sf_trace_read(stream, rows->arena, &rows->trace);
	rows->number++;
	rows->n = 0;
	rows->counted = rows->costed = false;
	rows->simulated = rows->measured = rows->stalled = false;
	rows->last_s = 0;
	rows->last_tile = 0;
}

/* ---- an operator ---- */

static struct sf_str
keep(struct sf_rows *rows, struct sf_str text)
{
	if (text.n == 0)
		return SF_STR("");
	return sf_table_add(&rows->strings, text)->name;
}

static struct sf_str
shapes(struct sf_rows *rows, const struct sf_tensor *tensors, int n)
{
	struct sf_buf out = { 0 };
	struct sf_str kept;

	sf_tensors_text(&out, tensors, n);
	kept = keep(rows, (struct sf_str){ out.p, out.n });
	sf_buf_release(&out);
	return kept;
}

/* The element type of the first result that has one. */
static struct sf_str
dtype_of(struct sf_rows *rows, const struct sf_op *op)
{
	for (int k = 0; k < op->noutputs; k++)
		if (!op->outputs[k].absent && op->outputs[k].resolved)
			return keep(rows,
			    sf_str_of(sf_dtype_name(op->outputs[k].dtype)));
	return SF_STR("");
}

/* The model's name of the node, or else that of its first result. */
static struct sf_str
node_of(struct sf_rows *rows, const struct sf_op *op)
{
	if (op->node.n != 0)
		return keep(rows, op->node);
	for (int k = 0; k < op->noutputs; k++)
		if (!op->outputs[k].absent)
			return keep(rows, op->outputs[k].tid);
	return SF_STR("");
}

/* Empty and with p NULL where the operator does not say. */
static struct sf_str
module_of(struct sf_rows *rows, const struct sf_op *op)
{
	struct sf_str module;

	if (!sf_module_of(op, &rows->owners, rows->arena, &module))
		return (struct sf_str){ NULL, 0 };
	module.n = sf_module_depth(module, rows->depth);
	return keep(rows, module);
}

static void
take_counts(
    struct sf_rows *rows, struct sf_row *row, const struct sf_counts *counts)
{
	rows->counted = true;
	row->category = sf_str_of(sf_category_name(counts->category));
	row->flops = counts->flops;
	row->macs = counts->macs;
	row->bytes_read = counts->bytes_read;
	row->bytes_written = counts->bytes_written;
	row->weight_bytes = counts->weight_bytes;
}

static void
take_cost(struct sf_rows *rows, struct sf_row *row, struct sf_stream *stream,
    const struct sf_op *op)
{
	struct sf_op_cost cost;

	sf_op_cost_read(stream, op, &cost);
	rows->costed = true;
	row->time_s = cost.time_s;
	row->transfer_s = cost.transfer_s;
	row->unit = sf_str_of(sf_cost_units[cost.unit]);
	row->bound = sf_str_of(sf_bound_names[cost.bound]);
}

static void
take_sim(struct sf_rows *rows, struct sf_row *row, struct sf_stream *stream,
    const struct sf_op *op)
{
	struct sf_lower lower;
	struct sf_sim sim;

	sf_sim_read(stream, op, &sim);
	rows->simulated = true;
	row->start_s = sim.start_s;
	row->end_s = sim.end_s;
	if (sim.end_s > rows->last_s) {
		row->added_s = sim.end_s - rows->last_s;
		rows->last_s = sim.end_s;
	}
	row->tiled_bytes = sim.tiled_bytes;
	row->stalls = sim.stalls;
	rows->stalled = rows->stalled || sim.stalls.told;
	rows->last_tile = rows->n;
	row->bound = sf_str_of(sf_sim_bounds[sim.bound]);
	if (op->lower.n == 0)
		return;
	sf_lower_read(stream, op, &lower);
	row->tiles = lower.tiles;
	row->unit = sf_str_of(sf_where_name(lower.where));
}

void
sf_rows_add(struct sf_rows *rows, struct sf_stream *stream)
{
	struct sf_row *row;
	struct sf_op op;

	sf_op_read(stream, &op);
	if (rows->n == rows->room) {
		rows->room = rows->room != 0 ? rows->room * 2 : 256;
		rows->v = sf_reallocarray(rows->v, rows->room, sizeof *rows->v);
	}
	row = &rows->v[rows->n++];
	*row = (struct sf_row){ .i = op.i,
		.calls = 1,
		.type = keep(rows, op.name),
		.node = node_of(rows, &op),
		.module = module_of(rows, &op),
		.inputs = shapes(rows, op.inputs, op.ninputs),
		.outputs = shapes(rows, op.outputs, op.noutputs),
		.dtype = dtype_of(rows, &op),
		.measured = op.measured,
		.measured_s = op.measured ? op.measured_s : 0 };
	rows->measured = rows->measured || op.measured;
	if (op.counted)
		take_counts(rows, row, &op.counts);
	if (op.cost.n != 0)
		take_cost(rows, row, stream, &op);
	if (op.sim.n != 0)
		take_sim(rows, row, stream, &op);
}

/* Nothing is computed behind the last operator's last compute. */
void
sf_rows_summary(struct sf_rows *rows, struct sf_stream *stream)
{
	struct sf_summary summary;

	sf_summary_read(&summary, stream, sf_stream_record_arena(stream));
	if (rows->last_tile != 0)
		rows->v[rows->last_tile - 1].store_tail_s =
		    summary.v[SF_SUM_STALL_STORE].d;
}

/* ---- all of them ---- */

/*
 * An operator that says nothing of its module lies in the innermost one that
 * holds both the last one before it and the first one behind it that say it.
 */
static void
fill_modules(struct sf_rows *rows)
{
	struct sf_str before = SF_STR(""), behind;
	size_t next = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct sf_row *row = &rows->v[i];

		if (row->module.p != NULL) {
			before = row->module;
			continue;
		}
		if (next < i)
			next = i;
		while (next < rows->n && rows->v[next].module.p == NULL)
			next++;
		behind = next < rows->n ? rows->v[next].module : SF_STR("");
		row->module = (struct sf_str){ before.p,
			sf_module_common(before, behind) };
	}
}

struct sf_str
sf_row_key(enum sf_rows_by by, const struct sf_row *row)
{
	if (by == SF_ROWS_NODE)
		return row->node;
	return by == SF_ROWS_MODULE ? row->module : row->type;
}

static void
shared(struct sf_str *a, struct sf_str b)
{
	if (!sf_str_eq(*a, b))
		*a = SF_STR("");
}

/* Integers are parts of a trace's sums, which may not pass 2^63 - 1. */
static bool
sum(struct sf_row *to, const struct sf_row *row)
{
	to->calls += row->calls;
	shared(&to->type, row->type);
	shared(&to->node, row->node);
	shared(&to->module, row->module);
	shared(&to->category, row->category);
	shared(&to->inputs, row->inputs);
	shared(&to->outputs, row->outputs);
	shared(&to->dtype, row->dtype);
	shared(&to->unit, row->unit);
	shared(&to->bound, row->bound);
	to->time_s += row->time_s;
	to->transfer_s += row->transfer_s;
	if (row->end_s > 0 && (to->end_s <= 0 || row->start_s < to->start_s))
		to->start_s = row->start_s;
	if (row->end_s > to->end_s)
		to->end_s = row->end_s;
	to->added_s += row->added_s;
	to->stalls.told = to->stalls.told || row->stalls.told;
	to->stalls.compute_s += row->stalls.compute_s;
	to->stalls.load_s += row->stalls.load_s;
	to->stalls.buffer_s += row->stalls.buffer_s;
	to->stalls.dependency_s += row->stalls.dependency_s;
	to->store_tail_s += row->store_tail_s;
	to->measured = to->measured || row->measured;
	to->measured_s += row->measured_s;
	return sf_add(to->flops, row->flops, &to->flops) &&
	    sf_add(to->macs, row->macs, &to->macs) &&
	    sf_add(to->bytes_read, row->bytes_read, &to->bytes_read) &&
	    sf_add(to->bytes_written, row->bytes_written, &to->bytes_written) &&
	    sf_add(to->weight_bytes, row->weight_bytes, &to->weight_bytes) &&
	    sf_add(to->tiles, row->tiles, &to->tiles) &&
	    sf_add(to->tiled_bytes, row->tiled_bytes, &to->tiled_bytes);
}

/* One row of all that share a key, at the place of the first. */
static void
fold(struct sf_rows *rows, struct sf_stream *stream)
{
	struct sf_table places; /* key -> 1 + index of its row */
	size_t n = 0;

	sf_table_init(&places, rows->arena);
	for (size_t i = 0; i < rows->n; i++) {
		struct sf_entry *entry =
		    sf_table_add(&places, sf_row_key(rows->by, &rows->v[i]));

		if (entry->num == 0) {
			rows->v[n] = rows->v[i];
			entry->num = (int64_t)++n;
		} else if (!sum(&rows->v[entry->num - 1], &rows->v[i])) {
			sf_stream_die(
			    stream, "a sum of the trace passes 2^63 - 1");
		}
	}
	rows->n = n;
	sf_table_release(&places);
}

static void
put_shares(struct sf_rows *rows)
{
	double all = 0;

	for (size_t i = 0; i < rows->n; i++)
		all += sf_row_weight(rows, &rows->v[i]);
	for (size_t i = 0; i < rows->n; i++) {
		struct sf_row *row = &rows->v[i];
		double bytes =
		    (double)row->bytes_read + (double)row->bytes_written;

		if (all > 0)
			row->share = sf_row_weight(rows, row) / all;
		if (bytes > 0)
			row->flops_per_byte = (double)row->flops / bytes;
	}
}

void
sf_rows_finish(struct sf_rows *rows, struct sf_stream *stream)
{
	fill_modules(rows);
	if (rows->by != SF_ROWS_OP)
		fold(rows, stream);
	put_shares(rows);
}

/* ---- which are shown ---- */

double
sf_row_weight(const struct sf_rows *rows, const struct sf_row *row)
{
	if (rows->simulated)
		return row->added_s;
	if (rows->costed)
		return row->time_s + row->transfer_s;
	return rows->measured ? row->measured_s : (double)row->flops;
}

/* Shares are in the order of weights. */
static int
compare(const void *left, const void *right)
{
	const struct sf_row *a = *(const struct sf_row *const *)left;
	const struct sf_row *b = *(const struct sf_row *const *)right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

const struct sf_row **
sf_rows_shown(const struct sf_rows *rows, int64_t top, size_t *n)
{
	const struct sf_row **v =
	    sf_arena_calloc(rows->arena, rows->n + 1, sizeof *v);

	for (size_t i = 0; i < rows->n; i++)
		v[i] = &rows->v[i];
	if (top >= 0)
		qsort(v, rows->n, sizeof *v, compare);
	*n = top >= 0 && (uint64_t)top < rows->n ? (size_t)top : rows->n;
	return v;
}
