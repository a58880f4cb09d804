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
		.arena = sf_arena_new(),
	};
	if (!sf_category_set_parse(categories, &o->supports, &error))
		sf_die(SF_EX_USAGE, "option '--supports': %s", error.text);
	sf_table_init(&o->places, o->arena);
}

void
sf_offload_release(struct sf_offload *o)
{
	sf_table_release(&o->places);
	sf_arena_free(o->arena);
}

void
sf_offload_reset(struct sf_offload *o)
{
	sf_table_clear(&o->places);
	sf_arena_reset(o->arena);
}

enum sf_side
sf_offload_side(const struct sf_offload *o, enum sf_category category)
{
	return (o->supports >> category & 1) != 0 ? SF_SIDE_ACCEL
						  : SF_SIDE_HOST;
}

/* The set of sides that TENSOR is on. */
static int
places_of(const struct sf_offload *o, const struct sf_tensor *tensor)
{
	const struct sf_entry *e = sf_table_find(&o->places, tensor->tid);

	if (tensor->param)
		return SF_SIDE_ACCEL | SF_SIDE_HOST;
	return e != NULL ? (int)e->num : SF_SIDE_ACCEL;
}

static void
place(struct sf_offload *o, const struct sf_tensor *tensor, int places)
{
	if (!tensor->absent)
		sf_table_add(&o->places, tensor->tid)->num = places;
}

/* Seconds to bring TENSOR to SIDE; 0 when it is there. */
static double
bring(struct sf_offload *o, const struct sf_tensor *tensor, enum sf_side side)
{
	int places = places_of(o, tensor);

	if (tensor->absent || (places & (int)side) != 0)
		return 0;
	place(o, tensor, places | (int)side);
	return o->link_latency_s + (double)tensor->bytes / o->link_bytes_per_s;
}

double
sf_offload_op(struct sf_offload *o, const struct sf_op *op)
{
	enum sf_side side = sf_offload_side(o, op->counts.category);
	int outputs = (int)side;
	double seconds = 0;

	if (sf_cost_is_free(&op->counts))
		outputs = op->ninputs != 0 ? places_of(o, &op->inputs[0])
					   : SF_SIDE_ACCEL;
	else
		for (int i = 0; i < op->ninputs; i++)
			seconds += bring(o, &op->inputs[i], side);
	for (int i = 0; i < op->noutputs; i++)
		place(o, &op->outputs[i], outputs);
	return seconds;
}
