/*
 * The pre-pass over the bytes of an ONNX file. It walks the protobuf encoding
 * without recursion, checks every tag, number and length of it, and copies what
 * formats/onnx.proto names, without the large payloads of tensors, so that what
 * is unpacked afterwards is sound, shallow and small.
 */
#ifndef SF_ONNX_WIRE_H
#define SF_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Messages inside messages that are accepted, the model being the first; the
 * same limit as that of protobuf's own C++ and Java parsers.
 */
enum {
	SF_WIRE_MAX_DEPTH = 100
};

/* The bytes of one payload of a tensor that are still copied. */
enum {
	SF_WIRE_MAX_PAYLOAD = 32768
};

/* Numbers of the fields of Tensor that stand for a payload left out. */
enum {
	SF_WIRE_CUT_FIELD = 100000,
	SF_WIRE_CUT_BYTES = 100001
};

/*
 * Appends to *OUT the LEN bytes of an encoded Model without what is not needed.
 * A payload above SF_WIRE_MAX_PAYLOAD is not looked at; its tensor gets the two
 * fields above in its place. *CRC is the CRC-32 of all bytes but those of such
 * payloads. False, with the byte offset in *ERROR, when the encoding is wrong.
 */
bool sf_wire_compact(const void *bytes, size_t len, struct sf_buf *out,
    uint32_t *crc, struct sf_error *error);

#endif
