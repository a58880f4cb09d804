/*
 * A graph inside a node, expanded step by step. What its initializers and
 * Constant nodes make is there once, named NODE/NAME; what a step makes is
 * named NODE/STEP/NAME, and what the last one hands out as the node's outputs.
 *
 *	sf_onnx_unroll_begin(&u, run, scope, node, graph)
 *	for each step
 *		sf_onnx_unroll_next(&u)
 *		sf_onnx_unroll_bind(&u, i, value) for each input of the graph
 *		sf_onnx_unroll_step(&u), and u.results are its outputs
 *	sf_onnx_unroll_give(&u, i, value) for each output of the node
 *	sf_onnx_unroll_end(&u)
 *
 * Those that return a bool return false with run->error set; _end is to be
 * called then, too.
 */
#ifndef SF_ONNX_UNROLL_H
#define SF_ONNX_UNROLL_H

#include "onnx/run/order.h"
#include "onnx/run/run.h"

struct sf_onnx_unroll {
	struct sf_onnx_run *run;
	struct sf_onnx_scope *outer;
	const struct sf_onnx_node *node;
	const struct sf_onnx_graph *graph;
	struct sf_onnx_scope frame, step;
	struct sf_onnx_body body; /* without the Constant nodes */
	int64_t steps;            /* that were begun */
	int64_t first_op;         /* of the last of them */
	struct sf_value **results;
	/* The results of all steps, and what else goes with the node. */
	struct sf_value **within, **given;
	int64_t nwithin, room;
};

bool sf_onnx_unroll_begin(struct sf_onnx_unroll *u, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node,
    const struct sf_onnx_graph *graph);
/* The same where names begin with NODE/PART. */
bool
sf_onnx_unroll_begin_part(struct sf_onnx_unroll *u, struct sf_onnx_run *run,
    struct sf_onnx_scope *scope, const struct sf_onnx_node *node,
    const struct sf_onnx_graph *graph, const char *part);
bool sf_onnx_unroll_next(struct sf_onnx_unroll *u);

/* Input I of the graph is VALUE, or left out when that is NULL. */
void sf_onnx_unroll_bind(
    struct sf_onnx_unroll *u, int i, const struct sf_value *value);
/* It is element ITEM of the sequence VALUE. */
void sf_onnx_unroll_bind_item(
    struct sf_onnx_unroll *u, int i, const struct sf_value *value, int item);
/* It is a new value, of which the caller says the rest; NULL: left out. */
struct sf_value *sf_onnx_unroll_bind_new(struct sf_onnx_unroll *u, int i);
/* It is the integer or, of type b8, the truth value X. */
void sf_onnx_unroll_bind_int(
    struct sf_onnx_unroll *u, int i, enum sf_dtype dtype, int64_t x);

bool sf_onnx_unroll_step(struct sf_onnx_unroll *u);

/* VALUE runs when the node does, such as what its condition is made of. */
void sf_onnx_unroll_within(struct sf_onnx_unroll *u, struct sf_value *value);

/* The last step made it, and no output of the node has it yet. */
bool sf_onnx_unroll_nameless(
    const struct sf_onnx_unroll *u, const struct sf_value *value);
void sf_onnx_unroll_rename(
    struct sf_onnx_unroll *u, struct sf_value *value, struct sf_str tid);

/* Output I of the node is VALUE; NULL: it is left out. */
bool
sf_onnx_unroll_give(struct sf_onnx_unroll *u, int i, struct sf_value *value);

void sf_onnx_unroll_end(struct sf_onnx_unroll *u);

/*
 * VALUE as it is inside: not constant, with nothing computed beforehand. ITEM
 * is -1, or an element of the sequence that it is.
 */
struct sf_value *
sf_onnx_alias(struct sf_onnx_run *run, const struct sf_value *value, int item);

#endif
