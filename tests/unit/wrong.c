/*
 * wrong - sf-check with one engine more: the fast one, which tells one thing
 * wrong. Run by tests/sf-check.bats to see the check fail.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accel/check.h"
#include "accel/engines.h"
#include "simfront.h"

static int64_t wrong_tile = -1, wrong_time, wrong_op = -1;
static const char *wrong_field = "start";

/* Stands in for the fast engine and for its sink. */
struct liar {
	struct sf_engine *fast;
	struct sf_sink sink;
	const struct sf_sink *to;
	int64_t tile, op; /* the next */
};

static void
lie_about_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct liar *l = to;
	double times[SF_TILE_TIMES];
	struct sf_times wrong;

	memcpy(times, t, sizeof times);
	if (l->tile++ == wrong_tile) {
		if (strcmp(wrong_field, "drop") == 0)
			return;
		times[wrong_time] = nextafter(times[wrong_time], INFINITY);
	}
	memcpy(&wrong, times, sizeof wrong);
	l->to->tile(l->to->to, op, core, &wrong);
}

static void
lie_about_op(void *to, const struct sf_op_result *result)
{
	struct liar *l = to;
	struct sf_op_result wrong = *result;

	if (l->op++ == wrong_op) {
		if (strcmp(wrong_field, "start") == 0)
			wrong.start = nextafter(wrong.start, INFINITY);
		else if (strcmp(wrong_field, "end") == 0)
			wrong.end = -wrong.end;
		else if (strcmp(wrong_field, "computing") == 0)
			wrong.computing++;
		else if (strcmp(wrong_field, "wait_load") == 0)
			wrong.wait_load++;
		else if (strcmp(wrong_field, "wait_buffer") == 0)
			wrong.wait_buffer++;
		else if (strcmp(wrong_field, "op_wait_deps") == 0)
			wrong.wait_deps++;
		else if (strcmp(wrong_field, "bound") == 0)
			wrong.compute_bound = !wrong.compute_bound;
		else if (strcmp(wrong_field, "tiled_bytes") == 0)
			wrong.tiled_bytes--;
	}
	l->to->op(l->to->to, &wrong);
}

static struct sf_engine *
make(const struct sf_accel *accel, const struct sf_sink *sink)
{
	struct liar *l = sf_malloc(sizeof *l);

	*l = (struct liar){ .to = sink,
		.sink = { l, lie_about_op, lie_about_tile } };
	l->fast = sf_engines[SF_ENGINE_fast].make(accel, &l->sink);
	return (struct sf_engine *)l;
}

static bool
run(struct sf_engine *engine, int64_t op, struct sf_nest *nests,
    const int64_t *deps, int ndeps, struct sf_error *error)
{
	struct liar *l = (struct liar *)engine;

	if (strcmp(wrong_field, "fail") == 0 && l->op == wrong_op)
		return sf_fail(error, "it has had enough");
	return sf_engines[SF_ENGINE_fast].run(
	    l->fast, op, nests, deps, ndeps, error);
}

static bool
end(struct sf_engine *engine, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct liar *l = (struct liar *)engine;

	if (!sf_engines[SF_ENGINE_fast].end(l->fast, meter, cost, error))
		return false;
	if (strcmp(wrong_field, "peak") == 0)
		meter->peak++;
	else if (strcmp(wrong_field, "wait_deps") == 0)
		meter->sums.wait_deps = nextafter(meter->sums.wait_deps, 1e9);
	return true;
}

static void
release(struct sf_engine *engine)
{
	struct liar *l = (struct liar *)engine;

	sf_engines[SF_ENGINE_fast].free(l->fast);
	free(l);
}

static const struct sf_engine_type wrong = { "wrong", false, sf_fast_is_late,
	make, run, end, release };

static const struct sf_engine_type *const engines[] = {
	&sf_engines[SF_ENGINE_event], &sf_engines[SF_ENGINE_fast], &wrong
};

int
main(int argc, char *argv[])
{
	const struct sf_opt opts[] = {
		SF_OPT_INT(
		    'n', "tile", &wrong_tile, 0, INT64_MAX, "N", "the tile"),
		SF_OPT_INT('t', "time", &wrong_time, 0, SF_TILE_TIMES - 1, "N",
		    "which of its times"),
		SF_OPT_INT(
		    'o', "op", &wrong_op, 0, INT64_MAX, "N", "the operator"),
		SF_OPT_STR('f', "field", &wrong_field, "NAME",
		    "what is wrong of it, or of the run"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){
		.name = "wrong", .summary = "Disagree.", .opts = opts },
	    argc, argv);
	struct sf_program program;
	enum sf_kind kind;

	sf_program_init(&program);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_check_record(&program, stream, kind, engines, 3, false);
	sf_program_release(&program);
	return sf_stream_close(stream);
}
