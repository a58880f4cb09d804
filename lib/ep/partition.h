/*
 * The partition of a graph between an execution provider, the device, and the
 * host: nodes are claimed by operator type, and claimed nodes that an edge
 * joins make one subgraph.
 *
 * A node that costs nothing (a view, folded, dead) and whose type is not
 * claimed goes with those that read it: it is claimed when all of them are. One
 * that nobody reads goes with what made its first input. So a constant and the
 * Reshape of it belong to the claimed operator that they are for.
 */
#ifndef SF_EP_PARTITION_H
#define SF_EP_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "ep/claim.h"
#include "ep/record.h"
#include "trace/op.h"

struct sf_ep_node {
	struct sf_op op;
	bool claimed;
	/* The number of its subgraph, from 0 in trace order; -1 on the host. */
	int64_t subgraph;
	struct sf_ep_op result; /* when it is costed: of whoever costs it */

	/* ---- of the partition only ---- */
	size_t edges_end; /* its edges lie before, behind its predecessor's */
	size_t parent;    /* towards a node that stands for its subgraph */
	bool free;        /* goes with its readers */
	bool for_device, for_host; /* read by a claimed node; by another */
};

struct sf_partition {
	struct sf_arena *arena;
	/* Of tensors and types; a tensor's number is its maker's plus 1. */
	struct sf_table names;
	struct sf_buf nodes;     /* struct sf_ep_node */
	struct sf_buf makers_of; /* size_t an edge: the node it comes from */
	int64_t claimed;         /* nodes */
	int64_t subgraphs;
	int64_t cut; /* edges between a claimed node and another */
};

void sf_partition_init(struct sf_partition *p);
void sf_partition_release(struct sf_partition *p);

/* Forgets the trace. */
void sf_partition_reset(struct sf_partition *p);

/* Adds the next operator of the trace, which must be counted. */
void sf_partition_add(
    struct sf_partition *p, struct sf_claim *claim, const struct sf_op *op);

/* All nodes are there: decides on the free ones and finds the subgraphs. */
void sf_partition_finish(struct sf_partition *p);

size_t sf_partition_count(const struct sf_partition *p);
struct sf_ep_node *sf_partition_node(const struct sf_partition *p, size_t i);

#endif
