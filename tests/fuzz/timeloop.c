/* Timeloop's YAML: an architecture where it says so, else a problem. */
#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run run, next;

	if (holds(in, "architecture") || holds(in, "nodes")) {
		run = RUN(timeloop, in, DONE | REFUSED, "--architecture",
		    file_of(in), );
		if (run.status == 0) {
			next = RUN(lower, counted_trace, DONE | REFUSED,
			    "--preset", file_of(run.out), );
			if (next.status == 0)
				stage_sim(next.out, true);
			run_free(&next);
		}
		run_free(&run);
		return 0;
	}
	run = RUN(timeloop, in, DONE | REFUSED, file_of(in), );
	next = RUN(timeloop, in, DONE | REFUSED, "-", );
	must(run.status == next.status, "a file is read as a pipe is");
	run_free(&next);
	if (run.status == 0)
		stage_layers(run.out, (int)(size & 31));
	run_free(&run);
	return 0;
}
