/* The cost of running some operators on a device and the rest on a host. */
#include "ep/split.h"

#include <stdlib.h>

#include "accel/bound-tiles.h"
#include "accel/nest.h"
#include "base/num.h"
#include "cost/peak.h"

/* Nothing is asked of single operators. */
static void
ignore_op(void *to, const struct sf_op_result *result)
{
	(void)to;
	(void)result;
}

void
sf_split_init(struct sf_split *s, const struct sf_accel *accel,
    const struct sf_device *host, const struct sf_link *link, int64_t most)
{
	*s = (struct sf_split){
		.accel = accel,
		.type = &sf_engines[SF_ENGINE_fast],
		.host = sf_device_rates(host, 1),
		.host_device = host,
		.link_bytes_per_s = link->bw,
		.link_latency_s = link->latency,
		.sink = { .op = ignore_op },
		.nests = sf_nests_new(accel),
		.most = most,
	};
	sf_values_init(&s->values);
	sf_lowering_init(&s->lowering);
}

void
sf_split_release(struct sf_split *s)
{
	free(s->nests);
	sf_values_release(&s->values);
	sf_lowering_release(&s->lowering);
}

void
sf_split_reset(struct sf_split *s)
{
	s->cost = (struct sf_split_cost){ 0 };
	s->tiles = 0;
	sf_values_reset(&s->values);
	sf_lowering_reset(&s->lowering);
}

void
sf_split_begin(struct sf_split *s)
{
	s->engine = s->type->make(s->accel, &s->sink);
}

/* ---- where tensors are ---- */

/* True when an operator of that side has the value where it reads it. */
static bool
is_on(
    const struct sf_split *s, const struct sf_tensor *tensor, enum sf_side side)
{
	struct sf_trace_value value = sf_value_of(&s->values, tensor);
	int places = value.places != 0 ? value.places : SF_SIDE_ACCEL;

	return value.param || places == (int)side;
}

static void
move(struct sf_split *s, struct sf_stream *stream, const struct sf_op *op,
    const struct sf_tensor *tensor, enum sf_side side)
{
	if (!tensor->resolved)
		sf_op_die(stream, op,
		    "tensor '%.*s' crosses the link and its size is not known",
		    SF_STR_ARG(tensor->tid));
	if (!sf_add(
		s->cost.crossing_bytes, tensor->bytes, &s->cost.crossing_bytes))
		sf_op_die(
		    stream, op, "more than 2^63 - 1 bytes cross the link");
	s->cost.crossings++;
	s->cost.link_s +=
	    s->link_latency_s + (double)tensor->bytes / s->link_bytes_per_s;
	sf_value_place(&s->values, tensor, (int)side);
}

static void
bring_inputs(struct sf_split *s, struct sf_stream *stream,
    const struct sf_op *op, enum sf_side side)
{
	for (int i = 0; i < op->ninputs; i++) {
		const struct sf_tensor *tensor = &op->inputs[i];

		if (!tensor->absent && !is_on(s, tensor, side))
			move(s, stream, op, tensor, side);
	}
}

/* ---- running ---- */

/* That of the type that the operator's products multiply. */
static double
host_peak(const struct sf_device *host, struct sf_stream *stream,
    const struct sf_op *op)
{
	enum sf_precision used;

	if (!sf_device_has_peaks(host))
		return host->peak_flops;
	return sf_device_peak(host, sf_op_peak(stream, op, NULL), &used);
}

/* What the host makes is made by nobody, as the device's program sees it. */
static void
run_on_host(
    struct sf_split *s, struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_op made = *op;
	struct sf_lower lower;
	enum sf_bound bound;

	made.counts = (struct sf_counts){ .category = SF_CAT_VIEW };
	made.ninputs = 0;
	sf_lower_op(&s->lowering, stream, s->accel, &made, &lower);
	s->cost.host_s += sf_roofline(&op->counts,
	    sf_device_rates_at(s->host_device, 1, op->counts.category,
		host_peak(s->host_device, stream, op)),
	    SF_MEMORY_UNFUSED, 0, &bound);
}

static void
run_on_device(
    struct sf_split *s, struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_error error;
	struct sf_lower lower;

	sf_lower_op(&s->lowering, stream, s->accel, op, &lower);
	if (lower.where == SF_ON_NONE)
		return;
	if (!sf_bound_tiles(&s->tiles, lower.tiles, s->most, &error) ||
	    !sf_nest_init(s->nests, &lower, s->accel, &error) ||
	    !s->type->run(
		s->engine, op->i, s->nests, lower.deps, lower.ndeps, &error))
		sf_op_die(stream, op, "%s", error.text);
}

void
sf_split_op(struct sf_split *s, struct sf_stream *stream,
    const struct sf_op *op, enum sf_side side)
{
	if (sf_cost_is_free(&op->counts)) {
		/* The device's program looks through it to what is behind. */
		run_on_device(s, stream, op);
		sf_values_pass(&s->values, op);
		return;
	}
	bring_inputs(s, stream, op, side);
	if (side == SF_SIDE_ACCEL)
		run_on_device(s, stream, op);
	else
		run_on_host(s, stream, op);
	sf_values_make(&s->values, op, (int)side);
}

void
sf_split_end(struct sf_split *s, struct sf_stream *stream)
{
	struct sf_engine_cost cost;
	struct sf_meter meter;
	struct sf_error error;

	if (!s->type->end(s->engine, &meter, &cost, &error))
		sf_stream_die(stream, "%s", error.text);
	s->type->free(s->engine);
	s->engine = NULL;
	s->cost.tiles = meter.tiles;
	s->cost.device_s = meter.makespan * s->accel->second;
}
