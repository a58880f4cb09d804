/* sf-sim - give the tiles of a lowered trace their times. */
#include "simfront.h"

#include "accel/simulate.h"

static const struct sf_engine_type *const engines[] = { &sf_engine_fast,
	&sf_engine_event, &sf_engine_cycle };
static const char *const engine_names[] = { "fast", "event", "cycle", NULL };

int
main(int argc, char *argv[])
{
	int engine = 0;
	bool tiles = false;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE('e', "engine", &engine, engine_names, "NAME",
		    "how times are found"),
		SF_OPT_FLAG('t', "tiles", &tiles,
		    "write each tile's eight times behind its operator"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-sim",
		.summary = "Simulate a lowered trace on its accelerator.",
		.opts = opts },
	    argc, argv);
	struct sf_simulation *simulation =
	    sf_simulation_new(stream, engines[engine], tiles);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_simulation_record(simulation, kind);
	sf_simulation_free(simulation);
	return sf_stream_close(stream);
}
