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
 * quantised. One cache line.
 */
struct sf_tile {
	double load, compute, store;
	/*
	 * Buffer that is freed when the compute ends and when the store ends;
	 * both together are what the tile is granted. A tile that stores
	 * nothing frees all at the end of its compute.
	 */
	int64_t at_compute, at_store;
	/* The same two, for the mean occupancy. */
	double at_compute_f, at_store_f;
	int64_t stores; /* 1 when the tile goes through the store DMA */
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
