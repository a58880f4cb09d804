/* A scan of all tokens at once, as torch.compile takes it apart. */
#ifndef SF_MODEL_SCAN_H
#define SF_MODEL_SCAN_H

#include "model/call.h"

/*
 * torch's associative_scan of x[i] = a[i] x[i - 1] + y[i] along DIM: the states
 * x of all tokens.
 */
struct sf_val *
sf_scan_pairs(struct sf_build *b, struct sf_val *a, struct sf_val *y, int dim);

#endif
