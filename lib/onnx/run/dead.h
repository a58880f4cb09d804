/* Operators that nothing needs. */
#ifndef SF_ONNX_DEAD_H
#define SF_ONNX_DEAD_H

struct sf_onnx_run;

/*
 * Marks the operators that no output of the model needs. In a model without
 * outputs nothing is dead.
 */
void sf_onnx_mark_dead(struct sf_onnx_run *run);

#endif
