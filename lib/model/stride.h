/*
 * How PyTorch lays out what its operators give. The rules are those of ATen:
 * TensorIterator for elementwise operators, computeStride for views.
 */
#ifndef SF_MODEL_STRIDE_H
#define SF_MODEL_STRIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/graph.h"

/* Sets the strides of a dense tensor in its own order of dimensions. */
void sf_stride_dense(struct sf_val *val);

/* Tensor.is_contiguous(). */
bool sf_stride_is_dense(const struct sf_val *val);

/*
 * Sets the strides of VIEW, whose shape is set, as a view of VAL; false when
 * there is none and the elements must be copied.
 */
bool sf_stride_view(const struct sf_val *val, struct sf_val *view);

/*
 * Sets the strides of OUT, whose shape is that of the operands broadcast, as
 * the output of an elementwise operator.
 */
void sf_stride_elementwise(
    struct sf_val *out, struct sf_val *const *operands, int n);

#endif
