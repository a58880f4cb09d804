/* Sizes as rules of many inputs read, combine and set them. */
#ifndef SF_ONNX_DIMS_H
#define SF_ONNX_DIMS_H

#include "onnx/infer/shape.h"

/*
 * The size of input I in dimension AXIS, counted from the end when below 0; not
 * known when there is no such input or dimension.
 */
struct sf_onnx_dim sf_input_dim(const struct sf_infer *infer, int i, int axis);

/* Gives output I its type and N sizes. */
void sf_set_dims(struct sf_infer *infer, int i, enum sf_dtype dtype, int n,
    const struct sf_onnx_dim *dims);

/* The same with the sizes one by one. */
#define SF_SET_DIMS(infer, i, dtype, ...)                         \
	sf_set_dims(infer, i, dtype,                              \
	    (int)(sizeof((struct sf_onnx_dim[]){ __VA_ARGS__ }) / \
		sizeof(struct sf_onnx_dim)),                      \
	    (struct sf_onnx_dim[]){ __VA_ARGS__ })

/* Gives output I the type and shape of input FROM, when there is one. */
void sf_set_like(struct sf_infer *infer, int i, int from);

/*
 * Gives output I the shape of input FROM with SIZE as its last dimension; an
 * error when FROM has no dimension.
 */
bool sf_set_last(struct sf_infer *infer, int i, enum sf_dtype dtype, int from,
    struct sf_onnx_dim size);

/* An attribute of at least LEAST; OTHERWISE when it is absent. */
bool sf_attr_size(struct sf_infer *infer, const char *name, int64_t least,
    int64_t otherwise, int64_t *out);

/* The same when it must be there. */
bool sf_attr_need(struct sf_infer *infer, const char *name, int64_t *out);

/* Sum and product; unknown when a side is, unless the other settles it. */
bool sf_dim_plus(struct sf_infer *infer, struct sf_onnx_dim a,
    struct sf_onnx_dim b, struct sf_onnx_dim *out);
bool sf_dim_times(struct sf_infer *infer, struct sf_onnx_dim a,
    struct sf_onnx_dim b, struct sf_onnx_dim *out);

/* D over N parts, which must divide it; unknown when either is. */
bool
sf_dim_divide(struct sf_infer *infer, const char *what, struct sf_onnx_dim d,
    int64_t n, const char *parts, struct sf_onnx_dim *out);

/* The size that input I holds; unknown, and told of output 0, when it is. */
bool sf_input_size(
    struct sf_infer *infer, int i, const char *what, struct sf_onnx_dim *out);

#endif
