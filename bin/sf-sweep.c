/* sf-sweep - run a trace on many designs. */
#include "simfront.h"

#include "accel/accel.h"
#include "accel/bound-tiles.h"
#include "sweep/sweep.h"

/* Goes through all designs, or with ONLY_COUNT says how many there are. */
static int
run(struct sf_stream *stream, struct sf_sweep *sweep, bool only_count)
{
	struct sf_buf count = { 0 };
	enum sf_kind kind;

	if (only_count) {
		sf_sweep_count(sweep, &count);
		sf_sweep_free(sweep);
		return sf_stream_answer(stream, &count);
	}
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_sweep_record(sweep, kind);
	sf_sweep_free(sweep);
	return sf_stream_close(stream);
}

int
main(int argc, char *argv[])
{
	struct sf_sweep_request request = { .plan.seed = 1 };
	struct sf_list settings = { 0 };
	const char *preset = NULL;
	int64_t most = SF_MOST_TILES;
	bool quantise = false, cost = false;
	const struct sf_opt opts[] = {
		SF_OPT_CONFIG('p', "preset", &preset, "P",
		    "the accelerator: a name or a JSON file"),
		SF_OPT_LIST('s', "set", &settings, "KEY=VALUE",
		    "change one parameter of all designs"),
		SF_OPT_FLAG('q', "quantise", &quantise,
		    "count time in whole clock cycles"),
		SF_OPT_FLAG(0, "cost", &cost,
		    "not an accelerator, but devices and links as sf-cost has "
		    "them"),
		SF_OPT_LIST('g', "grid", &request.plan.grid, "KEY=SPEC",
		    "an axis: values, LO:HI:+STEP, :xFACTOR, :nCOUNT or "
		    ":lCOUNT"),
		SF_OPT_INT(0, "random", &request.plan.random, 1, INT64_MAX / 2,
		    "N", "N designs at random, not the grid"),
		SF_OPT_INT(0, "lhs", &request.plan.lhs, 1, INT64_MAX / 2, "N",
		    "N designs by Latin hypercube, not the grid"),
		SF_OPT_INT(0, "seed", &request.plan.seed, 0, INT64_MAX, "S",
		    "of both (default 1)"),
		SF_OPT_PATH('P', "points", &request.plan.points, "FILE",
		    "the designs of FILE: CSV, or a stream of points"),
		SF_OPT_LIST('t', "tie", &request.plan.ties, "KEY=EXPR",
		    "a parameter that follows from others"),
		SF_OPT_LIST('w', "where", &request.plan.where, "EXPR",
		    "run only designs of which this holds"),
		SF_OPT_LIST('k', "keep", &request.keep, "EXPR",
		    "write only points of which this holds"),
		SF_OPT_LIST('c', "column", &request.columns, "NAME=EXPR",
		    "a column of one's own"),
		SF_OPT_STR('F', "front", &request.front, "COL,...",
		    "write only the front of these; -COL: more is better"),
		SF_OPT_INT(0, "max-tiles", &most, 1, INT64_MAX, "N",
		    "refuse designs of more tiles (default 1000000000)"),
		SF_OPT_UNSAID(STR, 'S', "shard", &request.plan.shard, "I/N",
		    "run share I of N"),
		SF_OPT_FLAG('C', "count", &request.count,
		    "print how many designs there are and exit"),
		SF_OPT_CHOICE('f', "format", &request.format, sf_sweep_formats,
		    "FORMAT", "what to write"),
		SF_OPT_OUTPUT('o', "output", &request.output, "FILE",
		    "write to FILE", true),
		SF_OPT_UNSAID(FLAG, 'r', "resume", &request.resume, NULL,
		    "go on with what is there"),
		SF_OPT_FLAG(0, "strict", &request.strict,
		    "status 1 when a design is refused"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-sweep",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Run a trace on many designs.",
			     .opts = opts,
			     .needs = SF_NEEDS_READING },
		argc, argv);
	struct sf_target *target;

	if (cost && (preset != NULL || quantise))
		sf_die(SF_EX_USAGE,
		    "'--cost' goes with neither '--preset' nor '--quantise'");
	target = cost
	    ? sf_cost_target(stream, &settings)
	    : sf_accel_target(stream, preset, &settings, quantise, most);
	request.plan.settings = &settings;
	return run(
	    stream, sf_sweep_new(stream, target, &request), request.count);
}
