/* What chooses the experts that a token goes to. */
#ifndef SF_MODEL_ROUTER_H
#define SF_MODEL_ROUTER_H

#include <stdbool.h>

#include "model/call.h"

/* What a router gives: of each token, K experts and their weights. */
struct sf_routed {
	struct sf_val *weights, *ids;
	/* The weights were changed in place and not copied since. */
	bool in_place;
};

/* The router NAME of a layer, of X, [tokens, hidden]. */
struct sf_routed sf_router_choose(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

#endif
