/*
 * Linear attention by the gated delta rule: a matrix for each head, of which a
 * token corrects what it holds for the token's key.
 */
#ifndef SF_MODEL_DELTA_H
#define SF_MODEL_DELTA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/call.h"
#include "model/graph.h"

enum {
	SF_DELTA_CHUNK = 64 /* tokens that are solved as one */
};

struct sf_delta {
	int64_t key_heads, value_heads;
	int64_t key, value; /* the size of a head */
	bool packed;        /* one product for q, k, v and the gate */
};

/* The mixer NAME of a layer. */
struct sf_val *sf_delta_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* What the rule is given: [batch, tokens, heads, size], or without the size. */
struct sf_delta_input {
	struct sf_val *q, *k, *v, *beta, *decay;
};

/* The rule over chunks of tokens, and over one token behind a state. */
struct sf_val *
sf_delta_chunks(struct sf_build *b, const struct sf_delta_input *in);
struct sf_val *
sf_delta_one(struct sf_build *b, const struct sf_delta_input *in);

#endif
