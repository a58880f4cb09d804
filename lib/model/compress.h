/*
 * Attention that sees the last tokens one by one, and those before them as
 * entries that stand for several each.
 */
#ifndef SF_MODEL_COMPRESS_H
#define SF_MODEL_COMPRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/call.h"
#include "model/graph.h"

enum sf_compressed {
	SF_COMPRESSED_NONE,   /* the last tokens alone */
	SF_COMPRESSED_SPARSE, /* entries that overlap, and an indexer */
	SF_COMPRESSED_HEAVY,  /* entries of many tokens, all of them seen */
};

struct sf_compression {
	enum sf_compressed *kinds;       /* of each layer */
	int64_t sparse_rate, heavy_rate; /* tokens of an entry */
	int64_t q_rank;
	int64_t groups, group_rank; /* of the product behind attention */
	int64_t index_heads, index_size, index_top;
	int64_t streams;  /* of the residual */
	int64_t balances; /* how often a matrix of theirs is balanced */
	bool *hashed; /* for each layer, whether the token chooses experts */
};

/* What a compressor is given. */
struct sf_compressor {
	int64_t layer;
	struct sf_val *x, *latent, *positions;
};

/*
 * The entries of a layer, [batch, 1, entries, size], and a bias of scores, which
 * may have one more than there are entries.
 */
struct sf_val *sf_compress(
    struct sf_build *b, const struct sf_compressor *c, struct sf_val **bias);

/* Cosines and sines of positions, by the frequencies INV. */
struct sf_rope;
struct sf_rope sf_compress_angles(
    struct sf_build *b, struct sf_val *inv, struct sf_val *positions);

/* The frequencies of a module. */
struct sf_val *sf_compress_frequencies(struct sf_build *b);

/* The end of each of X's heads rotated, which are its dimension 1. */
struct sf_val *sf_compress_rotate(
    struct sf_build *b, const struct sf_rope *r, struct sf_val *x);

#endif
