/* SCALE-Sim's layers, or its configuration, which has sections. */
#include "stages.h"

enum {
	MOST_LAYERS = 1 << 16 /* bytes of the trace */
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run run, next;

	if (holds(in, "[")) {
		run = RUN(
		    scalesim, in, DONE | REFUSED, "--config", file_of(in), );
		if (run.status == 0) {
			next = RUN(lower, counted_trace, DONE | REFUSED,
			    "--preset", file_of(run.out), );
			run_free(&next);
		}
		run_free(&run);
		return 0;
	}
	run = RUN(scalesim, in, DONE | REFUSED, file_of(in), );
	/* A layer may be a thousand operators: one run tells as much. */
	if (run.out.n > MOST_LAYERS) {
		run_free(&run);
		return 0;
	}
	next = RUN(scalesim, in, DONE | REFUSED, "-", );
	must(run.status == next.status, "a file is read as a pipe is");
	run_free(&next);
	if (run.status == 0)
		stage_layers(run.out, (int)(size & 31));
	run_free(&run);
	return 0;
}
