/*
 * What an operator asks of whatever block it is lowered to: its products, or
 * the bytes and the work that slices divide. Nothing of an accelerator is in
 * it, so a program that lowers a trace many times reads each operator once; and
 * operators whose tasks are equal bytes have equal nests on every block.
 */
#ifndef SF_ACCEL_TASK_H
#define SF_ACCEL_TASK_H

#include "accel/lower.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/* Why there are no work items for the vector unit, should it compute this. */
enum sf_task_fault {
	SF_TASK_SOUND,
	SF_TASK_NO_BUTTERFLIES,
	SF_TASK_TOO_MANY_ELEMENTS
};

struct sf_task {
	int64_t rd, wr, flops;
	int64_t work; /* items of the vector unit, of what does not multiply */
	int64_t e_in, e_out;                /* of what has GEMMs */
	enum sf_dtype type;                 /* of the first input */
	struct sf_gemm gemms[SF_MAX_GEMMS]; /* without blocks */
	int ngemms;
	/*
	 * The convolution that the one product is, and its channels; no images
	 * when it is none. Its product is that of a matrix of patches.
	 */
	struct sf_gemm_conv conv;
	int64_t channels;
	enum sf_category category;
	enum sf_task_fault fault;
	bool idle; /* it has no tiles on any block */
};

/*
 * Reads what OP asks; dies when it is not counted, or lowered already, or its
 * products are not as they must be.
 */
void sf_task_read(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_op *op, struct sf_task *task);

/*
 * Lowers TASK to a block, but for its dependencies, which are the same on all.
 * False, and why, when the block cannot compute it.
 */
bool sf_task_lower(const struct sf_task *task, const struct sf_accel *accel,
    struct sf_lower *lower, struct sf_error *error);

/*
 * The operators that made the inputs of OP which are no parameters, rising; in
 * ARENA. Then the values that OP makes, or passes when it is idle, are its.
 */
void sf_task_deps(struct sf_lowering *lowering, struct sf_arena *arena,
    const struct sf_op *op, const struct sf_task *task, const int64_t **deps,
    int *ndeps);

SF_PUBLIC_END

#endif
