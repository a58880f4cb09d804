/* A stream of any stage, read by all the programs that end a pipeline. */
#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	const char *path = file_of(in);
	struct run run, again;

	stage_sinks(in, DONE | REFUSED);
	run = RUN(chrome, in, DONE | REFUSED, NULL, );
	run_free(&run);
	run = RUN(diff, in, DONE | REFUSED, path, path, );
	again = RUN(diff, in, DONE | REFUSED, "--strict", path, path, );
	must(run.status == again.status, "a trace does not differ from itself");
	run_free(&run);
	run_free(&again);
	run = RUN(diff, counted_trace, DONE | NO | REFUSED, "--top", "3", path,
	    "-", );
	run_free(&run);
	run = RUN(
	    ep, in, DONE | NO | REFUSED, "--claim", "Conv,Gemm", "--strict", );
	if (run.status != 3)
		stage_sinks(run.out, DONE);
	run_free(&run);
	return 0;
}
