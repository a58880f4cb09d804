/* Attention written out in Python, for models that PyTorch's own cannot run. */
#ifndef SF_MODEL_EAGER_H
#define SF_MODEL_EAGER_H

#include "model/call.h"

/*
 * eager_attention_forward with sinks: logits beside those of the keys, a
 * parameter for each head, that take weight and give no value. As sf_attend.
 */
struct sf_val *sf_eager_attend(struct sf_build *b, int64_t layer,
    struct sf_val *q, struct sf_val *k, struct sf_val *v, struct sf_val *mask);

/* The same, before its heads are put together: [batch, tokens, heads, size]. */
struct sf_val *sf_eager_heads(struct sf_build *b, int64_t layer,
    struct sf_val *q, struct sf_val *k, struct sf_val *v, struct sf_val *mask);

#endif
