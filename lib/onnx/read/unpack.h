/*
 * The messages of a checked ONNX file, as formats/onnx.proto names them, without
 * a copy of its texts and payloads: they stay where they are in the file.
 */
#ifndef SF_ONNX_UNPACK_H
#define SF_ONNX_UNPACK_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "formats/onnx.pb-c.h"

/*
 * The LEN bytes are those that sf_wire_check took, and live as long as what is
 * returned, which is in ARENA. NULL with *ERROR: another program has changed
 * them since, so that they are no message. A tensor whose payload is above
 * SF_WIRE_MAX_PAYLOAD has cut_field and cut_bytes instead.
 */
Onnx__Model *sf_onnx_unpack(const void *bytes, size_t len,
    struct sf_arena *arena, struct sf_error *error);

/*
 * Lists of nodes, tensors and values are long: what is in them, those inside
 * other messages too, has only its place noted and must not be looked at before
 * these have unpacked it. ARENA may be another one, that is reset in between.
 */
const Onnx__Node *sf_onnx_unpack_node(
    const Onnx__Node *late, struct sf_arena *arena, struct sf_error *error);
const Onnx__Tensor *sf_onnx_unpack_tensor(
    const Onnx__Tensor *late, struct sf_arena *arena, struct sf_error *error);
const Onnx__ValueInfo *sf_onnx_unpack_info(const Onnx__ValueInfo *late,
    struct sf_arena *arena, struct sf_error *error);

#endif
