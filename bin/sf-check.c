/* sf-check - hold the engines of sf-sim against each other. */
#include "simfront.h"

#include "accel/check.h"

/* The first one that applies, always event, is the reference. */
static const struct sf_engine_type *const engines[] = { &sf_engine_event,
	&sf_engine_fast, &sf_engine_cycle };

int
main(int argc, char *argv[])
{
	const struct sf_opt opts[] = { SF_OPT_END };
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){ .name = "sf-check",
		.summary = "Check that the engines of sf-sim agree.",
		.opts = opts },
	    argc, argv);
	struct sf_program program;
	enum sf_kind kind;

	sf_program_init(&program);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_check_record(&program, stream, kind, engines,
		    sizeof engines / sizeof engines[0]);
	sf_program_release(&program);
	return sf_stream_close(stream);
}
