/* sf-timeloop - Timeloop's problem as a trace, its machine as an accelerator. */
#include "simfront.h"

#include "base/map.h"
#include "timeloop/architecture.h"
#include "timeloop/timeloop-trace.h"

/* What --architecture prints. */
static int
print_architecture(struct sf_stream *stream, const char *path)
{
	struct sf_buf out = { 0 };

	if (sf_stream_cmdline(stream)->noperands != 0)
		sf_die(SF_EX_USAGE,
		    "'--architecture' with the operand '%s', expected one of "
		    "them",
		    sf_stream_cmdline(stream)->operands[0]);
	sf_timeloop_architecture(path, &out);
	return sf_stream_answer(stream, &out);
}

int
main(int argc, char *argv[])
{
	const char *architecture = NULL;
	const struct sf_opt opts[] = {
		SF_OPT_PATH('a', "architecture", &architecture, "FILE",
		    "print the accelerator of this architecture and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-timeloop",
		.sandboxed = true,
		.summary = "Turn a problem of Timeloop into a trace, and its "
			   "architecture into an accelerator.",
		.opts = opts,
		.operands = "[PROBLEM]",
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);
	const struct sf_cmdline *line = sf_stream_cmdline(stream);

	sf_map_guard();
	if (architecture != NULL)
		return print_architecture(stream, architecture);
	sf_timeloop_trace(
	    stream, line->noperands != 0 ? line->operands[0] : "-");
	return sf_stream_close(stream);
}
