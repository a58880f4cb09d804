/* pass - the smallest filter: what the library does of itself. */
#include "simfront.h"

int
main(int argc, char *argv[])
{
	const struct sf_opt opts[] = { SF_OPT_END };
	const struct sf_tool tool = { .name = "pass",
		.sandboxed = true,
		.summary = "Pass a stream on.",
		.opts = opts };

	return sf_stream_close(sf_filter_open(&tool, argc, argv));
}
