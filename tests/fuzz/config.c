/*
 * A configuration: as a model when it says so, else as the accelerator, the
 * device and the link that it may be.
 */
#include "stages.h"

#include <string.h>

static void
try_machine(const char *path)
{
	struct bytes in = counted_trace;
	struct run run;

	run = RUN(lower, in, DONE | REFUSED, "--preset", path, );
	if (run.status == 0)
		stage_sim(run.out, true);
	run_free(&run);
	run = RUN(cost, in, DONE | REFUSED, "--device", path, );
	if (run.status == 0)
		stage_sinks(run.out, DONE);
	run_free(&run);
	run = RUN(cost, in, DONE | REFUSED, "--offload", "optical", "--link",
	    path, "--supports", "matmul", );
	if (run.status == 0)
		stage_sinks(run.out, DONE);
	run_free(&run);
}

/* The routes, phases and types that a model is asked for. */
static const char *const asked[][10] = {
	{ "--route", "dispatch", "--tokens", "3" },
	{ "--route", "dispatch", "--tokens", "2", "--device", "cpu" },
	{ "--route", "dispatch", "--decode", "5" },
	{ "--route", "dispatch", "--decode", "5", "--device", "cpu" },
	{ "--route", "export", "--tokens", "3" },
	{ "--route", "compile", "--tokens", "3" },
	{ "--route", "onnx", "--tokens", "3", "--batch", "2" },
	{ "--route", "gpu", "--tokens", "3" },
	{ "--route", "gpu", "--decode", "5", "--kv", "f8" },
	{ "--tokens", "3", "--cache", "4", "--kept", "both" },
	{ "--route", "gpu", "--tokens", "4", "--weights", "i4", "--activations",
	    "f8", "--routing", "worst" },
	{ "--tokens", "3", "--logits", "last", "--source", "4", "--dtype",
	    "f16" },
	{ "--tokens", "9", "--image", "28x28" },
};

enum {
	NASKED = sizeof asked / sizeof *asked
};

static void
try_model(const char *path, const char *const options[])
{
	struct bytes none = { NULL, 0 };
	const char *args[12];
	struct run trace_run, run;
	int n = 0;

	for (; n < 10 && options[n] != NULL; n++)
		args[n] = options[n];
	args[n++] = path;
	args[n] = NULL;
	/* Not every model has a cache, or tokens. */
	trace_run = run_program(
	    "model", sf_model_main, none, DONE | USAGE | REFUSED, args);
	if (trace_run.status == 0) {
		run = RUN(rules, trace_run.out, DONE | REFUSED, "--strict", );
		must(run.status == 0 || strstr(run.message, "2^63") != NULL,
		    "a model is counted unless its counts are too large");
		run_free(&run);
	}
	run_free(&trace_run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	/* A name that says it is a path, however the file is called. */
	const char *path = file_of(in);

	if (holds(in, "model_type") && is_tall(in))
		return 0;
	if (holds(in, "model_type"))
		try_model(path, asked[size % NASKED]);
	else
		try_machine(path);
	return 0;
}
