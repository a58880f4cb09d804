/* A stream of any stage, drawn in each way. */
#include "harness.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct run run;

	/* Most streams are of one stage, and what they lack is told soon. */
	run = RUN(plot, in, DONE | REFUSED, "-o", "%d.svg", );
	run_free(&run);
	run = RUN(plot, in, DONE | USAGE | REFUSED, "-o", "%d.svg", "--window",
	    "1us,2us", "--title", "t", );
	run_free(&run);
	run = RUN(plot, in, DONE | REFUSED, "-k", "roofline", "-o", "%d.svg", );
	run_free(&run);
	run = RUN(
	    plot, in, DONE | USAGE | REFUSED, "-k", "front", "-o", "%d.svg", );
	run_free(&run);
	return 0;
}
