/* Expansion that may be taken back. */
#ifndef SF_ONNX_ATTEMPT_H
#define SF_ONNX_ATTEMPT_H

#include "onnx/run/run.h"

struct sf_onnx_attempt {
	struct sf_onnx_run saved;
	size_t nassumed;
	bool trial;             /* it is taken back in any case */
	struct sf_arena *arena; /* of a trial that stands in no other */
};

/*
 * Begins one. What a TRIAL makes lives until sf_onnx_attempt_drop, so what is
 * to stay must be copied to run->arena as it was before.
 */
void sf_onnx_attempt_begin(
    struct sf_onnx_attempt *attempt, struct sf_onnx_run *run, bool trial);

/* The run is as it was, but for what was wasted. No error stands. */
void
sf_onnx_attempt_drop(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run);

#endif
