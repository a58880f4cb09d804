/* Gathering what a roofline shows. */
#include "plot/roofs.h"

#include <stdlib.h>
#include <string.h>

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

static const char *
read_text(struct sf_roofs *r, struct sf_json *scan)
{
	struct sf_str text = sf_json_string(scan);

	return scan->error != NULL ? ""
				   : sf_arena_strndup(r->arena, text.p, text.n);
}

/* A host says its rates as peaks and efficiencies. */
static void
read_host(struct sf_roofs *r, struct sf_json *scan)
{
	double flops_eff = 1, bw_eff = 1;
	struct sf_str key;

	r->host.name = "host";
	sf_json_enter(scan, '{');
	while (sf_json_member(scan, &key))
		if (SF_KEY(key, "name"))
			r->host.name = read_text(r, scan);
		else if (SF_KEY(key, "peak_flops"))
			r->host.flops_per_s = sf_json_double(scan);
		else if (SF_KEY(key, "memory_bw"))
			r->host.bytes_per_s = sf_json_double(scan);
		else if (SF_KEY(key, "flops_eff"))
			flops_eff = sf_json_double(scan);
		else if (SF_KEY(key, "bw_eff"))
			bw_eff = sf_json_double(scan);
		else
			sf_json_skip(scan);
	r->host.flops_per_s *= flops_eff;
	r->host.bytes_per_s *= bw_eff;
}

/* What there is room for on an axis, with any count of FLOPs or bytes. */
#define LEAST 1e-30
#define MOST  1e30

static bool
is_whole(const struct sf_roof *roof)
{
	return roof->flops_per_s >= LEAST && roof->flops_per_s <= MOST &&
	    roof->bytes_per_s >= LEAST && roof->bytes_per_s <= MOST;
}

static void
read_device(struct sf_roofs *r)
{
	struct sf_json scan = sf_stream_scan(r->stream);
	struct sf_str key;

	if (r->device.name != NULL)
		sf_stream_die(r->stream, "a second device record");
	r->device.name = "device";
	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "name"))
			r->device.name = read_text(r, &scan);
		else if (SF_KEY(key, "flops_per_s"))
			r->device.flops_per_s = sf_json_double(&scan);
		else if (SF_KEY(key, "bytes_per_s"))
			r->device.bytes_per_s = sf_json_double(&scan);
		else if (SF_KEY(key, "memory"))
			r->memory = read_text(r, &scan);
		else if (SF_KEY(key, "host"))
			read_host(r, &scan);
		else
			sf_json_skip(&scan);
	sf_stream_check(r->stream, &scan);
	if (!is_whole(&r->device) ||
	    (r->host.name != NULL && !is_whole(&r->host)))
		sf_stream_die(r->stream,
		    "the device's rates are not there, expected flops_per_s "
		    "and bytes_per_s from %g to %g",
		    LEAST, MOST);
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

static double
time_of(struct sf_roofs *r, const struct sf_op *op)
{
	struct sf_json scan = { .p = op->cost.p,
		.start = op->cost.p,
		.arena = sf_stream_record_arena(r->stream) };
	double time_s = -1;
	struct sf_str key;

	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "time_s"))
			time_s = sf_json_double(&scan);
		else
			sf_json_skip(&scan);
	if (scan.error != NULL)
		sf_op_die(r->stream, op, "cost: %s", scan.error);
	if (time_s != 0 && !(time_s >= LEAST && time_s <= MOST))
		sf_op_die(r->stream, op,
		    "cost: expected a time_s of 0 or from %g to %g", LEAST,
		    MOST);
	return time_s;
}

static void
read_op(struct sf_roofs *r)
{
	struct sf_roof_type *type;
	struct sf_op op;
	double time_s;

	sf_op_read(r->stream, &op);
	if (r->device.name == NULL || op.cost.n == 0 || !op.counted)
		sf_op_die(r->stream, &op,
		    "has no cost, expected a trace from 'sf-rules | sf-cost "
		    "--device NAME'");
	time_s = time_of(r, &op);
	if (time_s == 0)
		return;
	type = type_of(r, &op);
	type->flops += (double)op.counts.flops;
	type->bytes +=
	    (double)op.counts.bytes_read + (double)op.counts.bytes_written;
	type->time_s += time_s;
	r->time_s += time_s;
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
