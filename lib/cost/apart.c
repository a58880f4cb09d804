/* Attention in parts. */
#include "cost/apart.h"

void
sf_apart_init(struct sf_apart *a)
{
	*a = (struct sf_apart){ .arena = sf_arena_new() };
	sf_table_init(&a->weights, a->arena);
}

void
sf_apart_release(struct sf_apart *a)
{
	sf_table_release(&a->weights);
	sf_arena_free(a->arena);
}

void
sf_apart_reset(struct sf_apart *a)
{
	sf_table_clear(&a->weights);
	sf_arena_reset(a->arena);
	a->found = 0;
}

/* The size of what a softmax gave that OP reads; -1 when it reads none. */
static int64_t
weights_of(const struct sf_apart *a, const struct sf_op *op)
{
	for (int i = 0; i < op->ninputs && a->weights.n != 0; i++) {
		const struct sf_entry *entry = op->inputs[i].absent
		    ? NULL
		    : sf_table_find(&a->weights, op->inputs[i].tid);

		if (entry != NULL && entry->num >= 0)
			return entry->num;
	}
	return -1;
}

/*
 * Scores of queries and keys: of tokens by experts, as a router has them, there
 * are two dimensions.
 */
static bool
is_scores(const struct sf_tensor *t)
{
	return !t->absent && t->resolved && t->rank >= 3;
}

void
sf_apart_take(struct sf_apart *a, const struct sf_op *op)
{
	enum sf_category category = op->counts.category;
	int64_t size = -1;

	if (category == SF_CAT_VIEW || category == SF_CAT_COPY ||
	    category == SF_CAT_ELEMENTWISE)
		size = weights_of(a, op);
	else if (category == SF_CAT_MATMUL)
		a->found += weights_of(a, op) >= 0;
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *t = &op->outputs[i];
		struct sf_entry *entry;
		int64_t is = -1;

		if (t->absent)
			continue;
		if (category == SF_CAT_SOFTMAX && is_scores(t))
			is = t->numel;
		else if (size >= 0 && t->resolved && t->numel == size)
			is = size;
		entry = is >= 0         ? sf_table_add(&a->weights, t->tid)
		    : a->weights.n != 0 ? sf_table_find(&a->weights, t->tid)
					: NULL;
		if (entry != NULL)
			entry->num = is;
	}
}
