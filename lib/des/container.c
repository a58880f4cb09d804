/* Levels. */
#include "des/container.h"

static void
serve(struct sf_container *c)
{
	struct sf_container *other = c->other;

	if (c->waiting == NULL || c->level < c->wanted ||
	    (other != NULL && other->level < other->wanted))
		return;
	c->level -= c->wanted;
	sf_schedule(c->kernel, c->waiting);
	c->waiting = NULL;
	if (other != NULL) {
		other->level -= other->wanted;
		other->waiting = NULL;
	}
}

void
sf_container_init(
    struct sf_container *c, struct sf_kernel *kernel, int64_t level)
{
	*c = (struct sf_container){ .kernel = kernel, .level = level };
}

void
sf_container_get(
    struct sf_container *c, struct sf_process *process, int64_t amount)
{
	c->waiting = process;
	c->wanted = amount;
	serve(c);
}

void
sf_container_pair(struct sf_container *a, struct sf_container *b)
{
	a->other = b;
	b->other = a;
}

void
sf_container_get_both(struct sf_container *c, struct sf_process *process,
    int64_t amount, int64_t of_other)
{
	c->waiting = c->other->waiting = process;
	c->wanted = amount;
	c->other->wanted = of_other;
	serve(c);
}

void
sf_container_put(struct sf_container *c, int64_t amount)
{
	c->level += amount;
	serve(c);
}
