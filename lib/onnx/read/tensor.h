/* Element types by ONNX's numbers, and the contents of small tensors. */
#ifndef SF_ONNX_TENSOR_H
#define SF_ONNX_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "onnx/read/model.h"

/* Where a tensor's contents can stand: the field's number in Tensor. */
enum sf_onnx_home {
	SF_ONNX_FLOATS = 4,
	SF_ONNX_INT32S = 5,
	SF_ONNX_INT64S = 7,
	SF_ONNX_RAW = 9,
	SF_ONNX_DOUBLES = 10,
	SF_ONNX_UINT64S = 11,
};

/* The contents as they stand in the file: N elements or bytes of one home. */
struct sf_onnx_payload {
	int home; /* 0 when there are none */
	uint64_t n;
	/* NULL when they were left out; N is then the bytes in the file. */
	const void *data;
};

/*
 * Sets dtype, dims, rank and numel of TENSOR, whose other members the caller
 * has set. False when they cannot be: negative, overflowing, of no known type.
 */
bool sf_onnx_tensor_shape(struct sf_onnx_tensor *tensor, int64_t type,
    const int64_t *dims, size_t rank, struct sf_arena *arena,
    struct sf_error *error);

/*
 * Checks that the payload has the length that type and shape ask for, and
 * converts it when the elements are few and of a type that fits.
 */
bool sf_onnx_tensor_fill(struct sf_onnx_tensor *tensor,
    const struct sf_onnx_payload *payload, struct sf_arena *arena,
    struct sf_error *error);

#endif
