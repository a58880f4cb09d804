/*
 * Random numbers by counting: each is a function of a seed and of what it is
 * for, so a design is drawn alone, in any order, on any machine.
 */
#ifndef SF_SWEEP_DRAW_H
#define SF_SWEEP_DRAW_H

#include <stdint.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * In [0, 1), with 53 bits: number K of design I. The finaliser of splitmix64
 * (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014), over one after the other.
 */
double sf_draw(int64_t seed, int64_t i, int64_t k);

/*
 * The place of I, from 0 to N - 1, in a permutation that K and the seed choose:
 * a Feistel network of four rounds on as many bits as N needs, walked until it
 * is below N.
 */
int64_t sf_draw_place(int64_t seed, int64_t i, int64_t k, int64_t n);

SF_PUBLIC_END

#endif
