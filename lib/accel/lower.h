/*
 * Lowering: from operators to the loop nests that tile them, without a tile
 * ever being written down. An operator is either blocked GEMMs, one for each of
 * its products, or a number of slices of equal bytes; sf-sim expands that
 * (accel/nest.h).
 */
#ifndef SF_ACCEL_LOWER_H
#define SF_ACCEL_LOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/gemm.h"
#include "base/decl.h"
#include "base/error.h"
#include "base/table.h"
#include "trace/op.h"
#include "trace/value.h"

SF_PUBLIC_BEGIN

enum sf_where {
	SF_ON_NONE, /* a view or an unknown: no tile */
	SF_ON_ARRAY,
	SF_ON_VECTOR,
	SF_ON_TRANSIT, /* the compute stage in the memory read path */
};

enum {
	SF_MAX_GEMMS = SF_MAX_PRODUCTS
};

struct sf_lower {
	enum sf_where where;
	const int64_t *deps; /* rising indices of the operators waited for */
	int ndeps;
	int64_t tiles;
	/* An array operator that does not say its products, cut by bytes. */
	bool ideal;
	/* Blocked GEMMs, or none of them: then slices. */
	int ngemms;
	int64_t e_in, e_out; /* bytes of an operand's and a result's element */
	enum sf_dtype type;  /* of what is multiplied; not in the record */
	/* What the slices divide: bytes, work items of the unit, FLOPs. */
	int64_t rd, wr, work, flops;
	int64_t slices; /* as it was read; when it is written TILES is */
	int64_t cores;  /* that have a part of it; 0 is 1 */
	/* Of a core's part of the slices: its first, and how many all have. */
	int64_t begin, all; /* ALL is 0 where that is TILES */
	/* The last, so that many can be kept without those that are none. */
	struct sf_gemm gemms[SF_MAX_GEMMS];
};

/* ---- sf-lower's side ---- */

/*
 * Sets the tiles of what LOWER slices: the least number that each fit the tile
 * budget; for the vector unit, when blocks are chosen by time, that number
 * doubled as often as it takes the least time.
 */
bool sf_slice_count(struct sf_lower *lower, const struct sf_accel *accel,
    struct sf_error *error);

struct sf_rulebook;

/* Who made each value, and which names were met that say too little. */
struct sf_lowering {
	struct sf_arena *arena;
	struct sf_values values; /* who made them */
	struct sf_table unknown; /* name -> how often */
	struct sf_table ideal;   /* name -> how often, of those cut ideally */
	/* Multiply-accumulates of all and of the latter, as doubles. */
	double macs, ideal_macs;
	/* Products of traces that were counted before rules stated them. */
	struct sf_arena *rules_arena;
	struct sf_rulebook *rules; /* NULL until it is needed */
};

void sf_lowering_init(struct sf_lowering *lowering);
void sf_lowering_release(struct sf_lowering *lowering);

/* Names, in a note, what has no tiles because nobody knows what it is. */
void
sf_lowering_note(struct sf_stream *stream, const struct sf_lowering *lowering);

/* Forgets the trace. */
void sf_lowering_reset(struct sf_lowering *lowering);

/*
 * Lowers the current op. LOWER's deps live as long as the record. Dies when
 * the op cannot be lowered.
 */
void sf_lower_op(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_accel *accel, const struct sf_op *op,
    struct sf_lower *lower);

/* Writes the value of the `lower` member, or appends it to the current op. */
void sf_lower_write(struct sf_jsonw *w, const struct sf_lower *lower);
void sf_lower_put(struct sf_stream *stream, const struct sf_lower *lower);

/* The type of what OP multiplies, which is that of its first input. */
enum sf_dtype sf_lower_type(const struct sf_op *op);

/* ---- sf-sim's side ---- */

/* Reads the `lower` member of OP; dies when it is not as it must be. */
void sf_lower_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_lower *lower);

/* "none", "array", "vector", "transit". */
const char *sf_where_name(enum sf_where where);

SF_PUBLIC_END

#endif
