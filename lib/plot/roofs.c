/* Gathering what a roofline shows. */
#include "plot/roofs.h"

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

static void
begin_trace(struct sf_roofs *r)
{
	sf_table_clear(&r->index);
	sf_arena_reset(r->arena);
	sf_trace_read(r->stream, r->arena, &r->trace);
	r->device = r->host = (struct sf_roof){ 0 };
	r->memory = "";
	r->types = NULL;
	r->ntypes = 0;
	r->time_s = 0;
}

/* ---- the device ---- */

static void
read_device(struct sf_roofs *r)
{
	struct sf_device_record d;
	struct sf_rates host;

	if (r->device.name != NULL)
		sf_stream_die(r->stream, "a second device record");
	sf_device_record_read(r->stream, r->arena, &d);
	r->device = (struct sf_roof){ d.device.name, d.rates.flops_per_s,
		d.rates.bytes_per_s };
	r->memory = sf_memory_modes[d.memory];
	if (d.mode != SF_MODE_OFFLOAD)
		return;
	/* A host says its rates as peaks and efficiencies. */
	host = sf_device_rates(&d.host, 1);
	r->host =
	    (struct sf_roof){ d.host.name, host.flops_per_s, host.bytes_per_s };
}

/* ---- operators ---- */

static struct sf_roof_type *
type_of(struct sf_roofs *r, const struct sf_op *op)
{
	const char *category = sf_category_name(op->counts.category);
	const char *key = sf_arena_printf(sf_stream_record_arena(r->stream),
	    "%.*s %s", SF_STR_ARG(op->name), category);
	struct sf_entry *entry = sf_table_add(&r->index, sf_str_of(key));
	struct sf_roof_type *type = entry->ptr;

	if (type != NULL)
		return type;
	type = sf_arena_calloc(r->arena, 1, sizeof *type);
	type->name = sf_arena_strndup(r->arena, op->name.p, op->name.n);
	type->category = op->counts.category;
	return entry->ptr = type;
}

static void
read_op(struct sf_roofs *r)
{
	struct sf_roof_type *type;
	struct sf_op_cost cost;
	struct sf_op op;

	sf_op_read(r->stream, &op);
	if (r->device.name == NULL || op.cost.n == 0 || !op.counted)
		sf_op_die(r->stream, &op,
		    "has no cost, expected a trace from 'sf-rules | sf-cost "
		    "--device NAME'");
	sf_op_cost_read(r->stream, &op, &cost);
	if (cost.time_s == 0)
		return;
	type = type_of(r, &op);
	type->flops += sf_cost_flops(&op.counts);
	type->bytes +=
	    (double)op.counts.bytes_read + (double)op.counts.bytes_written;
	type->time_s += cost.time_s;
	r->time_s += cost.time_s;
}

static int
compare_types(const void *a, const void *b)
{
	const struct sf_roof_type *x = *(struct sf_roof_type *const *)a;
	const struct sf_roof_type *y = *(struct sf_roof_type *const *)b;
	int names = strcmp(x->name, y->name);

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	return names != 0 ? names : (int)x->category - (int)y->category;
}

static void
end_trace(struct sf_roofs *r)
{
	if (r->device.name == NULL)
		sf_stream_die(r->stream,
		    "the trace has no device record, expected a trace from "
		    "'sf-rules | sf-cost --device NAME'");
	r->ntypes = r->index.n;
	r->types = sf_arena_calloc(r->arena, r->ntypes + 1, sizeof *r->types);
	for (size_t i = 0; i < r->ntypes; i++)
		r->types[i] = r->index.order[i]->ptr;
	qsort(r->types, r->ntypes, sizeof *r->types, compare_types);
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
