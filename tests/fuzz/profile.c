/* A profile of ONNX Runtime. */
#include "harness.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "md", "json", "csv" };
	struct bytes in = { (const char *)data, size };
	struct run runs[3];

	for (int i = 0; i < 3; i++)
		runs[i] =
		    RUN(ort, in, DONE | REFUSED, "--format", formats[i], );
	must(runs[0].status == runs[1].status &&
		runs[0].status == runs[2].status,
	    "what is refused is refused in every format");
	for (int i = 0; i < 3; i++)
		run_free(&runs[i]);
	return 0;
}
