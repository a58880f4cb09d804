/* Claiming nodes and joining them into subgraphs. */
#include "ep/partition.h"

#include "cost/roofline.h"
#include "ep/keep.h"

void
sf_partition_init(struct sf_partition *p)
{
	*p = (struct sf_partition){ .arena = sf_arena_new() };
	sf_table_init(&p->names, p->arena);
}

void
sf_partition_release(struct sf_partition *p)
{
	sf_buf_release(&p->nodes);
	sf_buf_release(&p->makers_of);
	sf_table_release(&p->names);
	sf_arena_free(p->arena);
}

void
sf_partition_reset(struct sf_partition *p)
{
	sf_table_clear(&p->names);
	sf_arena_reset(p->arena);
	p->nodes.n = p->makers_of.n = 0;
	p->claimed = p->subgraphs = p->cut = 0;
}

size_t
sf_partition_count(const struct sf_partition *p)
{
	return p->nodes.n / sizeof(struct sf_ep_node);
}

struct sf_ep_node *
sf_partition_node(const struct sf_partition *p, size_t i)
{
	return (struct sf_ep_node *)(void *)p->nodes.p + i;
}

/* ---- the graph ---- */

static size_t
edge_count(const struct sf_partition *p)
{
	return p->makers_of.n / sizeof(size_t);
}

/* The node that edge E comes from. */
static size_t
maker_index(const struct sf_partition *p, size_t e)
{
	return ((const size_t *)(const void *)p->makers_of.p)[e];
}

static struct sf_ep_node *
maker(const struct sf_partition *p, size_t e)
{
	return sf_partition_node(p, maker_index(p, e));
}

/* The first edge into node I; they end at the node's edges_end. */
static size_t
edges_begin(const struct sf_partition *p, size_t i)
{
	return i == 0 ? 0 : sf_partition_node(p, i - 1)->edges_end;
}

static void
add_edges(struct sf_partition *p, const struct sf_op *op)
{
	for (int i = 0; i < op->ninputs; i++) {
		const struct sf_entry *e;
		size_t from;

		if (op->inputs[i].absent)
			continue;
		e = sf_table_find(&p->names, op->inputs[i].tid);
		if (e == NULL || e->num == 0)
			continue;
		from = (size_t)e->num - 1;
		sf_buf_put(&p->makers_of, &from, sizeof from);
	}
}

void
sf_partition_add(
    struct sf_partition *p, struct sf_claim *claim, const struct sf_op *op)
{
	size_t index = sf_partition_count(p);
	struct sf_ep_node node = { .subgraph = -1, .parent = index };

	sf_op_keep(&node.op, op, &p->names);
	node.claimed = sf_claim_take(claim, op->name);
	/* An operator that no rule counts is not free: nobody knows. */
	node.free = !node.claimed && op->counts.category == SF_CAT_VIEW;
	add_edges(p, op);
	node.edges_end = edge_count(p);
	sf_buf_put(&p->nodes, &node, sizeof node);
	for (int i = 0; i < op->noutputs; i++)
		if (!op->outputs[i].absent)
			sf_table_add(&p->names, op->outputs[i].tid)->num =
			    (int64_t)index + 1;
}

/* ---- nodes that go with others ---- */

/*
 * From the last node to the first, so that all readers of a node come before
 * it. A free node that nobody reads, or only such nodes, is left open.
 */
static void
ask_readers(struct sf_partition *p)
{
	for (size_t i = sf_partition_count(p); i-- > 0;) {
		struct sf_ep_node *node = sf_partition_node(p, i);

		if (node->free && (node->for_device || node->for_host)) {
			node->claimed = !node->for_host;
			node->free = false;
		}
		if (node->free)
			continue;
		for (size_t e = edges_begin(p, i); e < node->edges_end; e++) {
			if (node->claimed)
				maker(p, e)->for_device = true;
			else
				maker(p, e)->for_host = true;
		}
	}
}

/* Those left open go with what made the first of their inputs that is made. */
static void
ask_makers(struct sf_partition *p)
{
	for (size_t i = 0; i < sf_partition_count(p); i++) {
		struct sf_ep_node *node = sf_partition_node(p, i);
		size_t e = edges_begin(p, i);

		if (node->free)
			node->claimed =
			    e < node->edges_end && maker(p, e)->claimed;
	}
}

/* ---- subgraphs ---- */

/* The node that stands for I's subgraph, its first; shortens the way to it. */
static size_t
root(const struct sf_partition *p, size_t i)
{
	struct sf_ep_node *node = sf_partition_node(p, i);

	while (node->parent != i) {
		node->parent = sf_partition_node(p, node->parent)->parent;
		i = node->parent;
		node = sf_partition_node(p, i);
	}
	return i;
}

static void
join(struct sf_partition *p, size_t a, size_t b)
{
	a = root(p, a);
	b = root(p, b);
	if (a < b)
		sf_partition_node(p, b)->parent = a;
	else
		sf_partition_node(p, a)->parent = b;
}

/* Numbers subgraphs by their first node. */
static void
number(struct sf_partition *p)
{
	for (size_t i = 0; i < sf_partition_count(p); i++) {
		struct sf_ep_node *node = sf_partition_node(p, i);
		size_t first = root(p, i);

		if (!node->claimed)
			continue;
		p->claimed++;
		node->subgraph = first == i
		    ? p->subgraphs++
		    : sf_partition_node(p, first)->subgraph;
	}
}

void
sf_partition_finish(struct sf_partition *p)
{
	ask_readers(p);
	ask_makers(p);
	for (size_t i = 0; i < sf_partition_count(p); i++) {
		const struct sf_ep_node *node = sf_partition_node(p, i);

		for (size_t e = edges_begin(p, i); e < node->edges_end; e++) {
			if (maker(p, e)->claimed != node->claimed)
				p->cut++;
			else if (node->claimed)
				join(p, maker_index(p, e), i);
		}
	}
	number(p);
}
