/*
 * Sparse attention by blocks of keys: heads of an indexer score all keys, and a
 * query sees the keys of the blocks that score best, and its own.
 */
#ifndef SF_MODEL_BLOCK_INDEX_H
#define SF_MODEL_BLOCK_INDEX_H

#include "model/rope.h"

/*
 * The mask, of numbers, of a layer whose input is X and whose tokens have
 * POSITIONS; MASK is the causal one, or NULL.
 */
struct sf_val *
sf_block_index(struct sf_build *b, int64_t layer, struct sf_val *x,
    const struct sf_rope *r, struct sf_val *positions, struct sf_val *mask);

#endif
