/* What needs no computing when the model runs. */
#ifndef SF_ONNX_FOLD_H
#define SF_ONNX_FOLD_H

#include <stdbool.h>

#include "onnx/read/model.h"

struct sf_onnx_run;

/* Its outputs differ from run to run, so it is never computed beforehand. */
bool sf_onnx_is_random(const struct sf_onnx_node *node);

/* Its first output is its first input arranged anew: a weight stays one. */
bool sf_onnx_rearranges(const struct sf_onnx_node *node);

/*
 * Marks the operators that no output of the model needs. In a model without
 * outputs nothing is dead.
 */
void sf_onnx_mark_dead(struct sf_onnx_run *run);

#endif
