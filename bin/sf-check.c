/* sf-check - hold the engines of sf-sim against each other. */
#include "simfront.h"

#include "accel/bound-tiles.h"
#include "accel/check.h"

/* Those of the set; all when it is empty. */
static int
choose(unsigned set, const struct sf_engine_type *chosen[])
{
	int n = 0;

	for (int i = 0; i < SF_NENGINES; i++)
		if (set == 0 || (set >> i & 1) != 0)
			chosen[n++] = &sf_engines[i];
	if (n == 1)
		sf_die(SF_EX_USAGE,
		    "option '--engine': found %s alone, expected two or more "
		    "to hold against each other",
		    chosen[0]->name);
	return n;
}

int
main(int argc, char *argv[])
{
	unsigned set = 0;
	int64_t most = SF_MOST_TILES;
	const struct sf_opt opts[] = {
		SF_OPT_SET('e', "engine", &set, sf_engine_names, "NAME",
		    "run this one, and others (default all that apply)"),
		SF_OPT_INT(0, "max-tiles", &most, 1, INT64_MAX, "N",
		    "refuse traces of more tiles (default 1000000000)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){ .name = "sf-check",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Check that the engines of sf-sim agree.",
		.opts = opts },
	    argc, argv);
	const struct sf_engine_type *chosen[SF_NENGINES];
	int n = choose(set, chosen);
	struct sf_program program;
	enum sf_kind kind;

	sf_program_init(&program);
	program.most = most;
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_check_record(&program, stream, kind, chosen, n, set != 0);
	sf_program_release(&program);
	return sf_stream_close(stream);
}
