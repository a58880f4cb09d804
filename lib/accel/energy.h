/*
 * Energy and area of the accelerator: sums of products of a count and a
 * coefficient, none of which has a default. docs/accel-energy.md says what they
 * are, and how little such a model can claim.
 */
#ifndef SF_ACCEL_ENERGY_H
#define SF_ACCEL_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"
#include "config/key.h"
#include "trace/dtype.h"

SF_PUBLIC_BEGIN

/* Coefficients, 0 where there is none, and what each rests on. */
struct sf_energy {
#define SF_ENERGY_KEY(name, unit, range, meaning) struct sf_key_sourced name;
#include "accel/energy.def"
#undef SF_ENERGY_KEY
};

struct sf_area {
#define SF_AREA_KEY(name, unit, range, meaning) struct sf_key_sourced name;
#include "accel/area.def"
#undef SF_AREA_KEY
};

extern const struct sf_keys sf_energy_keys, sf_area_keys;

/* Their units for people, in the order of the rows. */
extern const char *const sf_energy_units[], *const sf_area_units[];

enum {
	SF_ENERGY_MACS = 9 /* rows of energy.def that price a type of them */
};

/*
 * What a run does that takes energy, beside memory traffic and time: whole
 * numbers, so that their sums do not depend on the order. What a row or a column
 * of the array shares is counted for each of its units and divided in the end.
 */
struct sf_energy_use {
	int64_t macs[SF_ENERGY_MACS]; /* by type */
	/* Bytes from the buffer and into it; those shared by rows, by columns. */
	int64_t bytes, row_bytes, col_bytes;
	/* Updates of partial sums outside of the array; shared by rows. */
	int64_t updates, row_updates;
};

/* By component, J; a negative one is not known. */
struct sf_joules {
	double mac, buffer, accumulator, dram, fixed, total;
};

/* By component, mm2; the same. */
struct sf_square_mm {
	double array, buffer, accumulator, total;
};

struct sf_accel;
struct sf_lower;

/*
 * What one operator uses, LOADED bytes of which are filled into the buffer;
 * nothing where the accelerator has no energy. False when there is a coefficient
 * for multiply-accumulates and none for those of its type, or when a count
 * passes 2^63 - 1.
 */
bool sf_energy_use_of(const struct sf_accel *accel,
    const struct sf_lower *lower, int64_t macs, int64_t loaded,
    struct sf_energy_use *use, struct sf_error *error);

/* TO += TIMES x USE; false past 2^63 - 1. */
bool sf_energy_use_add(
    struct sf_energy_use *to, const struct sf_energy_use *use, int64_t times);

/* True when there is any coefficient. */
bool sf_energy_given(const struct sf_energy *energy);

/* BYTES go to memory and from it, in all. */
struct sf_joules sf_energy_joules(const struct sf_accel *accel,
    const struct sf_energy_use *use, double bytes, double makespan_s);

/* Of all cores. A part without a coefficient is not known. */
struct sf_square_mm sf_area_of(const struct sf_accel *accel);

/*
 * X per byte or update in a memory of SIZE bytes, when it is that of REF bytes,
 * or of any when that is 0: energy grows with the square root of the size.
 */
double sf_energy_at_size(double x, double ref, double size);

SF_PUBLIC_END

#endif
