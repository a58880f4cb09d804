/*
 * What the routes that see ATen operators have in common: PyTorch's own
 * composite functions, taken apart as its dispatcher does it. Where the routes
 * differ, the difference is a member of sf_aten.
 */
#ifndef SF_MODEL_LOWER_ATEN_H
#define SF_MODEL_LOWER_ATEN_H

#include "model/call.h"

struct sf_aten {
	/* The names that these calls go by. */
	const char *transpose;   /* of two dimensions */
	const char *t;           /* of a matrix */
	const char *unsafe_view; /* of a new tensor */
	const char *bmm_view;    /* of what bmm gave to matmul */
	const char *split;
	const char *ones, *zeros, *zeros_like;
	/* A Python constructor's result is detached. */
	bool detaches;
	/* Fake tensors are asked for their device, which is recorded. */
	bool queries;
	/* Tensor.to checks what it is given, even where it copies nothing. */
	bool checks;
	/* The fused kernel of the CPU, not the mathematical form. */
	bool fused_attention;
	/* torch.histc takes floating-point numbers only. */
	bool float_counts;
	/* Operators in place are replaced by others. */
	bool functional;
	/* The name of a floor division, and of an empty tensor like another. */
	const char *floor_divide, *empty_like;
	/* Linear layers and layer norms are one operator of the route gpu. */
	bool whole_linear;
	/* Statistics of a layer norm have the type of its input. */
	bool own_type_stats;
	struct sf_val *(*silu)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*safe_softmax)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*new_ones)(struct sf_build *, struct sf_val *x);
};

/* One lowering for all of them; what differs is in the route's sf_aten. */
extern const struct sf_decomposition sf_decomposition_aten;

/* Adds an operator. */
void sf_aten_add(struct sf_build *b, const char *op, struct sf_val *const *in,
    int nin, struct sf_val *const *out, int nout);

/* What fake tensors record when C++ or Python looks at their device. */
void sf_aten_query(struct sf_build *b, struct sf_val *x, int times);

/* Adds an operator without inputs, which makes OUT; a copy; one of a type. */
struct sf_val *
sf_aten_make(struct sf_build *b, const char *op, struct sf_val *out);
struct sf_val *sf_aten_clone(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_aten_to_copy(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype);

/* Calls that make tensors, see call.h. */
struct sf_val *sf_aten_arange(struct sf_build *b, int64_t n);
struct sf_val *sf_aten_ones(struct sf_build *b, int64_t rows, int64_t columns);

struct sf_val *
sf_aten_stack(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *sf_aten_repeat_last(struct sf_build *b, struct sf_val *x);

/* Reductions and look-ups, see call.h. */
struct sf_val *sf_aten_length_last(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_mean_dim(struct sf_build *b, struct sf_val *x, int dim);
struct sf_val *
sf_aten_cat_all(struct sf_build *b, struct sf_val *const *x, int n, int dim);
struct sf_val *sf_aten_mean_last(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_aten_type_as(struct sf_build *b, struct sf_val *x, struct sf_val *like);
struct sf_val *
sf_aten_gather(struct sf_build *b, struct sf_val *x, struct sf_val *ids);
struct sf_val *sf_aten_index2(
    struct sf_build *b, struct sf_val *x, struct sf_val *i, struct sf_val *j);
struct sf_val *sf_aten_cumsum(struct sf_build *b, struct sf_val *x, int dim);
struct sf_val *sf_aten_layer_norm(struct sf_build *b, struct sf_val *x,
    struct sf_val *weight, struct sf_val *bias);

/* The calls of towers, see call.h. */
struct sf_val *
sf_aten_convolution(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias, int64_t stride, int64_t padding);
struct sf_val *sf_aten_argmax_last(struct sf_build *b, struct sf_val *x);
void sf_aten_unbind(struct sf_build *b, struct sf_val *x);
void sf_aten_unbind_at(struct sf_build *b, struct sf_val *x, int dim, int n,
    struct sf_val **parts);
struct sf_val *sf_aten_merge_sections(
    struct sf_build *b, struct sf_val *x, const int64_t *sections);

/* The calls of attention that is written out, see call.h. */
struct sf_val *
sf_aten_permute(struct sf_build *b, struct sf_val *x, int i, int j);
struct sf_val *sf_aten_constant(struct sf_build *b, enum sf_dtype dtype);
struct sf_val *sf_aten_number_mask(
    struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype);
struct sf_val *sf_aten_max_last(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_clamp(struct sf_build *b, struct sf_val *x);

/* The calls of relative positions, see call.h. */
struct sf_val *
sf_aten_true_divide(struct sf_build *b, struct sf_val *x, int64_t number);
struct sf_val *
sf_aten_at_most(struct sf_build *b, struct sf_val *x, int64_t number);
struct sf_val *
sf_aten_where_else(struct sf_build *b, struct sf_val *mask, struct sf_val *x);
struct sf_val *sf_aten_zeros(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape);
struct sf_val *
sf_aten_clamp_within(struct sf_build *b, struct sf_val *x, double limit);
struct sf_val *sf_aten_last_first(struct sf_build *b, struct sf_val *x);

/* What a constructor of Python's makes. */
struct sf_val *
sf_aten_construct(struct sf_build *b, const char *op, struct sf_val *x);

/* The calls of experts, see call.h. */
struct sf_val *
sf_aten_softmax(struct sf_build *b, struct sf_val *x, enum sf_softmax how);
void sf_aten_topk(
    struct sf_build *b, struct sf_val *x, int64_t k, struct sf_val *out[2]);
struct sf_val *
sf_aten_sum(struct sf_build *b, struct sf_val *x, int dim, bool keep);
struct sf_val *
sf_aten_scale(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *
sf_aten_accumulate(struct sf_build *b, struct sf_val *x, struct sf_val *y);
struct sf_val *
sf_aten_divide(struct sf_build *b, struct sf_val *x, struct sf_val *y);
void sf_aten_sort(struct sf_build *b, struct sf_val *x, struct sf_val *out[2]);
struct sf_val *sf_aten_floor_divide(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_aten_index(struct sf_build *b, struct sf_val *x, struct sf_val *rows);
struct sf_val *sf_aten_ends(struct sf_build *b, struct sf_val *x, int64_t n);
struct sf_val *sf_aten_inverse(struct sf_build *b, struct sf_val *x);
/*
 * True where transformers' own function stands for PyTorch's grouped product:
 * in graphs that Dynamo makes, which have that for BF16 alone.
 */
bool sf_aten_grouped_mm_falls_back(const struct sf_build *b);
struct sf_val *sf_aten_grouped_mm(struct sf_build *b, struct sf_val *x,
    struct sf_val *w, struct sf_val *ends, int64_t unread);

/* scaled_dot_product_attention. */
struct sf_val *
sf_aten_attention(struct sf_build *b, const struct sf_attention *a);

/* Adds an operator with one or two inputs and one output, which it returns. */
struct sf_val *sf_aten_1(
    struct sf_build *b, const char *op, struct sf_val *x, struct sf_val *out);
struct sf_val *sf_aten_2(struct sf_build *b, const char *op, struct sf_val *x,
    struct sf_val *y, struct sf_val *out);

/* A new tensor of that type and the shape and strides of an elementwise x. */
struct sf_val *
sf_aten_like(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype);

/* torch.where(condition, x, y). */
struct sf_val *sf_aten_where(struct sf_build *b, struct sf_val *condition,
    struct sf_val *x, struct sf_val *y);

/* The ones that are an operator of their own. */
struct sf_val *sf_aten_silu(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_safe_softmax(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_aten_new_ones(struct sf_build *b, struct sf_val *x);

#endif
