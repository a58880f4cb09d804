/*
 * Values of a trace while it is made: inputs, initializers, constants that were
 * left out of the file, and what nodes make.
 */
#ifndef SF_ONNX_VALUES_H
#define SF_ONNX_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx/run/run.h"

/* A value of which nothing is known, by its name in the trace. */
struct sf_value *sf_onnx_value_new(struct sf_onnx_run *run, struct sf_str tid);

/* The name in the trace for what the scope calls NAME; it is then taken. */
struct sf_str sf_onnx_value_tid(
    struct sf_onnx_run *run, struct sf_onnx_scope *scope, struct sf_str name);

/* "NAME=VALUE" as an argument in a shell. */
const char *sf_onnx_value_argument(
    struct sf_onnx_run *run, struct sf_str name, const char *value);

/* No shape has more elements or bits than can be counted. */
bool sf_onnx_value_check(struct sf_onnx_run *run, const struct sf_value *value);

/*
 * Makes the values of the model's inputs, and of a graph's initializers, which
 * come first: an input that has an initializer is that.
 */
bool sf_onnx_values_inputs(
    struct sf_onnx_run *run, const struct sf_onnx_graph *graph);
bool sf_onnx_values_inits(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_graph *graph);

/*
 * The values of N names, NULL for an empty one. False with the error set when
 * a name comes from nowhere.
 */
bool
sf_onnx_values_find(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_str *names, size_t n, struct sf_value ***values);

#endif
