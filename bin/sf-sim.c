/* sf-sim - give the tiles of a lowered trace their times. */
#include "simfront.h"

#include "accel/accel.h"
#include "accel/engine.h"
#include "accel/lower.h"
#include "accel/nest.h"
#include "accel/summary.h"

static const struct sf_engine_type *const engines[] = { &sf_engine_fast };
static const char *const engine_names[] = { "fast", NULL };

/* One trace's run. */
struct run {
	struct sf_stream *stream;
	const struct sf_engine_type *type;
	struct sf_engine *engine; /* NULL before the accel record */
	struct sf_accel accel;
	struct sf_sink sink;
	int64_t op, tiles; /* the current operator, tiles told of so far */
};

static void
put_sim(void *to, const struct sf_op_result *result)
{
	const struct run *run = to;
	struct sf_jsonw *w = sf_stream_extend(run->stream);

	sf_jsonw_key(w, "sim");
	sf_jsonw_open(w, '{');
	sf_jsonw_kdouble(w, "start_s", result->start * run->accel.second);
	sf_jsonw_kdouble(w, "end_s", result->end * run->accel.second);
	sf_jsonw_kcstr(
	    w, "bound", result->compute_bound ? "compute" : "memory");
	sf_jsonw_kint(w, "tiled_bytes", result->tiled_bytes);
	sf_jsonw_close(w, '}');
	if (run->sink.tile != NULL)
		sf_stream_pass(run->stream);
}

static void
put_tile(void *to, const struct sf_times *t)
{
	struct run *run = to;
	struct sf_jsonw *w = sf_stream_record(run->stream, SF_K_TILE);
	const double times[SF_TILE_TIMES] = { t->issue, t->dep, t->alloc,
		t->load_end, t->comp_start, t->comp_end, t->store_start,
		t->store_end };

	sf_jsonw_kint(w, "i", run->tiles++);
	sf_jsonw_kint(w, "op", run->op);
	sf_jsonw_key(w, "t");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < SF_TILE_TIMES; i++)
		sf_jsonw_double(w, times[i]);
	sf_jsonw_close(w, ']');
	sf_stream_put(run->stream);
}

static void
begin(struct run *run)
{
	struct sf_error error;

	if (run->engine != NULL)
		sf_stream_die(run->stream, "a second accel record");
	sf_accel_read(run->stream, &run->accel);
	if (!run->type->accepts(&run->accel, &error))
		sf_stream_die(run->stream, "%s", error.text);
	run->engine = run->type->make(&run->accel, &run->sink);
	run->tiles = 0;
}

static void
run_op(struct run *run)
{
	struct sf_lower lower;
	struct sf_nest nest;
	struct sf_error error;
	struct sf_op op;

	sf_op_read(run->stream, &op);
	if (op.sim.n != 0)
		sf_op_die(run->stream, &op, "is simulated already");
	sf_lower_read(run->stream, &op, &lower);
	if (run->engine == NULL)
		sf_op_die(run->stream, &op,
		    "comes before any accel record, expected a trace from "
		    "sf-lower");
	if (lower.where == SF_ON_NONE)
		return;
	run->op = op.i;
	if (!sf_nest_init(&nest, &lower, &run->accel, &error) ||
	    !run->type->run(
		run->engine, op.i, &nest, lower.deps, lower.ndeps, &error))
		sf_op_die(run->stream, &op, "%s", error.text);
}

static void
end(struct run *run)
{
	struct sf_engine_cost cost;
	struct sf_meter meter;

	if (run->engine == NULL)
		sf_stream_die(run->stream,
		    "the trace has no accel record, expected a trace from "
		    "sf-lower");
	run->type->end(run->engine, &meter, &cost);
	sf_summary_put(
	    run->stream, run->type->name, &run->accel, &meter, &cost);
	run->type->free(run->engine);
	run->engine = NULL;
}

static void
run_all(struct run *run)
{
	enum sf_kind kind;

	while ((kind = sf_stream_next(run->stream)) != SF_K_EOF) {
		if (kind == SF_K_ACCEL)
			begin(run);
		else if (kind == SF_K_OP)
			run_op(run);
		else if (kind == SF_K_SUMMARY)
			sf_stream_die(
			    run->stream, "the trace is simulated already");
		else if (kind == SF_K_END)
			end(run);
	}
}

int
main(int argc, char *argv[])
{
	int engine = 0;
	bool tiles = false;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE('e', "engine", &engine, engine_names, "NAME",
		    "how times are found"),
		SF_OPT_FLAG('t', "tiles", &tiles,
		    "write each tile's eight times behind its operator"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-sim",
		.summary = "Simulate a lowered trace on its accelerator.",
		.opts = opts,
		.operands = "[FILE...]",
		.max_operands = -1,
		.operands_are_paths = true },
	    argc, argv);
	struct run run = { .stream = stream, .type = engines[engine] };

	run.sink = (struct sf_sink){
		.to = &run, .op = put_sim, .tile = tiles ? put_tile : NULL
	};
	run_all(&run);
	return sf_stream_close(stream);
}
