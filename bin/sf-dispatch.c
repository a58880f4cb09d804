/* sf-dispatch - what PyTorch's dispatcher ran, as a trace. */
#include "simfront.h"

#include "dispatch/dispatch.h"

int
main(int argc, char *argv[])
{
	const struct sf_opt opts[] = { SF_OPT_END };
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-dispatch",
		.sandboxed = true,
		.summary = "Turn an execution trace or a profiler's trace of "
			   "PyTorch into a trace.",
		.opts = opts,
		.operands = "FILE...",
		.min_operands = 1,
		.max_operands = -1,
		.operands_are_paths = true,
		.needs = SF_NEEDS_TEMPORARY },
	    argc, argv);
	const struct sf_cmdline *line = sf_stream_cmdline(stream);

	for (int i = 0; i < line->noperands; i++)
		sf_dispatch_write(stream, line->operands[i]);
	return sf_stream_close(stream);
}
