/*
 * Calls of models that scan their tokens, as the dispatcher, or the graph of a
 * route, has them. DIM counts from 0.
 */
#ifndef SF_MODEL_LOWER_ATEN_SCAN_H
#define SF_MODEL_LOWER_ATEN_SCAN_H

#include "model/lower-aten-more.h"

/* x.permute(dims), of as many dimensions as X has. */
struct sf_val *
sf_aten_reorder(struct sf_build *b, struct sf_val *x, const int *dims);

/* functional.pad with zeros: BEFORE and AFTER in DIM. */
struct sf_val *sf_aten_pad(struct sf_build *b, struct sf_val *x, int dim,
    int64_t before, int64_t after);

/*
 * functional.conv1d of [batch, channels, tokens], each channel by itself, with
 * its kernel in W, [channels, 1, size], and a BIAS or NULL. PADDING is added at
 * either end.
 */
struct sf_val *sf_aten_conv1d(struct sf_build *b, struct sf_val *x,
    struct sf_val *w, struct sf_val *bias, int64_t padding);

struct sf_val *sf_aten_softplus(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_running_sum(struct sf_build *b, struct sf_val *x);

/* What torch.ones makes. */
struct sf_val *sf_aten_ones_of(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape);

/* The lower triangle of a square of booleans. */
struct sf_val *sf_aten_tril(struct sf_build *b, struct sf_val *x);

/* torch.stack of N tensors; DIM may be the rank. */
struct sf_val *
sf_aten_stack_all(struct sf_build *b, struct sf_val **x, int n, int dim);

/* x.copy_(from); what X is then. */
struct sf_val *
sf_aten_copy(struct sf_build *b, struct sf_val *x, struct sf_val *from);

/* X's item of dimension DIM, and nothing else. */
struct sf_val *sf_aten_item(
    struct sf_build *b, struct sf_val *x, int dim, const struct sf_item *item);

/* torch.einsum of two operands, "bij,bjk->bik". */
struct sf_val *sf_aten_einsum(struct sf_build *b, const char *equation,
    struct sf_val *x, struct sf_val *y);

/* N equal parts of dimension DIM. */
void sf_aten_chunk(struct sf_build *b, struct sf_val *x, int dim, int n,
    struct sf_val **parts);

/* Rows of X, [batch, tokens, inputs], times the transpose of W. */
struct sf_val *
sf_aten_fold(struct sf_build *b, struct sf_val *x, struct sf_val *w);

/* x.to(dtype, memory_format=torch.contiguous_format). */
struct sf_val *
sf_aten_to_dense(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype);

/* x.to(like), of tensors of one type. */
struct sf_val *
sf_aten_to_like(struct sf_build *b, struct sf_val *x, struct sf_val *like);

/* x[item of DIM] = from; what X is then. And that behind the copy itself. */
struct sf_val *sf_aten_set_item(
    struct sf_build *b, struct sf_val *x, int dim, struct sf_val *from);
struct sf_val *sf_aten_put_item(
    struct sf_build *b, struct sf_val *x, struct sf_val *item, int dim);

/* Above the diagonal, of booleans; below it, of numbers; ones on it. */
struct sf_val *sf_aten_triu(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_lower(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_eye(struct sf_build *b, int64_t n, enum sf_dtype dtype);

/* linalg.solve_triangular of the matrices A and the right-hand sides X. */
struct sf_val *
sf_aten_solve(struct sf_build *b, struct sf_val *a, struct sf_val *x);

/*
 * x[items] = from, where N items of the first dimensions are no lists of all;
 * what X is then.
 */
struct sf_val *sf_aten_set_slices(struct sf_build *b, struct sf_val *x, int n,
    const struct sf_item *items, struct sf_val *from);

/* A slice of SIZE behind another item of one subscript. */
struct sf_val *
sf_aten_narrow(struct sf_build *b, struct sf_val *x, int dim, int64_t size);

/* x[:, 0, :n] = from, in place. */
void sf_aten_set_first(
    struct sf_build *b, struct sf_val *x, int64_t n, struct sf_val *from);

/* x.new_zeros of a shape. */
struct sf_val *sf_aten_new_zeros(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape);

/* The N elements of a vector. */
void sf_aten_unbind_to(
    struct sf_build *b, struct sf_val *x, int n, struct sf_val **parts);

#endif
