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

static void
try_model(const char *path, const char *route)
{
	struct bytes none = { NULL, 0 };
	struct run trace_run = RUN(model, none, DONE | REFUSED, "--route",
	    route, "--tokens", "3", path, );
	struct run run;

	if (trace_run.status == 0) {
		run = RUN(rules, trace_run.out, DONE | REFUSED, "--strict", );
		must(run.status == 0 || strstr(run.message, "2^63") != NULL,
		    "a model is counted unless its counts are too large");
		run_free(&run);
	}
	run_free(&trace_run);
}

/* Time and memory grow with the layers, of which a fuzzer wants many. */
static bool
is_tall(struct bytes in)
{
	static const char *const keys[] = { "num_hidden_layers", "n_layer" };

	for (int i = 0; i < 2; i++) {
		const char *at = in.n == 0
		    ? NULL
		    : memmem(in.p, in.n, keys[i], strlen(keys[i]));
		size_t left = at == NULL ? 0 : (size_t)(in.p + in.n - at);

		for (size_t n = 0, j = 0; j < left && at[j] != '\n'; j++) {
			n = at[j] >= '0' && at[j] <= '9' ? n + 1 : 0;
			if (n > 2)
				return true;
		}
	}
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const routes[] = { "dispatch", "export", "compile",
		"onnx" };
	struct bytes in = { (const char *)data, size };
	/* A name that says it is a path, however the file is called. */
	const char *path = file_of(in);

	if (holds(in, "model_type") && is_tall(in))
		return 0;
	if (holds(in, "model_type"))
		try_model(path, routes[size % 4]);
	else
		try_machine(path);
	return 0;
}
