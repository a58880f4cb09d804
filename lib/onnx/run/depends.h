/*
 * Which of the model's inputs decide over something that is not known: those
 * whose contents flow into it, through whatever is computed in between. What is
 * read for its shape alone carries no contents.
 */
#ifndef SF_ONNX_DEPENDS_H
#define SF_ONNX_DEPENDS_H

#include "onnx/run/run.h"

/*
 * Why output I of the last operator of the run is not known, as VALUE has it,
 * with the inputs behind it that decide, if there are any. The options that
 * would settle it are named where they would: the rules are tried on made-up
 * contents.
 */
const char *sf_onnx_depends_output(
    struct sf_onnx_run *run, int i, const struct sf_value *value);

/*
 * The same for WHY the graphs of a node are not expanded; OPTION, "--trips
 * loop=N", is what would settle it in any case.
 */
const char *
sf_onnx_depends_closed(struct sf_onnx_run *run, const struct sf_onnx_node *node,
    struct sf_value **inputs, const char *why, const char *option);

/* The same where VALUES decide, N of them, which are not known. */
const char *sf_onnx_depends_values(struct sf_onnx_run *run,
    struct sf_value *const *values, int n, const char *why, const char *option);

#endif
