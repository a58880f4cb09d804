/*
 * A program of torch.export: the archive, or the JSON of one in the archive's
 * place, to a trace and what follows.
 */
#include <stdlib.h>
#include <time.h>

#include "stages.h"

/* The C library keeps the zone's name: not in memory that a run takes back. */
__attribute__((constructor)) static void
name_zone(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run trace, run;

	trace = RUN(export, in, DONE | REFUSED, file_of(in), );
	if (size % 4 == 0) {
		run = RUN(export, in, DONE | REFUSED, "-", );
		must(run.status == trace.status, "a file is read as a pipe is");
		run_free(&run);
	}
	run = RUN(export, in, DONE | USAGE | REFUSED, "--dim", "u0=2", "--dim",
	    "s0=3", "-", );
	must(run.status != 0 || trace.status != 3 || run.out.n != 0,
	    "a trace is written");
	run_free(&run);
	if (trace.status == 0) {
		run = stage_count(trace.out);
		if (run.status == 0)
			stage_sinks(run.out, DONE);
		run_free(&run);
	}
	run_free(&trace);
	return 0;
}
