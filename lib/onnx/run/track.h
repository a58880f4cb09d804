/*
 * Which values are parameters, what is stored of them, and how many there are.
 *
 * A leaf, which depends on no other value, is a parameter when the list or
 * PyTorch says so (params.h), or when someone reads it as data. Sizes, places
 * and indices are not data, nor are integers of which only such are made, by
 * whatever arithmetic; the operator's row says what it reads an input for. What
 * nobody reads at all is a parameter unless its type is one that sizes and
 * indices have (i64, i32, b8, str).
 *
 * What is computed before the run from parameters is one, too, and is not
 * counted again. Of a leaf its own bytes are stored. Where an operator keeps
 * the elements of its first input, as many of its bytes are stored of the
 * output as there are elements, rounded up, and never more than there were; of
 * other outputs the bytes of all parameters that go in, and never more than
 * the output has.
 */
#ifndef SF_ONNX_TRACK_H
#define SF_ONNX_TRACK_H

#include "onnx/run/run.h"

/* VALUE may be a parameter. SOURCE, or NULL, is what it is a copy of. */
void sf_onnx_track_leaf(struct sf_onnx_run *run, struct sf_value *value,
    enum sf_onnx_leaf leaf, const void *source);

/*
 * Sets param and stored of all values of a model that was run, gives operators
 * the weights in their attributes, and counts what there is; false with the
 * error set when that passes 2^63 - 1.
 */
bool sf_onnx_track(struct sf_onnx_run *run);

#endif
