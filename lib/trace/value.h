/*
 * The values of a trace, followed through its operators: who made each, whether
 * it is a parameter or a part of one and how many bytes are stored of it then,
 * and where it is. A value is what has a tid; a view's outputs are what its
 * inputs are.
 */
#ifndef SF_TRACE_VALUE_H
#define SF_TRACE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"
#include "base/table.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

struct sf_trace_value {
	int64_t maker;  /* the op that computed it, -1: none of the trace */
	bool param;     /* a parameter or a part of one */
	int64_t stored; /* bytes that are stored of it, when it is */
	int places;     /* where it is, as the program sees it; 0: not said */
};

enum {
	SF_VALUE_MARKS = 4096, /* a power of two */
};

struct sf_values {
	struct sf_arena *arena;
	struct sf_table
	    tids; /* to struct sf_trace_value, where there is more to
				 say than the tensor does */
	/* A bit of each tid's quick hash: most have nothing to say. */
	uint64_t marks[SF_VALUE_MARKS / 64];
};

void sf_values_init(struct sf_values *values);
void sf_values_release(struct sf_values *values);

/* Forgets the values of a trace that has ended. */
void sf_values_reset(struct sf_values *values);

/* What is known of a tensor that an operator reads; of an absent one nothing. */
struct sf_trace_value
sf_value_of(const struct sf_values *values, const struct sf_tensor *tensor);

/* Marks the inputs of OP that are parts of parameters as such. */
void sf_values_mark(const struct sf_values *values, struct sf_op *op);

/* OP computes its outputs, which then are at PLACES. */
void
sf_values_make(struct sf_values *values, const struct sf_op *op, int places);

/*
 * OP hands on: its outputs were made by what made the first of its inputs that
 * was made, and are otherwise what its first input is.
 */
void sf_values_pass(struct sf_values *values, const struct sf_op *op);

/* The value is at PLACES now. */
void sf_value_place(
    struct sf_values *values, const struct sf_tensor *tensor, int places);

SF_PUBLIC_END

#endif
