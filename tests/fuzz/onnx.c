/* An ONNX model: the parser by itself, then the whole front to a trace. */
#include "stages.h"

#include "onnx/read/model.h"

static void
parse(void *context)
{
	const struct bytes *in = context;
	struct sf_arena *arena = sf_arena_new();
	struct sf_error error;

	/* Out of a block of its very size; the program maps whole pages. */
	sf_onnx_parse(in->p, in->n, arena, &error);
	sf_arena_free(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run trace, run;

	run_guarded("onnx", DONE, parse, &in);
	trace = RUN(onnx, in, DONE | USAGE | REFUSED, file_of(in), );
	if (size % 4 == 0) {
		run = RUN(onnx, in, DONE | USAGE | REFUSED, "-", );
		must(run.status == trace.status, "a file is read as a pipe is");
		run_free(&run);
	}
	/* A size without a value was found. */
	if (trace.status == 2) {
		run_free(&trace);
		trace = RUN(onnx, in, DONE | USAGE | REFUSED, "--dim", "N=2",
		    "--dim", "batch_size=3", "-", );
	}
	if (trace.status == 0) {
		run = stage_count(trace.out);
		if (run.status == 0) {
			stage_sinks(run.out, DONE);
			stage_lower(run.out, (int)(size & 31), true);
		}
		run_free(&run);
	}
	run_free(&trace);
	return 0;
}
