/* Mixtures of experts: routers, experts, and how many of them are read. */
#ifndef SF_MODEL_EXPERTS_H
#define SF_MODEL_EXPERTS_H

#include "model/arch.h"
#include "model/call.h"
#include "model/router.h"

/* X, [tokens, width], through the experts NAME that were chosen. */
struct sf_val *sf_experts_mix(struct sf_build *b, int64_t layer,
    const char *name, struct sf_val *x, const struct sf_routed *choice);

/* The MLP NAME of a layer that has experts. */
struct sf_val *sf_experts(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* Of a parameter W that all experts have, counts what a token does not go to. */
void sf_experts_count_idle(struct sf_build *b, const struct sf_val *w);

#endif
