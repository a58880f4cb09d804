/* Costing a stream: its device record, and each operator's cost. */
#include "cost/cost.h"

#include "base/die.h"
#include "cost/apart.h"
#include "cost/device_record.h"
#include "cost/op_cost.h"
#include "cost/tariff.h"
#include "trace/keyrecord.h"

const char *const sf_products_as_names[] = { "data", "operands", NULL };

struct sf_cost {
	struct sf_stream *stream;
	struct sf_device *device; /* or the accelerator */
	struct sf_device *host;   /* NULL for a roofline */
	struct sf_link *link;     /* the same */
	struct sf_rates rates;    /* of a category without its own */
	struct sf_tariff tariff, host_tariff;
	struct sf_origins origins;
	struct sf_apart apart;
	enum sf_products_as products;
	bool tf32, strict;
	int64_t devices;
	enum sf_memory_mode memory;
	double overhead_s;
	const char *supports;
	struct sf_offload offload;
};

/* Options that only go together. */
static void
check_request(const struct sf_cost_request *r)
{
	if (r->device == NULL && r->offload == NULL)
		sf_die(SF_EX_USAGE,
		    "missing option: expected '--device', or '--offload' with "
		    "'--link' and '--supports'");
	if (r->device != NULL && r->offload != NULL)
		sf_die(SF_EX_USAGE,
		    "'--device' and '--offload' exclude each other");
	if (r->offload != NULL && (r->link == NULL || r->supports == NULL))
		sf_die(SF_EX_USAGE, "'--offload' needs '%s'",
		    r->link == NULL ? "--link" : "--supports");
	if (r->offload == NULL &&
	    (r->link != NULL || r->supports != NULL || r->host != NULL))
		sf_die(SF_EX_USAGE, "'%s' goes with '--offload' only",
		    r->link != NULL           ? "--link"
			: r->supports != NULL ? "--supports"
					      : "--host");
}

static void
load_offload(
    struct sf_cost *c, const struct sf_cost_request *r, struct sf_arena *arena)
{
	c->supports = r->supports;
	c->link = sf_link_load(r->link, arena);
	c->host = sf_device_load(r->host != NULL ? r->host : "host", arena);
	sf_config_add_inputs(c->stream, c->link->config);
	sf_config_add_inputs(c->stream, c->host->config);
}

enum {
	NSCOPES = 3
};

/* What --set can set; what is NULL is not there now. */
static void
make_scopes(struct sf_key_scope out[static NSCOPES], struct sf_device *device,
    struct sf_device *host, struct sf_link *link)
{
	const char *why = "goes with '--offload' only";

	out[0] = (struct sf_key_scope){ "", &sf_device_keys, device, NULL };
	out[1] = (struct sf_key_scope){ "host.", &sf_device_keys, host, why };
	out[2] = (struct sf_key_scope){ "link.", &sf_link_keys, link, why };
}

void
sf_cost_print_keys(struct sf_buf *out)
{
	struct sf_key_scope scopes[NSCOPES];

	make_scopes(scopes, NULL, NULL, NULL);
	sf_keys_print(scopes, NSCOPES, out);
}

void
sf_cost_print_names(struct sf_arena *arena, struct sf_buf *out)
{
	sf_config_list(sf_device_keys.dir, "device", arena, out);
	sf_config_list(sf_link_keys.dir, "link", arena, out);
}

struct sf_cost *
sf_cost_new(struct sf_stream *stream, const struct sf_cost_request *r)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_cost *c = sf_arena_calloc(arena, 1, sizeof *c);
	const char *device = r->device != NULL ? r->device : r->offload;
	struct sf_key_scope scopes[NSCOPES];

	check_request(r);
	c->stream = stream;
	c->devices = r->devices;
	c->products = r->products;
	c->tf32 = r->tf32;
	c->strict = r->strict;
	c->memory = r->memory;
	c->overhead_s = r->overhead_s;
	c->device = sf_device_load(device, arena);
	sf_config_add_inputs(stream, c->device->config);
	if (r->offload != NULL)
		load_offload(c, r, arena);
	make_scopes(scopes, c->device, c->host, c->link);
	sf_keys_apply(scopes, NSCOPES, &r->settings, arena);
	c->rates = sf_device_rates(c->device, r->devices);
	sf_tariff_init(&c->tariff, c->device, r->devices);
	sf_origins_init(&c->origins);
	sf_apart_init(&c->apart);
	if (r->offload == NULL)
		return c;
	sf_tariff_init(&c->host_tariff, c->host, 1);
	sf_offload_init(&c->offload, r->supports, c->link);
	return c;
}

void
sf_cost_free(struct sf_cost *c)
{
	if (c->link != NULL)
		sf_offload_release(&c->offload);
	sf_origins_release(&c->origins);
	sf_apart_release(&c->apart);
}

static void
put_device(const struct sf_cost *c)
{
	struct sf_device_record record = { .mode = SF_MODE_ROOFLINE,
		.device = *c->device,
		.devices = c->devices,
		.rates = c->rates,
		.memory = c->memory,
		.overhead_s = c->overhead_s,
		.ideal = c->devices > 1,
		.operands = c->products == SF_PRODUCTS_OPERANDS,
		.tf32 = c->tf32 };

	if (c->link != NULL) {
		record.mode = SF_MODE_OFFLOAD;
		record.host = *c->host;
		record.link = *c->link;
		record.supports = sf_str_of(c->supports);
	}
	sf_device_record_put(c->stream, &record);
}

static enum sf_cost_unit
unit_of(const struct sf_cost *c, enum sf_bound bound, enum sf_side side)
{
	if (bound == SF_BOUND_FREE)
		return SF_UNIT_NOBODY;
	if (c->link == NULL)
		return SF_UNIT_DEVICE;
	return side == SF_SIDE_ACCEL ? SF_UNIT_ACCEL : SF_UNIT_HOST;
}

/*
 * The rates of what runs OP; sets the type of its products and whose peak they
 * are costed at, where that makes a difference.
 */
static struct sf_rates
rates_of(struct sf_cost *c, struct sf_op *op, enum sf_side side,
    struct sf_op_cost *cost)
{
	struct sf_tariff *t =
	    side == SF_SIDE_ACCEL ? &c->tariff : &c->host_tariff;
	bool operands = c->products == SF_PRODUCTS_OPERANDS;
	enum sf_category category = op->counts.category;

	cost->type = cost->peak = SF_PEAK_NONE;
	if (!t->typed)
		return t->rates[category][SF_PEAK_NONE];
	cost->type = sf_op_peak(c->stream, op, operands ? NULL : &c->origins);
	if (cost->type == SF_PEAK_F32 && c->tf32)
		cost->type = SF_PEAK_TF32;
	return sf_tariff_of(t, category, cost->type, &cost->peak);
}

static void
cost_op(struct sf_cost *c)
{
	enum sf_side side = SF_SIDE_ACCEL;
	struct sf_op_cost cost = { .transfer_s = 0 };
	struct sf_rates rates;
	struct sf_op op;

	sf_op_read(c->stream, &op);
	if (!op.counted)
		sf_op_die(c->stream, &op,
		    "is not counted, expected a trace from sf-rules");
	if (op.cost.n != 0)
		sf_op_die(c->stream, &op,
		    "is costed already, expected a trace that has not been "
		    "through sf-cost");
	if (c->link != NULL) {
		side = sf_offload_side(&c->offload, op.counts.category);
		cost.transfer_s = sf_offload_op(&c->offload, &op);
	} else {
		sf_apart_take(&c->apart, &op);
	}
	rates = rates_of(c, &op, side, &cost);
	if (c->tariff.typed || c->host_tariff.typed)
		sf_origins_take(&c->origins, &op);
	cost.time_s = sf_roofline(
	    &op.counts, rates, c->memory, c->overhead_s, &cost.bound);
	cost.unit = unit_of(c, cost.bound, side);
	sf_op_cost_put(c->stream, &cost);
}

/* Says which types had no peak, in the stream and to the user. */
static void
say_missed(struct sf_cost *c, struct sf_tariff *tariff)
{
	enum sf_precision type = (enum sf_precision)0;
	struct sf_buf text = { 0 };

	while (sf_tariff_complain(tariff, &type, &text)) {
		sf_stream_note(c->stream, "%.*s", (int)text.n, text.p);
		sf_note("%.*s", (int)text.n, text.p);
		text.n = 0;
		if (c->strict)
			sf_stream_say_no(c->stream);
	}
	sf_buf_release(&text);
}

static void
end_trace(struct sf_cost *c)
{
	long long found = (long long)c->apart.found;

	say_missed(c, &c->tariff);
	if (c->link != NULL) {
		say_missed(c, &c->host_tariff);
		sf_offload_reset(&c->offload);
	}
	if (found != 0)
		sf_stream_note(c->stream,
		    "attention is in parts, %lld time%s: its scores are "
		    "written and read, which a device that runs it as one "
		    "operator does not do",
		    found, found == 1 ? "" : "s");
	sf_origins_reset(&c->origins);
	sf_apart_reset(&c->apart);
}

void
sf_cost_record(struct sf_cost *c, enum sf_kind kind)
{
	if (kind == SF_K_BODY)
		put_device(c);
	else if (kind == SF_K_DEVICE)
		sf_stream_die(c->stream, "the trace is costed already");
	else if (kind == SF_K_OP)
		cost_op(c);
	else if (kind == SF_K_END)
		end_trace(c);
}
