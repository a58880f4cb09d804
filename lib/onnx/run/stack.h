/* What steps of a loop collect, and what they take a slice each of. */
#ifndef SF_ONNX_STACK_H
#define SF_ONNX_STACK_H

#include "onnx/run/unroll.h"

/* N values, STRIDE places apart, along a new AXIS of their stack. */
struct sf_onnx_stack {
	struct sf_value **pieces;
	int64_t stride, n;
	int64_t axis;  /* negative: from the end of the stack's */
	int64_t batch; /* 0, or: N is that many times as many steps */
	bool reversed; /* the last one comes first */
};

/* VALUE is the stack of N values of TYPE; N may be SF_DIM_UNKNOWN. */
void sf_onnx_stack_type(struct sf_value *value, const struct sf_value *type,
    int64_t axis, int64_t n, struct sf_arena *arena);

/* Makes output I of the node: adds the operator that stacks them. */
struct sf_value *sf_onnx_stack(
    struct sf_onnx_unroll *u, int i, const struct sf_onnx_stack *stack);

/* N values without the NDIMS dimensions from AXIS on. */
struct sf_onnx_cut {
	int64_t n, axis;
	int ndims;
	bool reversed; /* the first step takes the last one */
};

/*
 * Cuts VALUE, whose rank is known to have them: adds the operator that does it.
 * They are in the order of the steps; what step T takes is named NODE/T/NAME.
 */
struct sf_value **sf_onnx_slices(struct sf_onnx_unroll *u,
    struct sf_value *value, struct sf_str name, const struct sf_onnx_cut *cut);

#endif
