/*
 * sweep-speed [--preset P] [--quantise] [--set KEY=VALUE] [--points N] [FILE] -
 * designs of other bandwidths, run operator by operator as an engine does, and
 * replayed: microseconds a design of each in processor time, the best of three,
 * and their ratio. The meters must be the same bytes.
 */
#include "simfront.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "accel/replay.h"
#include "accel/task.h"
#include "accel/tile-loop.h"
#include "check.h"

struct speed {
	struct sf_classes classes;
	struct sf_segments segments;
	struct sf_replay *replay;
	double *stored; /* of operators */
};

static double
cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
read_trace(struct speed *s, struct sf_stream *stream)
{
	struct sf_lowering lowering;
	struct sf_error error;
	enum sf_kind kind;

	sf_lowering_init(&lowering);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF) {
		const int64_t *deps = NULL;
		struct sf_task task;
		struct sf_op op;
		int ndeps;

		if (kind != SF_K_OP)
			continue;
		sf_op_read(stream, &op);
		sf_task_read(&lowering, stream, &op, &task);
		sf_task_deps(&lowering, sf_stream_record_arena(stream), &op,
		    &task, &deps, &ndeps);
		if (!task.idle)
			CHECK(sf_classes_add(
			    &s->classes, op.i, &task, deps, ndeps, &error));
	}
	sf_lowering_release(&lowering);
	sf_segments_find(&s->segments, &s->classes);
	s->replay = sf_replay_new(&s->classes, &s->segments);
	s->stored = sf_calloc((size_t)s->classes.nops + 1, sizeof(double));
}

/* As an engine that is fed operators does it, each lowered for itself. */
static void
run_ops(struct speed *s, const struct sf_accel *a, struct sf_meter *m)
{
	static struct sf_nest nest;
	struct sf_op_result result;
	struct sf_pipeline p;
	struct sf_error error;
	struct sf_lower lower;

	*m = (struct sf_meter){ 0 };
	sf_pipeline_init(&p, a);
	for (int64_t i = 0; i < s->classes.nops; i++) {
		const struct sf_class_op *op = &s->classes.ops[i];
		struct sf_sums sums = { 0 };
		double ready = 0, start;

		CHECK(sf_task_lower(
			  s->classes.v[op->which].key, a, &lower, &error) &&
		    sf_nest_init(&nest, &lower, a, &error));
		for (int d = 0; d < op->ndeps; d++)
			ready = sf_later(ready, s->stored[op->deps[d]]);
		start = sf_pipeline_run_nest(&p, &nest, ready, &sums);
		s->stored[i] = p.store_end;
		CHECK(sf_meter_op(
		    m, &nest, &sums, start, p.comp_end, p.store_end, &result));
	}
	m->peak = p.peak;
	sf_pipeline_release(&p);
}

static void
run_replay(struct speed *s, const struct sf_accel *a, struct sf_meter *m)
{
	struct sf_error error;
	struct sf_lower lower;

	for (int64_t i = 0; i < s->classes.n; i++)
		CHECK(sf_task_lower(s->classes.v[i].key, a, &lower, &error) &&
		    sf_nest_init(
			sf_replay_nest(s->replay, i, 1), &lower, a, &error));
	CHECK(sf_replay_run(s->replay, a, m, &error));
}

/* Both bandwidths by up to four times more or less, the same in each run. */
static struct sf_accel
design(const struct sf_accel *base, unsigned long long i)
{
	unsigned long long seed = 7 + i;
	struct sf_accel a = *base;
	struct sf_error error;

	for (int k = 0; k < 3; k++)
		check_random(&seed);
	a.dram_bw *=
	    exp2(4 * ((double)(check_random(&seed) >> 11) * 0x1p-53) - 2);
	a.noc_bw *=
	    exp2(4 * ((double)(check_random(&seed) >> 11) * 0x1p-53) - 2);
	CHECK(sf_accel_finish(&a, &error));
	return a;
}

typedef void
runner(struct speed *s, const struct sf_accel *a, struct sf_meter *m);

/* Microseconds a design. */
static double
time_of(struct speed *s, runner *run, const struct sf_accel *base, int64_t n,
    struct sf_meter *meters)
{
	double best = INFINITY;

	for (int round = 0; round < 3; round++) {
		double start = cpu_s(), took;

		for (int64_t i = 0; i < n; i++) {
			struct sf_accel a = design(base, (unsigned long long)i);

			run(s, &a, &meters[i]);
		}
		took = cpu_s() - start;
		best = took < best ? took : best;
	}
	return 1e6 * best / (double)n;
}

int
main(int argc, char *argv[])
{
	const char *preset = "edge-npu";
	struct sf_list settings = { 0 };
	bool quantise = false;
	int64_t n = 50;
	const struct sf_opt opts[] = {
		SF_OPT_CONFIG('p', "preset", &preset, "P", "the accelerator"),
		SF_OPT_LIST('s', "set", &settings, "KEY=VALUE", "change it"),
		SF_OPT_FLAG('q', "quantise", &quantise, "whole cycles"),
		SF_OPT_INT('n', "points", &n, 1, 100000, "N", "designs"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sweep-speed",
			     .summary = "Time designs.",
			     .opts = opts },
		argc, argv);
	struct sf_meter *ops = sf_calloc((size_t)n, sizeof *ops);
	struct sf_meter *replayed = sf_calloc((size_t)n, sizeof *ops);
	struct sf_accel base;
	struct speed s;
	double slow, fast;

	sf_accel_load(
	    &base, preset, &settings, quantise, sf_stream_arena(stream));
	sf_classes_init(&s.classes, sizeof(struct sf_task));
	read_trace(&s, stream);
	slow = time_of(&s, run_ops, &base, n, ops);
	fast = time_of(&s, run_replay, &base, n, replayed);
	CHECK(memcmp(ops, replayed, (size_t)n * sizeof *ops) == 0);
	sf_buf_printf(sf_stream_text(stream),
	    "%lld tiles %.1f us %.1f us ratio %.1f\n", (long long)ops[0].tiles,
	    slow, fast, slow / fast);
	sf_replay_free(s.replay);
	sf_segments_release(&s.segments);
	sf_classes_release(&s.classes);
	free(s.stored);
	free(ops);
	free(replayed);
	return sf_stream_close(stream);
}
