/*
 * Element types as PyTorch's files say them. Three numberings are in use and
 * must not be mixed: the schema of torch.export, c10::ScalarType (execution
 * traces, profiles), and ONNX's own, which is sf-onnx's business.
 *
 * Each returns SF_DT_UNKNOWN for what it does not know: quantised types are
 * among them, as the stream has no word for them.
 */
#ifndef SF_TORCH_DTYPE_H
#define SF_TORCH_DTYPE_H

#include <stdint.h>

#include "base/str.h"
#include "trace/dtype.h"

/* By the number in a .pt2 file. */
enum sf_dtype sf_torch_dtype_of_export(int64_t number);

/* By c10's number: "Concrete Inputs" of a profile, execution traces. */
enum sf_dtype sf_torch_dtype_of_c10(int64_t number);

/*
 * By name: "torch.float32", "float32", the names that TORCH's own constants
 * have beside ("torch.half"), and those of the export schema ("FLOAT").
 */
enum sf_dtype sf_torch_dtype_of_name(struct sf_str name);

/* By the name in C++: "c10::Half", "long", "long int". */
enum sf_dtype sf_torch_dtype_of_cpp(struct sf_str name);

/* As print_readable writes it: "f32", "b8". */
enum sf_dtype sf_torch_dtype_of_readable(struct sf_str name);

/* "float32"; NULL for what PyTorch has no type for. */
const char *sf_torch_dtype_name(enum sf_dtype dtype);

#endif
