/*
 * Convolutions: which product of an operator is one, from the window that its
 * rule stated.
 */
#ifndef SF_ACCEL_CONV_H
#define SF_ACCEL_CONV_H

#include "accel/gemm.h"
#include "trace/op.h"
#include "trace/product.h"

/*
 * Fills *CONV, and the channels that one group of it sums over, when PRODUCT,
 * the only one of OP, is the sum over a window: its rows are positions of the
 * window, as many as fit the input, in each image, and its depth is the
 * window's elements in each channel. Else leaves both as they are. Dies when
 * the window is not as it must be.
 */
void sf_conv_read(struct sf_stream *stream, const struct sf_op *op,
    const struct sf_product *product, struct sf_gemm_conv *conv,
    int64_t *channels);

#endif
