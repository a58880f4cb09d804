/* The MLP of a decoder's layer. */
#ifndef SF_MODEL_MLP_H
#define SF_MODEL_MLP_H

#include "model/arch.h"
#include "model/call.h"

/* X through the MLP NAME of a layer, INNER wide inside. */
struct sf_val *sf_mlp(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, int64_t inner);

/* The same, gate and up in one product, and as Granite calls its parts. */
struct sf_val *sf_mlp_halves(struct sf_build *b, int64_t layer,
    const char *name, struct sf_val *x, int64_t inner);

/*
 * X through the linear layer NAME of WIDTH outputs, with or without a bias, and
 * an activation, which is the part ACT of the module that it is in.
 */
struct sf_val *sf_linear_activated(struct sf_build *b, int64_t layer,
    const char *name, struct sf_val *x, int64_t width, bool bias,
    const char *act, enum sf_activation activation);

#endif
