/*
 * One product of an operator as the accelerator has it: its sizes, its blocks
 * and what they come to. Lowering chooses the blocks; a nest expands them.
 */
#ifndef SF_ACCEL_GEMM_H
#define SF_ACCEL_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/dataflow.h"
#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

/*
 * The convolution that a product is, when its input is read as rows with their
 * halo; a product that is none, or is a matrix of patches, has no images.
 * Sizes of two are rows, then columns.
 */
struct sf_gemm_conv {
	/*
	 * Planes of output: images, times the outer dimensions of what has
	 * more than two. Each reads DEPTH planes of input.
	 */
	int64_t images, depth;
	int64_t out[2], kernel[2], stride[2], dilation[2];
};

/* What of a product the cores of a device share out, see accel/part.h. */
enum sf_gemm_split {
	SF_SPLIT_NONE, /* nothing: the first has it */
	SF_SPLIT_BATCH,
	SF_SPLIT_N
};

/*
 * C[m,n] += A[m,k] B[k,n], BATCH times, in blocks of bb x (bm, bk, bn). Of a
 * convolution m counts output positions, k channels, and a tile has all
 * positions of the kernel.
 */
struct sf_gemm {
	int64_t batch, m, k, n;
	int64_t bb, bm, bk, bn;
	int64_t tiles; /* of all cores */
	/* What is stored of B, where an element is not E_IN bytes; else 0, 0. */
	int64_t b_bytes, b_elements;
	enum sf_loop_order order;
	struct sf_gemm_conv conv;
	enum sf_gemm_split split;
};

/* Bytes of an element: of an operand, of a result in memory, on the chip. */
struct sf_elements {
	int64_t in, out, chip;
};

static inline struct sf_elements
sf_elements_of(const struct sf_accel *accel, int64_t e_in, int64_t e_out)
{
	struct sf_elements e = { e_in, e_out,
		accel->acc_itemsize != 0 ? accel->acc_itemsize : e_out };

	return e;
}

/* The loops over blocks, outermost first where n is inside m. */
enum sf_gemm_dim {
	SF_DIM_BATCH,
	SF_DIM_M,
	SF_DIM_N,
	SF_DIM_K,
	SF_GEMM_DIMS
};

/* REPEATS times COUNT blocks, all of side FULL but each COUNT's last. */
struct sf_gemm_loop {
	int64_t repeats, count, full, last;
};

/* Positions of the kernel that a tile multiplies; 1 of a product. */
int64_t sf_gemm_taps(const struct sf_gemm *gemm);

/* Rows of a block that may have ROWS: whole images, rows of one, or a part. */
int64_t sf_gemm_whole_rows(const struct sf_gemm *gemm, int64_t rows);

/*
 * The loops by dimension. Of a convolution in blocks below an image, or below a
 * row of one, m is cut anew in each.
 */
void sf_gemm_loops(
    const struct sf_gemm *gemm, struct sf_gemm_loop loops[SF_GEMM_DIMS]);

/* Tiles in all; false past 2^63 - 1. */
bool sf_gemm_count(const struct sf_gemm *gemm, int64_t *tiles);

/*
 * Bytes of a block of A, of B, and of the result on the chip; SIDE is by
 * dimension. False when one passes 2^63 - 1.
 */
struct sf_block_bytes {
	int64_t a, b, c;
};

bool sf_gemm_bytes(const struct sf_gemm *gemm, const struct sf_elements *e,
    const int64_t side[SF_GEMM_DIMS], struct sf_block_bytes *out);

/* Cycles of a tile. */
bool sf_gemm_cycles(const struct sf_gemm *gemm, const struct sf_accel *accel,
    const int64_t side[SF_GEMM_DIMS], int64_t *out);

/*
 * All together, false past 2^63 - 1. A tile loads both blocks; with reuse those
 * whose index differs from the tile before.
 */
bool sf_gemm_read(const struct sf_gemm *gemm, const struct sf_accel *accel,
    const struct sf_elements *e, int64_t *out);
bool sf_gemm_written(
    const struct sf_gemm *gemm, const struct sf_elements *e, int64_t *out);
bool sf_gemm_macs(const struct sf_gemm *gemm, int64_t *out);

/* ---- blocks ---- */

/*
 * Chooses what cores split of GEMM, and the block of the largest part as the key
 * blocks says; counts the tiles of all.
 */
bool sf_gemm_block(struct sf_gemm *gemm, int64_t e_in, int64_t e_out,
    const struct sf_accel *accel, struct sf_error *error);

/* The batches of a block of its sides that fit a tile; 0: not one does. */
int64_t sf_gemm_fit(const struct sf_gemm *gemm, const struct sf_accel *accel,
    const struct sf_elements *e);

/* What the search weighs of the block that GEMM has. */
struct sf_block_cost {
	double estimate; /* s */
	int64_t bytes, tiles, cycles;
};

/* False when a figure passes 2^63 - 1. */
bool sf_block_cost_of(const struct sf_gemm *gemm, const struct sf_accel *accel,
    const struct sf_elements *e, struct sf_block_cost *out);

/* The best block of all that fill the array; false when none fits. */
bool sf_gemm_search(struct sf_gemm *gemm, const struct sf_accel *accel,
    const struct sf_elements *e);

SF_PUBLIC_END

#endif
