/*
 * Attention through a latent: keys and values are kept as one vector for all
 * heads, of which each head's are made again, beside a rotated part of the keys
 * that the heads share.
 */
#ifndef SF_MODEL_MLA_H
#define SF_MODEL_MLA_H

#include <stdbool.h>
#include <stdint.h>

struct sf_mla {
	int64_t q_rank;     /* of the queries' own latent; 0: there is none */
	int64_t kv_rank;    /* of keys and values */
	int64_t pass, rope; /* of a head's query: what is not rotated, and is */
	int64_t value;      /* of a head's value */
	bool neighbours;    /* rotary pairs are neighbours */
	/* The indexer that chooses which keys a token sees; 0 heads: none. */
	int64_t index_heads, index_size, index_top;
	/* For each layer, whether it has one or uses that of a layer before. */
	bool *indexed;
};

#endif
