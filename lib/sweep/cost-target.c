/* Devices, links and their numbers as what a sweep runs a trace on. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/table.h"
#include "cost/device_record.h"
#include "cost/offload.h"
#include "cost/op_cost.h"
#include "cost/origin.h"
#include "cost/peak.h"
#include "cost/roofline.h"
#include "cost/tariff.h"
#include "sweep/target.h"
#include "trace/keyrecord.h"

/* What sf-cost has options for, as parameters. */
struct request {
	const char *device, *link, *host;
	int64_t devices;
	uint32_t supports;
	int memory, products;
	double op_overhead;
	bool tf32;
};

/* How products are taken: the first two are sf-cost's, then a type for all. */
static const char *const product_names[] = {
	"data",
	"operands",
#define SF_PEAK(id, name, wider) #name,
#define SF_PEAK_FLOPS(id, name)  #name,
#include "cost/peak.def"
#undef SF_PEAK
#undef SF_PEAK_FLOPS
	NULL,
};

enum {
	AS_DATA,
	AS_OPERANDS,
	AS_TYPE /* and on: that of precision 0, 1, ... */
};

#define ROW(name, kind, unit, fallback, meaning) \
	SF_KEY_ROW(request, name, kind, unit, fallback, meaning)

static const struct sf_key request_rows[] = {
	{ ROW(device, TEXT, NONE, NULL, "the device or accelerator"),
	    SF_KEY_ANY },
	{ ROW(devices, INT, NONE, "1", "that many of it, ideally divided"),
	    SF_KEY_RANGE(1, 1e6) },
	{ ROW(link, TEXT, NONE, NULL, "the link of an offload"), SF_KEY_ANY },
	{ ROW(host, TEXT, NONE, "host", "the host of an offload"), SF_KEY_ANY },
	{ ROW(supports, WORDS, NONE, "",
	      "categories that the accelerator of an offload runs"),
	    SF_KEY_CHOICES(sf_category_work) },
	{ ROW(memory, WORD, NONE, "unfused", "whose traffic counts"),
	    SF_KEY_CHOICES(sf_memory_modes) },
	{ ROW(products, WORD, NONE, "data",
	      "the element type of products, or what says it"),
	    SF_KEY_CHOICES(product_names) },
	{ ROW(op_overhead, REAL, S, "0",
	      "added to each operator that is not free"),
	    SF_KEY_RANGE(0, 1e6) },
	{ ROW(tf32, FLAG, NONE, "off", "products of F32 are of TF32"),
	    SF_KEY_ANY },
};

static const struct sf_keys request_keys = {
	.dir = "devices",
	.rows = request_rows,
	.n = sizeof request_rows / sizeof request_rows[0],
	.seconds = "_s",
};

/* What stays of an operator. */
struct cost_op {
	struct sf_op op;                  /* counts, inputs and outputs */
	enum sf_precision data, operands; /* types of its products */
};

struct cost_state {
	struct request base, design;
	struct sf_device device, host;
	struct sf_link link;
	bool offloads;           /* the base does, or a design may */
	struct sf_list settings; /* of the parameters behind the names */
	struct sf_arena *names;  /* of what was loaded */
	struct sf_table devices, links;
	struct sf_arena *arena; /* of the trace */
	struct cost_op *ops;
	int64_t nops, room;
	struct sf_origins origins;
	struct sf_offload offload;
};

/* ---- names ---- */

static const struct sf_device *
device_of(struct cost_state *c, const char *name)
{
	struct sf_entry *e = sf_table_add(&c->devices, sf_str_of(name));

	if (e->ptr == NULL)
		e->ptr = sf_device_load(name, c->names);
	return e->ptr;
}

static const struct sf_link *
link_of(struct cost_state *c, const char *name)
{
	struct sf_entry *e = sf_table_add(&c->links, sf_str_of(name));

	if (e->ptr == NULL)
		e->ptr = sf_link_load(name, c->names);
	return e->ptr;
}

/* NAME may be what KEY is: the result depends on its file. */
static void
cost_name(struct sf_target *t, const struct sf_key *key, const char *name)
{
	struct cost_state *c = t->state;
	bool link = strcmp(key->name, "link") == 0;
	struct sf_table *table = link ? &c->links : &c->devices;

	if (sf_table_find(table, sf_str_of(name)) != NULL)
		return;
	sf_config_add_inputs(t->stream,
	    link ? link_of(c, name)->config : device_of(c, name)->config);
}

static void
cost_vary(struct sf_target *t, const struct sf_key *key)
{
	struct cost_state *c = t->state;

	c->offloads =
	    c->offloads || key == NULL || strcmp(key->name, "supports") == 0;
}

/* The host, whose name may be the usual one, that nobody said. */
static void
cost_ready(struct sf_target *t)
{
	struct cost_state *c = t->state;

	if (c->offloads)
		device_of(c, c->base.host);
}

/* Fills in what the names of the design stand for, and the settings. */
static bool
cost_load(struct sf_target *t, struct sf_error *error)
{
	struct cost_state *c = t->state;
	bool offload = c->design.supports != 0;

	if (c->design.device == NULL)
		return sf_fail(error, "no device is set");
	if (offload && c->design.link == NULL)
		return sf_fail(error, "'supports' needs a link");
	c->device = *device_of(c, c->design.device);
	if (offload) {
		c->host = *device_of(c, c->design.host);
		c->link = *link_of(c, c->design.link);
	}
	for (size_t i = 0; i < c->settings.n; i++) {
		const char *text = c->settings.v[i];
		const char *equals = strchr(text, '=');
		const struct sf_key_scope *scope;
		const struct sf_key *key = sf_target_key(t,
		    (struct sf_str){ text, (size_t)(equals - text) }, &scope);

		if (!sf_key_set(key, scope->in, equals + 1, c->names, error))
			return false;
	}
	return true;
}

/* ---- the trace ---- */

static struct sf_tensor *
copy_tensors(struct sf_arena *arena, const struct sf_tensor *from, int n)
{
	struct sf_tensor *to =
	    sf_arena_calloc(arena, (size_t)(n != 0 ? n : 1), sizeof *to);

	for (int i = 0; i < n; i++) {
		to[i] = from[i];
		to[i].tid.p =
		    sf_arena_strndup(arena, from[i].tid.p, from[i].tid.n);
		to[i].shape = NULL;
		to[i].dim_names = NULL;
	}
	return to;
}

static void
take_op(struct sf_target *t)
{
	struct cost_state *c = t->state;
	struct cost_op *kept;
	struct sf_op op;

	sf_op_read(t->stream, &op);
	if (!op.counted)
		sf_op_die(t->stream, &op,
		    "is not counted, expected a trace from sf-rules");
	if (op.cost.n != 0)
		sf_op_die(t->stream, &op,
		    "is costed already, expected a trace that has not been "
		    "through sf-cost");
	if (c->nops == c->room) {
		c->room = c->room != 0 ? 2 * c->room : 256;
		c->ops =
		    sf_reallocarray(c->ops, (size_t)c->room, sizeof *c->ops);
	}
	kept = &c->ops[c->nops++];
	*kept = (struct cost_op){ .op = { .counts = op.counts,
				      .ninputs = op.ninputs,
				      .noutputs = op.noutputs,
				      .folded = op.folded,
				      .dead = op.dead } };
	kept->op.inputs = copy_tensors(c->arena, op.inputs, op.ninputs);
	kept->op.outputs = copy_tensors(c->arena, op.outputs, op.noutputs);
	kept->data = sf_op_peak(t->stream, &op, &c->origins);
	kept->operands = sf_op_peak(t->stream, &op, NULL);
	sf_origins_take(&c->origins, &op);
}

static void
cost_record(struct sf_target *t, enum sf_kind kind)
{
	if (kind == SF_K_DEVICE)
		sf_stream_die(t->stream, "the trace is costed already");
	if (kind == SF_K_OP)
		take_op(t);
}

static void
cost_forget(struct sf_target *t)
{
	struct cost_state *c = t->state;

	c->nops = 0;
	sf_arena_reset(c->arena);
	sf_origins_reset(&c->origins);
	sf_offload_reset(&c->offload);
}

/* ---- a design ---- */

static void
cost_reset(struct sf_target *t)
{
	struct cost_state *c = t->state;

	c->design = c->base;
}

static enum sf_precision
precision_of(const struct request *r, const struct cost_op *op)
{
	enum sf_precision type =
	    r->products == AS_OPERANDS ? op->operands : op->data;

	if (type == SF_PEAK_NONE)
		return type;
	if (r->products >= AS_TYPE)
		return (enum sf_precision)(r->products - AS_TYPE);
	return type == SF_PEAK_F32 && r->tf32 ? SF_PEAK_TF32 : type;
}

/* The sums of a report, in its order. */
struct spent {
	double time_s, transfer_s, bound_s[SF_BOUND_COUNT];
	double memory_bytes;
	int64_t flops, at_peak[SF_PEAK_COUNT + 1];
};

static void
cost_op(struct cost_state *c, struct sf_tariff tariffs[2],
    const struct cost_op *op, struct spent *sum)
{
	const struct request *r = &c->design;
	const struct sf_counts *counts = &op->op.counts;
	enum sf_precision used = SF_PEAK_NONE, type = precision_of(r, op);
	struct sf_tariff *tariff = &tariffs[0];
	struct sf_rates rates;
	enum sf_bound bound;
	double time_s;

	if (r->supports != 0) {
		if (sf_offload_side(&c->offload, counts->category) ==
		    SF_SIDE_HOST)
			tariff = &tariffs[1];
		sum->transfer_s += sf_offload_op(&c->offload, &op->op);
	}
	rates = tariff->typed
	    ? sf_tariff_of(tariff, counts->category, type, &used)
	    : tariff->rates[counts->category][SF_PEAK_NONE];
	time_s = sf_roofline(counts, rates, (enum sf_memory_mode)r->memory,
	    r->op_overhead, &bound);
	sum->time_s += time_s;
	sum->bound_s[bound] += time_s;
	sum->memory_bytes +=
	    sf_cost_bytes(counts, (enum sf_memory_mode)r->memory);
	sum->flops += counts->flops - counts->masked_flops;
	sum->at_peak[used] += counts->flops - counts->masked_flops;
}

/* In the order of the rows below. */
static void
set_results(struct sf_outcome *out, const struct spent *sum,
    const struct sf_device *device, const struct sf_rates *rates, bool offload)
{
	double peaks[SF_PEAK_COUNT], compute_s;
	double memory_s = sum->memory_bytes / rates->bytes_per_s;
	double results[7];

	sf_device_own_peaks(device, peaks);
	compute_s = sf_peaks_compute_s(peaks, device->peak_flops,
	    rates->flops_per_s, sum->flops, sum->at_peak);
	results[0] = sum->time_s + sum->transfer_s;
	results[1] = sum->bound_s[SF_BOUND_COMPUTE];
	results[2] = sum->bound_s[SF_BOUND_MEMORY];
	results[3] = sum->transfer_s;
	results[4] = offload ? NAN : compute_s;
	results[5] = offload ? NAN : memory_s;
	results[6] = results[4] >= results[5] ? results[4] : results[5];
	for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
		out[i].d = results[i];
}

static bool
cost_run(struct sf_target *t, struct sf_outcome *results, const char **engine,
    struct sf_error *error)
{
	struct cost_state *c = t->state;
	bool offload = c->design.supports != 0;
	struct sf_tariff tariffs[2];
	struct spent sum = { 0 };
	struct sf_rates rates;

	(void)error;
	*engine = NULL;
	rates = sf_device_rates(&c->device, c->design.devices);
	sf_tariff_init(&tariffs[0], &c->device, c->design.devices);
	if (offload) {
		sf_tariff_init(&tariffs[1], &c->host, 1);
		c->offload.supports = c->design.supports;
		c->offload.link_bytes_per_s = c->link.bw;
		c->offload.link_latency_s = c->link.latency;
		sf_offload_reset(&c->offload);
	}
	for (int64_t i = 0; i < c->nops; i++)
		cost_op(c, tariffs, &c->ops[i], &sum);
	set_results(results, &sum, &c->device, &rates, offload);
	return true;
}

static void
cost_put_base(struct sf_target *t)
{
	struct cost_state *c = t->state;
	const struct request *r = &c->design;
	struct sf_device_record record = { .mode = SF_MODE_ROOFLINE,
		.device = c->device,
		.devices = r->devices,
		.rates = sf_device_rates(&c->device, r->devices),
		.memory = (enum sf_memory_mode)r->memory,
		.overhead_s = r->op_overhead,
		.ideal = r->devices > 1,
		.operands = r->products == AS_OPERANDS,
		.tf32 = r->tf32 };
	struct sf_buf words = { 0 };

	if (r->supports != 0) {
		for (int i = 0; sf_category_work[i] != NULL; i++)
			if ((r->supports >> i & 1) != 0)
				sf_buf_printf(&words, "%s%s",
				    words.n != 0 ? "," : "",
				    sf_category_work[i]);
		record.mode = SF_MODE_OFFLOAD;
		record.host = c->host;
		record.link = c->link;
		record.supports = (struct sf_str){ words.p, words.n };
	}
	sf_device_record_put(t->stream, &record);
	sf_buf_release(&words);
}

static void
cost_free(struct sf_target *t)
{
	struct cost_state *c = t->state;

	sf_offload_release(&c->offload);
	sf_origins_release(&c->origins);
	sf_table_release(&c->devices);
	sf_table_release(&c->links);
	sf_arena_free(c->arena);
	sf_arena_free(c->names);
	free(c->ops);
}

static const struct sf_target_type cost_type = {
	.record = cost_record,
	.put_base = cost_put_base,
	.reset = cost_reset,
	.name = cost_name,
	.vary = cost_vary,
	.ready = cost_ready,
	.load = cost_load,
	.run = cost_run,
	.forget = cost_forget,
	.free = cost_free,
};

static const struct sf_result_row cost_rows[] = {
	{ "", "total_s", SF_RESULT_DOUBLE },
	{ "time_s", "compute", SF_RESULT_DOUBLE },
	{ "time_s", "memory", SF_RESULT_DOUBLE },
	{ "time_s", "transfer", SF_RESULT_DOUBLE },
	{ "roofline", "compute_s", SF_RESULT_DOUBLE },
	{ "roofline", "memory_s", SF_RESULT_DOUBLE },
	{ "roofline", "total_s", SF_RESULT_DOUBLE },
};

/* Settings of names are the base; the others wait for what these load. */
static void
take_settings(struct sf_target *t, const struct sf_list *settings)
{
	struct cost_state *c = t->state;
	struct sf_arena *arena = sf_stream_arena(t->stream);
	const char **later =
	    sf_arena_calloc(arena, settings->n + 1, sizeof *later);
	struct sf_device device = { .name = NULL };
	struct sf_link link = { .name = NULL };
	const struct sf_key_scope checks[] = {
		{ "", &request_keys, &c->base, NULL },
		{ "", &sf_device_keys, &device, NULL },
		{ "host.", &sf_device_keys, &device, NULL },
		{ "link.", &sf_link_keys, &link, NULL },
	};

	sf_keys_apply(
	    checks, sizeof checks / sizeof checks[0], settings, arena);
	for (size_t i = 0; i < settings->n; i++) {
		const char *text = settings->v[i];
		size_t n = (size_t)(strchr(text, '=') - text);

		if (sf_keys_find(&request_keys, (struct sf_str){ text, n }) ==
		    NULL)
			later[c->settings.n++] = text;
	}
	c->settings.v = later;
}

struct sf_target *
sf_cost_target(struct sf_stream *stream, const struct sf_list *settings)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_target *t = sf_arena_calloc(arena, 1, sizeof *t);
	struct cost_state *c = sf_arena_calloc(arena, 1, sizeof *c);

	*t = (struct sf_target){
		.type = &cost_type, .stream = stream, .state = c, .nscopes = 4
	};
	c->names = sf_arena_new();
	c->arena = sf_arena_new();
	sf_table_init(&c->devices, c->names);
	sf_table_init(&c->links, c->names);
	sf_origins_init(&c->origins);
	sf_values_init(&c->offload.values);
	sf_keys_init(&request_keys, &c->base);
	t->scopes[0] =
	    (struct sf_key_scope){ "", &request_keys, &c->design, NULL };
	t->scopes[1] =
	    (struct sf_key_scope){ "", &sf_device_keys, &c->device, NULL };
	t->scopes[2] =
	    (struct sf_key_scope){ "host.", &sf_device_keys, &c->host, NULL };
	t->scopes[3] =
	    (struct sf_key_scope){ "link.", &sf_link_keys, &c->link, NULL };
	t->nrows = sizeof cost_rows / sizeof cost_rows[0];
	memcpy(t->rows, cost_rows, sizeof cost_rows);
	take_settings(t, settings);
	c->design = c->base;
	c->offloads = c->base.supports != 0;
	if (c->base.device != NULL)
		cost_name(t, &request_rows[0], c->base.device);
	if (c->base.link != NULL)
		cost_name(t, &request_rows[2], c->base.link);
	return t;
}
