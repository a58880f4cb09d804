/* Where values are, and what it takes to bring them where they are read. */
#include "cost/offload.h"

#include "base/die.h"
#include "cost/roofline.h"

void
sf_offload_init(
    struct sf_offload *o, const char *categories, const struct sf_link *link)
{
	struct sf_error error;

	*o = (struct sf_offload){
		.link_bytes_per_s = link->bw,
		.link_latency_s = link->latency,
	};
	if (!sf_category_set_parse(categories, &o->supports, &error))
		sf_die(SF_EX_USAGE, "option '--supports': %s", error.text);
	sf_values_init(&o->values);
}

void
sf_offload_release(struct sf_offload *o)
{
	sf_values_release(&o->values);
}

void
sf_offload_reset(struct sf_offload *o)
{
	sf_values_reset(&o->values);
}

enum sf_side
sf_offload_side(const struct sf_offload *o, enum sf_category category)
{
	return (o->supports >> category & 1) != 0 ? SF_SIDE_ACCEL
						  : SF_SIDE_HOST;
}

/* The set of sides that TENSOR is on; what nobody made starts on one. */
static int
places_of(const struct sf_offload *o, const struct sf_tensor *tensor)
{
	struct sf_trace_value value = sf_value_of(&o->values, tensor);

	if (value.param)
		return SF_SIDE_ACCEL | SF_SIDE_HOST;
	return value.places != 0 ? value.places : SF_SIDE_ACCEL;
}

/* Seconds to bring TENSOR to SIDE; 0 when it is there. */
static double
bring(struct sf_offload *o, const struct sf_tensor *tensor, enum sf_side side)
{
	int places = places_of(o, tensor);

	if (tensor->absent || (places & (int)side) != 0)
		return 0;
	sf_value_place(&o->values, tensor, places | (int)side);
	return o->link_latency_s + (double)tensor->bytes / o->link_bytes_per_s;
}

double
sf_offload_op(struct sf_offload *o, const struct sf_op *op)
{
	enum sf_side side = sf_offload_side(o, op->counts.category);
	double seconds = 0;

	if (sf_cost_is_free(&op->counts)) {
		sf_values_pass(&o->values, op);
		return 0;
	}
	for (int i = 0; i < op->ninputs; i++)
		seconds += bring(o, &op->inputs[i], side);
	sf_values_make(&o->values, op, (int)side);
	return seconds;
}
