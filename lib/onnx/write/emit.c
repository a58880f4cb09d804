/* From operators and values to the records of a trace. */
#include "onnx/write/emit.h"

#include <stdlib.h>

#include "onnx/read/attrs.h"
#include "onnx/run/stated.h"
#include "stream/trace.h"
#include "trace/op.h"

/* Buffers that every record uses again. */
struct emitter {
	struct sf_arena *arena;
	struct sf_tensor *tensors;
	int ntensors, room;
	struct sf_jsonw attrs;
	struct sf_buf name;
};

static struct sf_tensor *
add_tensor(struct emitter *e)
{
	if (e->ntensors == e->room) {
		e->room = e->room != 0 ? e->room * 2 : 64;
		e->tensors = sf_reallocarray(
		    e->tensors, (size_t)e->room, sizeof *e->tensors);
	}
	e->tensors[e->ntensors] = (struct sf_tensor){ .dtype = SF_DT_UNKNOWN };
	return &e->tensors[e->ntensors++];
}

static void
put_value(struct emitter *e, const struct sf_value *value, struct sf_str tid,
    bool kept)
{
	struct sf_tensor *t = add_tensor(e);

	t->tid = tid;
	t->kept = kept;
	t->dtype = value->dtype;
	t->param = value->param;
	/* The shape of a sequence is not that of its elements, but for maps. */
	if ((value->kind == SF_ONNX_TYPE_SEQUENCE &&
		!sf_onnx_value_maps(value)) ||
	    value->item == SF_ONNX_TYPE_SEQUENCE ||
	    value->kind == SF_ONNX_TYPE_MAP || !value->rank_known)
		return;
	t->rank_known = true;
	t->rank = value->rank;
	t->shape = value->dims;
	t->dim_names = value->dim_names;
	if (t->param && sf_tensor_measure(t) && t->resolved)
		t->stored = value->stored;
}

/* An optional that holds nothing is as an input that is left out. */
static bool
is_nothing(const struct sf_value *v)
{
	return v->kind == SF_ONNX_TYPE_OPTIONAL && v->nitems == 0;
}

static bool
holds_sequence(const struct sf_value *v)
{
	return v->kind == SF_ONNX_TYPE_OPTIONAL && v->nitems == 1 &&
	    v->items != NULL && v->items[0]->kind == SF_ONNX_TYPE_SEQUENCE;
}

/* A sequence is written as its elements where they are known. */
static void
put_values(struct emitter *e, struct sf_value *const *values, int n)
{
	for (int i = 0; i < n; i++) {
		const struct sf_value *v = values[i];
		bool kept;

		if (v == NULL || is_nothing(v)) {
			add_tensor(e)->absent = true;
			continue;
		}
		kept = sf_onnx_value_of(values[i])->output;
		if (holds_sequence(v))
			v = v->items[0];
		if (v->kind != SF_ONNX_TYPE_SEQUENCE || v->nitems < 0 ||
		    v->nitems > SF_ONNX_MAX_ITEMS) {
			put_value(e, v, v->name, kept);
			continue;
		}
		for (int k = 0; k < v->nitems; k++)
			put_value(e, v->items[k],
			    sf_str_of(sf_arena_printf(e->arena, "%.*s[%d]",
				(int)v->name.n, v->name.p, k)),
			    kept);
	}
}

/* Why the operator cannot be counted; NULL when it can. */
static const char *
why_open(const struct sf_onnx_op *op)
{
	if (op->closed != NULL)
		return op->closed;
	for (int i = 0; i < op->ninputs; i++)
		if (op->inputs[i] != NULL &&
		    sf_onnx_value_open(op->inputs[i]) != NULL)
			return sf_onnx_value_open(op->inputs[i]);
	for (int i = 0; i < op->noutputs; i++)
		if (op->outputs[i] != NULL &&
		    sf_onnx_value_open(op->outputs[i]) != NULL)
			return sf_onnx_value_open(op->outputs[i]);
	return NULL;
}

static struct sf_op
record_of(struct emitter *e, const struct sf_onnx_op *op)
{
	const char *why = why_open(op);
	struct sf_op record = { .name = sf_onnx_type_name(&e->name, op->node),
		.node = op->name,
		.module = op->module,
		.folded = op->folded,
		.dead = op->dead };

	e->ntensors = 0;
	put_values(e, op->inputs, op->ninputs);
	put_values(e, op->learned, op->nlearned);
	record.ninputs = e->ntensors;
	put_values(e, op->outputs, op->noutputs);
	record.noutputs = e->ntensors - record.ninputs;
	record.inputs = e->tensors;
	if (e->tensors != NULL)
		record.outputs = e->tensors + record.ninputs;
	record.attrs = SF_STR("");
	if (op->node->nattrs != 0) {
		e->attrs.buf.n = 0;
		e->attrs.comma = false;
		sf_onnx_write_attrs(&e->attrs, op->node);
		record.attrs =
		    (struct sf_str){ e->attrs.buf.p, e->attrs.buf.n };
	}
	record.unresolved = why != NULL ? sf_str_of(why) : SF_STR("");
	return record;
}

static void
release(struct emitter *e)
{
	free(e->tensors);
	sf_buf_release(&e->attrs.buf);
	sf_buf_release(&e->name);
}

void
sf_onnx_each_record(const struct sf_onnx_run *run, int64_t from, int64_t to,
    sf_onnx_take_record *take, void *context)
{
	struct emitter e = { .arena = sf_arena_new() };

	for (int64_t i = from; i < to; i++) {
		struct sf_op record = record_of(&e, &run->ops[i]);

		take(context, &record, e.arena);
		sf_arena_reset(e.arena);
	}
	sf_arena_free(e.arena);
	release(&e);
}

/* The batch that was given, or that the first input shows; -1: none. */
static int64_t
batch_of(const struct sf_onnx_run *run, const struct sf_onnx_bind *bind)
{
	const struct sf_value *first = run->first_input;

	if (sf_table_find(&bind->dims, SF_STR("batch")) != NULL &&
	    sf_table_find(&bind->dropped, SF_STR("batch")) == NULL)
		return -1; /* it is there by that name */
	if (bind->batch >= 0)
		return bind->batch;
	return first != NULL && first->rank_known && first->rank > 0 &&
		first->dims[0] != SF_DIM_UNKNOWN
	    ? first->dims[0]
	    : -1;
}

/* The bound dimensions and the batch. */
static void
put_header(struct sf_stream *stream, const struct sf_onnx_run *run,
    const struct sf_onnx_bind *bind, struct sf_str name)
{
	int64_t batch = batch_of(run, bind);
	struct sf_workload_item *items =
	    sf_arena_calloc(run->arena, bind->dims.n + 1, sizeof *items);
	struct sf_trace trace = { .model = name,
		.route = SF_STR("onnx"),
		.workload = items,
		.params_count = run->params->count,
		.params_bytes = run->params->bytes };

	if (batch >= 0)
		items[trace.nworkload++] =
		    (struct sf_workload_item){ "batch", batch };
	for (size_t i = 0; i < bind->dims.n; i++) {
		const struct sf_entry *e = bind->dims.order[i];

		if (sf_table_find(&bind->dropped, e->name) == NULL)
			items[trace.nworkload++] =
			    (struct sf_workload_item){ e->name.p, e->num };
	}
	sf_trace_begin(stream, &trace);
}

/* Tells whoever reads the stream, and the user. */
static void
note(struct sf_stream *stream, const char *text)
{
	sf_stream_note(stream, "%s", text);
	sf_note("%s", text);
}

static void
note_open(struct sf_stream *stream, const struct sf_onnx_run *run)
{
	const char *first = NULL;
	int64_t n = 0;

	for (int64_t i = 0; i < run->nops; i++) {
		const char *why = why_open(&run->ops[i]);

		if (why != NULL && n++ == 0)
			first = why;
	}
	if (n != 0)
		note(stream,
		    sf_arena_printf(run->arena,
			"%lld of %lld operators are not resolved; the first: "
			"%s",
			(long long)n, (long long)run->nops, first));
}

static void
note_oddities(struct sf_stream *stream, const struct sf_onnx_run *run)
{
	if (run->nreplaced != 0)
		note(stream,
		    sf_arena_printf(run->arena,
			"%lld Constant nodes are left out, as later ones make "
			"values of the same names",
			(long long)run->nreplaced));
	if (run->nodd != 0)
		note(stream,
		    sf_arena_printf(run->arena,
			"%lld operators cannot be run as they are; the "
			"first: %s",
			(long long)run->nodd, run->odd));
	if (run->contents < 0)
		note(stream,
		    sf_arena_printf(run->arena,
			"constants of more than %d elements in all: the rest "
			"is not computed",
			SF_ONNX_MAX_CONTENTS));
	if (run->ncontradictions != 0)
		note(stream,
		    sf_arena_printf(run->arena,
			"%lld values are declared otherwise than their nodes "
			"make them; the latter is taken; the first: %s",
			(long long)run->ncontradictions, run->contradiction));
}

/* The user knows; whoever reads the stream has only the arguments. */
static void
note_changed(struct sf_stream *stream, const struct sf_onnx_bind *bind)
{
	if (bind->changed != NULL)
		sf_stream_note(stream,
		    "%s changes sizes that the model fixes: %s; those "
		    "that it declares for other values are not used",
		    bind->changed_by, bind->changed);
}

static void
put_record(void *stream, struct sf_op *record, struct sf_arena *arena)
{
	(void)arena;
	sf_op_put(stream, record);
}

void
sf_onnx_emit(struct sf_stream *stream, const struct sf_onnx_run *run,
    const struct sf_onnx_bind *bind, const struct sf_choices *choices,
    struct sf_str name)
{
	put_header(stream, run, bind, name);
	note_changed(stream, bind);
	if (bind->conflicts != NULL)
		note(stream,
		    sf_arena_printf(run->arena,
			"names of dimensions that are given two sizes, and so "
			"are taken for none: %s",
			bind->conflicts));
	if (choices->nassumed != 0)
		note(stream, sf_choices_note(choices));
	note_oddities(stream, run);
	note_open(stream, run);
	sf_onnx_each_record(run, 0, run->nops, put_record, stream);
	sf_trace_end(stream);
}
