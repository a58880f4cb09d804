/*
 * What an operator makes of known elements, as far as it follows: an unknown
 * element gives an unknown one, but for operations that leave it as it is.
 */
#ifndef SF_ONNX_ARITH_H
#define SF_ONNX_ARITH_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx/infer/shape.h"

/*
 * *OUT, which is unknown before, from elements of type DTYPE. False with the
 * error set when no constant can have the result.
 */
typedef bool sf_fold_one(struct sf_infer *infer, enum sf_dtype dtype,
    struct sf_cell a, struct sf_cell *out);
typedef bool sf_fold_two(struct sf_infer *infer, enum sf_dtype dtype,
    struct sf_cell a, struct sf_cell b, struct sf_cell *out);

/*
 * An integer result: in the types that shapes are computed in, one that does
 * not fit is an error; the others wrap around in practice and are not followed.
 */
bool sf_fold_int(struct sf_infer *infer, enum sf_dtype dtype, bool exact,
    int64_t x, struct sf_cell *out);

sf_fold_two sf_fold_add, sf_fold_sub, sf_fold_mul, sf_fold_div, sf_fold_mod,
    sf_fold_pow, sf_fold_min, sf_fold_max;

#endif
