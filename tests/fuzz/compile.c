/* Logs of torch.compile, and graphs alone. */
#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const stages[] = { "dynamo", "aot", "post-grad" };
	struct bytes in = { (const char *)data, size };
	struct run run = RUN(compile, in, DONE | REFUSED, "-", ), counted;

	if (run.status == 0) {
		counted = stage_count(run.out);
		run_free(&counted);
	}
	run_free(&run);
	for (int i = 0; i < 3; i++) {
		run = RUN(compile, in, DONE | REFUSED | USAGE, "--stage",
		    stages[i], "--dim", "s0=3", "-", );
		run_free(&run);
	}
	return 0;
}
