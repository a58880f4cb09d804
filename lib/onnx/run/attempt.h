/* Expansion that may be taken back. */
#ifndef SF_ONNX_ATTEMPT_H
#define SF_ONNX_ATTEMPT_H

#include "onnx/run/run.h"

struct sf_onnx_attempt {
	struct sf_onnx_run saved;
	size_t nassumed;
	bool trial;             /* it is taken back in any case */
	struct sf_arena *arena; /* of one that stands in no other, or NULL */
};

/*
 * Begins one. What it makes may be gone with sf_onnx_attempt_drop, so what is
 * to stay must be copied to run->arena as it was before.
 */
void sf_onnx_attempt_begin(
    struct sf_onnx_attempt *attempt, struct sf_onnx_run *run, bool trial);

/* It stays as it is. */
void
sf_onnx_attempt_keep(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run);

/* The run is as it was, but for what was wasted. No error stands. */
void
sf_onnx_attempt_drop(struct sf_onnx_attempt *attempt, struct sf_onnx_run *run);

/* So much was tried in vain that no more is. */
static inline bool
sf_onnx_attempt_no_more(const struct sf_onnx_run *run)
{
	return run->wasted > SF_ONNX_MAX_WASTED;
}

/* For sf_onnx_run_release. */
void sf_onnx_attempt_release(struct sf_onnx_run *run);

#endif
