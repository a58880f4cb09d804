/*
 * Loop nests: the tiles that come out of one cover its work exactly, each has
 * the size of its place, and batches of tiles do not show.
 */
#include "accel/nest.h"

#include <string.h>

#include "base/num.h"
#include "check.h"

static struct sf_accel
small_block(int64_t buffer)
{
	struct sf_accel a = { .preset = "test" };
	struct sf_error error;
	static const char *const settings[][2] = { { "clock_hz", "1" },
		{ "array_rows", "1" }, { "array_cols", "1" },
		{ "vector_lanes", "1" }, { "buffer_bytes", "1" },
		{ "tile_fraction", "1" }, { "dram_bw", "2" },
		{ "dram_channels", "2" }, { "dram_latency", "0" },
		{ "noc_bw", "1" }, { "noc_latency", "0" } };
	const struct sf_keys *keys = &sf_accel_keys;

	sf_keys_init(keys, &a);
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		CHECK(sf_key_set(sf_keys_find(keys, sf_str_of(settings[i][0])),
		    &a, settings[i][1], NULL, &error));
	a.buffer_bytes = buffer;
	CHECK(sf_accel_finish(&a, &error));
	return a;
}

/* What all tiles of a nest come to; time is bytes and work on this block. */
struct total {
	int64_t tiles, stored;
	double load, compute, store;
};

static struct total
run(struct sf_nest *nest)
{
	uint16_t sizes[SF_NEST_BATCH];
	struct total t = { 0 };

	for (int n; (n = sf_nest_next(nest, sizes)) != 0;)
		for (int i = 0; i < n; i++) {
			const struct sf_tile *tile = &nest->table[sizes[i]];

			t.tiles++;
			t.stored += tile->stores;
			t.load += tile->load;
			t.compute += tile->compute;
			t.store += tile->store;
		}
	return t;
}

/*
 * One multiply-accumulate a cycle and two for fill and drain, so computes
 * tell MACs; one byte a second, so loads and stores tell bytes.
 */
static void
gemm(int64_t batch, int64_t m, int64_t k, int64_t n, int64_t budget)
{
	struct sf_accel a = small_block(budget);
	struct sf_lower l = {
		.where = SF_ON_ARRAY, .ngemms = 1, .e_in = 2, .e_out = 3
	};
	struct sf_gemm *g = &l.gemms[0];
	struct sf_nest nest;
	struct sf_error error;
	struct total t;
	int64_t results;

	*g = (struct sf_gemm){ .batch = batch, .m = m, .k = k, .n = n };
	CHECK(sf_gemm_block(g, l.e_in, l.e_out, &a, &error));
	l.tiles = g->tiles;
	CHECK_FOR(error.text, sf_nest_init(&nest, &l, &a, &error));
	t = run(&nest);
	results = g->tiles / sf_ceil_div(k, g->bk);
	CHECK(t.tiles == g->tiles && t.stored == results);
	CHECK(nest.macs == batch * m * k * n);
	CHECK(t.compute == (double)(nest.macs + 2 * t.tiles));
	CHECK(t.load == (double)nest.read && t.store == (double)nest.written);
	CHECK(nest.written == batch * m * n * 3);
	sf_nest_rewind(&nest);
	CHECK(run(&nest).compute == t.compute);
	CHECK(sf_nest_next(&nest, (uint16_t[SF_NEST_BATCH]){ 0 }) == 0);
}

static void
gemms(void)
{
	unsigned long long seed = 3;

	for (int i = 0; i < 400; i++)
		gemm((int64_t)(check_random(&seed) % 5 + 1),
		    (int64_t)(check_random(&seed) % 40 + 1),
		    (int64_t)(check_random(&seed) % 40 + 1),
		    (int64_t)(check_random(&seed) % 40 + 1),
		    (int64_t)(check_random(&seed) % 3000 + 7));
	/* Lines of k longer and shorter than a batch, and next to it. */
	for (int64_t k = 254; k <= 258; k++)
		gemm(3, 2, k, 2, 7);
	gemm(1000, 1, 1, 1, 7);
	gemm(1, 1, 1, 1000, 7);
	gemm(1, 1000, 1, 1, 7);
}

static int64_t
share(int64_t q, int64_t i, int64_t n)
{
	return q * (i + 1) / n - q * i / n;
}

/* Each slice's times against the floors that define them. */
static void
slices(int64_t rd, int64_t wr, int64_t work, int64_t n)
{
	struct sf_accel a = small_block(1 << 20);
	struct sf_lower l = { .where = SF_ON_VECTOR,
		.tiles = n,
		.rd = rd,
		.wr = wr,
		.work = work,
		.flops = 5 };
	struct sf_nest nest;
	struct sf_error error;
	uint16_t sizes[SF_NEST_BATCH];
	int64_t i = 0;

	CHECK(sf_nest_init(&nest, &l, &a, &error));
	for (int got; (got = sf_nest_next(&nest, sizes)) != 0;)
		for (int j = 0; j < got; j++, i++) {
			const struct sf_tile *t = &nest.table[sizes[j]];
			int64_t stored = share(wr, i, n);

			CHECK(t->load == (double)share(rd, i, n));
			CHECK(t->store == (double)stored);
			CHECK(t->compute == (double)share(work, i, n));
			CHECK(t->at_compute + t->at_store ==
			    share(rd, i, n) + stored);
			CHECK(t->stores == (stored > 0 || i == n - 1));
		}
	CHECK(i == n && nest.read == rd && nest.written == wr);
}

static void
all_slices(void)
{
	unsigned long long seed = 9;

	for (int i = 0; i < 300; i++)
		slices((int64_t)(check_random(&seed) % 3000),
		    (int64_t)(check_random(&seed) % 30),
		    (int64_t)(check_random(&seed) % 3000),
		    (int64_t)(check_random(&seed) % 700 + 1));
	slices(0, 0, 0, 1);
	slices(0, 0, 0, 257);
}

static void
refusals(void)
{
	struct sf_accel a = small_block(100);
	struct sf_lower l = {
		.where = SF_ON_VECTOR, .tiles = 1, .rd = 90, .wr = 11
	};
	struct sf_nest nest;
	struct sf_error error;

	CHECK(!sf_nest_init(&nest, &l, &a, &error));
	CHECK(
	    strcmp(error.text,
		"a tile needs 101 bytes of buffer, buffer_bytes is 100") == 0);
	l.tiles = INT64_MAX;
	CHECK(!sf_nest_init(&nest, &l, &a, &error));
	l = (struct sf_lower){ .where = SF_ON_ARRAY,
		.tiles = 1,
		.ngemms = 1,
		.e_in = 1,
		.e_out = 1 };
	l.gemms[0] = (struct sf_gemm){ .batch = 1,
		.m = INT64_MAX,
		.k = 1,
		.n = 2,
		.bb = 1,
		.bm = INT64_MAX,
		.bk = 1,
		.bn = 2,
		.tiles = 1 };
	CHECK(!sf_nest_init(&nest, &l, &a, &error));
	CHECK(strstr(error.text, "2^63 - 1") != NULL);
}

int
main(void)
{
	gemms();
	all_slices();
	refusals();
	return 0;
}
