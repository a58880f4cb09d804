/* The events of a profiler's trace, between what stands around them. */
#include <stdlib.h>
#include <string.h>

#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char before[] = "{\"record_shapes\":1,\"traceEvents\":[";
	size_t n = sizeof before - 1;
	char *text = malloc(n + size + 2);
	struct run trace, run;

	memcpy(text, before, n);
	if (size != 0)
		memcpy(text + n, data, size);
	memcpy(text + n + size, "]}", 2);
	trace = RUN(dispatch, ((struct bytes){ NULL, 0 }), DONE | REFUSED,
	    file_of((struct bytes){ text, n + size + 2 }), );
	if (trace.status == 0) {
		run = stage_count(trace.out);
		if (run.status == 0)
			stage_sinks(run.out, DONE);
		run_free(&run);
	}
	run_free(&trace);
	free(text);
	return 0;
}
