/* A tile, as the engines see it, and its eight times. */
#ifndef SF_ACCEL_TILE_H
#define SF_ACCEL_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * What tiles of one size have in common; an operator has a handful of sizes
 * however many tiles it has. Durations are in seconds, or in whole cycles when
 * quantised. Two cache lines, of which a block whose new keys are all at their
 * defaults needs the first.
 */
struct sf_tile {
	/* Of transfers: while they hold their server and network. */
	double load, compute, store;
	/* Buffer that is freed when the compute ends and when the store ends. */
	int64_t at_compute, at_store;
	/* The same two, for the mean occupancy. */
	double at_compute_f, at_store_f;
	int64_t stores; /* 1 when the tile goes through the store DMA */

	/* Of transfers: until their data are there; no less than the others. */
	double load_whole, store_whole;
	int64_t read, written; /* bytes moved */
	/*
	 * Buffer that the tile is granted. Where blocks are not reused that is
	 * what it frees; a block that others use, too, is granted to the first
	 * of them and freed by the last.
	 */
	int64_t granted;
	/* The same of the accumulator. */
	int64_t acc_granted, acc_at_compute, acc_at_store;
};

/* In the order of the tile record. */
struct sf_times {
	double issue;    /* the load DMA reaches the tile */
	double dep;      /* its dependencies are stored */
	double alloc;    /* buffer is granted */
	double load_end; /* the tile is in the ready FIFO */
	double comp_start;
	double comp_end;
	double store_start; /* comp_end, both, when it stores nothing */
	double store_end;
};

enum {
	SF_TILE_TIMES = 8
};

SF_PUBLIC_END

#endif
