/* sf-compile - the graphs in the logs of torch.compile as traces. */
#include "simfront.h"

#include "compile/compile-source.h"
#include "compile/log.h"

int
main(int argc, char *argv[])
{
	struct sf_compile_request request = { .stage = -1 };
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE('s', "stage", &request.stage, sf_log_stages,
		    "STAGE",
		    "take the graphs of this stage (default aot, and dynamo "
		    "where there is none)"),
		SF_OPT_LIST('d', "dim", &request.dims, "NAME=N",
		    "give a symbol in sizes its value"),
		SF_OPT_STR('m', "model", &request.model, "NAME",
		    "the traces' name of the model (default the file's)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-compile",
		.sandboxed = true,
		.summary = "Turn the graphs in the logs of torch.compile into "
			   "traces.",
		.opts = opts,
		.operands = "FILE|DIR",
		.min_operands = 1,
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);

	request.path = sf_stream_cmdline(stream)->operands[0];
	sf_compile_write(stream, &request);
	return sf_stream_close(stream);
}
