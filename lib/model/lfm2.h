/* The short convolutions of LFM2. */
#ifndef SF_MODEL_LFM2_H
#define SF_MODEL_LFM2_H

#include "model/call.h"

/* The convolution NAME of a layer, gated before and behind. */
struct sf_val *sf_lfm2_convolve(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

#endif
