/* Rotary position embedding. */
#ifndef SF_MODEL_ROPE_H
#define SF_MODEL_ROPE_H

#include "model/arch.h"
#include "model/call.h"
#include "model/fuse.h"

struct sf_rope {
	struct sf_val *cos, *sin;
};

/* The buffer of the frequencies of so many pairs. */
struct sf_val *sf_rope_frequencies(struct sf_build *b, int64_t pairs);

/* The angles of POSITIONS, which are [1, tokens]. */
struct sf_rope sf_rope_angles(struct sf_build *b, struct sf_val *positions);

/* The operators since F as the one that makes the angles R of POSITIONS. */
void sf_rope_fuse_angles(struct sf_build *b, struct sf_fusion f,
    struct sf_val *positions, const struct sf_rope *r);
/* Those of layers with a window and of others; of one type NULL is the other. */
struct sf_ropes {
	struct sf_rope sliding, full;
};

/* The embeddings of all types of layers that there are. */
struct sf_ropes sf_rope_types(struct sf_build *b, struct sf_val *positions);

/* X by the angles of R, which are of its heads. */
struct sf_val *
sf_rope_rotate(struct sf_build *b, struct sf_val *x, const struct sf_rope *r);

/* apply_rotary_pos_emb, of heads of q and k. */
void sf_rope_apply(struct sf_build *b, const struct sf_rope *r,
    struct sf_val **q, struct sf_val **k);

/*
 * Q and K rotated, of four dimensions, of which DIM are the heads: with pairs of
 * halves, or of neighbours, which come out as halves.
 */
void sf_rope_halves(struct sf_build *b, const struct sf_rope *r, int dim,
    struct sf_val **q, struct sf_val **k);
void sf_rope_neighbours(struct sf_build *b, const struct sf_rope *r, int dim,
    struct sf_val **q, struct sf_val **k);

/* Queries Q, which grow with the tokens before theirs, by the architecture's heat. */
struct sf_val *
sf_rope_heat(struct sf_build *b, struct sf_val *q, struct sf_val *positions);

/* Neighbours of X, [batch, tokens, heads, size], as complex numbers. */
struct sf_val *sf_rope_pairs(struct sf_build *b, struct sf_val *x);

#endif
