/* Norms, as the classes of transformers write them. */
#ifndef SF_MODEL_NORM_H
#define SF_MODEL_NORM_H

#include "model/arch.h"
#include "model/call.h"

/* X normed along its last dimension by the parameter NAME.weight of LAYER. */
struct sf_val *
sf_norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/*
 * X by its root mean square, without a weight, in a part NAME of a module; the
 * root is made FP32.
 */
struct sf_val *
sf_norm_unweighted(struct sf_build *b, const char *name, struct sf_val *x);
/* X over the root of its mean square, in its own type. */
struct sf_val *sf_norm_length(struct sf_build *b, struct sf_val *x);

/* X normed so by nothing, as Gemma 4 does in a part NAME of a module. */
struct sf_val *
sf_norm_bare(struct sf_build *b, const char *name, struct sf_val *x);

#endif
