/*
 * A graph inside a node that is not expanded, taken once to see what comes of
 * it: the types of its outputs, and what it costs.
 */
#ifndef SF_ONNX_TRIAL_H
#define SF_ONNX_TRIAL_H

#include "onnx/run/run.h"

struct sf_onnx_trial {
	const struct sf_onnx_graph *graph;
	/* Of its inputs: their types; NULL where one is left out. */
	struct sf_value *const *inputs;
	/* Of its outputs: of kind NONE where it cannot be run. */
	struct sf_value *results;
	struct sf_price cost;
	bool priced;        /* FLOPs are counted */
	int64_t nodes;      /* that it expands to */
	const char *failed; /* why it cannot be run, or NULL */
};

/* Fills in the last four; what it makes of the run is taken back. */
void sf_onnx_trial(struct sf_onnx_trial *trial, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node);

/*
 * The same of a step that was taken, which began with operator FROM when so
 * many were EXPANDED; types are copied to ARENA.
 */
struct sf_onnx_unroll;
void sf_onnx_trial_take(struct sf_onnx_trial *trial, struct sf_onnx_unroll *u,
    int64_t from, int64_t expanded, struct sf_arena *arena);

/* "3 operators and 80 FLOPs", or why it cannot be run. */
const char *
sf_onnx_trial_text(const struct sf_onnx_trial *trial, struct sf_arena *arena);

/* "1000000 steps of 3 nodes would take 3000000, more than ..." */
const char *
sf_onnx_too_many(int64_t steps, int64_t nodes, struct sf_arena *arena);

/* VALUE without its contents; NULL stays. */
struct sf_value *
sf_onnx_type_of(const struct sf_value *value, struct sf_arena *arena);

/*
 * What A and B have in common, into A: sizes that differ are not known. False
 * when A is that already.
 */
bool sf_onnx_type_meet(
    struct sf_value *a, const struct sf_value *b, struct sf_arena *arena);

#endif
