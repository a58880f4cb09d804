/*
 * What a log says of the inputs of a compilation's graphs: which are
 * parameters, and what the symbols in their sizes stand for. The records that
 * describe tensors come before Dynamo's graph, whose inputs are named after
 * where those come from; ATen's graphs have the same inputs in the same order.
 */
#ifndef SF_COMPILE_LOG_INPUTS_H
#define SF_COMPILE_LOG_INPUTS_H

#include "compile/fx-graph.h"
#include "compile/fx-program.h"
#include "compile/log.h"

struct sf_log_inputs {
	struct sf_arena *arena;
	struct sf_table symbols; /* to what they stand for */
	struct sf_table tensors; /* that were described, by the log's name */
	struct sf_table names;   /* the same by the names of inputs */
	/* Dynamo's inputs in order; -1: its graph has not been met. */
	int n;
	struct sf_log_input {
		struct sf_str core; /* type and sizes, "f32[2, 3]" */
		bool param;
	} * inputs;
	/* The values of its last graph that depend on parameters alone. */
	struct sf_table params;
};

struct sf_log_inputs *sf_log_inputs_new(void);
void sf_log_inputs_free(struct sf_log_inputs *inputs);

/* Takes a record that describes a tensor or a symbol. */
void sf_log_inputs_describe(
    struct sf_log_inputs *inputs, const struct sf_log_record *record);

/* Takes the inputs of Dynamo's graph. */
void sf_log_inputs_take(
    struct sf_log_inputs *inputs, const struct sf_fx_graph *graph);

/*
 * Marks in PARAMS which of the inputs of GRAPH, that are of those TYPES, are
 * parameters. False when the log does not say.
 */
bool sf_log_inputs_mark(const struct sf_log_inputs *inputs,
    enum sf_log_graph kind, const struct sf_fx_graph *graph,
    const struct sf_fx_type *types, bool *params);

/* Keeps the values of PROGRAM that depend on parameters: backward has them. */
void sf_log_inputs_keep(
    struct sf_log_inputs *inputs, const struct sf_fx_program *program);

#endif
