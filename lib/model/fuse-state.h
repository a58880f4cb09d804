/*
 * Layers with states on the route gpu: a convolution over the last tokens and a
 * scan of all of them are a kernel each, which leaves behind what the next call
 * begins with.
 */
#ifndef SF_MODEL_FUSE_STATE_H
#define SF_MODEL_FUSE_STATE_H

#include "model/delta.h"
#include "model/fuse.h"

/*
 * X, [batch, channels, tokens], through a filter W for each channel, and
 * activated; BIAS may be NULL.
 */
struct sf_val *sf_fuse_convolve(struct sf_build *b, struct sf_val *x,
    struct sf_val *w, struct sf_val *bias);

/*
 * The gated delta rule of LAYER's mixer NAME, of beta and a step that are not
 * yet made what the rule takes; IN->decay is the step.
 */
struct sf_val *sf_fuse_delta(struct sf_build *b, int64_t layer,
    const char *name, const struct sf_delta_input *in);

/*
 * The scan OP over IN, of which the first is [batch, tokens, ...] as the result
 * is, with a state of SHAPE; ATTRS may be NULL.
 */
struct sf_val *
sf_fuse_scan(struct sf_build *b, const char *op, struct sf_val *const *in,
    int nin, int rank, const int64_t *shape, const char *attrs);

#endif
