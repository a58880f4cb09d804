/* Routers that score experts, and mask groups of them. */
#ifndef SF_MODEL_ROUTER_GROUP_H
#define SF_MODEL_ROUTER_GROUP_H

#include "model/router.h"

/* The choice of the router NAME for the tokens X. */
struct sf_routed sf_router_grouped(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* DeepSeek's experts, NAME, with shared ones beside them. */
struct sf_val *sf_experts_shared(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

#endif
