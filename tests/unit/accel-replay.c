/*
 * Random programs of few classes on random blocks: what is moved in time has
 * the bits of what ran where it stands, tile by tile; without one of its two
 * checks it has not, now and then. Prints what was run and what was spared.
 */
#include "accel/replay.h"

#include <math.h>
#include <string.h>

#include "accel-replay/mutants.h"
#include "accel/program.h"
#include "accel/task.h"
#include "check.h"

enum {
	PROGRAMS = 1500,
	MOST_CLASSES = 8,
	MOST_OPS = 200,
	MOST_TILES = 20000, /* of an operator */
};

static unsigned long long seed = 20261130;

static double
unit(void)
{
	return (double)(check_random(&seed) >> 11) * 0x1p-53;
}

/* ---- blocks and tasks ---- */

/* POWERS: rates that are powers of two, whose durations meet and tie. */
static bool
random_block(struct sf_accel *a, bool powers)
{
	struct sf_error error;

	*a = (struct sf_accel){ .preset = "random" };
	sf_keys_init(&sf_accel_keys, a);
	a->clock_hz = powers ? exp2((double)check_within(&seed, 27, 31))
			     : 1e9 * (0.1 + 2 * unit());
	a->array_rows = check_within(&seed, 1, 40);
	a->array_cols = 4 << check_within(&seed, 0, 4);
	a->vector_lanes = check_within(&seed, 1, 100);
	a->buffer_bytes = check_within(&seed, 2000, 200000);
	a->tile_fraction = check_percent(&seed, 60) ? 0.5 : 0.1 + 0.9 * unit();
	a->dram_channels = check_within(&seed, 2, 6);
	a->dram_bw = powers ? exp2((double)check_within(&seed, 28, 40))
			    : 1e9 * exp2(8 * unit());
	a->noc_bw = powers ? exp2((double)check_within(&seed, 28, 40))
			   : 1e9 * exp2(8 * unit());
	a->dram_latency = check_percent(&seed, 40) ? 0
	    : powers ? exp2(-(double)check_within(&seed, 20, 30))
		     : 300e-9 * unit();
	a->noc_latency = check_percent(&seed, 40) ? 0
	    : powers                              ? 0x1p-27
						  : 50e-9 * unit();
	if (check_percent(&seed, 20)) {
		a->transit_ops_per_byte = powers ? 2 : 0.1 + unit();
		a->transit_categories = 1u << SF_CAT_NTT | 1u << SF_CAT_SOFTMAX;
	}
	a->quantise = check_percent(&seed, 25);
	return sf_accel_finish(a, &error);
}

static void
random_task(struct sf_task *t)
{
	static const enum sf_category categories[] = { SF_CAT_ELEMENTWISE,
		SF_CAT_SOFTMAX, SF_CAT_NTT, SF_CAT_NORM };

	memset(t, 0, sizeof *t);
	if (check_percent(&seed, 40)) {
		t->category = SF_CAT_MATMUL;
		t->e_in = check_within(&seed, 1, 4);
		t->e_out = check_within(&seed, 1, 4);
		t->ngemms = check_percent(&seed, 25) ? 2 : 1;
		for (int i = 0; i < t->ngemms; i++)
			t->gemms[i] = (struct sf_gemm){ .batch = check_within(
							    &seed, 1, 8),
				.m = check_within(&seed, 1, 300),
				.k = check_within(&seed, 1, 300),
				.n = check_within(&seed, 1, 300) };
		return;
	}
	t->category = categories[check_within(&seed, 0, 3)];
	t->rd = check_percent(&seed, 20)
	    ? 0
	    : check_within(&seed, 1, 1 << check_within(&seed, 4, 26));
	t->wr = check_percent(&seed, 20)
	    ? 0
	    : check_within(&seed, 1, 1 << check_within(&seed, 4, 26));
	t->work =
	    check_percent(&seed, 20) ? 0 : check_within(&seed, 1, 1 << 20);
	t->flops = t->work;
}

/* ---- programs ---- */

struct sample {
	struct sf_program program;
	struct sf_classes classes;
	struct sf_segments segments;
	struct sf_task tasks[MOST_CLASSES];
	struct sf_lower lowered[MOST_CLASSES];
	int n; /* tasks that the block can run, in a while */
};

static void
random_tasks(struct sample *s)
{
	int want = (int)check_within(&seed, 1, MOST_CLASSES);
	struct sf_error error;

	s->n = 0;
	for (int i = 0; i < want; i++) {
		random_task(&s->tasks[s->n]);
		if (sf_task_lower(&s->tasks[s->n], &s->program.accel,
			&s->lowered[s->n], &error) &&
		    s->lowered[s->n].tiles <= MOST_TILES)
			s->n++;
	}
}

/* Mostly on the last operator, sometimes on some far back, or on none. */
static int
random_deps(int64_t *deps, int64_t i)
{
	bool last = check_percent(&seed, 70);
	int n = 0;

	for (int64_t d = 0; d < i; d++)
		if ((last && d == i - 1) ||
		    check_percent(&seed, d > i - 5 ? 8 : 1))
			deps[n++] = d;
	return n;
}

static void
random_sample(struct sample *s, bool powers)
{
	int64_t deps[MOST_OPS], nops = check_within(&seed, 1, MOST_OPS),
				tiles = 0;
	struct sf_error error;

	while (!random_block(&s->program.accel, powers))
		;
	s->program.has_accel = true;
	random_tasks(s);
	for (int64_t i = 0; i < nops && s->n != 0 && tiles < 100000; i++) {
		int which = (int)check_within(&seed, 0, s->n - 1);
		int ndeps = random_deps(deps, i);

		s->lowered[which].deps = deps;
		s->lowered[which].ndeps = ndeps;
		tiles += s->lowered[which].tiles;
		CHECK_FOR(error.text,
		    sf_program_add(&s->program, i, sf_str_of("random"),
			&s->lowered[which], &error) &&
			sf_classes_add(&s->classes, i, &s->tasks[which], deps,
			    ndeps, &error));
	}
	sf_segments_find(&s->segments, &s->classes);
}

static void
ignore_op(void *to, const struct sf_op_result *result)
{
	(void)to;
	(void)result;
}

static void
ignore_tile(void *to, int64_t op, int core, const struct sf_times *times)
{
	(void)to;
	(void)op;
	(void)core;
	(void)times;
}

/* TILES: each is asked for, so that none is moved. */
static struct sf_meter
meter_of(const struct sf_program *p, bool tiles)
{
	const struct sf_sink sink = { NULL, ignore_op,
		tiles ? ignore_tile : NULL };
	struct sf_engine_cost cost;
	struct sf_meter m = { 0 };
	struct sf_error error;

	CHECK_FOR(error.text,
	    sf_program_run(
		p, &sf_engines[SF_ENGINE_fast], &sink, &m, &cost, &error));
	return m;
}

static bool
same(const struct sf_meter *a, const struct sf_meter *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* ---- runs ---- */

static struct {
	int64_t programs, tiles, ties, wide;
	struct sf_replay_counts counts;
} total;

static void
add_counts(struct sf_replay_counts c)
{
	total.counts.segments += c.segments;
	total.counts.segments_moved += c.segments_moved;
	total.counts.batches += c.batches;
	total.counts.batches_moved += c.batches_moved;
}

static void
check_replay(const struct sample *s, const struct sf_meter *want)
{
	struct sf_replay *r = sf_replay_new(&s->classes, &s->segments);
	struct sf_meter m;
	struct sf_error error;
	struct sf_lower l;

	CHECK(sf_replay_covers(&s->program.accel));
	for (int64_t i = 0; i < s->classes.n; i++)
		CHECK(sf_task_lower(
			  s->classes.v[i].key, &s->program.accel, &l, &error) &&
		    sf_nest_init(sf_replay_nest(r, i, 1), &l, &s->program.accel,
			&error));
	/* Twice: what a run leaves behind is of no weight in the next. */
	for (int k = 0; k < 2; k++) {
		CHECK(sf_replay_run(r, &s->program.accel, &m, &error));
		CHECK(same(&m, want));
	}
	CHECK(sf_replay_engine(
	    r, &s->program.accel, &sf_engines[SF_ENGINE_event], &m, &error));
	CHECK(same(&m, want));
	add_counts(sf_replay_spared(r));
	sf_replay_free(r);
}

static void
run(struct sample *s, int number)
{
	struct sf_meter want, m;

	random_sample(s, number % 2 == 0);
	want = meter_of(&s->program, true);
	m = meter_of(&s->program, false);
	CHECK(same(&m, &want));
	check_replay(s, &want);
	CHECK(mutant_without_ties(
	    &s->classes, &s->segments, &s->program.accel, &m));
	total.ties += !same(&m, &want);
	CHECK(
	    mutant_too_wide(&s->classes, &s->segments, &s->program.accel, &m));
	total.wide += !same(&m, &want);
	total.programs++;
	total.tiles += want.tiles;
	sf_program_reset(&s->program);
	sf_classes_reset(&s->classes);
	sf_segments_release(&s->segments);
}

int
main(void)
{
	static struct sample s;

	sf_program_init(&s.program);
	sf_classes_init(&s.classes, sizeof(struct sf_task));
	for (int i = 0; i < PROGRAMS; i++)
		run(&s, i);
	sf_program_release(&s.program);
	sf_classes_release(&s.classes);
	CHECK(total.counts.segments_moved > 0);
	CHECK(total.counts.batches_moved > 0);
	CHECK(total.ties > 0);
	CHECK(total.wide > 0);
	printf("%lld programs, %lld tiles; %lld of %lld segments and %lld of "
	       "%lld batches moved; %lld differ without the check for ties, "
	       "%lld with binades that are too wide\n",
	    (long long)total.programs, (long long)total.tiles,
	    (long long)total.counts.segments_moved,
	    (long long)total.counts.segments,
	    (long long)total.counts.batches_moved,
	    (long long)total.counts.batches, (long long)total.ties,
	    (long long)total.wide);
	return 0;
}
