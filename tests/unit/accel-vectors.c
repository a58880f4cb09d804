/*
 * Products by the numbers: for each line of standard input its nest, what that
 * comes to, and the times of the first and the last tile of two copies of which
 * the second waits for the first. All engines that take the block must agree.
 *
 * A line is 14 whole numbers: batch m k n e_in e_out, then of a convolution
 * images, rows and columns out, channels, rows and columns of the kernel,
 * stride, dilation, all 0 when it is none; then settings KEY=VALUE on top of
 * those of the table's defaults.
 */
#include <inttypes.h>
#include <string.h>

#include "accel/check.h"
#include "accel/engine.h"
#include "check.h"

enum {
	NUMBERS = 14,
	LINE = 4096
};

static const struct sf_engine_type *const engines[] = {
	&sf_engines[SF_ENGINE_event], &sf_engines[SF_ENGINE_fast],
	&sf_engines[SF_ENGINE_cycle]
};

/* ---- a line ---- */

static struct sf_accel
block_of(char *settings)
{
	struct sf_accel a = { .preset = "test" };
	struct sf_error error;

	sf_keys_init(&sf_accel_keys, &a);
	for (char *s = strtok(settings, " \n"); s != NULL;
	     s = strtok(NULL, " \n")) {
		char *value = strchr(s, '=');
		const struct sf_key *key;

		CHECK(value != NULL);
		*value++ = '\0';
		key = sf_keys_find(&sf_accel_keys, sf_str_of(s));
		CHECK_FOR(s, key != NULL);
		CHECK_FOR(s, sf_key_set(key, &a, value, NULL, &error));
	}
	CHECK(sf_accel_finish(&a, &error));
	return a;
}

static struct sf_lower
lower_of(const int64_t v[NUMBERS], const struct sf_accel *a)
{
	struct sf_lower l = {
		.where = SF_ON_ARRAY, .ngemms = 1, .e_in = v[4], .e_out = v[5]
	};
	struct sf_gemm *g = &l.gemms[0];
	struct sf_error error;

	*g = (struct sf_gemm){ .batch = v[0], .m = v[1], .k = v[2], .n = v[3] };
	if (v[6] != 0 && a->conv != SF_CONV_IM2COL) {
		g->k = v[9];
		g->conv = (struct sf_gemm_conv){ .images = v[6],
			.depth = 1,
			.out = { v[7], v[8] },
			.kernel = { v[10], v[11] },
			.stride = { v[12], v[12] },
			.dilation = { v[13], v[13] } };
	}
	CHECK_FOR(error.text, sf_gemm_block(g, l.e_in, l.e_out, a, &error));
	l.tiles = g->tiles;
	return l;
}

/* ---- times ---- */

struct heard {
	int64_t tiles;
	struct sf_times first, last;
};

static void
hear_op(void *to, const struct sf_op_result *result)
{
	(void)to;
	(void)result;
}

static void
hear_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct heard *h = to;

	(void)op;
	(void)core;

	if (h->tiles++ == 0)
		h->first = *t;
	h->last = *t;
}

static void
put_times(const struct sf_times *t)
{
	printf(" %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g", t->issue,
	    t->dep, t->alloc, t->load_end, t->comp_start, t->comp_end,
	    t->store_start, t->store_end);
}

static void
run(const struct sf_accel *a, const struct sf_lower *lower)
{
	const int64_t first = 0;
	const struct sf_elements e =
	    sf_elements_of(a, lower->e_in, lower->e_out);
	const struct sf_gemm *g = &lower->gemms[0];
	struct sf_block_cost cost;
	struct sf_program p;
	struct sf_lower l = *lower;
	struct sf_verdict verdict;
	struct sf_engine_cost run_cost;
	struct heard heard = { 0 };
	struct sf_sink sink = { &heard, hear_op, hear_tile };
	struct sf_meter m = { 0 };
	struct sf_error error;

	sf_program_init(&p);
	p.accel = *a;
	p.has_accel = true;
	CHECK(sf_program_add(&p, 0, sf_str_of("a"), &l, &error));
	l.deps = &first;
	l.ndeps = 1;
	CHECK(sf_program_add(&p, 1, sf_str_of("b"), &l, &error));
	CHECK_FOR(
	    error.text, sf_check_engines(&p, engines, 3, &verdict, &error));
	CHECK_FOR(verdict.first.text, verdict.agree);
	CHECK(verdict.nran == 2 + a->quantise);
	CHECK(sf_program_run(&p, engines[1], &sink, &m, &run_cost, &error));
	CHECK(sf_block_cost_of(g, a, &e, &cost));
	printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %" PRId64
	       " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.17g",
	    g->bb, g->bm, g->bn, g->bk,
	    g->order == SF_ORDER_MNK ? "mnk" : "nmk", g->tiles, m.read / 2,
	    m.written / 2, m.macs / 2, cost.cycles, cost.estimate);
	put_times(&heard.first);
	put_times(&heard.last);
	printf(" %.17g\n", m.makespan * a->second);
	sf_program_release(&p);
}

int
main(void)
{
	char line[LINE];

	while (fgets(line, sizeof line, stdin) != NULL) {
		int64_t v[NUMBERS];
		char *p = line;
		struct sf_accel a;
		struct sf_lower lower;

		for (int i = 0; i < NUMBERS; i++)
			v[i] = strtoll(p, &p, 10);
		a = block_of(p);
		lower = lower_of(v, &a);
		run(&a, &lower);
	}
	return 0;
}
