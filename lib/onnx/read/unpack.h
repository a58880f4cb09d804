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

#endif
