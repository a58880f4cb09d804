/* PhiMoE's router. */
#ifndef SF_MODEL_ROUTER_SPARSE_H
#define SF_MODEL_ROUTER_SPARSE_H

#include "model/router.h"

/* The router NAME of a layer, of X, [tokens, hidden]: always two experts. */
struct sf_routed sf_router_sparse(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

#endif
