/*
 * Nodes and constants as PyTorch's ONNX exporter makes them. A number or list
 * of Python's becomes one Constant node wherever it is met; what torchlib's
 * own functions write as a constant becomes a node each time.
 *
 * A node all of whose inputs are known before the run is folded; a parameter
 * that is only rearranged stays a parameter.
 */
#ifndef SF_MODEL_ONNX_NODE_H
#define SF_MODEL_ONNX_NODE_H

#include "model/call.h"

/* Adds a node with one output, which comes back. */
struct sf_val *sf_onnx_add(struct sf_build *b, const char *op,
    struct sf_val *const *in, int nin, struct sf_val *out);
struct sf_val *sf_onnx_1(
    struct sf_build *b, const char *op, struct sf_val *x, struct sf_val *out);
struct sf_val *sf_onnx_2(struct sf_build *b, const char *op, struct sf_val *x,
    struct sf_val *y, struct sf_val *out);

/* A value of X's sizes, of that type, and OP of X with X's own type. */
struct sf_val *
sf_onnx_like(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype);
struct sf_val *
sf_onnx_same(struct sf_build *b, const char *op, struct sf_val *x);

/* Constants that are met again: a number, a list of one or of N. */
struct sf_val *sf_onnx_int(struct sf_build *b, int64_t x);
struct sf_val *sf_onnx_float(struct sf_build *b, double x);
struct sf_val *sf_onnx_list(struct sf_build *b, int64_t x);
struct sf_val *sf_onnx_list_of(struct sf_build *b, int n, const int64_t *items);
struct sf_val *sf_onnx_empty_list(struct sf_build *b);

/* Constants that are new each time: a number, a list of N integers. */
struct sf_val *sf_onnx_scalar(struct sf_build *b, enum sf_dtype dtype);
struct sf_val *sf_onnx_new_list(struct sf_build *b, int64_t n);

/* An integer that torchlib casts and reshapes to a list of one. */
struct sf_val *sf_onnx_int_as_list(struct sf_build *b, int64_t x);

/* X reshaped to a list. */
struct sf_val *sf_onnx_relist(struct sf_build *b, struct sf_val *x);

/* RANK sizes, a Constant for each and a Concat. */
struct sf_val *sf_onnx_sizes(struct sf_build *b, int rank);

/* The Shape of X, and N of its elements by Slice. */
struct sf_val *sf_onnx_shape(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_onnx_cut(struct sf_build *b, struct sf_val *sizes,
    struct sf_val *from, struct sf_val *to, int64_t n);

/* Calls that make tensors, see call.h. */
struct sf_val *
sf_onnx_made_ones(struct sf_build *b, int64_t rows, int64_t columns);
struct sf_val *
sf_onnx_made_stack(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *sf_onnx_made_repeat_last(struct sf_build *b, struct sf_val *x);

/* scaled_dot_product_attention. */
struct sf_val *
sf_onnx_made_attention(struct sf_build *b, const struct sf_attention *a);

/* The calls of towers, see call.h. */
struct sf_val *sf_onnx_made_convolution(struct sf_build *b, struct sf_val *x,
    struct sf_val *weight, struct sf_val *bias, int64_t stride,
    int64_t padding);
struct sf_val *sf_onnx_made_argmax_last(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_onnx_made_sum(struct sf_build *b, struct sf_val *x, int dim, bool keep);
struct sf_val *
sf_onnx_made_repeat_first(struct sf_build *b, struct sf_val *x, int64_t times);
struct sf_val *
sf_onnx_made_squeeze(struct sf_build *b, struct sf_val *x, int dim);
void sf_onnx_made_split_rows(struct sf_build *b, struct sf_val *x,
    const int64_t *sizes, int n, struct sf_val **parts);
struct sf_val *sf_onnx_made_length_last(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_onnx_made_mean_dim(struct sf_build *b, struct sf_val *x, int dim);
struct sf_val *sf_onnx_made_cat_all(
    struct sf_build *b, struct sf_val *const *x, int n, int dim);
void sf_onnx_made_unbind(struct sf_build *b, struct sf_val *x);
void sf_onnx_made_unbind_at(struct sf_build *b, struct sf_val *x, int dim,
    int n, struct sf_val **parts);
/* Calls of attention that is written out, see call.h. */
struct sf_val *sf_onnx_constant(struct sf_build *b, enum sf_dtype dtype);
struct sf_val *sf_onnx_where(struct sf_build *b, struct sf_val *condition,
    struct sf_val *x, struct sf_val *y);
struct sf_val *sf_onnx_number_mask(
    struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype);
struct sf_val *
sf_onnx_scale(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *
sf_onnx_softmax(struct sf_build *b, struct sf_val *x, enum sf_softmax how);

/* The calls of relative positions, see call.h. */
struct sf_val *sf_onnx_made_whole_number(
    struct sf_build *b, enum sf_call call, struct sf_val *x, double number);
struct sf_val *
sf_onnx_made_at_most(struct sf_build *b, struct sf_val *x, int64_t number);
struct sf_val *sf_onnx_made_where_else(
    struct sf_build *b, struct sf_val *mask, struct sf_val *x);
struct sf_val *sf_onnx_made_whole_range(struct sf_build *b, int64_t n);
struct sf_val *sf_onnx_made_zeros(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape);
struct sf_val *
sf_onnx_made_true_divide(struct sf_build *b, struct sf_val *x, int64_t number);
struct sf_val *
sf_onnx_made_repeat_rows(struct sf_build *b, struct sf_val *x, int64_t times);
struct sf_val *
sf_onnx_made_clamp_within(struct sf_build *b, struct sf_val *x, double limit);
struct sf_val *
sf_onnx_made_index(struct sf_build *b, struct sf_val *x, struct sf_val *rows);
struct sf_val *sf_onnx_made_last_first(struct sf_build *b, struct sf_val *x);

/* A tensor of N integers, for the output of a node. */
struct sf_val *sf_onnx_ints(struct sf_build *b, int64_t n);

#endif
