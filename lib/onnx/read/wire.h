/*
 * The pre-pass over the bytes of an ONNX file. It walks the protobuf encoding
 * without recursion and checks every tag, number and length of it but what is in
 * the large payloads of tensors, so that what is unpacked afterwards is sound
 * and shallow.
 */
#ifndef SF_ONNX_WIRE_H
#define SF_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Messages inside messages that are accepted, the model being the first; the
 * same limit as that of protobuf's own C++ and Java parsers.
 */
enum {
	SF_WIRE_MAX_DEPTH = 100
};

/* The bytes of one payload of a tensor that are still looked at. */
enum {
	SF_WIRE_MAX_PAYLOAD = 32768
};

/* From this number on a field is ours, and none that a file has. */
enum {
	SF_WIRE_OWN_FIELDS = 100000
};

/*
 * Checks the LEN bytes of an encoded Model. A payload above SF_WIRE_MAX_PAYLOAD
 * is not looked at. *KEPT is how many bytes are known fields without such
 * payloads, *CRC the CRC-32 of all bytes but those of such payloads. False, with
 * the byte offset in *ERROR, when the encoding is wrong.
 */
bool sf_wire_check(const void *bytes, size_t len, uint64_t *kept, uint32_t *crc,
    struct sf_error *error);

/* Whether field NUMBER of Tensor has elements of it. */
bool sf_wire_is_payload(uint32_t number);

#endif
