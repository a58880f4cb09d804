/* Views of parameters, followed through a trace. */
#include "rules/alias.h"

void
sf_aliases_init(struct sf_aliases *a)
{
	a->arena = sf_arena_new();
	sf_table_init(&a->tids, a->arena);
}

void
sf_aliases_release(struct sf_aliases *a)
{
	sf_table_release(&a->tids);
	sf_arena_free(a->arena);
}

static void
forget(struct sf_aliases *a)
{
	sf_table_clear(&a->tids);
	sf_arena_reset(a->arena);
}

void
sf_aliases_mark(struct sf_aliases *a, struct sf_op *op)
{
	if (op->i == 0)
		forget(a);
	if (a->tids.n == 0)
		return;
	for (int i = 0; i < op->ninputs; i++) {
		struct sf_tensor *t = &op->inputs[i];

		if (!t->absent && !t->param)
			t->param = sf_table_find(&a->tids, t->tid) != NULL;
	}
}

void
sf_aliases_follow(struct sf_aliases *a, const struct sf_op *op)
{
	if (op->ninputs == 0 || !op->inputs[0].param)
		return;
	for (int i = 0; i < op->noutputs; i++)
		if (!op->outputs[i].absent && !op->outputs[i].param)
			sf_table_add(&a->tids, op->outputs[i].tid);
}
