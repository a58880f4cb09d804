/* What a model takes and gives, as a table. */
#ifndef SF_ONNX_INPUTS_H
#define SF_ONNX_INPUTS_H

#include "base/buf.h"
#include "onnx/run/run.h"

/*
 * Appends a line for each input and output of a model that was run, tabs in
 * between: "input", "constant" (an input that holds weights) or "output"; the
 * name; the type and sizes; the dimensions without a size, "?" for one without
 * a name; the options that give what is missing. "-" stands for nothing.
 */
void sf_onnx_put_inputs(struct sf_buf *text, struct sf_onnx_run *run);

#endif
