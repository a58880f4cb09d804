/*
 * Attention through a latent on the route gpu. A prefill makes keys and values
 * of all heads and runs flash attention over them; one token behind a cache,
 * and any behind an indexer, is multiplied with the keys' matrices first, and
 * what comes out of the latents with the values'.
 */
#ifndef SF_MODEL_FUSE_LATENT_H
#define SF_MODEL_FUSE_LATENT_H

#include "model/fuse.h"

/* Rotated or not, [batch, heads, tokens, size], and of keys of one head. */
struct sf_latent_parts {
	struct sf_val *q, *q_rope; /* of each head */
	struct sf_val *kv, *rope;  /* the latents of the call */
	struct sf_val *indices;    /* of the keys that are seen; NULL: of all */
};

/* The heads' output, [batch, tokens, heads * size]; NAME is the projection. */
struct sf_val *sf_fuse_latent(struct sf_build *b, int64_t layer,
    const char *name, const struct sf_latent_parts *in);

/*
 * The scores of all keys for an indexer's queries Q, [batch, tokens, heads,
 * size], with the heads' WEIGHTS, and the TOP of them; K is of the call.
 */
struct sf_val *sf_fuse_index(struct sf_build *b, struct sf_val *q,
    struct sf_val *k, struct sf_val *weights, int64_t top);

#endif
