/*
 * Which tokens go to which experts, where no values say it. It changes no shape
 * of a trace and no FLOPs, since each token has its number of experts anyway,
 * but how many experts' weights are read.
 */
#ifndef SF_MODEL_ROUTING_H
#define SF_MODEL_ROUTING_H

#include <stdint.h>

#include "model/call.h"
#include "model/graph.h"

/* How many experts of LAYER the tokens of the call need, as it is expected. */
double sf_routing_distinct(const struct sf_build *b, int64_t layer);

/* Of W, whose first dimension are the experts of LAYER: the bytes not read. */
int64_t sf_routing_unread(
    const struct sf_build *b, int64_t layer, const struct sf_val *w);

#endif
