/* Which calls of a tree are operators. No function calls itself here: a tree of
 * a damaged file can be as deep as it is long. */
#include "dispatch/tree.h"

void
sf_call_node_add(struct sf_call_node *up, struct sf_call_node *node)
{
	node->up = up;
	if (up->last != NULL)
		up->last->next = node;
	else
		up->child = node;
	up->last = node;
}

/* The next of the tree below TOP behind NODE, without what is inside NODE. */
static struct sf_call_node *
behind(const struct sf_call_node *top, struct sf_call_node *node)
{
	while (node != top && node->next == NULL)
		node = node->up;
	return node == top ? NULL : node->next;
}

static struct sf_call_node *
following(const struct sf_call_node *top, struct sf_call_node *node)
{
	return node->child != NULL ? node->child : behind(top, node);
}

/* Whether something of that weight ran directly inside of NODE. */
static bool
holds(struct sf_call_node *node, enum sf_call_weight least)
{
	struct sf_call_node *at = node->child;

	while (at != NULL) {
		enum sf_call_sort sort = at->kind->sort;

		if (sort != SF_CALL_OTHER && sort != SF_CALL_COLLECTIVE &&
		    at->kind->weight >= least)
			return true;
		at = sort == SF_CALL_OTHER ? following(node, at)
					   : behind(node, at);
	}
	return false;
}

/* Whether NODE itself is no operator, but what is inside may be. */
static bool
is_passed(struct sf_call_node *node)
{
	switch (node->kind->sort) {
	case SF_CALL_OTHER:
		return true;
	case SF_CALL_COMPOSITE:
		return holds(node, SF_WEIGHT_LIGHT);
	case SF_CALL_UNKNOWN:
		/* What launches kernels does something of its own. */
		return node->launches == 0 && holds(node, SF_WEIGHT_WORK);
	default:
		return false;
	}
}

void
sf_call_node_walk(struct sf_call_node *top,
    void (*take)(void *context, struct sf_call_node *node), void *context)
{
	struct sf_call_node *node = top;

	while (node != NULL) {
		if (is_passed(node)) {
			node = following(top, node);
			continue;
		}
		if (!node->kind->idle || node->child != NULL)
			take(context, node);
		node = behind(top, node);
	}
}

struct sf_call_node *
sf_call_node_collective(struct sf_call_node *top)
{
	for (struct sf_call_node *node = top; node != NULL;
	     node = following(top, node))
		if (node->kind->sort == SF_CALL_COLLECTIVE)
			return node;
	return NULL;
}

int64_t
sf_call_node_launches(const struct sf_call_node *top, double *launched_s)
{
	struct sf_call_node *node = top->child;
	int64_t launches = top->launches;

	*launched_s = top->launched_s;
	while (node != NULL) {
		launches += node->launches;
		*launched_s += node->launched_s;
		node = following(top, node);
	}
	return launches;
}
