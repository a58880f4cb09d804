/* Writes the operators of a model's trace. */
#include "model/graph.h"

#include <stdlib.h>

#include "base/die.h"
#include "base/num.h"

/* The tensors of one operator, in memory that the next one uses again. */
struct tensors {
	struct sf_tensor *v;
	char (*names)[24]; /* of those without one: "t0" */
	int room;
};

struct sf_writer {
	struct sf_stream *stream; /* NULL: nothing is written */
	int64_t last;             /* number of a tensor */
	struct tensors inputs, outputs;
};

struct sf_writer *
sf_writer_new(struct sf_stream *stream)
{
	struct sf_writer *w = sf_malloc(sizeof *w);

	*w = (struct sf_writer){ .stream = stream };
	return w;
}

void
sf_writer_free(struct sf_writer *w)
{
	free(w->inputs.v);
	free(w->inputs.names);
	free(w->outputs.v);
	free(w->outputs.names);
	free(w);
}

static struct sf_str
tid_of(const struct sf_val *val, char *text)
{
	if (val->name != NULL)
		return sf_str_of(val->name);
	text[0] = 't';
	return (struct sf_str){ text,
		1 + sf_int_format(val->number - 1, text + 1) };
}

/* It was measured when it was made, but for what a tensor's record needs. */
static void
measure(struct sf_tensor *t, const struct sf_val *val)
{
	if (!sf_tensor_measure(t))
		sf_bug("a parameter that is too large");
	t->stored = sf_val_stored(val);
}

static void
need_room(struct tensors *t, int n)
{
	if (n <= t->room)
		return;
	t->room = n > 2 * t->room ? n : 2 * t->room;
	t->v = sf_reallocarray(t->v, (size_t)t->room, sizeof *t->v);
	t->names = sf_reallocarray(t->names, (size_t)t->room, sizeof *t->names);
}

static void
describe(
    struct sf_writer *w, struct sf_val *const *vals, int n, struct tensors *out)
{
	need_room(out, n);
	for (int i = 0; i < n; i++) {
		struct sf_val *val = vals[i];
		struct sf_tensor *t = &out->v[i];

		if (val == NULL) {
			*t = (struct sf_tensor){ .absent = true };
			continue;
		}
		if (val->name == NULL && val->number == 0)
			val->number = ++w->last;
		*t = (struct sf_tensor){ .dtype = val->dtype,
			.param = val->param,
			.kept = val->kept,
			.cache = val->cache,
			.resolved = true,
			.rank_known = true,
			.rank = val->rank,
			.shape = val->shape,
			.tid = tid_of(val, out->names[i]) };
		if (val->param && val->stored != 0)
			measure(t, val);
	}
}

static void
write_node(struct sf_writer *w, const struct sf_graph_node *n)
{
	describe(w, n->inputs, n->ninputs, &w->inputs);
	if (n->unread != 0) {
		struct sf_tensor *t = &w->inputs.v[n->partial];

		measure(t, n->inputs[n->partial]);
		t->unread = n->unread;
	}
	describe(w, n->outputs, n->noutputs, &w->outputs);
	sf_op_put(w->stream,
	    &(struct sf_op){ .name = sf_str_of(n->op),
		.module = sf_str_of(n->module != NULL ? n->module : ""),
		.inputs = w->inputs.v,
		.ninputs = n->ninputs,
		.outputs = w->outputs.v,
		.noutputs = n->noutputs,
		.attrs = sf_str_of(n->attrs != NULL ? n->attrs : ""),
		.folded = n->folded });
}

void
sf_graph_write(struct sf_graph *graph, struct sf_writer *w)
{
	if (w->stream != NULL)
		for (const struct sf_graph_node *n = graph->first; n != NULL;
		     n = n->next)
			write_node(w, n);
	graph->first = graph->last = NULL;
}
