/*
 * What the user says beyond the model: rules for operators, which come before
 * the built-in ones, and the shapes of values.
 */
#ifndef SF_ONNX_STATED_H
#define SF_ONNX_STATED_H

#include "base/table.h"
#include "onnx/run/run.h"

/*
 * The entry for NODE: BUILTIN, or one that runs the user's rule where there is
 * one that states an output. It folds, follows and counts parameters as BUILTIN
 * does; without one, nothing is computed before the run.
 */
const struct sf_infer_entry *sf_onnx_stated_entry(struct sf_onnx_run *run,
    const struct sf_onnx_node *node, const struct sf_infer_entry *builtin);

/*
 * Gives VALUE the shape that the user says, if any; OP is what makes it, or
 * NULL. False with the error set when it is known to be another.
 */
bool sf_onnx_stated_shape(struct sf_onnx_run *run, struct sf_value *value,
    const struct sf_onnx_op *op);

/* False with the error set when a name is that of no value. */
bool sf_onnx_stated_check(struct sf_onnx_run *run);

/* The operator's name in a trace; BUF holds it. */
struct sf_str
sf_onnx_type_name(struct sf_buf *buf, const struct sf_onnx_node *node);

#endif
