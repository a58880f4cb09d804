/*
 * A long nest settles into a period: batches of tiles that have the same sizes
 * in the same order, and find the pipeline in the same state, run alike. What
 * one of them did is kept for a while, and the next like it costs a comparison
 * and not 256 tiles. accel/binade.h says why this is exact.
 */
#ifndef SF_ACCEL_BATCH_H
#define SF_ACCEL_BATCH_H

#include "accel/binade.h"
#include "accel/tile-loop.h"

enum {
	SF_BATCH_SLOTS = 32, /* batches that are kept */
	SF_BATCH_FREES = 16, /* pending frees of each kind; more are not kept */
	/* Shorter nests are not worth looking. */
	SF_BATCH_TILES = 4 * SF_NEST_BATCH,
};

/* The pipeline as seen from its load_end, when all that is due was freed. */
struct sf_batch_state {
	double comp_end, store_end, raised;
	int64_t room, above, lower;
	int ncomputes, nstores;
	struct sf_free computes[SF_BATCH_FREES], stores[SF_BATCH_FREES];
};

struct sf_batch_slot {
	unsigned generation; /* of the memo that it is good for; 0: none */
	uint16_t sizes[SF_NEST_BATCH];
	struct sf_batch_state in, out;
	double took; /* from load_end to load_end */
	struct sf_sums sums;
};

struct sf_batch_memo {
	unsigned generation;
	int64_t hits, misses; /* batches, for who wants to know */
	struct sf_batch_slot slots[SF_BATCH_SLOTS];
};

/* A zeroed one is ready. */
void sf_batch_memo_init(struct sf_batch_memo *memo);

/*
 * Runs the tiles of NEST, which is at its first, on the pipeline and adds them
 * to SUMS: the same bits as sf_pipeline_run_nest. Returns the first tile's
 * alloc.
 */
double sf_batch_run(struct sf_batch_memo *memo, struct sf_pipeline *pipeline,
    struct sf_nest *nest, double ready, bool whole_cycles, struct sf_ties *ties,
    struct sf_sums *sums);

#endif
