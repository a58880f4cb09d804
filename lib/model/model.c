/* From a configuration to a trace. */
#include "model/model.h"

#include "base/table.h"
#include "model/arch.h"
#include "stream/trace.h"

static void
begin(struct sf_stream *stream, const struct sf_build *b, const char *name)
{
	struct sf_workload_item items[3] = {
		{ "batch", b->work.batch },
		{ "tokens", b->work.tokens },
		{ "context", b->work.context },
	};

	sf_trace_begin(stream,
	    &(struct sf_trace){ .model = sf_str_of(name),
		.route = sf_str_of(b->route->name),
		.workload = items,
		.nworkload = b->work.context != 0 ? 3 : 2,
		.params_count = b->graph.param_elements,
		.params_bytes = b->graph.param_bytes });
}

/* PyTorch would look outside of the table if there were numbers in it. */
static void
note_positions(struct sf_stream *stream, const struct sf_build *b)
{
	int64_t last = b->work.context + b->work.tokens;

	if (b->arch->positions != 0 && last > b->arch->positions)
		sf_stream_note(stream,
		    "the model has %lld positions, and the workload needs %lld",
		    (long long)b->arch->positions, (long long)last);
}

void
sf_model_write(struct sf_stream *stream, const struct sf_config *config,
    const struct sf_route *route, const struct sf_workload *work)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_build b = { .graph = { .arena = arena,
				  .source = config->path },
		.route = route,
		.work = *work };
	struct sf_arch arch;
	struct sf_val *ids, *logits;
	struct sf_table constants;

	sf_arch_read(&arch, config, arena);
	b.arch = &arch;
	sf_table_init(&constants, arena);
	b.constants = &constants;
	ids = sf_val_new(
	    &b.graph, SF_DT_I64, 2, (int64_t[]){ work->batch, work->tokens });
	ids->name = "input_ids";
	logits = arch.family->run(&b, ids);
	if (route->pruned)
		sf_graph_prune(&b.graph, logits);
	begin(stream, &b, config->name);
	note_positions(stream, &b);
	sf_graph_write(&b.graph, stream);
	sf_trace_end(stream);
	sf_table_release(&constants);
}
