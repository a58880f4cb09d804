/* Attention with linear biases: a slope for each head instead of positions. */
#ifndef SF_MODEL_ALIBI_H
#define SF_MODEL_ALIBI_H

#include "model/call.h"

/* One for each token and each before it: [batch, keys] of DTYPE. */
struct sf_val *sf_alibi_ones(struct sf_build *b, enum sf_dtype dtype);

/*
 * build_alibi_tensor of transformers 5.18, of such a mask: what is added to the
 * scores of each head's keys, [batch * heads, 1, keys]. Slopes are SLOPES before
 * they meet the places.
 */
struct sf_val *
sf_alibi_make(struct sf_build *b, struct sf_val *ones, enum sf_dtype slopes);

#endif
