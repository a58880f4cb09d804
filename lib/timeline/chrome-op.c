/* The operator that a timeline is at. */
#include "timeline/chrome-op.h"

#include <stdlib.h>
#include <string.h>

#include "accel/lower.h"
#include "base/arena.h"
#include "trace/op-text.h"

enum {
	FIRST_ROOM = 64
};

void
sf_chrome_op_init(struct sf_chrome_op *o)
{
	*o = (struct sf_chrome_op){ .bound = "" };
}

void
sf_chrome_op_release(struct sf_chrome_op *o)
{
	sf_buf_release(&o->label);
	sf_buf_release(&o->type);
	sf_buf_release(&o->module);
	sf_buf_release(&o->inputs);
	sf_buf_release(&o->outputs);
	free(o->deps);
	free(o->middles);
}

void
sf_chrome_op_reset(struct sf_chrome_op *o, int cores)
{
	o->cores = cores;
	o->nmiddles = 0;
}

/* ---- what it is ---- */

static void
put(struct sf_buf *to, struct sf_str text)
{
	to->n = 0;
	sf_buf_put(to, text.p, text.n);
}

static void
take_deps(struct sf_chrome_op *o, const struct sf_lower *lower)
{
	if (lower->ndeps > o->room) {
		o->room = lower->ndeps;
		o->deps =
		    sf_reallocarray(o->deps, (size_t)o->room, sizeof *o->deps);
	}
	if (lower->ndeps != 0)
		memcpy(o->deps, lower->deps,
		    (size_t)lower->ndeps * sizeof *o->deps);
	o->ndeps = lower->ndeps;
}

static void
take_sim(
    struct sf_chrome_op *o, struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_sim sim = { .stalls = { false, 0, 0, 0, 0 } };

	o->bound = "";
	if (op->sim.n != 0) {
		sf_sim_read(stream, op, &sim);
		o->bound = sf_sim_bounds[sim.bound];
	}
	o->stalls = sim.stalls;
}

void
sf_chrome_op_take(struct sf_chrome_op *o, struct sf_stream *stream)
{
	struct sf_lower lower;
	struct sf_op op;

	sf_op_read(stream, &op);
	sf_lower_read(stream, &op, &lower);
	o->i = op.i;
	o->category = op.counted ? op.counts.category : SF_CAT_UNKNOWN;
	put(&o->type, op.name);
	put(&o->module, op.module);
	o->label.n = o->inputs.n = o->outputs.n = 0;
	sf_op_label(&o->label, &op);
	sf_tensors_text(&o->inputs, op.inputs, op.ninputs);
	for (int i = 0; i < op.noutputs; i++) {
		if (op.outputs[i].absent)
			continue; /* a result that is not wanted is none */
		if (o->outputs.n != 0)
			sf_buf_putc(&o->outputs, ' ');
		sf_tensors_text(&o->outputs, &op.outputs[i], 1);
	}
	take_deps(o, &lower);
	take_sim(o, stream, &op);
}

/* ---- where it was ---- */

void
sf_chrome_op_put(struct sf_chrome_op *o, int core, double middle)
{
	int64_t at = o->i * o->cores + core;

	if (at >= o->room_middles) {
		int64_t room =
		    o->room_middles != 0 ? o->room_middles : FIRST_ROOM;

		while (room <= at)
			room *= 2;
		o->middles = sf_reallocarray(
		    o->middles, (size_t)room, sizeof *o->middles);
		o->room_middles = room;
	}
	while (o->nmiddles <= at)
		o->middles[o->nmiddles++] = -1;
	o->middles[at] = middle;
}

double
sf_chrome_op_middle(const struct sf_chrome_op *o, int64_t i, int core)
{
	int64_t at = i * o->cores + core;

	return at < o->nmiddles ? o->middles[at] : -1;
}
