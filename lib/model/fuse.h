/*
 * Operators of the route gpu: what a model's program calls piece by piece and a
 * serving engine runs as one kernel. A part of the program is put between
 * sf_fuse_begin and sf_fuse_end, which makes one operator of all that was added
 * in between; on other routes both do nothing. Attention and the cache, whose
 * pieces do not tell what the kernel does, are made by functions of their own.
 */
#ifndef SF_MODEL_FUSE_H
#define SF_MODEL_FUSE_H

#include "model/call.h"
#include "model/mask.h"

/* True where the route runs fused operators. */
bool sf_fuses(const struct sf_build *b);

/* Where a part begins. */
struct sf_fusion {
	struct sf_graph_node *last; /* the operator before it; NULL: none */
};

struct sf_fusion sf_fuse_begin(struct sf_build *b);

/*
 * Makes one operator OP of what was added since: its inputs are IN and behind
 * them the parameters and buffers that the part reads, in the order in which it
 * does, those of more dimensions first; its outputs are OUT. Values that are made within and are in neither are
 * no longer there.
 */
void sf_fuse_end(struct sf_build *b, struct sf_fusion f, const char *op,
    struct sf_val *const *in, int nin, struct sf_val *const *out, int nout);

/* The same with one input and one output, which comes back. */
struct sf_val *sf_fuse_1(struct sf_build *b, struct sf_fusion f, const char *op,
    struct sf_val *in, struct sf_val *out);

/* A linear layer as one operator. */
struct sf_val *sf_fuse_linear(struct sf_build *b, struct sf_val *x,
    struct sf_val *weight, struct sf_val *bias);

/*
 * Writes KEYS and VALUES, of the call, to a cache; those of the context, with a
 * WINDOW the newest of them or those of the same chunk, are what the next attention reads beside them.
 */
void sf_fuse_cache(struct sf_build *b, int64_t window, struct sf_val **keys,
    struct sf_val **values);

/* Keys and values of SHAPE that the cache has, of tokens before the call. */
void sf_fuse_held(struct sf_build *b, const int64_t *shape,
    struct sf_val **keys, struct sf_val **values);

/*
 * Attention of LAYER over the keys and values of the call and those of the
 * cache; SINKS may be NULL. [batch, tokens, heads * size] comes back.
 */
struct sf_val *sf_fuse_attention(struct sf_build *b, int64_t layer,
    struct sf_val *q, struct sf_val *k, struct sf_val *v, struct sf_val *sinks);

/* The same of attention that is said, with a mask to add or none. */
struct sf_val *
sf_fuse_attend(struct sf_build *b, const struct sf_attention *attention);

/* Sums and the norms that follow them as one operator each. */
void sf_fuse_sums(struct sf_build *b);

/* Dies, naming the family, where the route is not defined for it. */
void sf_fuse_check(const struct sf_build *b, const struct sf_config *config);

#endif
