/* sf-model - write the trace of a published model, without PyTorch. */
#include "simfront.h"

#include <limits.h>
#include <string.h>

#include "config/config.h"
#include "model/element.h"
#include "model/model.h"

enum {
	DEVICE_META,
	DEVICE_CPU
};

enum {
	ROUTE_DISPATCH,
	ROUTE_EXPORT,
	ROUTE_COMPILE,
	ROUTE_ONNX,
	ROUTE_GPU
};

static const char *const route_names[] = { "dispatch", "export", "compile",
	"onnx", "gpu", NULL };
static const char *const device_names[] = { "meta", "cpu", NULL };
static const char *const attention_names[] = { "auto", "math", "fused", NULL };
static const char *const dtype_names[] = { "bf16", "f16", "f32", NULL };
static const char *const weight_names[] = { "config", "bf16", "f16", "f8", "i8",
	"i4", "f4", NULL };
static const char *const element_names[] = { "dtype", "bf16", "f16", "f8", "i8",
	"i4", "f4", NULL };
static const char *const logits_names[] = { "all", "last", NULL };
static const char *const kept_names[] = { "auto", "output", "cache", "both",
	NULL };
static const enum sf_dtype dtypes[] = { SF_DT_BF16, SF_DT_F16, SF_DT_F32 };

enum {
	ATTENTION_AUTO,
	ATTENTION_MATH,
	ATTENTION_FUSED
};

struct choice {
	int route, device, attention, dtype, weights, logits, kept;
	int kv, activations;
	int64_t batch, tokens, context, cache;
	const char *routing, *image;
	int64_t height, width, source, seconds;
	bool given;
};

static const struct sf_route *
route_of(const struct choice *c)
{
	static const struct sf_route *const routes[] = {
		[ROUTE_DISPATCH] = &sf_route_dispatch_meta,
		[ROUTE_EXPORT] = &sf_route_export,
		[ROUTE_COMPILE] = &sf_route_compile,
		[ROUTE_ONNX] = &sf_route_onnx,
		[ROUTE_GPU] = &sf_route_gpu,
	};

	if (c->route == ROUTE_DISPATCH && c->device == DEVICE_CPU)
		return &sf_route_dispatch_cpu;
	return routes[c->route];
}

/* HxW, two sizes. */
static void
set_image(struct choice *c)
{
	const char *at = c->image != NULL ? strchr(c->image, 'x') : NULL;

	if (c->image == NULL)
		return;
	if (at == NULL ||
	    !sf_int_parse(c->image, (size_t)(at - c->image), &c->height) ||
	    !sf_int_parse(at + 1, strlen(at + 1), &c->width) || c->height < 1 ||
	    c->width < 1)
		sf_die(SF_EX_USAGE,
		    "option '--image': found '%s', expected HEIGHTxWIDTH, such "
		    "as 224x224",
		    c->image);
}

/* Of a decode the cache, from which the next begins; else what is returned. */
static enum sf_model_kept
kept_of(const struct choice *c)
{
	static const enum sf_model_kept kept[] = { SF_KEPT_OUTPUT,
		SF_KEPT_OUTPUT, SF_KEPT_CACHE, SF_KEPT_BOTH };

	if (c->kept == 0 && c->context != 0)
		return SF_KEPT_CACHE;
	return kept[c->kept];
}

/*
 * PyTorch's mathematical attention is that of its meta device, its fused one
 * that of the CPU, and a GPU runs none but a fused one.
 */
static void
settle_attention(struct choice *c)
{
	if (c->attention == ATTENTION_MATH &&
	    (c->route == ROUTE_GPU || c->device == DEVICE_CPU))
		sf_die(SF_EX_USAGE,
		    "--attention math excludes --route gpu and --device cpu, "
		    "which run fused attention");
	if (c->attention != ATTENTION_FUSED || c->route == ROUTE_GPU)
		return;
	if (c->route != ROUTE_DISPATCH)
		sf_die(SF_EX_USAGE,
		    "--attention fused needs --route dispatch or gpu");
	c->device = DEVICE_CPU;
}

/* A chunk behind a cache is so many tokens, a decode is one. */
static void
settle_context(struct choice *c)
{
	if (c->cache != 0 && (c->context != 0 || c->tokens == 0))
		sf_die(SF_EX_USAGE,
		    "--cache goes with --tokens, and not with --decode");
	if (c->tokens != 0 && c->context != 0)
		sf_die(SF_EX_USAGE, "--tokens and --decode exclude each other");
	if (c->context != 0)
		c->tokens = 1;
	else
		c->context = c->cache;
}

/* Options that cannot be meant together; sets what was left to us. */
static void
settle(struct choice *c)
{
	c->given = c->tokens != 0 || c->context != 0;
	settle_context(c);
	settle_attention(c);
	if (c->route != ROUTE_DISPATCH && c->route != ROUTE_GPU &&
	    c->context != 0)
		sf_die(SF_EX_USAGE,
		    "%s needs --route dispatch or gpu: a cache is not exported",
		    c->cache != 0 ? "--cache" : "--decode");
	if (c->route != ROUTE_DISPATCH && c->device != DEVICE_META)
		sf_die(SF_EX_USAGE, "--device cpu needs --route dispatch");
	if (c->route != ROUTE_GPU && (c->kv != 0 || c->activations != 0))
		sf_die(SF_EX_USAGE, "--%s needs --route gpu",
		    c->kv != 0 ? "kv" : "activations");
	set_image(c);
}

/* The routing of a word, or of the file that the option names. */
static void
set_routing(
    struct sf_workload *work, struct sf_stream *stream, const char *routing)
{
	struct sf_config *file;

	if (routing == NULL || strcmp(routing, "balanced") == 0)
		return;
	if (strcmp(routing, "worst") == 0) {
		work->routing = SF_ROUTING_WORST;
		return;
	}
	file = sf_config_load("routing", routing, sf_stream_arena(stream));
	sf_stream_add_input(stream, file->path, file->crc32);
	work->routing = SF_ROUTING_FILE;
	work->routing_file = file;
}

static void
record_word(struct sf_stream *stream, const char *key, const char *word)
{
	const char *text =
	    sf_arena_printf(sf_stream_arena(stream), "\"%s\"", word);

	sf_stream_add_tool_member(stream, key, sf_str_of(text));
}

/* The tool record says what was taken, given or by default. */
static void
record(struct sf_stream *stream, const struct choice *c)
{
	if (c->route == ROUTE_DISPATCH)
		record_word(stream, "device", device_names[c->device]);
	record_word(stream, "dtype", dtype_names[c->dtype]);
	if (c->kv != 0)
		record_word(stream, "kv", element_names[c->kv]);
	if (c->activations != 0)
		record_word(
		    stream, "activations", element_names[c->activations]);
}

/* What is run, but for where tokens are routed to. */
static struct sf_workload
work_of(const struct choice *c)
{
	struct sf_workload work = { .batch = c->batch,
		.tokens = c->tokens,
		.context = c->context,
		.dtype = dtypes[c->dtype],
		.last_logits = c->logits == 1,
		.given = c->given,
		.source = c->source,
		.seconds = c->seconds,
		.image_height = c->height,
		.image_width = c->width,
		.kept = kept_of(c) };

	if (c->kv != 0)
		work.kv = sf_element_cache(element_names[c->kv]);
	if (c->activations != 0)
		work.activations =
		    sf_element_activations(element_names[c->activations]);
	if (c->weights != 0)
		work.weights = weight_names[c->weights];
	return work;
}

/* What --list prints. */
static int
print_names(struct sf_stream *stream)
{
	struct sf_buf out = { 0 };

	sf_stream_ask(stream, "--list");
	sf_config_list("models", NULL, sf_stream_arena(stream), &out);
	return sf_stream_answer(stream, &out);
}

int
main(int argc, char *argv[])
{
	struct choice c = { .batch = 1 };
	bool list = false;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE('r', "route", &c.route, route_names, "ROUTE",
		    "how PyTorch sees the model"),
		SF_OPT_CHOICE('d', "device", &c.device, device_names, "DEVICE",
		    "where the dispatch route runs"),
		SF_OPT_CHOICE('a', "attention", &c.attention, attention_names,
		    "HOW", "attention in parts, or as one operator"),
		SF_OPT_INT('t', "tokens", &c.tokens, 1, INT64_MAX, "N",
		    "a prefill of N tokens (default 2048)"),
		SF_OPT_INT('c', "decode", &c.context, 1, INT64_MAX - 1,
		    "CONTEXT", "one token behind CONTEXT in a cache"),
		SF_OPT_INT('C', "cache", &c.cache, 1, INT64_MAX - 1, "CONTEXT",
		    "the N tokens are behind CONTEXT in a cache"),
		SF_OPT_INT('b', "batch", &c.batch, 1, INT64_MAX, "N",
		    "sequences (default 1)"),
		SF_OPT_CHOICE('D', "dtype", &c.dtype, dtype_names, "TYPE",
		    "of the parameters"),
		SF_OPT_CHOICE('L', "logits", &c.logits, logits_names, "WHICH",
		    "of all tokens, or of the last of a sequence"),
		SF_OPT_CHOICE('k', "kept", &c.kept, kept_names, "WHAT",
		    "outlives the call"),
		SF_OPT_CHOICE('w', "weights", &c.weights, weight_names, "TYPE",
		    "how weights are stored"),
		SF_OPT_CHOICE('K', "kv", &c.kv, element_names, "TYPE",
		    "of what the cache holds"),
		SF_OPT_CHOICE('A', "activations", &c.activations, element_names,
		    "TYPE", "of what products read"),
		SF_OPT_CONFIG('R', "routing", &c.routing, "HOW",
		    "which experts tokens go to: balanced, worst or a file"),
		SF_OPT_INT('s', "source", &c.source, 1, INT64_MAX, "N",
		    "tokens that an encoder reads for the decoder"),
		SF_OPT_INT('S', "audio", &c.seconds, 1, INT64_MAX / 100,
		    "SECONDS", "audio that an encoder hears"),
		SF_OPT_STR('i', "image", &c.image, "HxW",
		    "an image that the tower sees, or each of a batch"),
		SF_OPT_FLAG('l', "list", &list, "print the models and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-model",
		.sandboxed = true,
		.summary =
		    "Write the trace of a published model, without PyTorch.",
		.opts = opts,
		.operands = "NAME|CONFIG.json",
		.max_operands = 1,
		.operands_are_configs = true },
	    argc, argv);
	const struct sf_config *config;
	struct sf_workload work;

	if (list)
		return print_names(stream);
	if (sf_stream_cmdline(stream)->noperands == 0)
		sf_die(SF_EX_USAGE,
		    "missing operand; usage: sf-model [option...] "
		    "NAME|CONFIG.json");
	settle(&c);
	config = sf_config_load("models",
	    sf_stream_cmdline(stream)->operands[0], sf_stream_arena(stream));
	sf_stream_add_input(stream, config->path, config->crc32);
	record(stream, &c);
	work = work_of(&c);
	set_routing(&work, stream, c.routing);
	sf_stream_settle(stream);
	sf_model_write(stream, config, route_of(&c), &work);
	return sf_stream_close(stream);
}
