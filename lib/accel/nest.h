/*
 * The program of one operator: its loop nest as a sequence of tiles, made on
 * the fly. Tiles come as indices into a short table of sizes, some at a time,
 * so that neither durations nor tiles are ever held for a whole nest.
 */
#ifndef SF_ACCEL_NEST_H
#define SF_ACCEL_NEST_H

#include <stddef.h>
#include <stdint.h>

#include "accel/accel.h"
#include "accel/lower.h"
#include "accel/tile.h"
#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

enum {
	/* The last or not in each of four loops. */
	SF_NEST_SIZES = 16,
	/*
	 * Where blocks are reused also the last or not of the repeats of m, and
	 * the first or not of the innermost index.
	 */
	SF_NEST_SIZES_REUSED = 64,
	/* Bytes in, bytes out, work or FLOPs: a slice has floor or ceiling. */
	SF_NEST_SHARES = 3,
	SF_NEST_LAST = 1 << SF_NEST_SHARES, /* an op's last slice */
	SF_NEST_TABLE = SF_MAX_GEMMS * SF_NEST_SIZES_REUSED,
	SF_NEST_BATCH = 256, /* tiles that are made at once */
};

/* A quantity divided over slices, as floor(q(i+1)/n) - floor(q i/n). */
struct sf_share {
	int64_t whole, rest; /* q / n and q % n */
	int64_t carry;       /* q i mod n, less n */
};

/*
 * The loops of one GEMM that run more than once, innermost first, and the bit
 * that the last round of each sets in the table index; the others' bits are
 * always set, in BASE.
 */
struct sf_loops {
	int n;
	int64_t count[SF_GEMM_DIMS + 1];
	uint16_t bit[SF_GEMM_DIMS + 1], base;
	/*
	 * The bit of a tile that is the first of the innermost index, which is
	 * that of so many loops; 0 where that makes no difference.
	 */
	uint16_t first;
	int first_loops;
};

struct sf_nest {
	/* Of the whole operator, or of a core's part of it, exact. */
	enum sf_where where;
	int64_t tiles;
	int64_t macs;    /* of the array */
	int64_t read;    /* bytes loaded */
	int64_t written; /* bytes stored */
	struct sf_energy_use use;

	/* Where the sequence is. */
	int64_t left; /* tiles to come */
	int ngemms, gemm;
	struct sf_loops loops[SF_MAX_GEMMS];
	int64_t at[SF_GEMM_DIMS + 1]; /* rounds done of the GEMM's loops */
	int sizes;                    /* of the table, a GEMM */
	struct sf_share share[SF_NEST_SHARES];
	int64_t slices; /* of all cores, and the first one of this part */
	int64_t begin;

	/* The last member, as most operators need little of it. */
	struct sf_tile table[SF_NEST_TABLE];
};

/* The bytes of NEST that are in use: a copy needs no more. */
size_t sf_nest_size(const struct sf_nest *nest);

/*
 * Prepares the sequences of all cores of ACCEL, one nest each, of which some may
 * have no tiles. Fails when a tile needs more than the buffer has, or when a
 * figure passes 2^63 - 1.
 */
bool sf_nest_init(struct sf_nest *nests, const struct sf_lower *lower,
    const struct sf_accel *accel, struct sf_error *error);

/* Nests for the cores of ACCEL, to be freed with free(). */
struct sf_nest *sf_nests_new(const struct sf_accel *accel);

/* Back to the first tile. */
void sf_nest_rewind(struct sf_nest *nest);

/*
 * Writes the table indices of the next tiles, at most SF_NEST_BATCH, in
 * program order, and returns how many; 0 at the end.
 */
int
sf_nest_next(struct sf_nest *nest, uint16_t out[SF_AT_LEAST(SF_NEST_BATCH)]);

SF_PUBLIC_END

#endif
