/*
 * What the user gives a value: --shape VALUE=1x3[:TYPE], --value INPUT=V[,V...].
 */
#ifndef SF_ONNX_GIVEN_H
#define SF_ONNX_GIVEN_H

#include "base/arena.h"
#include "base/error.h"
#include "onnx/read/model.h"

/* A shape that is given to no input of the model. */
struct sf_onnx_given {
	struct sf_onnx_type type;
	bool used; /* a value has the name */
};

/*
 * Sets *TYPE, which is all zeros, to the tensor that TEXT tells: "1x3x224" or
 * "1x3x224:f16", nothing before the ':' being a scalar. False when it is none.
 */
bool sf_onnx_given_shape(
    struct sf_onnx_type *type, struct sf_str text, struct sf_arena *arena);

/*
 * The number of elements in TEXT, which has commas between them; an empty one
 * has none.
 */
int64_t sf_onnx_given_count(struct sf_str text);

/*
 * Says that INFO, all of whose sizes are known, holds the elements of TEXT:
 * integers, true and false (or 1 and 0), decimal numbers, by its type, which
 * must be able to hold them. False with the error set when it cannot.
 */
bool sf_onnx_give(struct sf_onnx_info *info, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error);

#endif
