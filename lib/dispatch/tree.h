/*
 * Calls and what ran inside of them, from either kind of file, and which of
 * them are the operators of the trace: none of them inside another, so that no
 * work is counted twice.
 */
#ifndef SF_DISPATCH_TREE_H
#define SF_DISPATCH_TREE_H

#include "dispatch/names.h"

struct sf_call_node {
	const struct sf_call_kind *kind;
	struct sf_call_node *up, *child, *last, *next;
	/* Seconds of kernels that it launched itself; see below. */
	double launched_s;
	int64_t launches;
};

/* NODE runs inside UP, behind what ran there before it. */
void sf_call_node_add(struct sf_call_node *up, struct sf_call_node *node);

/* Calls TAKE with each operator at or below NODE, in their order. */
void sf_call_node_walk(struct sf_call_node *node,
    void (*take)(void *context, struct sf_call_node *node), void *context);

/* The first collective recorded inside of NODE, NULL when there is none. */
struct sf_call_node *sf_call_node_collective(struct sf_call_node *node);

/* Launches of NODE and all that ran inside. */
int64_t
sf_call_node_launches(const struct sf_call_node *node, double *launched_s);

#endif
