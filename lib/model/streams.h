/* A residual of several streams, which layers mix. */
#ifndef SF_MODEL_STREAMS_H
#define SF_MODEL_STREAMS_H

#include "model/call.h"

/* What a layer's module does with streams. */
struct sf_mixing {
	struct sf_val *post, *comb;
	struct sf_val *one; /* the streams as one, for the module between */
};

/* The module NAME of a layer, of X, [batch, tokens, streams, hidden]. */
struct sf_mixing sf_streams_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* The streams X with what was made of them as one, Y. */
struct sf_val *sf_streams_join(struct sf_build *b, const struct sf_mixing *m,
    struct sf_val *y, struct sf_val *x);

/* One of an embedding, and one of them behind the last layer. */
struct sf_val *sf_streams_open(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_streams_close(struct sf_build *b, struct sf_val *x);

#endif
