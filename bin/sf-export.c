/* sf-export - an exported PyTorch program as a trace. */
#include "simfront.h"

#include "base/map.h"
#include "export/export-source.h"

int
main(int argc, char *argv[])
{
	struct sf_export_request request = { .path = NULL };
	const struct sf_opt opts[] = {
		SF_OPT_LIST('d', "dim", &request.dims, "NAME=N",
		    "give a symbol in the sizes its value"),
		SF_OPT_LIST('B', "branch", &request.branches,
		    "[NODE=]then|else",
		    "take this branch of a cond whose condition is not known"),
		SF_OPT_LIST('t', "trips", &request.trips, "[NODE=]N",
		    "let a while_loop run so often"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-export",
		.sandboxed = true,
		.summary = "Turn a program that torch.export saved into a "
			   "trace, without reading its weights.",
		.opts = opts,
		.operands = "FILE",
		.min_operands = 1,
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);

	sf_map_guard();
	request.path = sf_stream_cmdline(stream)->operands[0];
	sf_export_write(stream, &request);
	return sf_stream_close(stream);
}
