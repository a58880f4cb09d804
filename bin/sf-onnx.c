/* sf-onnx - an ONNX model as a trace. */
#include "simfront.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/map.h"
#include "onnx/write/onnx-source.h"

enum {
	KEEP = 64 << 20
};

/* A page costs more than a call of malloc: what is freed is used again. */
static void
keep_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, KEEP / 2);
	mallopt(M_TRIM_THRESHOLD, KEEP);
#endif
}

int
main(int argc, char *argv[])
{
	struct sf_onnx_request request = { .batch = -1 };
	bool inputs = false;
	const struct sf_opt opts[] = {
		SF_OPT_LIST('d', "dim", &request.dims, "NAME=N",
		    "give a symbolic dimension its size"),
		SF_OPT_LIST('s', "shape", &request.shapes,
		    "VALUE=1x3x224x224[:TYPE]",
		    "give an input or any other value its shape"),
		SF_OPT_INT('b', "batch", &request.batch, 0, INT64_MAX, "N",
		    "give the inputs a batch, where it is clear which size "
		    "that is"),
		SF_OPT_LIST('v', "value", &request.values, "INPUT=V[,V...]",
		    "say what an input holds"),
		SF_OPT_LIST('B', "branch", &request.branches,
		    "[NODE=]then|else",
		    "take this branch of an If whose condition is not known"),
		SF_OPT_LIST('t', "trips", &request.trips, "[NODE=]N",
		    "run a loop this often where that is not known"),
		SF_OPT_PATH('p', "params", &request.params, "FILE",
		    "take the values named in FILE as the parameters"),
		SF_OPT_PATHS('r', "rules", &request.rules, "FILE",
		    "take shapes of operators from the rules in FILE (may be "
		    "repeated)"),
		SF_OPT_FLAG('i', "inputs", &inputs,
		    "print what the model takes and gives, and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream;

	keep_memory();
	stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-onnx",
		.sandboxed = true,
		.summary = "Turn an ONNX model into a trace, without reading "
			   "its weights.",
		.opts = opts,
		.operands = "FILE",
		.min_operands = 1,
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);

	sf_map_guard();
	request.path = sf_stream_cmdline(stream)->operands[0];
	if (inputs)
		return sf_onnx_write_inputs(stream, &request);
	sf_onnx_write(stream, &request);
	return sf_stream_close(stream);
}
