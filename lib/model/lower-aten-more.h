/*
 * Calls of models that PyTorch runs, and that nothing here writes as ONNX: each
 * as the dispatcher, or the graph of a route, has it. DIM counts from 0.
 */
#ifndef SF_MODEL_LOWER_ATEN_MORE_H
#define SF_MODEL_LOWER_ATEN_MORE_H

#include "model/lower-aten.h"

/* The elementwise operator OP of X. */
struct sf_val *
sf_aten_each(struct sf_build *b, const char *op, struct sf_val *x);

/* ~x, of booleans. */
struct sf_val *sf_aten_not(struct sf_build *b, struct sf_val *x);

/* Tensor.type(dtype), which looks at the device before it copies. */
struct sf_val *
sf_aten_type(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype);

struct sf_val *sf_aten_zeros_like(struct sf_build *b, struct sf_val *x);

/* X without its dimension DIM, which is of size 1. */
struct sf_val *sf_aten_squeeze(struct sf_build *b, struct sf_val *x, int dim);

/* x.masked_fill(mask, number). */
struct sf_val *
sf_aten_masked_fill(struct sf_build *b, struct sf_val *x, struct sf_val *mask);

/* x.scatter(..., ids, number), or scatter_ where X is nobody else's. */
struct sf_val *sf_aten_scatter(
    struct sf_build *b, struct sf_val *x, struct sf_val *ids, bool in_place);

/* The same, of what stands in FROM; X is nobody else's. */
struct sf_val *sf_aten_scatter_from(struct sf_build *b, struct sf_val *x,
    struct sf_val *ids, struct sf_val *from);

/* torch.full_like, and X, a matrix, so many times, below each other. */
struct sf_val *sf_aten_full_like(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_aten_repeat_rows(struct sf_build *b, struct sf_val *x, int64_t times);

/* x.max(dim=-1): the largest of the last dimension, which is gone. */
struct sf_val *sf_aten_max(struct sf_build *b, struct sf_val *x);

/* torch.ones_like, torch.polar, and X as complex numbers or as pairs. */
struct sf_val *sf_aten_ones_like(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_aten_polar(struct sf_build *b, struct sf_val *size, struct sf_val *angle);
struct sf_val *sf_aten_as_complex(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_as_real(struct sf_build *b, struct sf_val *x);

/* x.new_empty and x.new_ones of a shape and a type. */
struct sf_val *sf_aten_new_empty(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape);
struct sf_val *sf_aten_new_ones_of(struct sf_build *b, struct sf_val *x,
    enum sf_dtype dtype, int rank, const int64_t *shape);

/* The same, full of a number. */
struct sf_val *sf_aten_new_full(struct sf_build *b, struct sf_val *x,
    enum sf_dtype dtype, int rank, const int64_t *shape);

/* x[item of the last dimension].copy_(from); what X is then. */
struct sf_val *sf_aten_copy_into(struct sf_build *b, struct sf_val *x,
    const struct sf_item *item, struct sf_val *from);

/* torch.matmul of tensors of one rank >= 3 whose batches are broadcast. */
struct sf_val *
sf_aten_matmul(struct sf_build *b, struct sf_val *x, struct sf_val *y);

/* X times the transpose of W, a matrix, by Tensor.T and matmul. */
struct sf_val *
sf_aten_product(struct sf_build *b, struct sf_val *x, struct sf_val *w);

/* x[..., [n], :], of dimension DIM, which stays with size 1. */
struct sf_val *sf_aten_pick(struct sf_build *b, struct sf_val *x, int dim);

/* A mask of b8 as numbers: ZERO, a scalar, or the smallest there is. */
struct sf_val *sf_aten_number_mask_of(
    struct sf_build *b, struct sf_val *mask, struct sf_val *zero);

/* x.repeat to a shape of RANK dimensions. */
struct sf_val *sf_aten_repeat(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape);

/* torch.bmm, and what it gives beside what BIAS holds. */
struct sf_val *
sf_aten_bmm(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *sf_aten_baddbmm(struct sf_build *b, struct sf_val *bias,
    struct sf_val *x, struct sf_val *y);

/* x.split(sizes) along dimension 0, to N parts. */
void sf_aten_split_rows(struct sf_build *b, struct sf_val *x,
    const int64_t *sizes, int n, struct sf_val **parts);

/* X, whose first dimension is 1, so many TIMES along that. */
struct sf_val *
sf_aten_repeat_first(struct sf_build *b, struct sf_val *x, int64_t times);

#endif
