/*
 * What the user says that a sequence or an optional holds:
 * --shape INPUT=2x3,4x5[:TYPE], or a word for nothing.
 */
#ifndef SF_ONNX_LISTED_H
#define SF_ONNX_LISTED_H

#include "base/arena.h"
#include "base/error.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"

/* An input that holds tensors, and is none itself. */
bool sf_onnx_holds_items(const struct sf_onnx_type *type);

/*
 * Gives INFO, an input of that kind, its elements: a shape each, with commas
 * between them; "empty" is a sequence of none, "none" an optional that holds
 * nothing. False with the error set when the model has no room for such.
 */
bool sf_onnx_give_items(struct sf_onnx_info *info, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error);

#endif
