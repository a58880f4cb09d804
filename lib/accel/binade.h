/*
 * Why a run may be moved in time, to the last bit.
 *
 * In whole cycles all times are integers below 2^53: +, -, max and < are exact.
 *
 * In seconds let times be in [2^e, 2^(e+1)), the binade e, and u = 2^(e-52) the
 * distance of two doubles there. A time t is a multiple of u, so the rounded sum
 * t + d is t + r(d), with d rounded to a multiple of u whatever t is, unless d
 * lies half way between two of them, where ties go to even t, or the sum leaves
 * the binade. Inside a binade, and without such durations, the engine counts
 * whole multiples of u; maxima, comparisons and differences are exact, and what
 * ran from one instant runs from any other alike.
 *
 * Both conditions are checked at run time, here.
 */
#ifndef SF_ACCEL_BINADE_H
#define SF_ACCEL_BINADE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "accel/nest.h"
#include "accel/tile.h"

/* Times from LOW to less than HIGH may be moved among each other. */
struct sf_binade {
	int exponent;
	double low, high;
};

/* No binade: nothing may be moved. */
#define SF_BINADE_NONE ((struct sf_binade){ INT_MAX, 0, 0 })

static inline double
sf_binade_power(int exponent)
{
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* That of TIME >= 0. In whole cycles all of them are one. */
static inline struct sf_binade
sf_binade_of(double time, bool whole_cycles)
{
	uint64_t bits;
	int exponent;

	if (whole_cycles)
		return (struct sf_binade){ 0, 0, 0x1p53 };
	memcpy(&bits, &time, sizeof bits);
	exponent = (int)(bits >> 52) - 1023;
	/* Far from where a power or u is no ordinary double. */
	if (exponent < -900 || exponent > 900)
		return SF_BINADE_NONE;
	return (struct sf_binade){ exponent, sf_binade_power(exponent),
		sf_binade_power(exponent + 1) };
}

static inline bool
sf_binade_tie(double duration, double base, double u)
{
	return (base + duration) - base != ((base + u) + duration) - (base + u);
}

/* A duration of TILE lies half way: each that the tile loop adds is here. */
static inline bool
sf_binade_tile_tie(const struct sf_tile *tile, double base, double u)
{
	return sf_binade_tie(tile->load, base, u) ||
	    sf_binade_tie(tile->compute, base, u) ||
	    sf_binade_tie(tile->store, base, u);
}

/* Whether a nest has ties in the binade that was asked about last. */
struct sf_ties {
	int exponent;
	bool any;
};

/* Nothing was asked yet. */
#define SF_TIES_UNKNOWN ((struct sf_ties){ INT_MIN, false })

/*
 * True when the tiles of NEST run alike wherever in the binade they stand. A
 * size that no tile has may say no for nothing; it never says yes.
 */
static inline bool
sf_binade_moves(const struct sf_binade *b, const struct sf_nest *nest,
    bool whole_cycles, struct sf_ties *ties)
{
	size_t n = (sf_nest_size(nest) - offsetof(struct sf_nest, table)) /
	    sizeof *nest->table;

	if (whole_cycles)
		return true;
	if (b->exponent == INT_MAX)
		return false;
	if (ties->exponent == b->exponent)
		return !ties->any;
	*ties = (struct sf_ties){ b->exponent, false };
	for (size_t i = 0; i < n && !ties->any; i++)
		ties->any = sf_binade_tile_tie(
		    &nest->table[i], b->low, sf_binade_power(b->exponent - 52));
	return !ties->any;
}

#endif
