/* From a configuration to a trace. */
#include "model/model.h"

#include "base/die.h"
#include "base/table.h"
#include "model/arch.h"
#include "model/element.h"
#include "model/fuse.h"
#include "model/lower-aten.h"
#include "model/mask.h"
#include "model/run.h"
#include "model/whole.h"
#include "stream/trace.h"

static void
begin(struct sf_stream *stream, const struct sf_build *b, const char *name)
{
	struct sf_workload_item items[8];
	size_t n = sf_run_workload(b, items);

	sf_trace_begin(stream,
	    &(struct sf_trace){ .model = sf_str_of(name),
		.route = sf_str_of(b->route->name),
		.workload = items,
		.nworkload = (int)n,
		.params_count = b->graph.param_elements,
		.params_bytes = b->graph.param_bytes });
}

/* What PyTorch itself has no kernel or no translation for. */
static void
check_experts(const struct sf_config *config, const struct sf_build *b)
{
	const struct sf_arch *a = b->arch;
	int64_t width = a->expert_width != 0 ? a->expert_width : a->hidden;

	if (!sf_arch_has_experts(a)) {
		if (b->work.routing != SF_ROUTING_BALANCED &&
		    a->family->router == SF_ROUTER_NONE)
			sf_die(SF_EX_USAGE,
			    "--routing needs a model with experts, which '%s' "
			    "has not",
			    config->name);
		return;
	}
	if (sf_fuses(b))
		return;
	if (b->route->lower->grouped_mm == NULL)
		sf_config_die(config, &config->root,
		    "the model has experts, for which PyTorch has no ONNX: it "
		    "cannot translate aten.histc of integers");
	if (sf_aten_grouped_mm_falls_back(b))
		return;
	if (b->work.dtype == SF_DT_F32)
		sf_config_die(config, &config->root,
		    "the model has experts, which PyTorch runs in bf16 and "
		    "f16 only");
	if (width % 8 != 0 || a->expert_inner % 8 != 0)
		sf_config_die(config, &config->root,
		    "the experts are of %lld by %lld, expected multiples of 8, "
		    "which PyTorch's grouped product needs",
		    (long long)width, (long long)a->expert_inner);
}

/* A product has the wider type of its two sides. */
static void
check_activations(const struct sf_build *b)
{
	const struct sf_element *e = b->work.activations;

	if (e != NULL && e->dtype != b->work.dtype &&
	    b->arch->quant.name == NULL)
		sf_die(SF_EX_USAGE,
		    "--activations %s needs weights in fewer bits, expected "
		    "--weights or a configuration that has them",
		    e->name);
}

/* What no route can be given, or this one not. */
static void
check_route(const struct sf_config *config, const struct sf_build *b)
{
	check_experts(config, b);
	check_activations(b);
	if (sf_fuses(b))
		sf_fuse_check(b, config);
	if (b->arch->family->aten_only && b->route->aten == NULL)
		sf_config_die(config, &config->root,
		    "'model_type' is '%s', which sf-model does not write as "
		    "ONNX",
		    b->arch->family->model_type);
}

static void
check_kept(const struct sf_config *config, const struct sf_build *b)
{
	if (b->work.kept == SF_KEPT_OUTPUT)
		return;
	if (b->arch->bidirectional)
		sf_die(SF_EX_USAGE,
		    "--kept needs a decoder, and '%s' is an encoder",
		    config->name);
	if (!sf_cache_used(b))
		sf_die(SF_EX_USAGE,
		    "--kept needs a cache, which a prefill has in the dispatch "
		    "route on the device meta alone");
}

/*
 * The tool record tells what was assumed, and the parameters that a token is
 * multiplied with beside those that are stored.
 */
static void
record_experts(struct sf_stream *stream, const struct sf_build *b)
{
	static const char *const names[] = { "\"balanced\"", "\"worst\"",
		"\"counted\"" };
	const struct sf_graph *g = &b->graph;
	const char *text;

	if (!sf_arch_has_experts(b->arch) || b->parts == SF_PART_TOWER)
		return;
	text = names[b->work.routing];
	sf_stream_add_tool_member(stream, "routing", sf_str_of(text));
	text = sf_arena_printf(sf_stream_arena(stream),
	    "{\"count\":%lld,\"bytes\":%lld}",
	    (long long)(g->param_elements - b->idle_elements),
	    (long long)(g->param_bytes - b->idle_bytes));
	sf_stream_add_tool_member(stream, "active_params", sf_str_of(text));
}

/* How weights are stored, where it is not as they are computed with. */
static void
record_weights(struct sf_stream *stream, const struct sf_build *b)
{
	const char *name = b->arch->quant.name, *text;

	if (name == NULL)
		return;
	text = sf_arena_printf(sf_stream_arena(stream), "\"%s\"", name);
	sf_stream_add_tool_member(stream, "weights", sf_str_of(text));
}

/* Of a model of several parts, the parameters of all of them. */
static void
record_whole(struct sf_stream *stream, const struct sf_build *b)
{
	int64_t count, bytes;
	const char *text;

	if (!sf_run_count(b, &count, &bytes))
		return;
	text = sf_arena_printf(sf_stream_arena(stream),
	    "{\"count\":%lld,\"bytes\":%lld}", (long long)count,
	    (long long)bytes);
	sf_stream_add_tool_member(stream, "whole_params", sf_str_of(text));
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

/* What the family has that PyTorch has not, or that is not run. */
static void
note_family(struct sf_stream *stream, const struct sf_arch *a)
{
	if (a->family->unchecked)
		sf_stream_note(stream,
		    "transformers has no model of type '%s': its products are "
		    "those of closed forms, and no capture was compared",
		    a->family->model_type);
	if (a->labels_assumed)
		sf_stream_note(stream,
		    "the configuration names no labels: the classifier has "
		    "%lld, %s",
		    (long long)a->labels,
		    a->labels == 2
			? "the default of transformers"
			: "those of ImageNet, and the default of transformers "
			  "is 2");
	if (a->rotary_asks != NULL)
		sf_stream_note(stream,
		    "PyTorch asks for the value of the last place, by which it "
		    "chooses the frequencies of a rotary embedding of type "
		    "'%s': no capture without values has one, and the trace is "
		    "as with the frequencies of the buffer",
		    a->rotary_asks);
	if (a->more_heads != 0)
		sf_stream_note(stream,
		    "the model has %lld layers that predict tokens further on, "
		    "which are %s",
		    (long long)a->more_heads,
		    a->family->counts_heads ? "counted and not run"
					    : "neither run nor counted");
}

/* What the trace is of, where that is not the whole model as it is. */
static void
note_parts(struct sf_stream *stream, const struct sf_build *b)
{
	const struct sf_arch *a = b->arch;

	if (a->text_part && b->parts == SF_PART_TEXT)
		sf_stream_note(stream,
		    "the model has several parts, and the trace is that of its "
		    "text model");
	if (a->text_part && b->parts == SF_PART_TOWER)
		sf_stream_note(stream,
		    "the model has several parts, and the trace is that of its "
		    "tower");
	if (b->parts == SF_PART_TOWER && a->whole != NULL &&
	    a->whole->breaks_graphs && b->route == &sf_route_compile)
		sf_stream_note(stream,
		    "torch.compile makes several graphs of this tower; the "
		    "operators are those of them as one");
	if (b->parts == SF_PART_TOWER && a->whole != NULL && a->whole->stated)
		sf_stream_note(stream,
		    "PyTorch captures this tower only with an image's values: "
		    "products and weights are exact, the order of other "
		    "operators is stated");
	if (!a->text_part && b->parts == SF_PART_TOWER && b->work.given)
		sf_stream_note(
		    stream, "the model sees images, and has no tokens");
	if (a->quant.name != NULL && b->work.activations == NULL)
		sf_stream_note(stream,
		    "weights are stored as %s, and the operators are those of "
		    "the model that is not quantised",
		    a->quant.name);
}

/* Workloads that are not the model's. */
static void
check_workload(const struct sf_config *config, const struct sf_arch *a,
    const struct sf_workload *work, bool fuses)
{
	if (a->family->no_f16 && work->dtype == SF_DT_F16)
		sf_config_die(config, &config->root,
		    "'model_type' is '%s', which PyTorch clamps by values in "
		    "f16: expected --dtype bf16 or f32",
		    a->family->model_type);
	if ((a->bidirectional || a->cacheless) && work->context != 0)
		sf_die(SF_EX_USAGE,
		    "a cache needs a decoder, and '%s' is an encoder",
		    config->name);
	if (a->ssm != NULL && work->context != 0 && work->tokens > 1 && !fuses)
		sf_die(SF_EX_USAGE,
		    "--cache of '%s', which keeps states, needs --route gpu",
		    config->name);
	if ((a->bidirectional || a->cacheless || a->headless) &&
	    work->last_logits)
		sf_die(SF_EX_USAGE,
		    "--logits last needs a causal language model, and '%s' is "
		    "none",
		    config->name);
}

/*
 * A model that scans its tokens has more operators than are worth keeping: a
 * route that changes none of them writes them round by round.
 */
static bool
streams(const struct sf_build *b)
{
	const struct sf_arch *a = b->arch;

	return !b->route->pruned && !b->route->fuses &&
	    (a->ssm != NULL || a->compression != NULL);
}

/* The parameters, which the trace tells first: of a run that is not written. */
static void
count(struct sf_build *b)
{
	struct sf_build first = *b;

	first.graph.arena = sf_arena_new();
	first.graph.writer = sf_writer_new(NULL);
	sf_run_parts(&first);
	b->graph.param_elements = first.graph.param_elements;
	b->graph.param_bytes = first.graph.param_bytes;
	b->idle_elements = first.idle_elements;
	b->idle_bytes = first.idle_bytes;
	sf_writer_free(first.graph.writer);
	sf_arena_free(first.graph.arena);
}

/* What comes before the operators. */
static void
write_head(struct sf_stream *stream, const struct sf_build *b, const char *name)
{
	record_experts(stream, b);
	record_weights(stream, b);
	record_whole(stream, b);
	begin(stream, b, name);
	note_positions(stream, b);
	note_parts(stream, b);
	note_family(stream, b->arch);
}

/* Runs the model, all of it in memory. */
static void
run_whole(struct sf_build *b)
{
	struct sf_val *result = sf_run_parts(b);

	result->kept = b->work.kept != SF_KEPT_CACHE;
	if (b->route->pruned)
		sf_graph_prune(&b->graph, result);
	if (b->route->fuses)
		sf_fuse_sums(b);
}

/* Runs it once more while it is written; the last operators are not yet. */
static void
run_again(struct sf_build *b, struct sf_writer *writer)
{
	struct sf_build again = *b;

	again.graph.param_elements = again.graph.param_bytes = 0;
	again.graph.writer = writer;
	sf_run_parts(&again)->kept = b->work.kept != SF_KEPT_CACHE;
	if (again.graph.param_elements != b->graph.param_elements ||
	    again.graph.param_bytes != b->graph.param_bytes)
		sf_bug("two runs of a model with different parameters");
	b->graph = again.graph;
}

void
sf_model_write(struct sf_stream *stream, const struct sf_config *config,
    const struct sf_route *route, const struct sf_workload *work)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_build b = { .graph = { .arena = arena,
				  .source = config->path,
				  .fake = route->tracing && !route->pruned },
		.route = route,
		.work = *work };
	struct sf_arch arch;
	struct sf_writer *writer = sf_writer_new(stream);
	struct sf_table constants;

	sf_arch_read(&arch, config, arena);
	if (work->weights != NULL &&
	    !sf_quant_named(&arch.quant, work->weights))
		sf_bug("weights of type '%s'", work->weights);
	/* An engine runs of all experts those of a token. */
	if (route->fuses && arch.run_all != NULL)
		arch.routed = arch.run_all;
	b.arch = &arch;
	check_workload(config, &arch, work, route->fuses);
	sf_run_choose(&b, &arch, config);
	check_route(config, &b);
	check_kept(config, &b);
	sf_table_init(&constants, arena);
	b.constants = &constants;
	if (streams(&b)) {
		count(&b);
		write_head(stream, &b, config->name);
		run_again(&b, writer);
	} else {
		run_whole(&b);
		write_head(stream, &b, config->name);
	}
	sf_graph_write(&b.graph, writer);
	sf_trace_end(stream);
	sf_table_release(&constants);
	sf_writer_free(writer);
}
