/*
 * A dataflow: which operand stays in the array while the others stream
 * through, and what follows from it. It is one file, dataflow-NAME.c, which
 * defines sf_dataflow_NAME, and one row of dataflow.def; nothing else knows its
 * name. docs/new-dataflow.md shows the way.
 */
#ifndef SF_ACCEL_DATAFLOW_H
#define SF_ACCEL_DATAFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/* What a tile multiplies: NB times C[mm,nn] += A[mm,kk] B[kk,nn], TAPS times. */
struct sf_array_work {
	int64_t nb, mm, nn, kk, taps;
};

enum sf_operand {
	SF_OPERAND_A,
	SF_OPERAND_B,
	SF_OPERAND_C
};

/* The loops over blocks around k, outermost first. */
enum sf_loop_order {
	SF_ORDER_MNK,
	SF_ORDER_NMK,
	SF_NORDERS
};

struct sf_dataflow {
	enum sf_operand stays; /* in the array */
	/* A bit of each order that is tried where blocks are reused. */
	unsigned orders;
	/* Sizes of m, n and k that fill the array once. */
	void (*units)(const struct sf_accel *accel, int64_t unit[3]);
	/* Cycles of a tile; false when they pass 2^63 - 1. */
	bool (*cycles)(const struct sf_accel *accel,
	    const struct sf_array_work *work, int64_t *out);
};

/* Those that there are, in the order of sf_dataflow_names. */
extern const struct sf_dataflow *const sf_dataflows[];

#define SF_DATAFLOW(name) extern const struct sf_dataflow sf_dataflow_##name;
#include "accel/dataflow.def"
#undef SF_DATAFLOW

/*
 * Cycles of WORK on the arrays of ACCEL by its dataflow; a convolution fills
 * the rows as its key conv says.
 */
bool sf_array_cycles(const struct sf_accel *accel,
    const struct sf_array_work *work, int64_t *out);

/* ---- for dataflows ---- */

/*
 * One fill of the array of which LENGTH cycles compute, OVER drain and skew and
 * LOAD bring what stays: what it takes by array_fill. False past 2^63 - 1.
 */
bool sf_array_fold(const struct sf_accel *accel, int64_t length, int64_t over,
    int64_t load, int64_t *out);

/* What a tile pays once, behind its folds. */
int64_t sf_array_once(const struct sf_accel *accel);

/*
 * An operand stays, its depth along the rows of the array and COLUMNS of it
 * along the columns; each fill is streamed LENGTH cycles. Arrays share either
 * the fills or what streams, whichever is shorter.
 */
bool sf_array_stationary(const struct sf_accel *accel,
    const struct sf_array_work *work, int64_t columns, int64_t length,
    int64_t *out);

/* Rows of m and k, columns of n. */
void sf_array_units(const struct sf_accel *accel, int64_t unit[3]);

SF_PUBLIC_END

#endif
