/* Traces beside each other, and measured ones beside a device. */
#include "harness.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "md", "json", "csv" };
	static const char *const rows[] = { "node", "module", "type" };
	struct bytes in = { (const char *)data, size };
	const char *path = file_of(in);
	struct run run, again;

	run = RUN(compare, in, DONE | REFUSED, "--format", formats[size % 3],
	    "--by", rows[size / 3 % 3], path, path, );
	again = RUN(compare, in, DONE | NO | REFUSED, "--format",
	    formats[size % 3], "--by", rows[size / 3 % 3], path, path, );
	must(run.status == again.status && same(run.out, again.out),
	    "what is compared twice is the same");
	run_free(&again);
	run_free(&run);
	run = RUN(calibrate, in, DONE | NO | REFUSED, "--device", "h100",
	    "--format", formats[size % 3], );
	run_free(&run);
	return 0;
}
