/*
 * The cycle engine stops when nothing moves. No program that sf-sim takes does
 * that, so a tile is made for a larger buffer than the engine has.
 */
#include <string.h>

#include "accel/engine.h"
#include "accel/nest.h"
#include "check.h"

static struct sf_accel
block(int64_t buffer)
{
	struct sf_accel a = { .preset = "test" };
	struct sf_error error;

	sf_keys_init(&sf_accel_keys, &a);
	a.clock_hz = 1;
	a.array_rows = a.array_cols = a.vector_lanes = 1;
	a.buffer_bytes = buffer;
	a.tile_fraction = 1;
	a.dram_bw = 2;
	a.dram_channels = 2;
	a.noc_bw = 1;
	a.quantise = true;
	CHECK_FOR(error.text, sf_accel_finish(&a, &error));
	return a;
}

static void
ended(void *to, const struct sf_op_result *result)
{
	(void)result;
	++*(int *)to;
}

/* An operator that loads BYTES at once, on the block of a larger buffer. */
static bool
run(struct sf_engine *engine, int64_t op, int64_t bytes, struct sf_error *error)
{
	struct sf_accel large = block(1000);
	struct sf_lower l = {
		.where = SF_ON_VECTOR, .tiles = 1, .rd = bytes, .work = 3
	};
	struct sf_nest nest;

	CHECK(sf_nest_init(&nest, &l, &large, error));
	return sf_engines[SF_ENGINE_cycle].run(
	    engine, op, &nest, NULL, 0, error);
}

int
main(void)
{
	struct sf_accel small = block(100);
	int ops = 0;
	struct sf_sink sink = { &ops, ended, NULL };
	struct sf_engine *engine =
	    sf_engines[SF_ENGINE_cycle].make(&small, &sink);
	struct sf_error error;

	CHECK(run(engine, 0, 60, &error));
	CHECK(!run(engine, 1, 101, &error));
	/* The first loads for 60 cycles and computes for 3. */
	CHECK_FOR(error.text,
	    strcmp(error.text,
		"nothing moves at cycle 63 with 1 tiles under way") == 0);
	CHECK(ops == 1);
	sf_engines[SF_ENGINE_cycle].free(engine);
	return 0;
}
