/* Sparse attention: an indexer chooses which keys a token sees. */
#ifndef SF_MODEL_INDEXER_H
#define SF_MODEL_INDEXER_H

#include "model/arch.h"
#include "model/call.h"
#include "model/rope.h"

/* The keys of a layer's choice: X its input, LATENT its queries' latent. */
struct sf_val *sf_indexer(struct sf_build *b, int64_t layer, struct sf_val *x,
    struct sf_val *latent, const struct sf_rope *r, struct sf_val *mask);

/* MASK without the keys that are not among INDICES. */
struct sf_val *sf_indexer_mask(
    struct sf_build *b, struct sf_val *indices, struct sf_val *mask);

#endif
