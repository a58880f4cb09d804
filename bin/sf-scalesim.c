/* sf-scalesim - SCALE-Sim's layers as a trace, its machine as an accelerator. */
#include "simfront.h"

#include "base/map.h"
#include "scalesim/scalesim-config.h"
#include "scalesim/scalesim-trace.h"

/* What --config prints. */
static int
print_config(struct sf_stream *stream, const char *path)
{
	struct sf_buf out = { 0 };

	if (sf_stream_cmdline(stream)->noperands != 0)
		sf_die(SF_EX_USAGE,
		    "'--config' with the operand '%s', expected one of them",
		    sf_stream_cmdline(stream)->operands[0]);
	sf_scalesim_config_convert(path, sf_stream_arena(stream), &out);
	return sf_stream_answer(stream, &out);
}

int
main(int argc, char *argv[])
{
	const char *config = NULL;
	const struct sf_opt opts[] = {
		SF_OPT_PATH('c', "config", &config, "FILE",
		    "print the accelerator of this configuration and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-scalesim",
		.sandboxed = true,
		.summary = "Turn SCALE-Sim's layers into a trace, and its "
			   "configuration into an accelerator.",
		.opts = opts,
		.operands = "[TOPOLOGY]",
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);
	const struct sf_cmdline *line = sf_stream_cmdline(stream);

	sf_map_guard();
	if (config != NULL)
		return print_config(stream, config);
	sf_scalesim_trace(
	    stream, line->noperands != 0 ? line->operands[0] : "-");
	return sf_stream_close(stream);
}
