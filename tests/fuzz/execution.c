/* An execution trace of PyTorch. */
#include <string.h>

#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run trace = RUN(dispatch, in, DONE | REFUSED, file_of(in), ),
		   run;

	if (size % 4 == 0) {
		run = RUN(dispatch, in, DONE | REFUSED, "-", );
		/* A profiler's trace is read twice, which a pipe is not. */
		must(run.status == trace.status ||
			holds(
			    (struct bytes){ run.message, strlen(run.message) },
			    "twice"),
		    "a file is read as a pipe is");
		run_free(&run);
	}
	if (trace.status == 0) {
		run = stage_count(trace.out);
		if (run.status == 0)
			stage_sinks(run.out, DONE);
		run_free(&run);
	}
	run_free(&trace);
	return 0;
}
