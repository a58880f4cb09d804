/* Costs: what sf-cost gave each operator, summed in the ways it is asked for. */
#include "report/cost-section.h"

#include <stdlib.h>

#include "cost/device_record.h"
#include "cost/op_cost.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_cost_report *c = sf_arena_calloc(s->arena, 1, sizeof *c);

	sf_table_init(&c->types, s->arena);
	return c;
}

static void
release(void *state)
{
	struct sf_cost_report *c = state;

	sf_table_release(&c->types);
}

static void
take_peaks(struct sf_cost_report *c, const struct sf_device_record *d)
{
	c->peak_flops = d->device.peak_flops;
	c->typed = sf_device_has_peaks(&d->device);
	c->ideal = d->ideal;
	c->devices = d->devices;
	sf_device_own_peaks(&d->device, c->peaks);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_cost_report *c = state;
	struct sf_device_record device;
	struct sf_json scan;

	if (kind != SF_K_DEVICE)
		return;
	c->costed = true;
	sf_device_record_read(s->stream, s->arena, &device);
	c->offload = device.mode == SF_MODE_OFFLOAD;
	c->memory = device.memory;
	c->rates = device.rates;
	take_peaks(c, &device);
	/* As it stands: with what a later version may have put in it. */
	scan = sf_stream_scan(s->stream);
	c->device = sf_pairs_read(&scan, s->arena);
}

/* ---- sums ---- */

void
sf_spent_add(struct sf_spent *a, const struct sf_spent *b)
{
	a->calls += b->calls;
	a->flops += b->flops;
	a->bytes += b->bytes;
	a->time_s += b->time_s;
	a->transfer_s += b->transfer_s;
}

static struct sf_type_spent *
type_of(struct sf_cost_report *c, struct sf_subject *s, struct sf_str name)
{
	struct sf_entry *entry = sf_table_add(&c->types, name);
	struct sf_type_spent *type = entry->ptr;

	if (type == NULL) {
		type = sf_arena_calloc(s->arena, 1, sizeof *type);
		type->type = sf_totals_type(&s->totals, name);
		entry->ptr = type;
	}
	return type;
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_cost_report *c = state;
	struct sf_type_spent *type;
	struct sf_spent one;
	struct sf_op_cost cost;

	if (op->cost.n == 0)
		return;
	sf_op_cost_read(s->stream, op, &cost);
	type = type_of(c, s, op->name);
	/* Integers are parts of sums that reading has checked. */
	one = (struct sf_spent){ .calls = 1,
		.flops = op->counts.flops,
		.bytes = op->counts.bytes_read + op->counts.bytes_written,
		.time_s = cost.time_s,
		.transfer_s = cost.transfer_s };
	c->ops++;
	sf_spent_add(&c->all, &one);
	sf_spent_add(&c->by_unit[cost.unit], &one);
	sf_spent_add(&c->by_category[op->counts.category], &one);
	sf_spent_add(&type->sum, &one);
	sf_spent_add(&c->by_type[cost.type], &one);
	c->at_peak[cost.peak] += op->counts.flops - op->counts.masked_flops;
	c->masked_flops += op->counts.masked_flops;
	type->units |= 1u << cost.unit;
	c->bound_s[cost.bound] += cost.time_s;
	c->memory_bytes += sf_cost_bytes(&op->counts, c->memory);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_cost_report *c = state;

	sf_subject_time(s, sf_spent_s(&c->all));
}

/* ---- what follows from it ---- */

double
sf_spent_s(const struct sf_spent *spent)
{
	return spent->time_s + spent->transfer_s;
}

int64_t
sf_cost_calls(const struct sf_cost_report *c)
{
	return c->all.calls - c->by_unit[SF_UNIT_NOBODY].calls;
}

double
sf_cost_roofline_s(const struct sf_cost_report *c, enum sf_bound bound)
{
	return bound == SF_BOUND_COMPUTE
	    ? sf_peaks_compute_s(c->peaks, c->peak_flops, c->rates.flops_per_s,
		  c->all.flops - c->masked_flops, c->at_peak)
	    : c->memory_bytes / c->rates.bytes_per_s;
}

static int
compare_types(const void *left, const void *right)
{
	const struct sf_type_spent *a = *(struct sf_type_spent *const *)left;
	const struct sf_type_spent *b = *(struct sf_type_spent *const *)right;
	double x = sf_spent_s(&a->sum), y = sf_spent_s(&b->sum);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->type->name.p, b->type->name.p);
}

struct sf_type_spent **
sf_cost_sorted(const struct sf_cost_report *c, struct sf_arena *arena)
{
	size_t n = c->types.n;
	struct sf_type_spent **all = sf_arena_calloc(arena, n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = c->types.order[i]->ptr;
	qsort(all, n, sizeof(struct sf_type_spent *), compare_types);
	return all;
}

void
sf_type_units(struct sf_buf *out, const struct sf_type_spent *type)
{
	const char *comma = "";

	for (int u = 0; u < SF_UNIT_COUNT; u++) {
		if ((type->units >> u & 1) == 0)
			continue;
		sf_buf_printf(out, "%s%s", comma, sf_cost_units[u]);
		comma = ", ";
	}
}

const struct sf_section sf_section_cost = {
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = sf_cost_markdown,
	.figures = sf_cost_figures,
	.release = release,
};
