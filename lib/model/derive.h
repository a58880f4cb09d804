/*
 * Tensors made from others: the shape, strides and type that a PyTorch
 * operator gives. Nothing here adds an operator.
 */
#ifndef SF_MODEL_DERIVE_H
#define SF_MODEL_DERIVE_H

#include "model/graph.h"

/* Views; each is a parameter when its tensor is. */
struct sf_val *
sf_derive_transpose(struct sf_graph *g, const struct sf_val *x, int i, int j);
struct sf_val *
sf_derive_unsqueeze(struct sf_graph *g, const struct sf_val *x, int dim);
struct sf_val *sf_derive_narrow(
    struct sf_graph *g, const struct sf_val *x, int dim, int64_t size);
struct sf_val *sf_derive_expand(
    struct sf_graph *g, const struct sf_val *x, int rank, const int64_t *shape);

/* One of dimension DIM, which is gone. */
struct sf_val *
sf_derive_select(struct sf_graph *g, const struct sf_val *x, int dim);

/* NULL when the elements would have to be copied. */
struct sf_val *sf_derive_view(
    struct sf_graph *g, const struct sf_val *x, int rank, const int64_t *shape);

/* What an elementwise operator makes of one operand, or of N broadcast. */
struct sf_val *sf_derive_elementwise(
    struct sf_graph *g, struct sf_val *x, enum sf_dtype dtype);
struct sf_val *sf_derive_broadcast(struct sf_graph *g,
    struct sf_val *const *operands, int n, enum sf_dtype dtype);

/* The type of an elementwise operator's result. */
enum sf_dtype sf_derive_promote(const struct sf_val *x, const struct sf_val *y);

/* A dense tensor like X, whose last dimension has another SIZE. */
struct sf_val *
sf_derive_last(struct sf_graph *g, const struct sf_val *x, int64_t size);

/* Every other one of dimension DIM, of START and those behind. */
struct sf_val *sf_derive_step(
    struct sf_graph *g, const struct sf_val *x, int dim, int64_t start);

/* Two tensors like X as the elements of a new last dimension. */
struct sf_val *sf_derive_stack(struct sf_graph *g, const struct sf_val *x);

/* The rows of TABLE that IDS name. */
struct sf_val *sf_derive_rows(
    struct sf_graph *g, const struct sf_val *table, const struct sf_val *ids);

/* X and Y one behind the other; DIM may count from the end. */
struct sf_val *sf_derive_cat(struct sf_graph *g, const struct sf_val *x,
    const struct sf_val *y, int dim);

/* N of them. */
struct sf_val *
sf_derive_cat_all(struct sf_graph *g, struct sf_val *const *x, int n, int dim);

/* X, of three dimensions, with the last of them before the others. */
struct sf_val *sf_derive_last_first(struct sf_graph *g, const struct sf_val *x);

/* What a convolution gives, of filters STRIDE apart and PADDING at borders. */
struct sf_val *sf_derive_convolution(struct sf_graph *g, const struct sf_val *x,
    const struct sf_val *weight, int64_t stride, int64_t padding);

/* What torch.matmul gives. */
struct sf_val *sf_derive_matmul(
    struct sf_graph *g, const struct sf_val *x, const struct sf_val *y);

#endif
