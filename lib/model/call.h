/*
 * What a model's program is written in: calls as its author writes them in
 * PyTorch. A lowering says for each call which operators a route sees; a
 * program is the same for all of them.
 */
#ifndef SF_MODEL_CALL_H
#define SF_MODEL_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/graph.h"
#include "model/model.h"

enum sf_call {
#define SF_CALL(id, aten, onnx) SF_CALL_##id,
#include "model/call.def"
#undef SF_CALL
};

/* One item of an index: x[:, None, a:b]. */
enum sf_item_kind {
	SF_ITEM_ALL,  /* ":" */
	SF_ITEM_NEW,  /* None */
	SF_ITEM_FROM, /* start: */
	SF_ITEM_TO,   /* :end */
	SF_ITEM_LAST, /* -n: */
	SF_ITEM_SPAN, /* start:end */
	SF_ITEM_STEP, /* start::2 */
};

struct sf_item {
	enum sf_item_kind kind;
	int64_t at;  /* start, end or n, >= 0 */
	int64_t end; /* of a span, no more than there are */
};

#define SF_ALL                      \
	{                           \
		.kind = SF_ITEM_ALL \
	}
#define SF_NEW                      \
	{                           \
		.kind = SF_ITEM_NEW \
	}
#define SF_FROM(n)                              \
	{                                       \
		.kind = SF_ITEM_FROM, .at = (n) \
	}
#define SF_TO(n)                              \
	{                                     \
		.kind = SF_ITEM_TO, .at = (n) \
	}
#define SF_LAST(n)                              \
	{                                       \
		.kind = SF_ITEM_LAST, .at = (n) \
	}

#define SF_STEP(n)                              \
	{                                       \
		.kind = SF_ITEM_STEP, .at = (n) \
	}

#define SF_SPAN(n, m)                                       \
	{                                                   \
		.kind = SF_ITEM_SPAN, .at = (n), .end = (m) \
	}

/* Whether a softmax is given a type: none, FP32, or that of its input. */
enum sf_softmax {
	SF_SOFTMAX_PLAIN,
	SF_SOFTMAX_FLOAT,
	SF_SOFTMAX_OWN,
};

struct sf_attention {
	struct sf_val *q, *k, *v; /* batch, heads, tokens, head size */
	struct sf_val *mask;      /* of b8, or NULL */
	bool causal;              /* is_causal=True */
	bool grouped;             /* enable_gqa=True */
	double scale;
};

struct sf_build;

/* One route: how each call decomposes there. Results are new tensors. */
struct sf_decomposition {
	struct sf_val *(*unary)(
	    struct sf_build *, enum sf_call, struct sf_val *x);
	struct sf_val *(*number)(
	    struct sf_build *, enum sf_call, struct sf_val *x, double number);
	struct sf_val *(*binary)(struct sf_build *, enum sf_call,
	    struct sf_val *x, struct sf_val *y);
	struct sf_val *(*embedding)(
	    struct sf_build *, struct sf_val *table, struct sf_val *ids);
	struct sf_val *(*linear)(struct sf_build *, struct sf_val *x,
	    struct sf_val *weight, struct sf_val *bias);
	struct sf_val *(*addmm)(struct sf_build *, struct sf_val *bias,
	    struct sf_val *x, struct sf_val *weight);
	struct sf_val *(*matmul)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	struct sf_val *(*attention)(
	    struct sf_build *, const struct sf_attention *);
	/* BIAS, or both, may be NULL. */
	struct sf_val *(*layer_norm)(struct sf_build *, struct sf_val *x,
	    struct sf_val *weight, struct sf_val *bias);
	struct sf_val *(*mean_last)(struct sf_build *, struct sf_val *x);
	/* The Euclidean norm of the last dimension, which is kept. */
	struct sf_val *(*length_last)(struct sf_build *, struct sf_val *x);
	/* The mean along dimension DIM, which is gone. */
	struct sf_val *(*mean_dim)(
	    struct sf_build *, struct sf_val *x, int dim);
	/*
	 * X through filters of [outputs, inputs, size...], STRIDE apart, with
	 * PADDING at each border. BIAS may be NULL.
	 */
	struct sf_val *(*convolution)(struct sf_build *, struct sf_val *x,
	    struct sf_val *weight, struct sf_val *bias, int64_t stride,
	    int64_t padding);
	/* Where the largest of the last dimension is. */
	struct sf_val *(*argmax_last)(struct sf_build *, struct sf_val *x);
	/* The same as number of one that has no point in Python. */
	struct sf_val *(*whole_number)(
	    struct sf_build *, enum sf_call, struct sf_val *x, double number);
	/* Integers over one, in FP32. */
	struct sf_val *(*true_divide)(
	    struct sf_build *, struct sf_val *x, int64_t number);
	/* torch.min of integers and of those that are all NUMBER. */
	struct sf_val *(*at_most)(
	    struct sf_build *, struct sf_val *x, int64_t number);
	/* X where MASK is true, and the smallest number of its type else. */
	struct sf_val *(*where_else)(
	    struct sf_build *, struct sf_val *mask, struct sf_val *x);
	/* arange that is told its type. */
	struct sf_val *(*whole_range)(struct sf_build *, int64_t n);
	struct sf_val *(*zeros)(struct sf_build *, enum sf_dtype dtype,
	    int rank, const int64_t *shape);
	/* x.split(sizes) along the first dimension, to N parts. */
	void (*split_rows)(struct sf_build *, struct sf_val *x,
	    const int64_t *sizes, int n, struct sf_val **parts);
	/* x.squeeze of a dimension, which may count from the end. */
	struct sf_val *(*squeeze)(struct sf_build *, struct sf_val *x, int dim);
	/* torch.bmm of two batches of matrices. */
	struct sf_val *(*bmm)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	/* X, whose first dimension is 1, so many TIMES along that. */
	struct sf_val *(*repeat_first)(
	    struct sf_build *, struct sf_val *x, int64_t times);
	/* X, of one row, so many TIMES. */
	struct sf_val *(*repeat_rows)(
	    struct sf_build *, struct sf_val *x, int64_t times);
	/* Numbers no further from 0 than LIMIT. */
	struct sf_val *(*clamp_within)(
	    struct sf_build *, struct sf_val *x, double limit);
	/* The last of three dimensions before the others. */
	struct sf_val *(*last_first)(struct sf_build *, struct sf_val *x);
	/* list(x): what is done with each of the first dimension. */
	void (*unbind)(struct sf_build *, struct sf_val *x);
	/* The N of a dimension, which may count from the end. */
	void (*unbind_at)(struct sf_build *, struct sf_val *x, int dim, int n,
	    struct sf_val **parts);
	/* The sum so far along a dimension, which may count from the end. */
	struct sf_val *(*cumsum)(struct sf_build *, struct sf_val *x, int dim);
	/* X in the type of LIKE. */
	struct sf_val *(*type_as)(
	    struct sf_build *, struct sf_val *x, struct sf_val *like);
	/* The elements of X whose places in dimension 1 are IDS. */
	struct sf_val *(*gather)(
	    struct sf_build *, struct sf_val *x, struct sf_val *ids);
	/* The first of dimension DIM, which is gone. */
	struct sf_val *(*select)(struct sf_build *, struct sf_val *x, int dim);
	/* The same, of the one AT. */
	struct sf_val *(*select_at)(
	    struct sf_build *, struct sf_val *x, int dim, int64_t at);
	struct sf_val *(*diff_last)(
	    struct sf_build *, struct sf_val *x, struct sf_val *prepend);
	struct sf_val *(*arange)(struct sf_build *, int64_t n);
	/* [rows, columns] of FP32. */
	struct sf_val *(*ones)(
	    struct sf_build *, int64_t rows, int64_t columns);
	struct sf_val *(*new_ones)(struct sf_build *, struct sf_val *x);
	/* A constant made by torch.tensor, and its move to the device. */
	struct sf_val *(*lift)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*move)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*to_type)(
	    struct sf_build *, struct sf_val *x, enum sf_dtype dtype);
	struct sf_val *(*to_device)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*view)(
	    struct sf_build *, struct sf_val *x, int rank, const int64_t *);
	struct sf_val *(*reshape)(
	    struct sf_build *, struct sf_val *x, int rank, const int64_t *);
	struct sf_val *(*expand)(
	    struct sf_build *, struct sf_val *x, int rank, const int64_t *);
	struct sf_val *(*unsqueeze)(
	    struct sf_build *, struct sf_val *x, int dim);
	struct sf_val *(*transpose)(
	    struct sf_build *, struct sf_val *x, int a, int b);
	struct sf_val *(*transpose_matrix)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*contiguous)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*cat)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y, int dim);
	/* N tensors one behind the other. */
	struct sf_val *(*cat_all)(
	    struct sf_build *, struct sf_val *const *x, int n, int dim);
	/* X and Y as the two elements of a new last dimension. */
	struct sf_val *(*stack)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	/* Each element of the last dimension twice. */
	struct sf_val *(*repeat_last)(struct sf_build *, struct sf_val *x);
	struct sf_val *(*getitem)(struct sf_build *, struct sf_val *x, int n,
	    const struct sf_item *items);
	/*
	 * Of cosines or sines of three positions, those of the first, with those
	 * of the others where SECTIONS say: of the Nth every third from the Nth
	 * on, so many of them. NULL on a route that has none.
	 */
	struct sf_val *(*merge_sections)(
	    struct sf_build *, struct sf_val *x, const int64_t *sections);
	struct sf_val *(*index2)(struct sf_build *, struct sf_val *x,
	    struct sf_val *i, struct sf_val *j);
	/* N parts of SIZES along the last dimension; NULL: of one size. */
	void (*split)(struct sf_build *, struct sf_val *x, const int64_t *sizes,
	    int n, struct sf_val **parts);
	/* Two dimensions exchanged by Tensor.permute. */
	struct sf_val *(*permute)(
	    struct sf_build *, struct sf_val *x, int a, int b);
	/* torch.tensor of a number, on the device. */
	struct sf_val *(*constant)(struct sf_build *, enum sf_dtype dtype);
	struct sf_val *(*where)(struct sf_build *, struct sf_val *condition,
	    struct sf_val *x, struct sf_val *y);
	/* A mask of b8 as numbers to add: 0, or the smallest there is. */
	struct sf_val *(*number_mask)(
	    struct sf_build *, struct sf_val *mask, enum sf_dtype dtype);
	/* The softmax along the last dimension. */
	struct sf_val *(*softmax)(
	    struct sf_build *, struct sf_val *x, enum sf_softmax how);
	/*
	 * What experts are made of; NULL on a route on which PyTorch has none.
	 * The largest of the last dimension, which is kept.
	 */
	struct sf_val *(*max_last)(struct sf_build *, struct sf_val *x);
	/* Numbers no smaller or larger than others. */
	struct sf_val *(*clamp)(struct sf_build *, struct sf_val *x);
	/* The K largest of the last dimension, and their places. */
	void (*topk)(struct sf_build *, struct sf_val *x, int64_t k,
	    struct sf_val *out[2]);
	/* The sum along a dimension, which is kept with size 1 or dropped. */
	struct sf_val *(*sum)(
	    struct sf_build *, struct sf_val *x, int dim, bool keep);
	/* x /= y; the result is x where Python sees it so. */
	struct sf_val *(*divide)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	/* A vector in order, and where its elements were. */
	void (*sort)(
	    struct sf_build *, struct sf_val *x, struct sf_val *out[2]);
	struct sf_val *(*floor_divide)(struct sf_build *, struct sf_val *x);
	/* x[rows], of rows of any rank. */
	struct sf_val *(*index)(
	    struct sf_build *, struct sf_val *x, struct sf_val *rows);
	/* Where the rows of each of N experts end, of sorted numbers. */
	struct sf_val *(*ends)(struct sf_build *, struct sf_val *x, int64_t n);
	/* The permutation that undoes X. */
	struct sf_val *(*inverse)(struct sf_build *, struct sf_val *x);
	/* x *= y, and the same. */
	struct sf_val *(*scale_in_place)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	/* x += y; the result is x where Python sees it so. */
	struct sf_val *(*accumulate)(
	    struct sf_build *, struct sf_val *x, struct sf_val *y);
	/*
	 * Rows of X, each group by its matrix of W, [groups, rows, columns], of
	 * which UNREAD bytes are not read.
	 */
	struct sf_val *(*grouped_mm)(struct sf_build *, struct sf_val *x,
	    struct sf_val *w, struct sf_val *ends, int64_t unread);
};

/* A route: a lowering and what the model's own code does differently there. */
struct sf_route {
	const char *name;
	const struct sf_decomposition *lower;
	const struct sf_aten *aten; /* of the routes that see ATen, else NULL */
	/* Data cannot be read, so a mask is made that would do for any. */
	bool tracing;
	/* torch.export: is_causal never stands in for a mask. */
	bool exporting;
	/* Operators whose result nothing needs are dropped. */
	bool pruned;
	/* torch.compile: loops may be one operator, taken apart. */
	bool compiling;
	/* A prefill fills a cache. */
	bool caching;
	/* Parts of a program are one operator each, see fuse.h. */
	bool fuses;
};

struct sf_arch;

/* What of a model of several parts is run. */
enum sf_part {
	SF_PART_TEXT, /* the text model, or the model that is the only one */
	SF_PART_TOWER,
	SF_PART_BOTH,
};

/* A trace in the making. */
struct sf_build {
	struct sf_graph graph;
	const struct sf_route *route;
	const struct sf_arch *arch;
	/* What "model." of a text model is in the whole; NULL: the same. */
	const char *language;
	struct sf_workload work;
	enum sf_part parts; /* what is run */
	/* Of the parameters, those of experts that a token does not go to. */
	int64_t idle_elements, idle_bytes;
	/* Of the route gpu: what the cache holds for the next attention. */
	struct sf_val *past_keys, *past_values;
	int fusing; /* parts that have begun and not ended */
	/* Of the ONNX route: Constant nodes by what they hold. */
	struct sf_table *constants;
};

#endif
