/* sf-sim - give the tiles of a lowered trace their times. */
#include "simfront.h"

#include "accel/bound-tiles.h"
#include "accel/simulate.h"

int
main(int argc, char *argv[])
{
	int engine = SF_ENGINE_fast;
	bool tiles = false;
	int64_t most = SF_MOST_TILES;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE('e', "engine", &engine, sf_engine_names, "NAME",
		    "how times are found"),
		SF_OPT_FLAG('t', "tiles", &tiles,
		    "write each tile's eight times behind its operator"),
		SF_OPT_INT(0, "max-tiles", &most, 1, INT64_MAX, "N",
		    "refuse traces of more tiles (default 1000000000)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-sim",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Simulate a lowered trace on its accelerator.",
		.opts = opts },
	    argc, argv);
	struct sf_simulation *simulation =
	    sf_simulation_new(stream, &sf_engines[engine], tiles, most);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_simulation_record(simulation, kind);
	sf_simulation_free(simulation);
	return sf_stream_close(stream);
}
