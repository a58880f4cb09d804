/*
 * Ten thousand random programs on random blocks: all engines that apply agree,
 * waits and work sum to the makespan, the buffer never holds more than it has,
 * no run is shorter than the work allows, and twice the bandwidth, channels or
 * array never lengthens what it allows. Prints what was run.
 */
#include <string.h>

#include "accel/check.h"
#include "base/num.h"
#include "check.h"

enum {
	PROGRAMS = 10000,
	MOST_OPS = 24,
	MOST_TILES = 400, /* of an operator */
};

static unsigned long long seed = 20261129;
static int number; /* of the program, for messages */

static const struct sf_engine_type *const engines[] = {
	&sf_engines[SF_ENGINE_event], &sf_engines[SF_ENGINE_fast],
	&sf_engines[SF_ENGINE_cycle]
};

#define ONE_OF(array)         \
	(array)[check_within( \
	    &seed, 0, (int64_t)(sizeof(array) / sizeof(array)[0]) - 1)]

/* ---- blocks ---- */

/* The array, and how products are cut for it. */
static void
set_dataflow(struct sf_accel *a)
{
	static const int64_t arrays[] = { 1, 1, 2, 3 };

	a->arrays = ONE_OF(arrays);
	a->dataflow = (int)check_within(&seed, 0, 2);
	a->array_fill = (int)check_within(&seed, SF_FILL_TILE, SF_FILL_PRELOAD);
	a->conv = (int)check_within(&seed, SF_CONV_IM2COL, SF_CONV_TAPS);
	a->blocks = (int)check_within(&seed, SF_BLOCKS_HALVE, SF_BLOCKS_BYTES);
}

/* What is between the array and the memory, and the memory itself. */
static void
set_memories(struct sf_accel *a)
{
	static const int64_t accumulators[] = { 0, 0, 40, 400, 65536 };
	static const int64_t itemsizes[] = { 0, 0, 1, 4 };
	static const double overheads[] = { 0, 0, 1, 3.3 };
	static const int64_t cores[] = { 1, 1, 1, 2, 3, 4, 8 };

	a->reuse = check_percent(&seed, 60);
	a->acc_bytes = ONE_OF(accumulators);
	a->acc_itemsize = ONE_OF(itemsizes);
	a->latency =
	    (int)check_within(&seed, SF_LATENCY_HELD, SF_LATENCY_PIPELINED);
	a->dram_interleave = check_percent(&seed, 20);
	a->op_overhead = ONE_OF(overheads) / a->clock_hz;
	a->cores = ONE_OF(cores);
}

static struct sf_accel
random_block(void)
{
	static const double clocks[] = { 1, 1e9, 7.77e8 };
	static const double rates[] = { 0.5, 1, 1, 2, 3, 64, 333 };
	static const double latencies[] = { 0, 0, 1, 7.3 };
	static const double fractions[] = { 0.1, 0.3, 0.5, 0.77, 1 };
	static const int64_t buffers[] = { 60, 300, 3000, 65536, 1000003 };
	static const int64_t sides[] = { 1, 2, 8, 17 };
	static const int64_t lanes[] = { 1, 7, 64 };
	static const int64_t channels[] = { 1, 2, 2, 2, 3, 8 };
	struct sf_accel a = { .preset = "random" };
	struct sf_error error;

	sf_keys_init(&sf_accel_keys, &a);
	/* Rates in bytes a cycle and latencies in cycles meet often. */
	a.clock_hz = ONE_OF(clocks);
	a.array_rows = ONE_OF(sides);
	a.array_cols = ONE_OF(sides);
	a.vector_lanes = ONE_OF(lanes);
	a.buffer_bytes = ONE_OF(buffers);
	a.tile_fraction = ONE_OF(fractions);
	a.dram_channels = ONE_OF(channels);
	a.dram_bw = ONE_OF(rates) * a.clock_hz * (double)a.dram_channels;
	a.noc_bw = ONE_OF(rates) * a.clock_hz;
	a.dram_latency = ONE_OF(latencies) / a.clock_hz;
	a.noc_latency = ONE_OF(latencies) / a.clock_hz;
	a.transit_ops_per_byte = check_percent(&seed, 40) ? ONE_OF(rates) : 0;
	a.quantise = check_percent(&seed, 60);
	if (check_percent(&seed, 70))
		set_dataflow(&a);
	if (check_percent(&seed, 70))
		set_memories(&a);
	CHECK_FOR(error.text, sf_accel_finish(&a, &error));
	return a;
}

/* Transfers take no cycle: buffer is granted and freed at one instant. */
static void
make_instant(struct sf_accel *a)
{
	struct sf_error error;

	a->dram_bw = a->noc_bw = 1e13 * a->clock_hz;
	a->dram_latency = a->noc_latency = 0;
	a->quantise = true;
	CHECK_FOR(error.text, sf_accel_finish(a, &error));
}

/* ---- programs ---- */

/* Makes K the channels of a convolution, and M its positions. */
static void
make_conv(struct sf_gemm *g)
{
	g->conv = (struct sf_gemm_conv){ .images = check_within(&seed, 1, 3),
		.depth = check_percent(&seed, 90) ? 1 : 2,
		.out = { check_within(&seed, 1, 6), check_within(&seed, 1, 6) },
		.kernel = { check_within(&seed, 1, 3),
		    check_within(&seed, 1, 3) },
		.stride = { check_within(&seed, 1, 2),
		    check_within(&seed, 1, 2) },
		.dilation = {
		    check_within(&seed, 1, 2), check_within(&seed, 1, 2) } };
	g->m = g->conv.images * g->conv.out[0] * g->conv.out[1];
}

static bool
random_gemms(struct sf_lower *l, const struct sf_accel *a)
{
	int64_t most = ONE_OF(((const int64_t[]){ 3, 20, 60 }));
	struct sf_error error;

	l->where = SF_ON_ARRAY;
	l->cores = a->cores;
	l->e_in = check_within(&seed, 1, 4);
	l->e_out = check_within(&seed, 1, 4);
	l->ngemms = check_percent(&seed, 25) ? 2 : 1;
	for (int i = 0; i < l->ngemms; i++) {
		struct sf_gemm *g = &l->gemms[i];

		*g = (struct sf_gemm){ .batch = check_within(&seed, 1, 6),
			.m = check_within(&seed, 1, most),
			.k = check_within(&seed, 1, most),
			.n = check_within(&seed, 1, most) };
		if (a->conv != SF_CONV_IM2COL && check_percent(&seed, 50))
			make_conv(g);
		if (!sf_gemm_block(g, l->e_in, l->e_out, a, &error))
			return false;
		l->tiles += g->tiles;
	}
	return true;
}

static int64_t
bytes_or_none(int64_t most)
{
	return check_percent(&seed, 20)
	    ? 0
	    : check_within(&seed, 1, check_percent(&seed, 50) ? 20 : most);
}

static bool
random_slices(struct sf_lower *l, const struct sf_accel *a)
{
	static const enum sf_where wheres[] = { SF_ON_VECTOR, SF_ON_VECTOR,
		SF_ON_ARRAY, SF_ON_TRANSIT };
	int64_t most = a->tile_bytes < 200 ? 40 * a->tile_bytes : 8000;
	struct sf_error error;

	l->where = ONE_OF(wheres);
	l->cores = a->cores;
	if (l->where == SF_ON_TRANSIT && a->transit_ops_per_byte == 0)
		l->where = SF_ON_VECTOR;
	l->rd = bytes_or_none(most);
	l->wr = bytes_or_none(most);
	l->work = bytes_or_none(4000);
	l->flops = bytes_or_none(4000);
	return sf_slice_count(l, a, &error);
}

/* On the last operator, on some far back, or on none. */
static int
random_deps(int64_t *deps, int64_t i)
{
	int style = (int)check_within(&seed, 0, 3), n = 0;

	for (int64_t d = 0; d < i; d++)
		if ((style == 1 && d == i - 1) ||
		    (style == 2 && check_percent(&seed, 30)) ||
		    (style == 3 && d == i / 2))
			deps[n++] = d;
	return n;
}

static void
random_program(struct sf_program *p)
{
	int64_t nops = check_within(&seed, 0, 9) == 0
	    ? 0
	    : check_within(&seed, 1, MOST_OPS);
	int64_t deps[MOST_OPS];
	struct sf_error error;

	p->accel = random_block();
	if (check_percent(&seed, 5))
		make_instant(&p->accel);
	p->has_accel = true;
	while (p->nops < nops) {
		struct sf_lower l = { .deps = deps };
		bool made = check_percent(&seed, 40)
		    ? random_gemms(&l, &p->accel)
		    : random_slices(&l, &p->accel);

		/* What does not fit the block, or takes long, is none. */
		if (!made || l.tiles > MOST_TILES) {
			nops--;
			continue;
		}
		l.ndeps = random_deps(deps, p->nops);
		CHECK_FOR(error.text,
		    sf_program_add(
			p, p->nops, sf_str_of("random"), &l, &error));
	}
}

/* ---- what holds of every run ---- */

/* Work of the run, whatever the block. */
struct work {
	double macs, lanes, read, written;
};

static struct work
work_of(const struct sf_program *p, const struct sf_meter *m)
{
	struct work w = { (double)m->macs, 0, (double)m->read,
		(double)m->written };

	for (int64_t i = 0; i < p->nops; i++) {
		struct sf_lower lower;

		sf_program_lower(&p->ops[i], &lower);
		if (lower.where == SF_ON_VECTOR)
			w.lanes += (double)lower.work;
	}
	return w;
}

/*
 * Seconds that the work takes at peak rates at least. Latencies, fill and drain
 * and rounding up only add to it.
 */
static double
lower_bound(const struct work *w, const struct sf_accel *a)
{
	double cores = (double)a->cores;
	const double times[] = { w->macs / a->peak_macs,
		w->lanes / ((double)a->vector_lanes * a->clock_hz * cores),
		w->read / (a->noc_bw * cores), w->written / (a->noc_bw * cores),
		(w->read + w->written) / a->dram_bw };
	double most = 0;

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		most = times[i] > most ? times[i] : most;
	return most;
}

/* Twice of one thing: bandwidths, channels of the same speed, the array. */
static struct sf_accel
twice(struct sf_accel a, int what)
{
	struct sf_error error;

	a.dram_bw *= what == 0 || what == 2 ? 2 : 1;
	a.noc_bw *= what == 1 ? 2 : 1;
	a.dram_channels *= what == 2 ? 2 : 1;
	a.array_rows *= what == 3 ? 2 : 1;
	a.array_cols *= what == 4 ? 2 : 1;
	CHECK(sf_accel_finish(&a, &error));
	return a;
}

/* What operators tell of the run, in the order in which they do. */
static void
add_up(void *to, const struct sf_op_result *result)
{
	struct sf_sums *sums = to;

	CHECK(result->wait_load >= 0 && result->wait_buffer >= 0 &&
	    result->wait_deps >= 0);
	sums->compute += result->computing;
	sums->wait_load += result->wait_load;
	sums->wait_buffer += result->wait_buffer;
	sums->wait_deps += result->wait_deps;
}

static struct sf_meter
meter_of(const struct sf_program *p, const struct sf_engine_type *type)
{
	struct sf_sums sums = { 0 };
	struct sf_sink sink = { &sums, add_up, NULL };
	struct sf_engine_cost cost;
	struct sf_meter m = { 0 };
	struct sf_error error;

	CHECK_FOR(
	    error.text, sf_program_run(p, type, &sink, &m, &cost, &error));
	CHECK(sums.compute == m.sums.compute &&
	    sums.wait_load == m.sums.wait_load &&
	    sums.wait_buffer == m.sums.wait_buffer &&
	    sums.wait_deps == m.sums.wait_deps);
	return m;
}

/* The same of each core, and of all that they are what the run is. */
static void
check_cores(const struct sf_accel *a, const struct sf_meter *m,
    const char *what, double slack)
{
	struct sf_core_meter all = { 0 };
	double latest = 0;

	for (int64_t i = 0; i < a->cores && a->cores > 1; i++) {
		const struct sf_core_meter *c = &m->core[i];
		double stalls = c->sums.compute + c->sums.wait_load +
		    c->sums.wait_buffer + c->sums.wait_deps +
		    (m->makespan - c->last_compute);

		CHECK_FOR(what,
		    stalls <= m->makespan + slack &&
			stalls >= m->makespan - slack);
		CHECK_FOR(
		    what, c->peak <= m->peak && c->acc_peak <= m->acc_peak);
		all.tiles += c->tiles;
		all.macs += c->macs;
		all.read += c->read;
		all.written += c->written;
		if (c->last_compute > latest)
			latest = c->last_compute;
	}
	CHECK_FOR(what, latest <= m->makespan);
	CHECK_FOR(what,
	    a->cores == 1 ||
		(all.tiles == m->tiles && all.macs == m->macs &&
		    all.read == m->read && all.written == m->written));
}

static void
check_run(const struct sf_program *p, const struct sf_meter *m)
{
	const struct sf_accel *a = &p->accel;
	struct work work = work_of(p, m);
	double stalls = m->sums.compute + m->sums.wait_load +
	    m->sums.wait_buffer + m->sums.wait_deps +
	    ((double)a->cores * m->makespan - m->last_compute);
	double slack = 1e-9 * (m->makespan + (double)m->tiles * a->quantise);
	char what[40];

	snprintf(what, sizeof what, "program %d", number);
	CHECK_FOR(what, m->tiles == p->tiles && m->ops == p->nops);
	stalls /= (double)a->cores;
	CHECK_FOR(what,
	    stalls <= m->makespan + slack && stalls >= m->makespan - slack);
	CHECK_FOR(what,
	    m->sums.wait_load >= 0 && m->sums.wait_buffer >= 0 &&
		m->sums.wait_deps >= 0);
	check_cores(a, m, what, slack);
	CHECK_FOR(what,
	    (m->sums.load + m->sums.store) / (double)a->servers <=
		m->makespan + slack);
	CHECK_FOR(what, m->peak >= 0 && m->peak <= a->buffer_bytes);
	CHECK_FOR(what, m->acc_peak >= 0 && m->acc_peak <= a->acc_bytes);
	CHECK_FOR(
	    what, (m->makespan + slack) * a->second >= lower_bound(&work, a));
	for (int i = 0; i < 5; i++) {
		struct sf_accel more = twice(*a, i);

		CHECK_FOR(
		    what, lower_bound(&work, &more) <= lower_bound(&work, a));
	}
}

/*
 * With a channel for each DMA of each core the run itself is no longer with more bandwidth
 * than with less, but for rounding: times are maxima of sums of durations.
 */
static void
check_more_bandwidth(struct sf_program *p, const struct sf_meter *m)
{
	struct sf_accel a = p->accel;
	char what[40];

	snprintf(what, sizeof what, "program %d", number);
	for (int i = 0; i < 3 && !sf_accel_shares(&a); i++) {
		p->accel = twice(a, i);
		CHECK_FOR(what,
		    meter_of(p, &sf_engines[SF_ENGINE_fast]).makespan <=
			m->makespan * (1 + 1e-12));
	}
	p->accel = a;
}

/* Programs that were run on so many engines; what they had in them. */
static struct {
	int64_t programs[4], tiles, full, deps, cores;
} total;

static void
run(struct sf_program *p)
{
	struct sf_verdict verdict;
	struct sf_error error;
	struct sf_meter m;

	random_program(p);
	CHECK_FOR(
	    error.text, sf_check_engines(p, engines, 3, &verdict, &error));
	CHECK_FOR(verdict.first.text, verdict.agree);
	CHECK(verdict.nran == 2 + p->accel.quantise);
	m = meter_of(p, &sf_engines[SF_ENGINE_event]);
	check_run(p, &m);
	check_more_bandwidth(p, &m);
	total.programs[verdict.nran]++;
	total.tiles += p->tiles;
	total.full += m.sums.wait_buffer > 0;
	total.deps += m.sums.wait_deps > 0;
	total.cores += p->accel.cores > 1;
	sf_program_reset(p);
}

int
main(void)
{
	struct sf_program program;

	sf_program_init(&program);
	for (number = 0; number < PROGRAMS; number++)
		run(&program);
	sf_program_release(&program);
	printf("%d programs, %lld tiles: %lld on one engine, %lld on two, %lld "
	       "on three; %lld waited for the buffer, %lld for an operator, "
	       "%lld had several cores\n",
	    PROGRAMS, (long long)total.tiles, (long long)total.programs[1],
	    (long long)total.programs[2], (long long)total.programs[3],
	    (long long)total.full, (long long)total.deps,
	    (long long)total.cores);
	return 0;
}
