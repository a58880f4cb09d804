/*
 * The matrix products that an operator is made of, as its rule states them,
 * and the window of a convolution or a pooling: members of an op record.
 */
#ifndef SF_TRACE_PRODUCT_H
#define SF_TRACE_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "stream/member.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

enum {
	/* Products of one operator; no operator that is known has more. */
	SF_MAX_PRODUCTS = 15,
};

/*
 * C[m,n] += A[m,k] B[k,n], BATCH times; all at least 1. An element that is a
 * complex number is two real ones and a product of two of them four, so k and
 * n are then twice what the shapes say.
 */
struct sf_product {
	int64_t batch, m, k, n;
	int64_t a, b; /* which inputs A and B are; -1: an intermediate result */
	/*
	 * What is stored of B, when that is not an element of A's size each:
	 * bytes, and for how many elements; else 0 and 0.
	 */
	int64_t b_bytes, b_elements;
};

/* All of one operator. */
struct sf_products {
	bool stated;  /* false: a rule multiplies and does not say what */
	int64_t macs; /* multiply-accumulates of real numbers, exact */
	int n;
	struct sf_product v[SF_MAX_PRODUCTS];
};

/* One dimension of a window that slides over an input. */
struct sf_op_window_dim {
	int64_t in;     /* size of the input */
	int64_t kernel; /* elements that one output takes in */
	int64_t stride, dilation;
	int64_t before, after; /* padding */
};

struct sf_op_window {
	int n; /* dimensions, outermost first; 0: there is no window */
	const struct sf_op_window_dim *dims;
};

/*
 * Reads the `gemms` of an op, JSON text; UP is the op's place. Dies when they
 * are not as they must be: INPUTS is how many inputs the op has.
 */
void sf_products_read(struct sf_stream *stream, struct sf_str gemms,
    const struct sf_place *up, int inputs, struct sf_products *out);

/*
 * Reads the `window` of an op, JSON text, into ARENA; dies when it is not as it
 * must be.
 */
void sf_op_window_read(struct sf_stream *stream, struct sf_str window,
    const struct sf_place *up, struct sf_arena *arena,
    struct sf_op_window *out);

/* Appends the members to the current record, an op. */
void
sf_products_put(struct sf_stream *stream, const struct sf_products *products);
void sf_window_put(struct sf_stream *stream, const struct sf_op_window *window);

SF_PUBLIC_END

#endif
