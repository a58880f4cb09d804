/*
 * A problem of Timeloop: three data spaces over named dimensions, of which one
 * is written. What each dimension is follows from the data spaces that it is in,
 * not from its name: a product of matrices, or a convolution where a rank of an
 * input is the sum of a place of the result and of one of the kernel.
 */
#ifndef SF_TIMELOOP_PROBLEM_H
#define SF_TIMELOOP_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "timeloop/yaml-file.h"

enum {
	SF_TIMELOOP_PLACES = 2 /* ranks of a convolution that are sums */
};

struct sf_timeloop_problem {
	struct sf_str name; /* of the shape, "" when it has none */
	bool conv;
	/* Of a product: images are M, filters N, channels K, groups batches. */
	int64_t groups, images, channels, filters;
	int places;
	int64_t out[SF_TIMELOOP_PLACES], kernel[SF_TIMELOOP_PLACES];
	int64_t stride[SF_TIMELOOP_PLACES], dilation[SF_TIMELOOP_PLACES];
};

/* Reads the `problem` of ROOT; ends the program when it is not one of these. */
void sf_timeloop_problem_read(struct sf_yaml *yaml, const yaml_node_t *root,
    struct sf_timeloop_problem *problem);

#endif
