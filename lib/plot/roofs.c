/* Gathering what rooflines show. */
#include "plot/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost/device_record.h"
#include "cost/op_cost.h"

void
sf_roofs_init(struct sf_roofs *r, struct sf_stream *stream)
{
	*r = (struct sf_roofs){ .stream = stream, .arena = sf_arena_new() };
	sf_table_init(&r->index, r->arena);
}

void
sf_roofs_release(struct sf_roofs *r)
{
	sf_table_release(&r->index);
	sf_arena_free(r->arena);
}

void
sf_roofs_clear(struct sf_roofs *r)
{
	sf_table_clear(&r->index);
	sf_arena_reset(r->arena);
	r->n = 0;
}

void
sf_roofs_drop(struct sf_roofs *r)
{
	sf_table_clear(&r->index);
	r->n--;
}

bool
sf_roof_has_point(const struct sf_roof_type *type)
{
	return type->flops > 0 && type->bytes > 0;
}

bool
sf_roof_hides(const struct sf_roof_trace *t)
{
	bool hides = t->transfer_s > 0;

	for (size_t i = 0; i < t->ntypes; i++)
		hides |= !sf_roof_has_point(t->types[i]);
	return hides;
}

static struct sf_roof_trace *
last(struct sf_roofs *r)
{
	return &r->v[r->n - 1];
}

static void
begin_trace(struct sf_roofs *r)
{
	struct sf_roof_trace *t;

	if (r->n == SF_ROOFS_TRACES)
		sf_stream_die(r->stream,
		    "one trace more than the %d that a picture can have, "
		    "expected '%%d' in its name for a picture each",
		    SF_ROOFS_TRACES);
	sf_table_clear(&r->index);
	t = &r->v[r->n++];
	*t = (struct sf_roof_trace){ .memory = SF_MEMORY_UNFUSED };
	sf_trace_read(r->stream, r->arena, &t->trace);
}

/* ---- the device ---- */

static struct sf_roof
roof_of(struct sf_roofs *r, const struct sf_device *device, int64_t devices,
    struct sf_rates rates)
{
	struct sf_roof roof = { .name = device->name,
		.flops_per_s = rates.flops_per_s,
		.bytes_per_s = rates.bytes_per_s,
		.tariff = sf_arena_calloc(r->arena, 1, sizeof *roof.tariff),
		.base = sf_device_rates(device, devices) };
	struct sf_device *kept = sf_arena_alloc(r->arena, sizeof *kept);

	*kept = *device;
	sf_tariff_init(roof.tariff, kept, devices);
	return roof;
}

static void
read_device(struct sf_roofs *r)
{
	struct sf_roof_trace *t = last(r);
	struct sf_device_record d;

	sf_device_record_read(r->stream, r->arena, &d);
	t->device = roof_of(r, &d.device, d.devices, d.rates);
	t->memory = d.memory;
	t->overhead_s = d.overhead_s;
	/* A host says its rates as peaks and efficiencies. */
	if (d.mode == SF_MODE_OFFLOAD)
		t->host = roof_of(r, &d.host, 1, sf_device_rates(&d.host, 1));
}

/* ---- operators ---- */

static struct sf_roof_type *
type_of(
    struct sf_roofs *r, const struct sf_op *op, const struct sf_op_cost *cost)
{
	const char *key = sf_arena_printf(sf_stream_record_arena(r->stream),
	    "%.*s %d %d %d", SF_STR_ARG(op->name), (int)op->counts.category,
	    (int)cost->peak, (int)cost->unit);
	struct sf_entry *entry = sf_table_add(&r->index, sf_str_of(key));
	struct sf_roof_type *type = entry->ptr;

	if (type != NULL)
		return type;
	type = sf_arena_calloc(r->arena, 1, sizeof *type);
	type->name = sf_arena_strndup(r->arena, op->name.p, op->name.n);
	type->category = op->counts.category;
	type->peak = cost->peak;
	return entry->ptr = type;
}

/* Seconds at the roof that the operator was costed by. */
static double
roof_s(const struct sf_roof *roof, const struct sf_op_cost *cost,
    enum sf_category category, double flops, double bytes)
{
	enum sf_precision type =
	    cost->type < SF_PEAK_COUNT ? cost->type : SF_PEAK_NONE;
	const struct sf_rates *own = &roof->tariff->rates[category][type];

	return fmax(flops /
		(roof->flops_per_s *
		    (own->flops_per_s / roof->base.flops_per_s)),
	    bytes /
		(roof->bytes_per_s *
		    (own->bytes_per_s / roof->base.bytes_per_s)));
}

static void
read_op(struct sf_roofs *r)
{
	struct sf_roof_trace *t = last(r);
	struct sf_roof_type *type;
	struct sf_op_cost cost;
	double flops, bytes;
	struct sf_op op;

	sf_op_read(r->stream, &op);
	if (t->device.name == NULL || op.cost.n == 0 || !op.counted)
		sf_op_die(r->stream, &op,
		    "has no cost, expected a trace from 'sf-rules | sf-cost "
		    "--device NAME'");
	sf_op_cost_read(r->stream, &op, &cost);
	t->transfer_s += cost.transfer_s;
	t->time_s += cost.time_s + cost.transfer_s;
	if (cost.time_s == 0)
		return;
	flops = sf_cost_flops(&op.counts);
	bytes = sf_cost_bytes(&op.counts, t->memory);
	type = type_of(r, &op, &cost);
	type->flops += flops;
	type->bytes += bytes;
	type->time_s += cost.time_s;
	type->roof_s += roof_s(cost.unit == SF_UNIT_HOST && t->host.name != NULL
		? &t->host
		: &t->device,
	    &cost, op.counts.category, flops, bytes);
}

static int
compare_types(const void *a, const void *b)
{
	const struct sf_roof_type *x = *(struct sf_roof_type *const *)a;
	const struct sf_roof_type *y = *(struct sf_roof_type *const *)b;
	int names = strcmp(x->name, y->name);

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	if (names != 0)
		return names;
	return x->category != y->category ? (int)x->category - (int)y->category
					  : (int)x->peak - (int)y->peak;
}

static void
end_trace(struct sf_roofs *r)
{
	struct sf_roof_trace *t = last(r);

	if (t->device.name == NULL)
		sf_stream_die(r->stream,
		    "the trace has no device record, expected a trace from "
		    "'sf-rules | sf-cost --device NAME'");
	t->ntypes = r->index.n;
	t->types = sf_arena_calloc(r->arena, t->ntypes + 1, sizeof *t->types);
	for (size_t i = 0; i < t->ntypes; i++)
		t->types[i] = r->index.order[i]->ptr;
	qsort(t->types, t->ntypes, sizeof *t->types, compare_types);
}

void
sf_roofs_record(struct sf_roofs *r, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_TRACE:
		begin_trace(r);
		break;
	case SF_K_DEVICE:
		read_device(r);
		break;
	case SF_K_OP:
		read_op(r);
		break;
	case SF_K_END:
		end_trace(r);
		break;
	default:
		break;
	}
}
