/* What --batch N means for a model. */
#ifndef SF_ONNX_BATCH_H
#define SF_ONNX_BATCH_H

#include "base/arena.h"
#include "base/error.h"
#include "onnx/read/model.h"

/*
 * Finds the batch of the inputs, N of them. It is the dimension whose name has
 * "batch" in it when there is one such name; otherwise the one that all inputs
 * begin with, by its name, where those without one have a fixed size; otherwise
 * the first size of all, if they have the same, and *NAME is empty. Scalars
 * have none. False with the error set, which says why, when none is or several
 * may be the batch.
 */
bool sf_onnx_batch_find(struct sf_onnx_info *const *inputs, size_t n,
    struct sf_str *name, struct sf_arena *arena, struct sf_error *error);

/* The input has a batch; weights that are listed as inputs have none. */
bool sf_onnx_batch_has(const struct sf_onnx_info *input);

#endif
