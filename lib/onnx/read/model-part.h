/*
 * From protobuf messages to the model in memory, for the files that do it:
 * model.c goes through graphs, model-tensor.c, model-attrs.c and model-type.c
 * through what is in them. Names stay where they are in the file; what else was
 * unpacked is copied. All are false with what was wrong in the error.
 */
#ifndef SF_ONNX_MODEL_PART_H
#define SF_ONNX_MODEL_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "onnx/read/model.h"
#include "onnx/read/unpack.h"

struct sf_onnx_convert {
	struct sf_arena *arena;
	struct sf_error *error;
	struct sf_arena *late; /* one item of the outermost lists at a time */
	int depth;             /* graphs around this one */
};

/* Puts the place before what went wrong. */
bool sf_onnx_fail_in(struct sf_onnx_convert *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A slice of the file. */
static inline struct sf_str
sf_onnx_text(const ProtobufCBinaryData *bytes)
{
	if (bytes->len == 0)
		return SF_STR("");
	return (struct sf_str){ (const char *)bytes->data, bytes->len };
}

/* A list of such slices, in the arena. */
struct sf_str *sf_onnx_texts(
    struct sf_onnx_convert *c, const ProtobufCBinaryData *bytes, size_t n);

bool sf_onnx_convert_tensor(struct sf_onnx_convert *c, const Onnx__Tensor *in,
    struct sf_onnx_tensor *out);

/* Its values are not looked at. */
bool sf_onnx_convert_sparse(struct sf_onnx_convert *c,
    const Onnx__SparseTensor *in, struct sf_onnx_tensor *out);

/* The N attributes of a node, or those of a function that have a default. */
bool sf_onnx_convert_attrs(struct sf_onnx_convert *c,
    Onnx__Attribute *const *in, size_t n, struct sf_onnx_attr **out);

/* No type, IN being NULL, is one of which nothing is known. */
bool sf_onnx_convert_type(
    struct sf_onnx_convert *c, const Onnx__Type *in, struct sf_onnx_type *out);

bool sf_onnx_convert_graph(struct sf_onnx_convert *c, const Onnx__Graph *in,
    struct sf_onnx_graph *out);

#endif
