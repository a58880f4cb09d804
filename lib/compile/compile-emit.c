/* A graph of a log as a trace. */
#include "compile/compile-emit.h"

#include <stdio.h>

#include "base/num.h"
#include "rules/rule.h"
#include "stream/trace.h"
#include "trace/op.h"

/* ---- the header ---- */

/* Where the log does not say: by the names of the graph's inputs. */
static const char *
direction_of(const struct sf_compile_graph *g)
{
	const struct sf_fx_module *top = g->graph->top;
	bool primals = false, tangents = false;

	if (g->entry->direction[0] != '\0')
		return g->entry->direction;
	for (int i = 0; i < top->ninputs; i++) {
		primals =
		    primals || sf_str_starts(top->inputs[i].name, "primals_");
		tangents =
		    tangents || sf_str_starts(top->inputs[i].name, "tangents_");
	}
	/* A joint graph declares all of them in lines of their own. */
	if (tangents)
		return top->declared ? "joint" : "backward";
	return primals ? "forward" : "inference";
}

static struct sf_str
describe_graph(const struct sf_compile_graph *g, struct sf_jsonw *w)
{
	const struct sf_log_entry *e = g->entry;

	sf_jsonw_open(w, '{');
	if (e->id.n != 0)
		sf_jsonw_kstr(w, "compile_id", e->id);
	sf_jsonw_kcstr(
	    w, "stage", sf_log_stages[sf_log_graphs[e->graph].stage]);
	sf_jsonw_kcstr(w, "direction", direction_of(g));
	if (g->rank >= 0)
		sf_jsonw_kint(w, "rank", g->rank);
	if (e->attempt > 0)
		sf_jsonw_kint(w, "attempt", e->attempt);
	sf_jsonw_close(w, '}');
	return (struct sf_str){ w->buf.p, w->buf.n };
}

/* The parameters among the inputs; -1 when one has no size. */
static void
add_params(const struct sf_compile_graph *g, struct sf_trace *trace)
{
	int64_t count = 0, bytes = 0;

	trace->params_count = trace->params_bytes = -1;
	if (!g->params_said)
		return;
	for (int i = 0; i < g->graph->top->ninputs; i++) {
		const struct sf_tensor *t = &g->program->inputs[i].tensor;

		if (g->params[i] &&
		    (!t->resolved || !sf_add(count, t->numel, &count) ||
			!sf_add(bytes, t->bytes, &bytes)))
			return;
	}
	trace->params_count = count;
	trace->params_bytes = bytes;
}

static void
put_header(struct sf_stream *stream, const struct sf_compile_graph *g)
{
	struct sf_arena *arena = g->program->arena;
	const struct sf_table *used = &g->program->symbols->used;
	const struct sf_log_entry *e = g->entry;
	struct sf_workload_item *items =
	    sf_arena_calloc(arena, used->n + 1, sizeof *items);
	struct sf_jsonw w = { .comma = false };
	struct sf_trace trace = { .route = SF_STR("compile"),
		.workload = items };

	trace.graph = describe_graph(g, &w);
	trace.model = sf_str_of(
	    sf_arena_printf(arena, "%.*s%s%.*s %s", SF_STR_ARG(g->model),
		e->id.n != 0 ? " " : "", SF_STR_ARG(e->id), direction_of(g)));
	if (g->rank >= 0)
		trace.model = sf_str_of(sf_arena_printf(arena, "%.*s rank %lld",
		    SF_STR_ARG(trace.model), (long long)g->rank));
	for (size_t i = 0; i < used->n; i++)
		items[trace.nworkload++] =
		    (struct sf_workload_item){ used->order[i]->name.p,
			    used->order[i]->num };
	add_params(g, &trace);
	sf_trace_begin(stream, &trace);
	sf_buf_release(&w.buf);
}

/* ---- operators ---- */

/* Why a tensor is not resolved. */
static const char *
why_open(const struct sf_tensor *t, struct sf_arena *arena)
{
	if (t->absent || t->resolved)
		return NULL;
	if (!t->rank_known)
		return sf_arena_printf(arena,
		    "the graph's text has no shape of '%.*s'",
		    SF_STR_ARG(t->tid));
	for (int i = 0; i < t->rank; i++)
		if (t->shape[i] == SF_DIM_UNKNOWN)
			return sf_arena_printf(arena,
			    "size '%.*s' of '%.*s' is not known; --dim gives "
			    "a symbol its size",
			    SF_STR_ARG(t->dim_names[i]), SF_STR_ARG(t->tid));
	return sf_arena_printf(arena,
	    "the element type of '%.*s' is none of the stream's",
	    SF_STR_ARG(t->tid));
}

/* Why an operator cannot be counted; NULL when it can. */
static const char *
why_not_counted(const struct sf_compile_graph *g, const struct sf_fx_op *op)
{
	const struct sf_rule *rule =
	    sf_rulebook_find(g->program->rules, op->name);
	const char *why = op->closed;

	if (rule != NULL && rule->constant)
		return why;
	for (int i = 0; why == NULL && i < op->ninputs; i++)
		why = why_open(&op->inputs[i], g->program->arena);
	for (int i = 0; why == NULL && i < op->noutputs; i++)
		why = why_open(&op->outputs[i], g->program->arena);
	return why;
}

/* Of a step of training the parts are graphs of their own behind Dynamo. */
static struct sf_str
phase_of(const struct sf_compile_graph *g)
{
	const char *direction = direction_of(g);

	if (g->entry->graph == SF_LOG_DYNAMO ||
	    (strcmp(direction, "forward") != 0 &&
		strcmp(direction, "backward") != 0))
		return SF_STR("");
	return sf_str_of(direction);
}

static void
put_ops(struct sf_stream *stream, const struct sf_compile_graph *g)
{
	struct sf_str phase = phase_of(g);

	for (int i = 0; i < g->program->nops; i++) {
		const struct sf_fx_op *op = &g->program->ops[i];
		const char *why = why_not_counted(g, op);

		sf_op_put(stream,
		    &(struct sf_op){ .phase = phase,
			.name = op->name,
			.node = op->node,
			.inputs = op->inputs,
			.ninputs = op->ninputs,
			.outputs = op->outputs,
			.noutputs = op->noutputs,
			.attrs = op->attrs,
			.unresolved =
			    why != NULL ? sf_str_of(why) : SF_STR("") });
	}
}

static void
put_notes(struct sf_stream *stream, const struct sf_compile_graph *g,
    struct sf_compile_open *all)
{
	const char *first = NULL;
	int open = 0;

	for (int i = 0; i < g->entry->nnotes; i++)
		sf_stream_note(stream, "%s", g->entry->notes[i]);
	if (!g->params_said)
		sf_stream_note(stream,
		    "the log does not say which inputs of the graph are "
		    "parameters");
	for (int i = 0; i < g->program->nops; i++) {
		const char *why = why_not_counted(g, &g->program->ops[i]);

		if (why != NULL && open++ == 0)
			first = why;
	}
	if (open != 0)
		sf_stream_note(stream,
		    "%d of %d operators are not resolved; the first: %s", open,
		    g->program->nops, first);
	if (all->open == 0 && open != 0)
		snprintf(all->first, sizeof all->first, "%s", first);
	all->ops += g->program->nops;
	all->open += open;
}

void
sf_compile_emit(struct sf_stream *stream, const struct sf_compile_graph *graph,
    struct sf_compile_open *open)
{
	put_header(stream, graph);
	put_notes(stream, graph, open);
	put_ops(stream, graph);
	sf_trace_end(stream);
}
